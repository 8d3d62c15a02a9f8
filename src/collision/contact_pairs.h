// The functions that find contact points, one a pair of kinds or a family of pairs; `pairs.cpp` says which is used
// where.
//
// Each requires the kinds of its name in that order, and fills in normal (from a to b) and all points whose gap is at
// most `margin` of a manifold without points.
#pragma once

#include "collision/manifold.h"
#include "geometry/placed.h"

namespace carom {

void sphere_sphere(const Placed& a, const Placed& b, Real margin, Manifold& manifold);
void sphere_capsule(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

/// `manifold.axis` is the axis chosen in the last step (0: none); ties go to it, so that features keep their names.
void box_box(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

/// A sphere and a box, cylinder, cone or ellipsoid: the surface point nearest to the centre, in closed form.
void sphere_surface(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

/// A plane and any convex shape: the points of the shape that can touch a plane.
void plane_any(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

/// Any two convex shapes but planes: least distance or overlap, then the overlap of the patches.
void convex_convex(const Placed& a, const Placed& b, Real margin, Manifold& manifold);

}  // namespace carom
