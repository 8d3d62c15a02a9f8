#include "geometry/support.h"

#include "carom/base/error.h"

namespace carom {
namespace {

Core core(const Sphere& s) { return {Core::Kind::Point, s.radius, {}, nullptr}; }
Core core(const Box& b) { return {Core::Kind::Box, 0, b.half_size, nullptr}; }
Core core(const Capsule& c) {
  return {c.half_length > 0 ? Core::Kind::Segment : Core::Kind::Point, c.radius, {0, 0, c.half_length}, nullptr};
}
Core core(const Cylinder& c) { return {Core::Kind::Cylinder, 0, {c.radius, c.radius, c.half_height}, nullptr}; }
Core core(const Cone& c) { return {Core::Kind::Cone, 0, {c.radius, c.radius, c.half_height}, nullptr}; }
Core core(const Ellipsoid& e) { return {Core::Kind::Ellipsoid, 0, e.radii, nullptr}; }
Core core(const Hull& h) { return {Core::Kind::Polyhedron, 0, {}, h.polyhedron.get()}; }
Core core(const Plane& /*plane*/) { fail("support: a plane has no farthest point"); }
Core core(const Compound& /*compound*/) { fail("support: a compound is not convex"); }

}  // namespace

Core core_of(const Shape::Geometry& geometry) {
  return std::visit([](const auto& g) { return core(g); }, geometry);
}

Real cone_sine(const Core& cone) {
  const Real height = 2 * cone.size.z;
  return cone.size.x / std::sqrt(cone.size.x * cone.size.x + height * height);
}

Vec3 support(const Shape::Geometry& geometry, const Vec3& direction) {
  const Core core = core_of(geometry);
  std::int32_t vertex = 0;
  const Vec3 point = support(core, direction, vertex);
  return core.radius > 0 ? point + core.radius * normalized(direction) : point;
}

}  // namespace carom
