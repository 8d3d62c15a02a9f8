// M. E. Houle, G. T. Toussaint, "Computing the width of a set", IEEE PAMI 10, 1988: two planes at the least distance
// touch a polyhedron in a face and a vertex, or in two edges. Opposite edges are found by laying the map of normals
// over its mirror image: along the arc between the normals of an edge's faces the opposite vertex changes from one to
// its neighbour, and each change names an opposite edge.
#include "geometry/width.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

Real along(const Polyhedron& p, const Vec3& direction, std::int32_t vertex) {
  return dot(direction, p.vertices()[static_cast<std::size_t>(vertex)]);
}

/// The least distance of planes through this edge and an opposite one; infinite where there is none.
Real edge_width(const Polyhedron& p, const Polyhedron::Edge& edge) {
  const Vec3 from = -p.faces()[static_cast<std::size_t>(edge.left)].normal;
  const Vec3 to = -p.faces()[static_cast<std::size_t>(edge.right)].normal;
  const Vec3 tail = p.vertices()[static_cast<std::size_t>(edge.tail)];
  const Vec3 direction = p.vertices()[static_cast<std::size_t>(edge.head)] - tail;
  Real least = std::numeric_limits<Real>::infinity();
  std::int32_t opposite = p.farthest_vertex(from, edge.tail);
  for (;;) {
    // Which neighbour is the first to lie as far out, as the direction turns? Each change is a gain along `to`.
    std::int32_t next = -1;
    Real first = std::numeric_limits<Real>::infinity();
    for (const std::int32_t e : p.vertex_edges(opposite)) {
      const std::int32_t neighbour = p.other_end(e, opposite);
      const Real gain = along(p, to, neighbour) - along(p, to, opposite);
      if (!(gain > 0)) continue;
      const Real loss = std::max(0.0, along(p, from, opposite) - along(p, from, neighbour));
      if (const Real turn = loss / (loss + gain); turn < first) first = turn, next = neighbour;
    }
    if (next < 0) return least;
    const Vec3 there = p.vertices()[static_cast<std::size_t>(opposite)];
    const Vec3 normal = cross(direction, p.vertices()[static_cast<std::size_t>(next)] - there);
    const Real length = norm(normal);
    // Parallel edges span no plane; their faces do.
    if (length > 1e-10 * squared_norm(direction)) least = std::min(least, std::abs(dot(normal, there - tail)) / length);
    opposite = next;
  }
}

Real width_of(const Sphere& s) { return 2 * s.radius; }
Real width_of(const Box& b) { return 2 * std::min({b.half_size.x, b.half_size.y, b.half_size.z}); }
Real width_of(const Capsule& c) { return 2 * c.radius; }
Real width_of(const Plane& /*plane*/) { return 0; }
Real width_of(const Cylinder& c) { return 2 * std::min(c.radius, c.half_height); }
/// The least height of the triangle that its section along the axis is.
Real width_of(const Cone& c) {
  const Real height = 2 * c.half_height;
  return height * std::min(1.0, 2 * c.radius / std::sqrt(c.radius * c.radius + height * height));
}
Real width_of(const Ellipsoid& e) { return 2 * std::min({e.radii.x, e.radii.y, e.radii.z}); }
Real width_of(const Hull& h) { return width(*h.polyhedron); }
Real width_of(const Compound& c) {
  Real least = std::numeric_limits<Real>::infinity();
  for (const CompoundPart& part : *c.parts) least = std::min(least, part.shape->smallest_size());
  return least;
}

}  // namespace

Real width(const Polyhedron& p) {
  Real least = std::numeric_limits<Real>::infinity();
  for (const Polyhedron::Face& face : p.faces())
    least = std::min(least, face.offset - along(p, face.normal, p.farthest_vertex(-face.normal)));
  for (const Polyhedron::Edge& edge : p.edges()) least = std::min(least, edge_width(p, edge));
  return least;
}

Real width(const Shape::Geometry& geometry) {
  return std::visit([](const auto& g) { return width_of(g); }, geometry);
}

}  // namespace carom
