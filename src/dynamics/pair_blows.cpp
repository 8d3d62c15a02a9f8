#include "dynamics/pair_blows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collision/pairs.h"

namespace carom {
namespace {

constexpr Real kPatch = 0.25;     // of the envelope: points that are so much farther apart are in contact too
constexpr Real kRounding = 1e-6;  // of the speeds in play: approach that is not worth a blow
constexpr std::size_t kMostBlows = 64;

Placed placed(const Body& body) { return {&body.shape->geometry(), body.shape_position(), body.rotation}; }

}  // namespace

/// All points at which the two are in contact.
void PairBlows::find_points(const BlowRules& rules, const Impact& at, const Body& a, const Body& b) {
  points_.clear();
  manifolds_.clear();
  const Real reach = std::max(at.distance, rules.floor) + kPatch * rules.envelope;
  collide_all(placed(a), placed(b), reach, {}, manifolds_);
  for (const Manifold& m : manifolds_) {
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      if (p.gap <= reach) points_.push_back({p.point, m.normal, p.gap});
    }
  }
}

/// What strikes next: all points of a patch that part too slowly are struck at once, at their centre, weighed by how
/// much they are in want of it. Of several patches, that with the fastest approach.
bool PairBlows::find_next(const BlowRules& rules, const Pull& pull, const Body& a, const Body& b,
                          BlowPoint& next) const {
  Real most = 0;
  for (std::size_t first = 0, last = 0; first < points_.size(); first = last) {
    const Vec3& normal = points_[first].normal;
    BlowPoint sum{{}, normal, 0};
    Real weight = 0, fastest = 0;
    for (; last < points_.size() && points_[last].normal == normal; ++last) {
      const BlowPoint& point = points_[last];
      const Vec3 velocity = velocity_between(a, b, point.point);
      const Real approach = -dot(normal, velocity);
      const Real hop = rules.artificial || point.gap < 0 ? hop_speed(rules, point, pull.along(normal, velocity)) : 0;
      const Real want = approach + 0.5 * hop;
      if (want <= kRounding * (std::abs(approach) + hop + rules.micro_speed)) continue;
      sum.point += want * point.point;
      sum.gap += want * point.gap;
      weight += want;
      fastest = std::max(fastest, want);
    }
    if (fastest <= most) continue;
    most = fastest;
    next = {sum.point / weight, normal, sum.gap / weight};
  }
  return most > 0;
}

/// Faces on each other: one blow for all points, where one can do.
void PairBlows::strike_whole(const BlowRules& rules, const Material& material, const Pull& pull, Body& a, Body& b) {
  if (!rules.artificial || !rules.reverse || points_.size() < 3) return;
  const Vec3& normal = points_.front().normal;
  for (const BlowPoint& point : points_)
    if (point.normal != normal) return;
  const std::optional<ImpactEvent> event = strike_patch(rules, material, points_, pull, lu_, a, b);
  if (event) blows_.push_back({*event, {event->point, normal, points_.front().gap}});
}

std::span<const Blow> PairBlows::strike_all(const BlowRules& rules, const Material& material, const Pull& pull,
                                            const Impact& at, Body& a, Body& b) {
  blows_.clear();
  find_points(rules, at, a, b);
  strike_whole(rules, material, pull, a, b);
  // Points of a patch stand for faces; corners and edges may meet where there is none.
  points_.push_back({0.5 * (at.on_a + at.on_b), at.normal, at.distance});
  for (BlowPoint next; blows_.size() < kMostBlows && find_next(rules, pull, a, b, next);)
    blows_.push_back({strike(rules, material, next, pull, a, b), next});
  return blows_;
}

}  // namespace carom
