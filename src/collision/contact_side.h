// When one look at the flat sides of a shape settles its distance from another, with no iteration.
//
// Let b be the point of B that lies farthest against a face of A. Outside the face by s > 0, with its foot inside the
// face, b is the nearest point of B: nothing of B is nearer to the face's plane. Inside A by δ, and no other face
// nearer to b, the least translation that separates is δ along the normal: any that does must bring b to the outside of
// A, and the way there is δ or more. That is the common case, a body on a floor or against a wall.
#pragma once

#include "geometry/distance.h"

namespace carom {

enum class SideAnswer { Unknown, Apart, Settled };

/// `Apart` where a side of a separates the shapes by more than `margin`; `Settled`, and the pair of points, where a
/// side proves the signed distance; `Unknown` also where a has no flat sides, or too many to look at.
SideAnswer look_from_sides(const Placed& a, const Placed& b, Real margin, SurfacePair& nearest);

}  // namespace carom
