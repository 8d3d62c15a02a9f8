#include "collision/time_of_impact.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "geometry/distance.h"
#include "geometry/support.h"

namespace carom {
namespace {

constexpr int kMostQueries = 256;
constexpr int kBridges = 4;  // advances with a turning axis before one at rest is tried again
constexpr int kMostSteps = 2000;
constexpr Real kSlow = 0.25;  // of the distance left over: an axis that does no better is worth turning
constexpr Real kFew = 0.25;   // of an interval proven: try a shorter one

/// One of the two shapes, or a part of it.
class Side {
 public:
  Side(const Motion& way, const CompoundPart* part)
      : motion(way), part_(part), geometry_(part != nullptr ? &part->shape->geometry() : way.geometry) {
    if (!std::holds_alternative<Plane>(*geometry_)) core_ = core_of(*geometry_);
  }

  Placed placed(Real time) const {
    if (part_ == nullptr) return motion.placed(time);
    const Pose at = motion.pose(time);
    return {geometry_, transform(at, part_->pose.position), to_matrix(at.orientation * part_->pose.orientation)};
  }

  /// The largest coordinate along a unit axis. A plane's is asked for along its own normal only.
  Real reach(Real time, const Vec3& axis) {
    const Placed at = placed(time);
    const Real center = dot(axis, at.position);
    if (const Plane* plane = std::get_if<Plane>(geometry_)) return center + plane->offset;
    const Vec3 local = transposed_times(at.rotation, axis);
    return center + dot(local, support(core_, local, vertex_)) + core_.radius;
  }

  const Motion& motion;

 private:
  const CompoundPart* part_;  // null: the whole shape
  const Shape::Geometry* geometry_;
  Core core_;
  std::int32_t vertex_ = 0;  // where the last support was
};

/// Where a parabola that starts above zero, c + b u + ½ e u² with e ≥ 0, first reaches zero; `end` if not before it.
Real first_zero(Real c, Real b, Real e, Real end) {
  if (b >= 0) return end;
  const Real discriminant = b * b - 2 * e * c;
  if (discriminant < 0) return end;
  return std::min(2 * c / (-b + std::sqrt(discriminant)), end);
}

/// One pair of convex shapes on their way.
class Advance {
 public:
  Advance(const Side& side_a, const Side& side_b, const ImpactQuery& query, ImpactHint& hint)
      : side_a_(side_a),
        side_b_(side_b),
        a_(side_a.motion),
        b_(side_b.motion),
        hint_(hint),
        query_(query),
        far_(query.level + 0.5 * query.tolerance),
        near_(query.level + query.tolerance),
        drift_(0.5 * (a_.radius * a_.tumble + b_.radius * b_.tumble)),
        fastest_(fastest()) {}

  Impact run() {
    Real time = query_.from;
    SurfacePair pair = distance(time);
    if (height(pair, time) <= 0) return found(pair, time, true, false);
    while (time < query_.to) {
      if (impact_.distance_queries >= kMostQueries || steps_ >= kMostSteps) return found(pair, time, false, true);
      const Real before = height(pair, time), start = time;
      follow(pair.normal, time);
      if (time >= query_.to) break;
      if (time > start) pair = distance(time);
      const Real left = height(pair, time);
      if (left <= 0) return found(pair, time, false, false);
      // Where the axis turns with the bodies, keeping it still wastes the way: then let it turn.
      if (left > kSlow * before) {
        const Real rate = time > start ? (before - left) / (time - start) : fastest_;
        bridge(rate > 0 ? left / rate : query_.to - time, pair, time);
        if (time >= query_.to) break;
        if (height(pair, time) <= 0) return found(pair, time, false, false);
      }
      if (time > start) continue;
      // The axis of a very small distance is known to within rounding only; the distance itself is better known.
      time = std::min(time + (height(pair, time) + near_ - far_) / fastest_, query_.to);
      pair = distance(time);
      if (time < query_.to && height(pair, time) <= 0) return found(pair, time, false, false);
    }
    return nothing();
  }

