#include "fast/residual.h"

#include <algorithm>
#include <cmath>

#include "math/cone.h"

namespace carom::fast {
namespace {

constexpr Real kStickFraction = 1e-3;  // of v_ref, as in contact/measures.cpp

Real natural_map(const Vec3& j, const Vec3& u, Real mu, Real rho) {
  const Vec3 shifted{u.x + mu * std::sqrt(u.y * u.y + u.z * u.z), u.y, u.z};
  return norm(j - project_on_cone(j - rho * shifted, mu)) / rho;
}

/// The six components of a patch's motion, and how its group answers, from the batch's rows, in double precision.
class PatchMotion {
 public:
  PatchMotion(const Batches& batches, std::size_t place)
      : lane_(batches.batch(place / batches.lanes) + place % batches.lanes), stride_(batches.lanes) {}

  Real get(std::size_t field) const { return lane_[field * stride_]; }

  void read(const Motion& base, const Motion& probe) {
    const Vec3 n{get(kNormal), get(kNormal + 1), get(kNormal + 2)};
    const Vec3 t1{get(kTangent), get(kTangent + 1), get(kTangent + 2)}, t2 = cross(n, t1);
    const auto v = [](const std::array<float, 3>& a) { return Vec3{a[0], a[1], a[2]}; };
    const Vec3 apart = v(probe.linear) - v(base.linear);
    const Vec3 base_turn = v(base.turning), probe_turn = v(probe.turning);
    for (std::size_t c = 0; c < 6; ++c) {
      const std::size_t row = row_of(c);
      component[c] = dot({get(row), get(row + 1), get(row + 2)}, base_turn) +
                     dot({get(row + 3), get(row + 4), get(row + 5)}, probe_turn);
    }
    component[0] += dot(n, apart);
    component[3] += dot(t1, apart);
    component[4] += dot(t2, apart);
  }
  /// m/s, along n, t1, t2.
  Vec3 at(std::size_t i) const {
    const Real x = get(kX + i), y = get(kY + i);
    return {component[0] + y * component[1] - x * component[2], component[3] - y * component[5],
            component[4] + x * component[5]};
  }
  /// Of the point's block of the Delassus operator, 1/kg.
  Real trace(std::size_t i) const {
    const Real x = get(kX + i), y = get(kY + i), inverse = get(kInverse + i);
    const Real tangential = get(kTangentMatrix) + get(kTangentMatrix + 3) +
                            2 * (x * get(kTangentMatrix + 4) - y * get(kTangentMatrix + 2)) +
                            (x * x + y * y) * get(kTangentMatrix + 5);
    return (inverse > 0 ? 1 / inverse : 0) + tangential;
  }

  std::array<Real, 6> component{};

 private:
  const float* lane_;
  std::size_t stride_;
};

}  // namespace

Residual measure_residual(const Batches& batches, std::span<const Record> records, const Impacts& impacts,
                          const Motions& motions, Real gravity, Real dt) {
  std::size_t contacts = 0;
  Real worst = 0, sum = 0, fastest = 0;
  // The unit depends on all contacts: distances first, then their unit.
  for (std::size_t place = 0; place < batches.records.size(); ++place) {
    if (batches.records[place] == 0 || impacts.at(static_cast<std::int32_t>(place)) != nullptr) continue;
    const Record& record = records[static_cast<std::size_t>(batches.records[place])];
    PatchMotion patch(batches, place);
    const auto base = static_cast<std::size_t>(batches.read_base[place]);
    const auto probe = static_cast<std::size_t>(batches.read_probe[place]);
    patch.read(motions.means[base], motions.means[probe]);
    contacts += record.count;
    for (std::size_t i = 0; i < record.count; ++i) {
      Vec3 u = patch.at(i);
      fastest = std::max(fastest, squared_norm(u));
      const Real gap = patch.get(kGap + i);
      u.x += std::max(gap, 0.0) / dt;
      const Vec3 j{patch.get(kNormalSum + i), patch.get(kTangentSum + i), patch.get(kAcrossSum + i)};
      if (j == Vec3{} && u.x >= 0) continue;
      const Real trace = patch.trace(i);
      if (trace <= 0) continue;
      const Real rho = 3 / trace, mu = record.friction, mu_static = record.static_friction;
      Real residual = natural_map(j, u, mu, rho);
      if (mu_static > mu && std::sqrt(u.y * u.y + u.z * u.z) < kStickFraction * gravity * dt)
        residual = std::min(residual, natural_map(j, u, mu_static, rho));
      worst = std::max(worst, residual);
      sum += residual * residual;
    }
  }
  const Real unit = std::max({gravity * dt, 1e-3 * std::sqrt(fastest), 1e-9});
  Residual result;
  result.worst = worst / unit;
  if (contacts > 0) result.rms = std::sqrt(sum / static_cast<Real>(contacts)) / unit;
  return result;
}

}  // namespace carom::fast
