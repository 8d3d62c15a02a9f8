// Contact points between two shapes: one function a pair of kinds.
//
// Each fills in normal (from a to b), points and gaps of all points whose gap is at most `margin`. Separated shapes get
// points too, which is what lets the contact stage stop a body at a surface before it has passed it.
#pragma once

#include "collision/manifold.h"
#include "geometry/placed.h"

namespace carom {

/// Any two kinds; dispatches to the functions below, swapping where needed. Two planes never touch.
void collide(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

/// `manifold.axis` is the axis chosen in the last step (0: none); ties go to it, so that features keep their names.
void collide_boxes(const Box& a, const Placed& pa, const Box& b, const Placed& pb, Real margin, Manifold& manifold);

}  // namespace carom
