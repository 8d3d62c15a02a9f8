// Distance between two convex sets.
//
// E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A fast procedure for computing the distance between complex objects in
// three-dimensional space", 1988. A simplex inside the difference B − A walks towards the origin. The nearest point v
// of the simplex bounds the distance from above, the support plane square to v bounds it from below by v·w/|v|.
#pragma once

#include "geometry/simplex.h"

namespace carom {

struct GjkResult {
  Simplex simplex;    ///< carries the nearest point; four points enclose the origin
  Real distance = 0;  ///< an upper bound; zero where the sets overlap
  Real lower = 0;     ///< a lower bound
  Vec3 direction;     ///< unit, from A to B; zero where the sets overlap
};

/// `Difference` has `least(n)`, a point of B − A that lies farthest against n, and `scale()`, the size of the
/// coordinates met so far. Stops when the bounds differ by no more than `tolerance` of the distance, or when rounding
/// allows no further progress. `start` is any direction, best from A to B.
template <class Difference>
GjkResult gjk(Difference& difference, const Vec3& start, Real tolerance) {
  constexpr int kMaxIterations = 128;
  constexpr Real kRounding = 1e-15;  // of the scale: a few products

  GjkResult result;
  Simplex& simplex = result.simplex;
  simplex.add(difference.least(start));
  simplex.weights[0] = 1;
  Vec3 v = simplex.nearest();
  for (int iteration = 0; iteration < kMaxIterations && simplex.count < 4; ++iteration) {
    const Real length = norm(v);
    if (length <= kRounding * difference.scale()) break;
    const DifferencePoint next = difference.least(v);
    result.distance = length;
    result.direction = v / length;
    result.lower = dot(result.direction, next.w);
    const Real gap = length - result.lower;
    if (gap <= tolerance * length || gap <= kRounding * difference.scale()) return result;
    Simplex grown = simplex;
    grown.add(next);
    grown = reduced(grown);
    const Vec3 nearest = grown.nearest();
    if (grown.count < 4 && squared_norm(nearest) >= squared_norm(v)) return result;  // rounding: no further progress
    simplex = grown;
    v = nearest;
  }
  if (simplex.count < 4 && norm(v) > kRounding * difference.scale()) return result;  // curved sets, nearly there
  result.distance = result.lower = 0;
  result.direction = {};
  return result;
}

}  // namespace carom