 private:
  /// How far the surfaces may be from where constant turning takes them.
  Real uncertainty(Real time) const { return drift_ * time * time; }

  /// A lower bound on the signed distance.
  Real separation(const Vec3& axis, Real time) {
    ++steps_;
    return -(side_a_.reach(time, axis) + side_b_.reach(time, -axis)) - uncertainty(time);
  }

  /// A bound on how fast the distance can shrink, whatever the direction.
  Real fastest() const {
    const auto turning = [&](const Motion& m) { return m.radius * (norm(m.angular_velocity) + query_.to * m.tumble); };
    return norm(b_.velocity - a_.velocity) + query_.to * norm(b_.acceleration - a_.acceleration) + turning(a_) +
           turning(b_);
  }

  Real bend(const Vec3& axis) const {
    const auto turning = [&](const Motion& m) {
      return m.turns() ? m.radius * norm(m.angular_velocity) * norm(cross(axis, m.angular_velocity)) : 0;
    };
    return std::max(0.0, dot(axis, b_.acceleration - a_.acceleration)) + turning(a_) + turning(b_);
  }

  SurfacePair distance(Real time) {
    ++impact_.distance_queries;
    const Placed a = side_a_.placed(time), b = side_b_.placed(time);
    if (a_.polyhedron != nullptr && b_.polyhedron != nullptr) {
      const ClosestFeatures closest = closest_features({a_.polyhedron, a.position, a.rotation},
                                                       {b_.polyhedron, b.position, b.rotation}, hint_.features);
      if (!closest.penetrating) return closest.nearest;
    }
    return signed_distance(a, b, hint_.distance);
  }

  /// How far the pair is from arriving.
  Real height(const SurfacePair& pair, Real time) const { return pair.distance - uncertainty(time) - near_; }

  /// Moves `time` on for as long as the axis, kept still, is proven to separate by more than `far_`.
  void follow(const Vec3& axis, Real& time) {
    Real here = separation(axis, time);
    const Real e = bend(axis);
    Real step = query_.to - time;
    while (here > far_ && time < query_.to && steps_ < kMostSteps) {
      const bool last = step >= query_.to - time;
      if (last) step = query_.to - time;
      const Real there = separation(axis, last ? query_.to : time + step);
      const Real sure = first_zero(here - far_, (there - here) / step - 0.5 * e * step, e, step);
      if (sure >= step) {
        time = last ? query_.to : time + step;
        here = there;
        step *= 2;
        continue;
      }
      if (time + sure == time) return;
      time += sure;
      here = separation(axis, time);
      if (here <= near_) return;
      // Twice as far as last time, or as far as the bend alone would allow with room to spare.
      step = std::max(2 * sure, e > 0 ? std::sqrt(4 * (here - far_) / e) : 0);
    }
  }

  /// Moves `time` on for as long as an axis that turns evenly from the closest normal here to that at the other end is
  /// proven to separate, and `pair` with it. `step` is a first guess at how far that may be.
  void bridge(Real step, SurfacePair& pair, Real& time) {
    Real over_time = -1, over_height = 0;  // the earliest time known at which they are too close, once there is one
    for (int advances = 0; advances < kBridges && impact_.distance_queries < kMostQueries;) {
      step = std::min(step, query_.to - time);
      const Real end = step >= query_.to - time ? query_.to : time + step;
      if (end == time) return;
      const SurfacePair other = distance(end);
      const Real sure = proven(pair, time, other, end);
      if (height(other, end) < 0) over_time = end, over_height = height(other, end);
      const bool whole = sure >= end - time;
      if (whole || sure >= kFew * step) {
        pair = whole ? other : distance(time + sure);
        time = whole ? end : time + sure;
        ++advances;
        if (time >= query_.to || height(pair, time) <= 0) return;
      }
      step = whole ? 2 * step : 0.5 * step;
      // The chord to where it is too close leads to just before the impact, where distances bend downwards.
      const Real left = height(pair, time) + 0.25 * query_.tolerance;
      if (over_time > time) step = std::min(step, (over_time - time) * left / (left - over_height));
    }
  }

