// The last digits of a signed distance between cores.
//
// With h the support functions, f(n) = min over B − A of n·w is how far a plane square to the unit vector n separates
// the cores, and the signed distance is the largest f: positive, the distance; negative, minus the depth. Off the kinks
// of the supports f is smooth, with gradient w and second derivative −(H_A + H_B), so Newton's method on the sphere
// converges quadratically to a maximum there; on a kink circle the same in one variable; where two kink circles cross,
// or at the normal of a flat face, the direction is known in closed form. All of these near the start are tried, and
// the largest f wins: f is evaluated exactly, so nothing that is accepted can be worse.
//
// At a maximum there are points farthest along n on both cores that face each other exactly. What is missing from that
// is the steepest way up (the shortest subgradient), which is taken where nothing else is better.
#pragma once

#include "geometry/core_pair.h"

namespace carom {

struct Separation {
  Vec3 direction;         ///< unit, from A to B
  Real value = -1e300;    ///< f(direction)
  Witness witness;        ///< farthest points of the cores, b − a = value · direction
  Real mismatch = 1e300;  ///< m, by how much the points had to be moved for that: rounding at a maximum
};

/// A local maximum of the separation near `start` (unit), never less than the value there.
Separation ascend(CorePair& pair, const Vec3& start);

/// Of the scale: a mismatch that is rounding.
inline constexpr Real kMatched = 1e-14;

}  // namespace carom
