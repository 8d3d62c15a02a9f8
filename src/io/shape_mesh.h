// Triangles for shapes: what pictures and other programs get to see. One place for all outputs, so that a new shape is
// drawn everywhere once it is here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "carom/geometry/shape.h"

namespace carom {

/// In the shape's frame, outward normals, counter-clockwise seen from outside. Closed, save for a plane.
struct ShapeMesh {
  std::vector<std::array<float, 3>> positions, normals;  ///< m; unit
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

struct MeshDetail {
  /// Of a box's edges, as a share of its smallest width, below 0.5: light catches on rounded ones.
  Real edge_radius = 0;
  Real plane_extent = 1;  ///< m: half the width of the square that stands for a plane
  int round_steps = 8;    ///< in a quarter turn of spheres and capsules: 8 are half a percent of the radius off
  int edge_steps = 3;     ///< in a quarter turn of rounded edges: narrow, with smooth normals, so few will do
};

ShapeMesh make_mesh(const Shape& shape, const MeshDetail& detail = {});

}  // namespace carom