  /// How long after `time` an axis that turns from one normal to the other is sure to separate.
  Real proven(const SurfacePair& pair, Real time, const SurfacePair& other, Real end) {
    const Real step = end - time;
    const Real here = separation(pair.normal, time), there = separation(other.normal, end);
    const Real e = turning_bend(norm(other.normal - pair.normal) / step);
    // A turning axis is shorter than one on its way: an overlap looks smaller along it by that factor.
    const Real bar = far_ >= 0 ? far_ : 0.5 * norm(pair.normal + other.normal) * far_;
    return here > bar ? first_zero(here - bar, (there - here) / step - 0.5 * e * step, e, step) : 0;
  }

  Real turning_bend(Real axis_rate) const {
    const Vec3 acceleration = b_.acceleration - a_.acceleration;
    const Real speed = norm(b_.velocity - a_.velocity) + query_.to * norm(acceleration);
    const auto turning = [&](const Motion& m) {
      const Real spin = norm(m.angular_velocity);
      return m.radius * spin * (spin + 2 * axis_rate);
    };
    return norm(acceleration) + 2 * axis_rate * speed + turning(a_) + turning(b_);
  }

  Impact nothing() {
    impact_.time = query_.to;
    impact_.axis_steps = steps_;
    return impact_;
  }

  Impact found(const SurfacePair& pair, Real time, bool at_start, bool limited) {
    impact_.found = true;
    impact_.at_start = at_start;
    impact_.limited = limited;
    impact_.time = time;
    impact_.distance = pair.distance;
    impact_.on_a = pair.on_a;
    impact_.on_b = pair.on_b;
    impact_.normal = pair.normal;
    impact_.approach = dot(pair.normal, a_.velocity_at(time, pair.on_a) - b_.velocity_at(time, pair.on_b));
    impact_.axis_steps = steps_;
    return impact_;
  }

  Side side_a_, side_b_;
  const Motion &a_, &b_;
  ImpactHint& hint_;
  const ImpactQuery& query_;
  Real far_, near_;  // m: what an axis must prove, and what counts as arrived
  Real drift_;       // m/s²
  Real fastest_;     // m/s
  int steps_ = 0;
  Impact impact_;
};

std::span<const CompoundPart> parts_of(const Shape::Geometry& geometry) {
  const Compound* compound = std::get_if<Compound>(&geometry);
  return compound != nullptr ? std::span<const CompoundPart>(*compound->parts) : std::span<const CompoundPart>();
}

}  // namespace

Impact time_of_impact(const Motion& a, const Motion& b, const ImpactQuery& query) {
  ImpactHint hint;
  return time_of_impact(a, b, query, hint);
}

Impact time_of_impact(const Motion& a, const Motion& b, const ImpactQuery& query, ImpactHint& hint) {
  const std::span<const CompoundPart> parts_a = parts_of(*a.geometry), parts_b = parts_of(*b.geometry);
  if (parts_a.empty() && parts_b.empty()) return Advance({a, nullptr}, {b, nullptr}, query, hint).run();
  // The first of all pairs of parts; at the same time, the nearest.
  ImpactQuery rest = query;
  Impact first;
  first.time = query.to;
  int queries = 0, steps = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(parts_a.size(), 1); ++i) {
    for (std::size_t k = 0; k < std::max<std::size_t>(parts_b.size(), 1); ++k) {
      const Side side_a(a, parts_a.empty() ? nullptr : &parts_a[i]), side_b(b, parts_b.empty() ? nullptr : &parts_b[k]);
      ImpactHint fresh;  // of one pair of parts it says nothing about the next
      const Impact impact = Advance(side_a, side_b, rest, fresh).run();
      queries += impact.distance_queries;
      steps += impact.axis_steps;
      const bool earlier = impact.time < first.time || (impact.time == first.time && impact.distance < first.distance);
      if (!impact.found || (first.found && !earlier)) continue;
      first = impact;
      rest.to = impact.time;
    }
  }
  first.distance_queries = queries;
  first.axis_steps = steps;
  return first;
}

}  // namespace carom
