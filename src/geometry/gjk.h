// Distance between two convex sets given by support functions.
//
// E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance between complex objects in
// three-dimensional space", 1988. A simplex inside the Minkowski difference A − B walks towards the origin; it stops
// when the support in the direction of the origin no longer lowers the distance by more than rounding.
#pragma once

#include <functional>

#include "carom/math/types.h"

namespace carom {

struct ClosestPoints {
  Vec3 on_a, on_b;
  Real distance = 0;  ///< zero where the sets overlap
  bool separated = false;
};

/// The point of a convex set that lies farthest in a direction (any length).
using Support = std::function<Vec3(const Vec3&)>;

/// Requires supports of bounded sets. `start` is any direction, best from A to B.
ClosestPoints closest_points(const Support& a, const Support& b, const Vec3& start);

}  // namespace carom
