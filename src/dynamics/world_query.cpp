// Queries: the tree of boxes says which bodies come into question, nearest first where the nearest is asked for;
// geometry answers for each.
#include <algorithm>
#include <cmath>

#include "carom/base/error.h"
#include "dynamics/world_impl.h"
#include "geometry/bounds.h"
#include "geometry/distance.h"
#include "geometry/ray.h"
#include "geometry/shape_cast.h"

namespace carom {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

Placed placed(const Body& body) { return {&body.shape->geometry(), body.shape_position(), body.rotation}; }

Placed placed(const Shape& shape, const Pose& pose) {
  require(shape.is_bounded(), "World: a query needs a bounded shape");
  const Quat& q = pose.orientation;
  const Real length2 = q.w * q.w + squared_norm(q.vector());
  require(finite(pose.position) && std::isfinite(length2) && length2 > 0,
          "World: a query needs a finite position and an orientation that is not zero");
  return {&shape.geometry(), pose.position, to_matrix(normalized(q))};
}

/// Calls visit with every convex part.
template <class Visit>
void for_each_part(const Placed& whole, Visit&& visit) {
  const auto* compound = std::get_if<Compound>(whole.geometry);
  if (compound == nullptr) {
    visit(whole);
    return;
  }
  for (const CompoundPart& part : *compound->parts)
    visit(Placed{&part.shape->geometry(), whole.position + whole.rotation * part.pose.position,
                 whole.rotation * to_matrix(part.pose.orientation)});
}

/// Over all pairs of parts.
SurfacePair nearest_points(const Placed& a, const Placed& b) {
  SurfacePair nearest;
  nearest.distance = kInfinity;
  for_each_part(a, [&](const Placed& part_a) {
    for_each_part(b, [&](const Placed& part_b) {
      const SurfacePair pair = signed_distance(part_a, part_b);
      if (pair.distance < nearest.distance) nearest = pair;
    });
  });
  return nearest;
}

/// Where the line from `origin` along `direction` (any length) enters the box, in units of it; infinite for never.
Real entry(const Aabb& box, const Vec3& origin, const Vec3& direction, Real most) {
  Real enter = 0, exit = most;
  for (int i = 0; i < 3; ++i) {
    if (direction[i] == 0) {
      if (origin[i] < box.min[i] || origin[i] > box.max[i]) return kInfinity;
      continue;
    }
    const Real low = (box.min[i] - origin[i]) / direction[i], high = (box.max[i] - origin[i]) / direction[i];
    enter = std::max(enter, std::min(low, high));
    exit = std::min(exit, std::max(low, high));
  }
  return enter <= exit ? enter : kInfinity;
}

Real distance(const Aabb& a, const Aabb& b) {
  Vec3 gap;
  for (int i = 0; i < 3; ++i) gap[i] = std::max({a.min[i] - b.max[i], b.min[i] - a.max[i], 0.0});
  return norm(gap);
}

/// The bodies of a world as a query sees them.
class Seen {
 public:
  Seen(const WorldState& state, const BroadPhase& boxes, const QueryFilter& filter)
      : state_(state), boxes_(boxes), filter_(filter) {}

  /// Null where the filter hides it.
  const Body* body(std::int32_t slot) const {
    const Body& body = state_.bodies[static_cast<std::size_t>(slot)];
    const bool hidden = (body.category & filter_.mask) == 0 || handle(slot) == filter_.ignored;
    return hidden ? nullptr : &body;
  }
  BodyHandle handle(std::int32_t slot) const {
    return {static_cast<std::uint32_t>(slot) + 1, state_.bodies[static_cast<std::size_t>(slot)].generation};
  }

  /// Calls visit(slot, body) for all that touches(box) accepts, and for planes.
  template <class Touches, class Visit>
  void search(const Touches& touches, Visit&& visit) const {
    const auto see = [&](std::int32_t slot) {
      if (const Body* seen = body(slot)) visit(slot, *seen);
    };
    for (const std::int32_t plane : boxes_.half_spaces()) see(plane);
    boxes_.tree().search(touches, see);
  }

