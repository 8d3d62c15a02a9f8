#include "carom/geometry/shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/base/error.h"

namespace carom {
namespace {

constexpr Real kPi = std::numbers::pi;

MassProperties solid(const Sphere& s, Real density) {
  const Real mass = density * 4 / 3 * kPi * s.radius * s.radius * s.radius;
  const Real moment = 0.4 * mass * s.radius * s.radius;
  return {mass, {}, Mat3::diagonal({moment, moment, moment})};
}

MassProperties solid(const Box& b, Real density) {
  const Vec3 h = b.half_size;
  const Real mass = density * 8 * h.x * h.y * h.z;
  const Vec3 sq{h.x * h.x, h.y * h.y, h.z * h.z};
  return {mass, {}, Mat3::diagonal(mass / 3 * Vec3{sq.y + sq.z, sq.z + sq.x, sq.x + sq.y})};
}

/// A cylinder and two half spheres, the latter moved out by the parallel-axis theorem (their centre of mass lies 3r/8
/// from the flat side).
MassProperties solid(const Capsule& c, Real density) {
  const Real r = c.radius, l = c.half_length, r2 = r * r;
  const Real cylinder = density * 2 * l * kPi * r2;
  const Real caps = density * 4 / 3 * kPi * r2 * r;
  const Real axial = 0.5 * cylinder * r2 + 0.4 * caps * r2;
  const Real across = cylinder * (r2 / 4 + l * l / 3) + caps * (0.4 * r2 + l * l + 0.75 * l * r);
  return {cylinder + caps, {}, Mat3::diagonal({across, across, axial})};
}

MassProperties solid(const Plane& /*plane*/, Real /*density*/) { fail("Shape::mass_properties: a plane has no mass"); }

Real width(const Sphere& s) { return 2 * s.radius; }
Real width(const Box& b) { return 2 * std::min({b.half_size.x, b.half_size.y, b.half_size.z}); }
Real width(const Capsule& c) { return 2 * c.radius; }
Real width(const Plane& /*plane*/) { return 0; }

bool is_length(Real x) { return std::isfinite(x) && x > 0; }

}  // namespace

ShapePtr Shape::sphere(Real radius) {
  require(is_length(radius), "Shape::sphere: the radius must be positive and finite");
  return std::make_shared<const Shape>(Sphere{radius});
}

ShapePtr Shape::box(const Vec3& size) {
  require(is_length(size.x) && is_length(size.y) && is_length(size.z),
          "Shape::box: the size must be positive and finite");
  return std::make_shared<const Shape>(Box{0.5 * size});
}

ShapePtr Shape::capsule(Real radius, Real length) {
  require(is_length(radius), "Shape::capsule: the radius must be positive and finite");
  require(std::isfinite(length) && length >= 0, "Shape::capsule: the length must not be negative and must be finite");
  return std::make_shared<const Shape>(Capsule{radius, 0.5 * length});
}

ShapePtr Shape::plane(const Vec3& normal, Real offset) {
  const Real length = norm(normal);
  require(std::isfinite(length) && length > 0, "Shape::plane: the normal must be finite and not zero");
  require(std::isfinite(offset), "Shape::plane: the offset must be finite");
  return std::make_shared<const Shape>(Plane{normal / length, offset});
}

bool Shape::is_bounded() const { return !std::holds_alternative<Plane>(geometry_); }

Real Shape::smallest_size() const {
  return std::visit([](const auto& g) { return width(g); }, geometry_);
}

MassProperties Shape::mass_properties(Real density) const {
  require(std::isfinite(density) && density > 0, "Shape::mass_properties: the density must be positive and finite");
  return std::visit([density](const auto& g) { return solid(g, density); }, geometry_);
}

}  // namespace carom
