// Who takes part, as a replay page knows it: names, masses, and meshes that bodies of the same form share.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/frame.h"

namespace carom::replay {

struct DrawnBody {
  int mesh = 0;
  std::array<float, 3> scale{1, 1, 1};  ///< along the axes of the shape's frame
};

/// Spheres and ellipsoids of all sizes share one mesh, and so do all cylinders, all cones, and boxes that are not far
/// from a cube: a pile of a thousand sizes is a handful of meshes. Every other shape brings its own, once.
struct DrawnCast {
  std::vector<DrawnBody> bodies;  ///< as in the cast
  std::vector<Shape> meshes;
  std::vector<int> users;  ///< bodies, per mesh
};
DrawnCast make_drawn_cast(const Cast& cast);

/// Appends a section `MESH`.
void append_meshes(const DrawnCast& drawn, Real plane_extent, std::string& out);

}  // namespace carom::replay