  /// The best of all bodies: try_body(slot, body, limit) returns a measure no larger than the limit, or infinity.
  /// Boxes are asked nearest first by enter(box), a lower bound of the measure. Equal measures go to the lower slot.
  template <class Enter, class Try>
  void nearest(Real limit, const Enter& enter, Try&& try_body) const {
    const auto see = [&](std::int32_t slot) {
      if (const Body* seen = body(slot)) limit = std::min(limit, try_body(slot, *seen, limit));
      return limit;
    };
    for (const std::int32_t plane : boxes_.half_spaces()) see(plane);
    boxes_.tree().search_nearest(limit, enter, see);
  }

 private:
  const WorldState& state_;
  const BroadPhase& boxes_;
  const QueryFilter& filter_;
};

/// With a direction of length one.
Ray checked(const Ray& ray) {
  const Real length = norm(ray.direction);
  require(finite(ray.origin) && std::isfinite(length) && length > 0,
          "World: a ray needs a finite origin and a direction that is not zero");
  require(ray.length > 0, "World: a ray needs a positive length");
  return {ray.origin, ray.direction / length, ray.length};
}

std::optional<RayCrossing> cross_body(const Body& body, const Ray& ray, Real limit) {
  return cross_ray(body.shape->geometry(), transposed_times(body.rotation, ray.origin - body.shape_position()),
                   transposed_times(body.rotation, ray.direction), limit);
}

RayHit hit_of(BodyHandle handle, const Body& body, const Ray& ray, const RayCrossing& crossing) {
  return {handle, ray.origin + crossing.distance * ray.direction, body.rotation * crossing.normal, crossing.distance};
}

/// True where the new answer is nearer, or as near with the lower slot.
bool is_better(Real measure, BodyHandle body, Real best, BodyHandle best_body) {
  return measure < best || (measure == best && (!best_body || body < best_body));
}

std::optional<ClosestBody> find_closest(const Seen& seen, const Placed& query, Real most) {
  require(most >= 0, "World::closest_body: the largest distance must not be negative");
  const Aabb box = bounds(*query.geometry, query.position, query.rotation);
  ClosestBody best;
  best.distance = most;
  seen.nearest(
      most, [&](const Aabb& other) { return other.overlaps(box) ? -kInfinity : distance(other, box); },
      [&](std::int32_t slot, const Body& body, Real) {
        const SurfacePair pair = nearest_points(query, placed(body));
        const BodyHandle handle = seen.handle(slot);
        if (is_better(pair.distance, handle, best.distance, best.body))
          best = {handle, pair.on_a, pair.on_b, -pair.normal, pair.distance};
        return pair.distance;
      });
  return best.body ? std::optional(best) : std::nullopt;
}

}  // namespace

const BroadPhase& World::Impl::boxes() const {
  if (!boxes_stale_.load(std::memory_order_acquire)) return boxes_;
  const std::scoped_lock lock(boxes_mutex_);
  if (!boxes_stale_.load(std::memory_order_relaxed)) return boxes_;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const Body& body = state.bodies[i];
    const auto slot = static_cast<std::int32_t>(i);
    if (!body.alive) {
      boxes_.remove(slot);
    } else if (const auto* plane = std::get_if<Plane>(&body.shape->geometry())) {
      const Vec3 normal = body.rotation * plane->normal;
      boxes_.place_half_space(slot, {normal, plane->offset + dot(normal, body.shape_position())}, {});
    } else {
      boxes_.place(slot, bounds(body.shape->geometry(), body.shape_position(), body.rotation), {}, {});
    }
  }
  boxes_.update(nullptr);
  boxes_stale_.store(false, std::memory_order_release);
  return boxes_;
}

std::optional<RayHit> World::cast_ray(const Ray& asked, const QueryFilter& filter) const {
  const Ray ray = checked(asked);
  const Seen seen(impl_->state, impl_->boxes(), filter);
  std::optional<RayHit> best;
  seen.nearest(
      ray.length, [&](const Aabb& box) { return entry(box, ray.origin, ray.direction, ray.length); },
      [&](std::int32_t slot, const Body& body, Real limit) {
        const auto crossing = cross_body(body, ray, limit);
        if (!crossing) return kInfinity;
        const BodyHandle handle = seen.handle(slot);
        if (!best || is_better(crossing->distance, handle, best->distance, best->body))
          best = hit_of(handle, body, ray, *crossing);
        return crossing->distance;
      });
  return best;
}

