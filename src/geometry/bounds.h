// Axis-aligned boxes and bounding radii.
#pragma once

#include <algorithm>
#include <cmath>

#include "carom/geometry/shape.h"
#include "carom/math/types.h"

namespace carom {

struct Aabb {
  Vec3 min{1e300, 1e300, 1e300}, max{-1e300, -1e300, -1e300};

  bool overlaps(const Aabb& o) const {
    return min.x <= o.max.x && o.min.x <= max.x && min.y <= o.max.y && o.min.y <= max.y && min.z <= o.max.z &&
           o.min.z <= max.z;
  }
  void include(const Aabb& o) {
    min = {std::min(min.x, o.min.x), std::min(min.y, o.min.y), std::min(min.z, o.min.z)};
    max = {std::max(max.x, o.max.x), std::max(max.y, o.max.y), std::max(max.z, o.max.z)};
  }
  Vec3 center() const { return 0.5 * (min + max); }

  /// Grown by `margin` on all sides and by the motion `sweep` in its direction.
  Aabb swept(const Vec3& sweep, Real margin) const {
    const Vec3 m{margin, margin, margin};
    const Vec3 low{std::min(sweep.x, 0.0), std::min(sweep.y, 0.0), std::min(sweep.z, 0.0)};
    return {min - m + low, max + m + (sweep - low)};
  }
};

/// The box around a bounded shape at a pose; `rotation` is the pose's matrix.
inline Aabb bounds(const Shape::Geometry& geometry, const Vec3& position, const Mat3& rotation) {
  Vec3 extent;
  if (const Sphere* sphere = std::get_if<Sphere>(&geometry)) {
    extent = {sphere->radius, sphere->radius, sphere->radius};
  } else if (const Box* box = std::get_if<Box>(&geometry)) {
    const Vec3 h = box->half_size;
    for (int i = 0; i < 3; ++i)
      extent[i] = std::abs(rotation(i, 0)) * h.x + std::abs(rotation(i, 1)) * h.y + std::abs(rotation(i, 2)) * h.z;
  } else if (const Capsule* capsule = std::get_if<Capsule>(&geometry)) {
    for (int i = 0; i < 3; ++i) extent[i] = std::abs(rotation(i, 2)) * capsule->half_length + capsule->radius;
  }
  return {position - extent, position + extent};
}

/// The largest distance of a point of the shape from its frame's origin; zero for a plane.
inline Real bounding_radius(const Shape::Geometry& geometry) {
  if (const Sphere* sphere = std::get_if<Sphere>(&geometry)) return sphere->radius;
  if (const Box* box = std::get_if<Box>(&geometry)) return norm(box->half_size);
  if (const Capsule* capsule = std::get_if<Capsule>(&geometry)) return capsule->radius + capsule->half_length;
  return 0;
}

}  // namespace carom
