#include "fast/patch_record.h"

#include <algorithm>
#include <cmath>

#include "carom/contact/problem.h"

namespace carom::fast {
namespace {

using Points = std::array<int, Record::kMaxPoints>;

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 vector(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }
Vec3 vector(const std::array<float, 4>& v) { return {v[0], v[1], v[2]}; }

/// The index that maximises score(i) over the manifold's points; the first of equals.
template <class Score>
int best_point(const Manifold& manifold, Score&& score) {
  int best = 0;
  Real most = score(0);
  for (int i = 1; i < manifold.count; ++i) {
    const Real value = score(i);
    if (value > most) most = value, best = i;
  }
  return best;
}

/// The deepest point, the one farthest from it, and the farthest on either side of the line between them.
int choose_points(const Manifold& manifold, Points& chosen) {
  if (manifold.count <= Record::kMaxPoints) {
    for (int i = 0; i < manifold.count; ++i) chosen[static_cast<std::size_t>(i)] = i;
    return manifold.count;
  }
  const auto at = [&](int i) -> const ManifoldPoint& { return manifold.points[static_cast<std::size_t>(i)]; };
  // A point that is far off counts as if it lay nearer to the others: it carries nothing for now.
  const int first = best_point(manifold, [&](int i) { return -at(i).gap; });
  const Vec3 p = at(first).point;
  const int second = best_point(manifold, [&](int i) { return norm(at(i).point - p) - (at(i).gap - at(first).gap); });
  const Vec3 line = normalized(at(second).point - p), side = cross(manifold.normal, line);
  const auto height = [&](int i) { return dot(side, at(i).point - p); };
  const int third = best_point(manifold, [&](int i) { return height(i) - (at(i).gap - at(first).gap); });
  const int fourth = best_point(manifold, [&](int i) { return -height(i) - (at(i).gap - at(first).gap); });
  int count = 0;
  for (const int i : {first, second, third, fourth})
    if (std::find(chosen.begin(), chosen.begin() + count, i) == chosen.begin() + count)
      chosen[static_cast<std::size_t>(count++)] = i;
  return count;
}

/// How far a body's surface points lie from a common plane across the normal. `side` is +1 for the manifold's second
/// body, −1 for its first.
Real unevenness(const Manifold& manifold, const Points& chosen, int count, Real side) {
  Real low = 1e300, high = -1e300;
  for (int k = 0; k < count; ++k) {
    const ManifoldPoint& p = manifold.points[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])];
    const Real level = dot(manifold.normal, p.point) + 0.5 * side * p.gap;
    low = std::min(low, level);
    high = std::max(high, level);
  }
  return high - low;
}

/// Of two flat sides the smaller one's corners touch the larger one's face.
bool is_larger(const BodyView& a, const BodyView& b) { return a.size == 0 || (b.size > 0 && a.radius >= b.radius); }

}  // namespace

Record make_record(const Manifold& manifold, const BodyView& a, const BodyView& b) {
  constexpr Real kRounding = 1e-9;  // m: of two that are as even, the larger is the base
  Record record;
  Points chosen{};
  const int count = choose_points(manifold, chosen);
  const Real more = unevenness(manifold, chosen, count, 1) - unevenness(manifold, chosen, count, -1);
  record.base_is_a = std::abs(more) <= kRounding ? is_larger(a, b) : more > 0;
  const BodyView &base = record.base_is_a ? a : b, &probe = record.base_is_a ? b : a;
  record.base = record.base_is_a ? manifold.a : manifold.b;
  record.probe = record.base_is_a ? manifold.b : manifold.a;
  record.part = manifold.part;
  record.axis = manifold.axis;
  record.count = static_cast<std::uint8_t>(count);
  const Vec3 normal = record.base_is_a ? manifold.normal : -manifold.normal;
  record.normal_local = floats(transposed_times(base.rotation, normal));
  record.tangent_local = floats(transposed_times(base.rotation, default_tangent(normal)));

  const auto point_of = [&](int k) -> const ManifoldPoint& {
    return manifold.points[static_cast<std::size_t>(chosen[static_cast<std::size_t>(k)])];
  };
  const auto on_base = [&](int k) { return point_of(k).point - 0.5 * point_of(k).gap * normal; };
  const Vec3 anchor = on_base(0);
  const Vec3 anchor_local = transposed_times(base.rotation, anchor - base.center);
  record.anchor_local = {anchor_local.x, anchor_local.y, anchor_local.z};
  for (int k = 0; k < Record::kMaxPoints; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const int real = k < count ? k : 0;
    const ManifoldPoint& p = point_of(real);
    const std::array<float, 3> arm =
        floats(transposed_times(probe.rotation, p.point + 0.5 * p.gap * normal - probe.center));
    const Real level = dot(normal, on_base(real) - anchor);
    record.arms[i] = {arm[0], arm[1], arm[2], k < count ? static_cast<float>(level) : Record::kNowhere};
    if (k >= count) continue;
    record.features[i] = p.feature;
    record.least_gap = std::min(record.least_gap, static_cast<float>(p.gap));
  }
  return record;
}

void take_impulses(const Record& from, Real reach, const BodyView& base_of_from, const BodyView& probe_of_from,
                   const BodyView& base, const BodyView& probe, Record& to) {
  const Vec3 old_normal = base_of_from.rotation * vector(from.normal_local);
  const Vec3 old_tangent = base_of_from.rotation * vector(from.tangent_local);
  const Vec3 normal = base.rotation * vector(to.normal_local), tangent = base.rotation * vector(to.tangent_local);
  // Impulses are those on the probe.
  const Real sign = from.probe == to.probe ? 1 : -1;
  const auto place = [](const Record& r, const BodyView& owner, std::size_t i) {
    return owner.center + owner.rotation * vector(r.arms[i]);
  };
  std::array<bool, Record::kMaxPoints> taken{};
  for (std::size_t i = 0; i < to.count; ++i) {
    const Vec3 here = place(to, probe, i);
    Real nearest = reach;
    std::size_t best = Record::kMaxPoints;
    for (std::size_t k = 0; k < from.count; ++k) {
      const Real distance = norm(place(from, probe_of_from, k) - here);
      if (!taken[k] && distance < nearest) nearest = distance, best = k;
    }
    if (best == Record::kMaxPoints) continue;
    taken[best] = true;
    const Vec3 friction = sign * (Real{from.tangent_impulse[best]} * old_tangent +
                                  Real{from.across_impulse[best]} * cross(old_normal, old_tangent));
    to.normal_impulse[i] = from.normal_impulse[best];
    to.tangent_impulse[i] = static_cast<float>(dot(friction, tangent));
    to.across_impulse[i] = static_cast<float>(dot(friction, cross(normal, tangent)));
  }
}

}  // namespace carom::fast
