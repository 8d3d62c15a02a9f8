#include "carom/geometry/shape.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/hull.h"
#include "geometry/mass.h"
#include "geometry/polyhedron.h"
#include "geometry/width.h"

namespace carom {
namespace {

bool is_length(Real x) { return std::isfinite(x) && x > 0; }
bool are_lengths(const Vec3& v) { return is_length(v.x) && is_length(v.y) && is_length(v.z); }
bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

void check_part(const CompoundPart& part) {
  require(part.shape != nullptr, "Shape::compound: a part needs a shape");
  require(part.shape->is_bounded(), "Shape::compound: a part must be bounded");
  require(!std::holds_alternative<Compound>(part.shape->geometry()), "Shape::compound: a part must not be a compound");
  require(!part.density || is_length(*part.density), "Shape::compound: a part's density must be positive and finite");
  const Quat& q = part.pose.orientation;
  const Real length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  require(is_finite(part.pose.position) && std::isfinite(length) && length > 0,
          "Shape::compound: a part's pose must be finite and its orientation not zero");
}

}  // namespace

ShapePtr Shape::sphere(Real radius) {
  require(is_length(radius), "Shape::sphere: the radius must be positive and finite");
  return std::make_shared<const Shape>(Sphere{radius});
}

ShapePtr Shape::box(const Vec3& size) {
  require(are_lengths(size), "Shape::box: the size must be positive and finite");
  return std::make_shared<const Shape>(Box{0.5 * size});
}

ShapePtr Shape::capsule(Real radius, Real length) {
  require(is_length(radius), "Shape::capsule: the radius must be positive and finite");
  require(std::isfinite(length) && length >= 0, "Shape::capsule: the length must not be negative and must be finite");
  return std::make_shared<const Shape>(Capsule{radius, 0.5 * length});
}

ShapePtr Shape::cylinder(Real radius, Real height) {
  require(is_length(radius) && is_length(height), "Shape::cylinder: radius and height must be positive and finite");
  return std::make_shared<const Shape>(Cylinder{radius, 0.5 * height});
}

ShapePtr Shape::cone(Real radius, Real height) {
  require(is_length(radius) && is_length(height), "Shape::cone: radius and height must be positive and finite");
  return std::make_shared<const Shape>(Cone{radius, 0.5 * height});
}

ShapePtr Shape::ellipsoid(const Vec3& radii) {
  require(are_lengths(radii), "Shape::ellipsoid: the radii must be positive and finite");
  return std::make_shared<const Shape>(Ellipsoid{radii});
}

ShapePtr Shape::plane(const Vec3& normal, Real offset) {
  const Real length = norm(normal);
  require(std::isfinite(length) && length > 0, "Shape::plane: the normal must be finite and not zero");
  require(std::isfinite(offset), "Shape::plane: the offset must be finite");
  return std::make_shared<const Shape>(Plane{normal / length, offset});
}

ShapePtr Shape::hull(std::span<const Vec3> points) {
  const Result<ShapePtr> made = try_hull(points);
  if (!made) fail("Shape::hull: " + made.message());
  return made.value();
}

Result<ShapePtr> Shape::try_hull(std::span<const Vec3> points) {
  const Result<std::shared_ptr<const Polyhedron>> hull = make_hull(points);
  if (!hull) return Result<ShapePtr>::failure(hull.message());
  return std::make_shared<const Shape>(Hull{hull.value()});
}

ShapePtr Shape::compound(std::vector<CompoundPart> parts) {
  require(!parts.empty(), "Shape::compound: at least one part is needed");
  require(parts.size() <= kMostParts, "Shape::compound: at most 65536 parts are allowed");
  for (CompoundPart& part : parts) {
    check_part(part);
    part.pose.orientation = normalized(part.pose.orientation);
  }
  return std::make_shared<const Shape>(Compound{std::make_shared<const std::vector<CompoundPart>>(std::move(parts))});
}

Shape::Shape(Geometry geometry) : geometry_(std::move(geometry)), smallest_size_(width(geometry_)) {
  if (const Box* box = std::get_if<Box>(&geometry_))
    polyhedron_ = std::make_shared<const Polyhedron>(Polyhedron::box(box->half_size));
  if (const Hull* hull = std::get_if<Hull>(&geometry_)) {
    polyhedron_ = hull->polyhedron;
    unit_ = solid(*polyhedron_, 1);
  }
}

bool Shape::is_bounded() const { return !std::holds_alternative<Plane>(geometry_); }

MassProperties Shape::mass_properties(Real density) const {
  require(std::isfinite(density) && density > 0, "Shape::mass_properties: the density must be positive and finite");
  const auto of_kind = [&]<class Kind>(const Kind& kind) -> MassProperties {
    if constexpr (std::is_same_v<Kind, Plane>)
      fail("Shape::mass_properties: a plane has no mass");
    else if constexpr (std::is_same_v<Kind, Hull>)
      return {density * unit_.mass, unit_.center, density * unit_.inertia};
    else
      return solid(kind, density);
  };
  return std::visit(of_kind, geometry_);
}

std::span<const Vec3> Shape::corners() const { return polyhedron_ ? polyhedron_->vertices() : std::span<const Vec3>{}; }

}  // namespace carom
