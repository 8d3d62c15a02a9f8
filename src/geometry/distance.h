// Signed distance between two convex shapes of any kinds.
#pragma once

#include <cstdint>

#include "geometry/placed.h"

namespace carom {

/// Where two shapes are nearest, or how they come apart by the shortest way.
struct SurfacePair {
  Vec3 on_a, on_b;    ///< m, world: on_b − on_a = distance · normal
  Vec3 normal;        ///< unit, from a to b
  Real distance = 0;  ///< m; negative: minus the least translation that separates
};

/// What is worth remembering from one query of a pair to the next, for speed alone.
struct DistanceHint {
  Vec3 normal_local;  ///< in the frame of a; zero: none yet
  std::int32_t vertex_a = 0, vertex_b = 0;
};

/// Requires convex shapes, of which one may be a plane; no compounds. Where several normals are valid (cores that
/// coincide, corner on corner), one of them, always the same for the same input.
SurfacePair signed_distance(const Placed& a, const Placed& b);
/// The same, starting from and leaving behind what the hint holds.
SurfacePair signed_distance(const Placed& a, const Placed& b, DistanceHint& hint);

}  // namespace carom
