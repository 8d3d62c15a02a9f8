// Axis-aligned boxes and bounding radii.
#pragma once

#include <algorithm>

#include "carom/geometry/shape.h"
#include "carom/math/types.h"

namespace carom {

struct Aabb {
  Vec3 min{1e300, 1e300, 1e300}, max{-1e300, -1e300, -1e300};

  bool overlaps(const Aabb& o) const {
    return min.x <= o.max.x && o.min.x <= max.x && min.y <= o.max.y && o.min.y <= max.y && min.z <= o.max.z &&
           o.min.z <= max.z;
  }
  bool contains(const Aabb& o) const {
    return min.x <= o.min.x && min.y <= o.min.y && min.z <= o.min.z && max.x >= o.max.x && max.y >= o.max.y &&
           max.z >= o.max.z;
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

/// The tight box around a bounded shape at a pose; `rotation` is the pose's matrix.
Aabb bounds(const Shape::Geometry& geometry, const Vec3& position, const Mat3& rotation);

/// The largest distance of a point of the shape from its frame's origin (of a compound: a bound on it, exact where each
/// part's frame is its centre); zero for a plane.
Real bounding_radius(const Shape::Geometry& geometry);

}  // namespace carom
