#include "collision/patch.h"

#include <algorithm>
#include <cmath>

#include "collision/contact_key_points.h"
#include "geometry/polyhedron.h"

namespace carom {
namespace {

void add_vertex(const Placed& shape, const Vec3& local, unsigned vertex, unsigned edge, Patch& patch) {
  const auto i = static_cast<std::size_t>(patch.count++);
  patch.vertices[i] = shape.position + shape.rotation * local;
  patch.vertex_names[i] = static_cast<std::uint16_t>(vertex);
  patch.edge_names[i] = static_cast<std::uint16_t>(edge);
}

void find_size(Patch& patch) {
  for (int i = 1; i < patch.count; ++i)
    patch.size = std::max(patch.size, 0.5 * norm(patch.vertices[static_cast<std::size_t>(i)] - patch.vertices[0]));
}

void find(const Placed& shape, const Box& box, const Vec3& d, Patch& patch) {
  const Vec3 &h = box.half_size, size{std::abs(d.x), std::abs(d.y), std::abs(d.z)};
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const int i = (axis + 1) % 3, k = (axis + 2) % 3;
  const bool positive = d[axis] >= 0;
  patch.kind = Patch::Kind::Polygon;
  patch.normal = positive ? shape.rotation.column(axis) : -shape.rotation.column(axis);
  // Counter-clockwise about the axis on the positive side, the other way round on the negative.
  constexpr bool kAround[4][2] = {{true, true}, {false, true}, {false, false}, {true, false}};
  for (int n = 0; n < 4; ++n) {
    const auto corner = [&](int m) {
      const auto& signs = kAround[positive ? m % 4 : 3 - m % 4];
      return 1U * (positive ? 1U << axis : 0U) | (signs[0] ? 1U << i : 0U) | (signs[1] ? 1U << k : 0U);
    };
    const unsigned from = corner(n), to = corner(n + 1);
    Vec3 local = h;
    for (int m = 0; m < 3; ++m)
      if ((from >> m & 1U) == 0) local[m] = -local[m];
    // An edge is named by the corners that it joins, the same whichever face sees it.
    add_vertex(shape, local, from, 8 * std::min(from, to) + std::max(from, to), patch);
  }
  find_size(patch);
}

/// The face round a corner that looks most in a direction. Where an edge from the corner is square to the direction, up
/// to rounding, the farthest feature is that edge or more, and the face must border it.
std::int32_t face_towards(const Polyhedron& polyhedron, std::int32_t corner, const Vec3& d) {
  constexpr Real kSquare = 1e-6;  // sine
  std::int32_t best = -1;
  Real highest = -2;
  bool only_square = false;
  for (const std::int32_t e : polyhedron.vertex_edges(corner)) {
    const Polyhedron::Edge& edge = polyhedron.edges()[static_cast<std::size_t>(e)];
    const Vec3 run = polyhedron.vertices()[static_cast<std::size_t>(edge.head)] -
                     polyhedron.vertices()[static_cast<std::size_t>(edge.tail)];
    const bool square = std::abs(dot(run, d)) <= kSquare * norm(run);
    if (only_square && !square) continue;
    if (square && !only_square) only_square = true, highest = -2;
    for (const std::int32_t face : {edge.left, edge.right}) {
      const Real cosine = dot(d, polyhedron.faces()[static_cast<std::size_t>(face)].normal);
      if (cosine > highest) best = face, highest = cosine;
    }
  }
  return best;
}

void find(const Placed& shape, const Hull& hull, const Vec3& d, Patch& patch) {
  const Polyhedron& polyhedron = *hull.polyhedron;
  const std::int32_t face = face_towards(polyhedron, polyhedron.farthest_vertex(d), d);
  const auto vertices = polyhedron.face_vertices(face), edges = polyhedron.face_edges(face);
  patch.kind = Patch::Kind::Polygon;
  patch.normal = shape.rotation * polyhedron.faces()[static_cast<std::size_t>(face)].normal;
  const std::size_t count = std::min<std::size_t>(vertices.size(), Patch::kMaxVertices);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i * vertices.size() / count;
    add_vertex(shape, polyhedron.vertices()[static_cast<std::size_t>(vertices[k])], static_cast<unsigned>(vertices[k]),
               static_cast<unsigned>(edges[k]), patch);
  }
  find_size(patch);
}

void find(const Placed& shape, const Capsule& capsule, const Vec3& d, Patch& patch) {
  patch.kind = Patch::Kind::Segment;
  patch.size = capsule.half_length;
  // A cap's point lies along the direction whichever way the axis leans.
  add_vertex(shape, Vec3{0, 0, -capsule.half_length} + capsule.radius * d, 1, 0, patch);
  add_vertex(shape, Vec3{0, 0, capsule.half_length} + capsule.radius * d, 2, 0, patch);
  patch.center = shape.position;
  patch.u = shape.rotation.column(2);
  patch.radius = capsule.radius;
}

void set_disc(const Placed& shape, Real radius, Real z, unsigned name, Patch& patch) {
  patch.kind = Patch::Kind::Disc;
  patch.size = patch.radius = radius;
  patch.rim_name = static_cast<std::uint16_t>(name);
  patch.center = shape.position + z * shape.rotation.column(2);
  patch.u = shape.rotation.column(0);
  patch.v = shape.rotation.column(1);
  patch.normal = z > 0 ? shape.rotation.column(2) : -shape.rotation.column(2);
}

void find(const Placed& shape, const Cylinder& cylinder, const Vec3& d, Patch& patch) {
  const Real r = cylinder.radius, h = cylinder.half_height, across = std::sqrt(d.x * d.x + d.y * d.y);
  if (std::abs(d.z) > across) return set_disc(shape, r, d.z > 0 ? h : -h, d.z > 0 ? kUpperRim : 0, patch);
  patch.kind = Patch::Kind::Segment;
  patch.size = h;
  // The ends are points of the rims, the lowest ones.
  add_vertex(shape, {r * d.x / across, r * d.y / across, -h}, 0, 0, patch);
  add_vertex(shape, {r * d.x / across, r * d.y / across, h}, kUpperRim, 0, patch);
  patch.center = shape.position;
  patch.u = shape.rotation.column(2);
  patch.radius = r;
}

void find(const Placed& shape, const Cone& cone, const Vec3& d, Patch& patch) {
  const Real r = cone.radius, h = cone.half_height, across = std::sqrt(d.x * d.x + d.y * d.y);
  const Real slope = std::sqrt(r * r + 4 * h * h);
  if (-d.z > (2 * h * across + r * d.z) / slope) return set_disc(shape, r, -h, 0, patch);
  patch.kind = Patch::Kind::Segment;
  patch.size = 0.5 * slope;
  const Real x = across > 0 ? d.x / across : 1, y = across > 0 ? d.y / across : 0;
  add_vertex(shape, {r * x, r * y, -h}, 0, 0, patch);
  add_vertex(shape, {0, 0, h}, kApex, 0, patch);
  patch.center = shape.position + h * shape.rotation.column(2);
  patch.u = shape.rotation.column(2);
  patch.bend = slope * slope / (4 * h * h);
}

}  // namespace

void find_patch(const Placed& shape, const Vec3& direction, Patch& patch) {
  const Vec3 local = transposed_times(shape.rotation, direction);
  if (const auto* box = std::get_if<Box>(shape.geometry)) find(shape, *box, local, patch);
  if (const auto* capsule = std::get_if<Capsule>(shape.geometry)) find(shape, *capsule, local, patch);
  if (const auto* cylinder = std::get_if<Cylinder>(shape.geometry)) find(shape, *cylinder, local, patch);
  if (const auto* cone = std::get_if<Cone>(shape.geometry)) find(shape, *cone, local, patch);
  if (const auto* hull = std::get_if<Hull>(shape.geometry)) find(shape, *hull, local, patch);
}

}  // namespace carom
