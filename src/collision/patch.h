// The part of a shape's surface that looks in a direction, as a flat figure: what of it can touch something there.
//
// A corner or a smooth surface gives a point, the side of a capsule, cylinder or cone a segment, the cap of a cylinder
// and the base of a cone a disc, a face of a box or a hull a polygon. A figure always holds the point of the shape that
// lies farthest in the direction: where that is a corner, an edge or a rim, the figure is the one beside it that looks
// most that way.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/placed.h"

namespace carom {

struct Patch {
  enum class Kind : std::uint8_t { Point, Segment, Polygon, Disc };
  /// Of a face with more vertices than this, as many are taken, evenly chosen.
  static constexpr int kMaxVertices = 32;

  Kind kind = Kind::Point;
  Real size = 0;  ///< m, of the figure: half its extent

  /// Polygon and disc: outward.
  Vec3 normal;
  /// Polygon: counter-clockwise seen from outside. Segment: its two ends.
  int count = 0;
  std::array<Vec3, kMaxVertices> vertices;
  std::array<std::uint16_t, kMaxVertices> vertex_names;
  std::array<std::uint16_t, kMaxVertices> edge_names;  ///< of the edge that leaves the vertex

  /// Disc: its centre, axes in its plane that are fixed to the body (u × v is ±normal), and the name of its rim.
  Vec3 center, u, v;
  Real radius = 0;
  std::uint16_t rim_name = 0;

  /// Segment: the surface round it, |q|² − bend (axis · q)² = radius², q measured from `center`. A cylinder has bend 1;
  /// a cone with its apex in `center` has bend 1/cos² of half its angle, and radius 0. `u` is the axis.
  Real bend = 1;

  bool is_flat() const { return kind == Kind::Polygon || kind == Kind::Disc; }
};

/// Requires a convex shape other than a plane and a unit direction.
void find_patch(const Placed& shape, const Vec3& direction, Patch& patch);

}  // namespace carom
