// Support mappings: the point of a convex shape that lies farthest in a direction.
//
// A shape is a core with a ball of some radius swept over it (G. van den Bergen, "Collision Detection in Interactive 3D
// Environments", 2003, section 4.3): a sphere is a point with a radius, a capsule a segment with a radius, all others
// are their own core. Distances between cores are polyhedral or smooth problems that know nothing of the radii, which
// are added afterwards and exactly.
#pragma once

#include <cmath>
#include <cstdint>

#include "carom/geometry/shape.h"
#include "geometry/polyhedron.h"

namespace carom {

struct Core {
  enum class Kind : std::uint8_t { Point, Segment, Box, Cylinder, Cone, Ellipsoid, Polyhedron };

  Kind kind = Kind::Point;
  Real radius = 0;  ///< m, of the ball around the core
  /// Box: half sizes. Ellipsoid: radii. Along z: x is the radius, z half the length.
  Vec3 size;
  const Polyhedron* polyhedron = nullptr;

  bool is_flat() const { return kind == Kind::Point || kind == Kind::Segment; }
  bool is_curved() const { return kind == Kind::Cylinder || kind == Kind::Cone || kind == Kind::Ellipsoid; }
};

/// Requires a convex, bounded shape: no plane and no compound.
Core core_of(const Shape::Geometry& geometry);

/// Sine of the angle between a cone's side and its axis: the normals of its side have this component along z.
Real cone_sine(const Core& cone);

/// A point of the core that lies farthest in a direction, in the shape's frame. `vertex` is where the climb over a
/// polyhedron starts, and what it found.
inline Vec3 support(const Core& core, const Vec3& direction, std::int32_t& vertex) {
  const Vec3& size = core.size;
  switch (core.kind) {
    case Core::Kind::Point:
      return {};
    case Core::Kind::Segment:
      return {0, 0, std::copysign(size.z, direction.z)};
    case Core::Kind::Box:
      return {std::copysign(size.x, direction.x), std::copysign(size.y, direction.y),
              std::copysign(size.z, direction.z)};
    case Core::Kind::Cylinder: {
      const Real across = std::sqrt(direction.x * direction.x + direction.y * direction.y);
      const Real s = across > 0 ? size.x / across : 0;
      return {s * direction.x, s * direction.y, std::copysign(size.z, direction.z)};
    }
    case Core::Kind::Cone: {
      const Real across = std::sqrt(direction.x * direction.x + direction.y * direction.y);
      if (2 * size.z * direction.z > size.x * across) return {0, 0, size.z};
      const Real s = across > 0 ? size.x / across : 0;
      return {s * direction.x, s * direction.y, -size.z};
    }
    case Core::Kind::Ellipsoid: {
      const Vec3 scaled{size.x * direction.x, size.y * direction.y, size.z * direction.z};
      const Real length = norm(scaled);
      if (!(length > 0)) return {size.x, 0, 0};
      const Vec3 unit = scaled / length;
      return {size.x * unit.x, size.y * unit.y, size.z * unit.z};
    }
    case Core::Kind::Polyhedron:
      vertex = core.polyhedron->farthest_vertex(direction, vertex);
      return core.polyhedron->vertices()[static_cast<std::size_t>(vertex)];
  }
  return {};
}

/// A point of the shape that lies farthest in a direction of any length, in the shape's frame; where there are many,
/// one of them. Requires a convex, bounded shape.
Vec3 support(const Shape::Geometry& geometry, const Vec3& direction);

}  // namespace carom
