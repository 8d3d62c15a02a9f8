// When a convex shape that moves along a straight line first touches another.
//
// Conservative advancement (B. Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996, section 2.3.2)
// for a pure translation: with the distance d along the normal n, nothing can touch before the motion along n has used
// up d, so the shape is moved that far and the distance taken anew. The plane across n keeps the two apart for good
// where the motion does not go along n.
#pragma once

#include <optional>

#include "geometry/distance.h"
#include "geometry/placed.h"

namespace carom {

struct ShapeTouch {
  Real fraction = 0;  ///< of the translation, 0 where they touch or overlap at the start
  Vec3 point;         ///< m, world, on b
  Vec3 normal;        ///< unit, from a to b
};

/// `a` moves by `translation`. Requires convex shapes, of which b may be a plane; no compounds. None where they do not
/// touch up to the fraction `most`. Stops when they are nearer than 1e-9 of the sizes.
std::optional<ShapeTouch> cast_shape(const Placed& a, const Vec3& translation, const Placed& b, Real most);

}  // namespace carom
