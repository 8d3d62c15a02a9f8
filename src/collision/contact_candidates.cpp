#include "collision/contact_candidates.h"

#include <algorithm>

namespace carom {

Real ContactCandidates::least_gap() const {
  Real least = 1e300;
  for (int i = 0; i < count_; ++i) least = std::min(least, list_[static_cast<std::size_t>(i)].gap);
  return least;
}

void ContactCandidates::choose(const Vec3& across, Manifold& manifold) const {
  std::array<bool, kCapacity> kept{};
  const auto keep_best = [&](auto&& score) {
    int best = -1;
    Real highest = 0;
    for (int i = 0; i < count_; ++i) {
      const Real s = score(list_[static_cast<std::size_t>(i)]);
      if (best < 0 || s > highest) best = i, highest = s;
    }
    kept[static_cast<std::size_t>(best)] = true;
  };
  if (count_ <= Manifold::kMaxPoints) {
    kept.fill(true);
  } else {
    constexpr Real kLift = 8;
    const Vec3 x = normalized(across - dot(across, manifold.normal) * manifold.normal), y = cross(manifold.normal, x);
    const Vec3 origin = list_[0].point;
    keep_best([](const Candidate& c) { return -c.gap; });
    for (const Vec3& d : {x, y, x + y, y - x}) {
      const Vec3 unit = normalized(d);
      keep_best([&](const Candidate& c) { return dot(unit, c.point - origin) - kLift * c.gap; });
      keep_best([&](const Candidate& c) { return -dot(unit, c.point - origin) - kLift * c.gap; });
    }
    for (auto count = std::count(kept.begin(), kept.end(), true); count < Manifold::kMaxPoints; ++count) {
      int next = -1;
      for (int i = 0; i < count_; ++i) {
        if (kept[static_cast<std::size_t>(i)]) continue;
        if (next < 0 || (*this)[i].gap < (*this)[next].gap) next = i;
      }
      kept[static_cast<std::size_t>(next)] = true;
    }
  }
  for (int i = 0; i < count_; ++i)
    if (kept[static_cast<std::size_t>(i)]) manifold.add((*this)[i].point, (*this)[i].gap, (*this)[i].name);
}

}  // namespace carom