std::vector<RayHit> World::cast_ray_all(const Ray& asked, const QueryFilter& filter) const {
  const Ray ray = checked(asked);
  const Seen seen(impl_->state, impl_->boxes(), filter);
  std::vector<RayHit> hits;
  seen.search([&](const Aabb& box) { return entry(box, ray.origin, ray.direction, ray.length) < kInfinity; },
              [&](std::int32_t slot, const Body& body) {
                if (const auto crossing = cross_body(body, ray, ray.length))
                  hits.push_back(hit_of(seen.handle(slot), body, ray, *crossing));
              });
  std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.body < b.body;
  });
  return hits;
}

bool World::is_ray_blocked(const Ray& asked, const QueryFilter& filter) const {
  const Ray ray = checked(asked);
  const Seen seen(impl_->state, impl_->boxes(), filter);
  bool blocked = false;
  // The first hit lowers the limit under every distance there is.
  seen.nearest(
      ray.length, [&](const Aabb& box) { return entry(box, ray.origin, ray.direction, ray.length); },
      [&](std::int32_t, const Body& body, Real) {
        blocked = blocked || cross_body(body, ray, ray.length).has_value();
        return blocked ? -1 : kInfinity;
      });
  return blocked;
}

std::optional<ShapeHit> World::cast_shape(const Shape& shape, const Pose& start, const Vec3& translation,
                                          const QueryFilter& filter) const {
  require(finite(translation) && squared_norm(translation) > 0,
          "World::cast_shape: the translation must be finite and not zero");
  const Placed query = placed(shape, start);
  const Seen seen(impl_->state, impl_->boxes(), filter);
  const Aabb own = bounds(*query.geometry, query.position, query.rotation);
  const Vec3 center = own.center(), half = 0.5 * (own.max - own.min);
  std::optional<ShapeHit> best;
  seen.nearest(
      1, [&](const Aabb& box) { return entry({box.min - half, box.max + half}, center, translation, 1); },
      [&](std::int32_t slot, const Body& body, Real limit) {
        Real first = kInfinity;
        for_each_part(query, [&](const Placed& part_a) {
          for_each_part(placed(body), [&](const Placed& part_b) {
            const auto touch = carom::cast_shape(part_a, translation, part_b, std::min(limit, first));
            if (!touch || touch->fraction >= first) return;
            first = touch->fraction;
            const BodyHandle handle = seen.handle(slot);
            if (!best || is_better(first, handle, best->fraction, best->body))
              best = ShapeHit{handle, first, touch->point, -touch->normal};
          });
        });
        return first;
      });
  return best;
}

std::vector<BodyHandle> World::overlaps(const Shape& shape, const Pose& pose, const QueryFilter& filter) const {
  const Placed query = placed(shape, pose);
  const Seen seen(impl_->state, impl_->boxes(), filter);
  const Aabb box = bounds(*query.geometry, query.position, query.rotation);
  std::vector<BodyHandle> found;
  seen.search([&](const Aabb& other) { return other.overlaps(box); },
              [&](std::int32_t slot, const Body& body) {
                if (nearest_points(query, placed(body)).distance <= 0) found.push_back(seen.handle(slot));
              });
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<ClosestBody> World::closest_body(const Shape& shape, const Pose& pose, Real most,
                                               const QueryFilter& filter) const {
  return find_closest(Seen(impl_->state, impl_->boxes(), filter), placed(shape, pose), most);
}

std::optional<ClosestBody> World::closest_body(const Vec3& point, Real most, const QueryFilter& filter) const {
  require(finite(point), "World::closest_body: the point must be finite");
  const Shape::Geometry geometry = Sphere{0};
  return find_closest(Seen(impl_->state, impl_->boxes(), filter), {&geometry, point, Mat3::identity()}, most);
}

}  // namespace carom
