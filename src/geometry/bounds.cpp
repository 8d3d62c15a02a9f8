#include "geometry/bounds.h"

#include <cmath>

#include "geometry/polyhedron.h"

namespace carom {
namespace {

/// Half the widths along the world's axes of shapes that are symmetric about their frame's origin.
Vec3 half_widths(const Sphere& s, const Mat3& /*rotation*/) { return {s.radius, s.radius, s.radius}; }
Vec3 half_widths(const Box& b, const Mat3& r) {
  const Vec3 h = b.half_size;
  Vec3 extent;
  for (int i = 0; i < 3; ++i) extent[i] = std::abs(r(i, 0)) * h.x + std::abs(r(i, 1)) * h.y + std::abs(r(i, 2)) * h.z;
  return extent;
}
Vec3 half_widths(const Capsule& c, const Mat3& r) {
  Vec3 extent;
  for (int i = 0; i < 3; ++i) extent[i] = std::abs(r(i, 2)) * c.half_length + c.radius;
  return extent;
}
/// How far a disc across z reaches along the axes. The sine comes from both other columns: 1 − cos² would cancel.
Vec3 disc(Real radius, const Mat3& r) {
  Vec3 extent;
  for (int i = 0; i < 3; ++i) extent[i] = radius * std::sqrt(r(i, 0) * r(i, 0) + r(i, 1) * r(i, 1));
  return extent;
}
Vec3 half_widths(const Cylinder& c, const Mat3& r) {
  Vec3 extent = disc(c.radius, r);
  for (int i = 0; i < 3; ++i) extent[i] += std::abs(r(i, 2)) * c.half_height;
  return extent;
}
Vec3 half_widths(const Ellipsoid& e, const Mat3& r) {
  Vec3 extent;
  for (int i = 0; i < 3; ++i) extent[i] = norm({r(i, 0) * e.radii.x, r(i, 1) * e.radii.y, r(i, 2) * e.radii.z});
  return extent;
}

template <class Symmetric>
Aabb bounds_of(const Symmetric& shape, const Vec3& position, const Mat3& rotation) {
  const Vec3 extent = half_widths(shape, rotation);
  return {position - extent, position + extent};
}

Aabb bounds_of(const Plane& /*plane*/, const Vec3& position, const Mat3& /*rotation*/) { return {position, position}; }

Aabb bounds_of(const Cone& c, const Vec3& position, const Mat3& rotation) {
  const Vec3 half_axis = c.half_height * rotation.column(2), extent = disc(c.radius, rotation);
  const Vec3 apex = position + half_axis, base = position - half_axis;
  Aabb box{base - extent, base + extent};
  box.include({apex, apex});
  return box;
}

Aabb bounds_of(const Hull& h, const Vec3& position, const Mat3& rotation) {
  const Polyhedron& p = *h.polyhedron;
  Aabb box;
  std::int32_t vertex = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = rotation.row(i);
    vertex = p.farthest_vertex(axis, vertex);
    box.max[i] = position[i] + dot(axis, p.vertices()[static_cast<std::size_t>(vertex)]);
    const std::int32_t lowest = p.farthest_vertex(-axis, vertex);
    box.min[i] = position[i] + dot(axis, p.vertices()[static_cast<std::size_t>(lowest)]);
  }
  return box;
}

Aabb bounds_of(const Compound& c, const Vec3& position, const Mat3& rotation) {
  Aabb box;
  for (const CompoundPart& part : *c.parts)
    box.include(bounds(part.shape->geometry(), position + rotation * part.pose.position,
                       rotation * to_matrix(part.pose.orientation)));
  return box;
}

Real radius_of(const Sphere& s) { return s.radius; }
Real radius_of(const Box& b) { return norm(b.half_size); }
Real radius_of(const Capsule& c) { return c.radius + c.half_length; }
Real radius_of(const Plane& /*plane*/) { return 0; }
Real radius_of(const Cylinder& c) { return norm({c.radius, 0, c.half_height}); }
Real radius_of(const Cone& c) { return norm({c.radius, 0, c.half_height}); }
Real radius_of(const Ellipsoid& e) { return std::max({e.radii.x, e.radii.y, e.radii.z}); }
Real radius_of(const Hull& h) {
  Real squared = 0;
  for (const Vec3& v : h.polyhedron->vertices()) squared = std::max(squared, squared_norm(v));
  return std::sqrt(squared);
}
Real radius_of(const Compound& c) {
  Real radius = 0;
  for (const CompoundPart& part : *c.parts)
    radius = std::max(radius, norm(part.pose.position) + bounding_radius(part.shape->geometry()));
  return radius;
}

}  // namespace

Aabb bounds(const Shape::Geometry& geometry, const Vec3& position, const Mat3& rotation) {
  return std::visit([&](const auto& g) { return bounds_of(g, position, rotation); }, geometry);
}

Real bounding_radius(const Shape::Geometry& geometry) {
  return std::visit([](const auto& g) { return radius_of(g); }, geometry);
}

}  // namespace carom
