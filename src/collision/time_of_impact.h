// When two moving convex shapes first come to a given distance: conservative advancement with directed bounds.
//
// B. Mirtich and J. Canny, "Impulse-based simulation of rigid bodies", 1995, section 3.1: the closest points and bounds
// on the motion give a time before which nothing can touch; advance to it and ask again. Directed bounds, along the
// closest normal alone, are B. Mirtich's (thesis, Berkeley 1996, chapter 2) and X. Zhang, M. Lee, Y. J. Kim's
// ("Interactive continuous collision detection for non-convex polyhedra", 2006).
//
// The signed distance is the largest separation along any axis, so that the separation along one fixed axis n,
//   f(t) = min over b of n·x − max over a of n·x,
// never exceeds it. f needs two support points and no distance query. Its bend is bounded: the support of a convex
// shape is a convex, positively homogeneous function h of the direction, which in the body's axes runs on a circle, so
// that between any two times
//   f(s) ≥ chord(s) − ½ E (s − s₀)(s₁ − s),   E = max(0, n·(a_b − a_a)) + Σ R |ω| |n × ω|,
// a being accelerations, R radii. The bound is of second order in the time between, where the usual ones (speed times
// time) are of first order; a body that falls straight down is followed in one step. Where n no longer separates, the
// distance query gives the next axis: Newton's method on the distance, from below.
#pragma once

#include "collision/motion.h"
#include "geometry/closest_features.h"

namespace carom {

/// What to look for.
struct ImpactQuery {
  Real from = 0, to = 0;  ///< s: when to look, 0 ≤ from ≤ to
  Real level = 0;         ///< m: the signed distance that counts; negative: an overlap that deep
  Real tolerance = 0;     ///< m, positive, well above the rounding of coordinates
};

/// From `from` to `time` the shapes are farther apart than level + tolerance/2. Where `found`, they are no farther
/// than level + tolerance at `time`; else `time` is the end of the query.
struct Impact {
  bool found = false;
  bool at_start = false;  ///< they are that close at `from` already
  bool limited = false;   ///< found early: after the largest number of steps they are not that close yet
  Real time = 0;          ///< s
  Real distance = 0;      ///< m, signed, at `time`, where found
  Vec3 on_a, on_b;        ///< m, world: the closest points there
  Vec3 normal;            ///< unit, from a to b
  Real approach = 0;      ///< m/s: how fast those points close in on each other along the normal; negative: they part
  int distance_queries = 0, axis_steps = 0;  ///< what it took
};

/// What one query of a pair leaves for the next, for speed alone.
struct ImpactHint {
  FeaturePair features;
  DistanceHint distance;
};

/// Requires bounded convex shapes, compounds of them, or a plane that does not move against one of these. Between two
/// polyhedra distances come from closest features, as in the paper; a caller who keeps the hint finds them in constant
/// time.
Impact time_of_impact(const Motion& a, const Motion& b, const ImpactQuery& query, ImpactHint& hint);
Impact time_of_impact(const Motion& a, const Motion& b, const ImpactQuery& query);

}  // namespace carom
