// Where a ray meets a shape: in closed form for every kind.
//
// A convex shape is an intersection of simple convex sets (half-spaces, an endless cylinder, one nappe of a cone, an
// ellipsoid), each of which a line meets in one interval; the shape's is what the intervals share (T. L. Kay and
// J. T. Kajiya, "Ray tracing complex scenes", 1986, for planes). A capsule is the union of a cylinder and two balls.
// Distances are counted from the point of the line nearest to the shape's origin, so that a ray from far away loses no
// digits to the square of its distance.
#pragma once

#include <optional>

#include "carom/geometry/shape.h"
#include "carom/math/types.h"

namespace carom {

struct RayCrossing {
  Real distance = 0;    ///< m along the ray
  Vec3 normal;          ///< unit, outward, where the ray enters; against the ray where it starts inside
  bool inside = false;  ///< the ray starts in the solid: distance is 0
};

/// In the shape's frame. Requires a unit direction and length ≥ 0, which may be infinite. A ray that only touches the
/// surface meets it. Of a compound: the nearest part.
std::optional<RayCrossing> cross_ray(const Shape::Geometry& geometry, const Vec3& origin, const Vec3& direction,
                                     Real length);

}  // namespace carom
