// Questions to a world about what is where: rays, shapes that sweep or stand, nearest bodies. Asked of `World`.
#pragma once

#include <cstdint>
#include <limits>

#include "carom/base/handle.h"
#include "carom/math/types.h"

namespace carom {

/// Which bodies a query sees; a fresh one sees all.
struct QueryFilter {
  std::uint64_t mask = ~std::uint64_t{0};  ///< only bodies whose category has one of these bits
  BodyHandle ignored;                      ///< not this one; null: none
};

/// World frame.
struct Ray {
  Vec3 origin;                                          ///< m
  Vec3 direction{0, 0, -1};                             ///< any length but zero
  Real length = std::numeric_limits<Real>::infinity();  ///< m, positive
};

/// Where a ray enters a body. A ray that starts inside a body hits it at distance 0, with the normal against the ray.
struct RayHit {
  BodyHandle body;
  Vec3 point;         ///< m, world
  Vec3 normal;        ///< unit, out of the body
  Real distance = 0;  ///< m, from the ray's origin
};

/// Where a swept shape first touches a body.
struct ShapeHit {
  BodyHandle body;
  Real fraction = 0;  ///< of the translation, from 0 (touches or overlaps at the start) to 1
  Vec3 point;         ///< m, world, on the body
  Vec3 normal;        ///< unit, out of the body
};

/// The points where a shape (or a point) and a body are nearest.
struct ClosestBody {
  BodyHandle body;
  Vec3 on_query;      ///< m, world, on the shape asked for; the point itself where it was a point
  Vec3 on_body;       ///< m, world
  Vec3 normal;        ///< unit, out of the body
  Real distance = 0;  ///< m; negative where they overlap: minus the least translation that separates them
};

}  // namespace carom
