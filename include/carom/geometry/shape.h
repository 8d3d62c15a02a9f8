// Shapes: immutable, shared, in their own frame.
#pragma once

#include <memory>
#include <variant>

#include "carom/math/types.h"

namespace carom {

/// Centred on the frame's origin. Lengths in metres.
struct Sphere {
  Real radius = 0;
};
/// Centred, axes along the frame's.
struct Box {
  Vec3 half_size;
};
/// Axis along z, centred; `half_length` is half the distance between the centres of the caps.
struct Capsule {
  Real radius = 0;
  Real half_length = 0;
};
/// Solid where dot(normal, x) < offset. For fixed bodies only: it has no volume.
struct Plane {
  Vec3 normal;
  Real offset = 0;
};

/// Mass, centre of mass and inertia about it, in the shape's frame and axes.
struct MassProperties {
  Real mass = 0;  ///< kg
  Vec3 center;    ///< m
  Mat3 inertia;   ///< kg m², about `center`
};

/// One immutable shape. Make it with the functions below; share it between bodies.
class Shape {
 public:
  using Geometry = std::variant<Sphere, Box, Capsule, Plane>;

  /// Require finite, positive dimensions (a capsule's length may be zero).
  static std::shared_ptr<const Shape> sphere(Real radius);
  static std::shared_ptr<const Shape> box(const Vec3& size);
  static std::shared_ptr<const Shape> capsule(Real radius, Real length);
  /// Requires a normal that is not zero; it is normalised.
  static std::shared_ptr<const Shape> plane(const Vec3& normal, Real offset);

  explicit Shape(Geometry geometry) : geometry_(geometry) {}
  const Geometry& geometry() const { return geometry_; }

  /// False for a plane.
  bool is_bounded() const;
  /// The smallest width: what a contact tolerance is measured by. Zero for a plane.
  Real smallest_size() const;
  /// Exact, for a uniform density in kg/m³. Requires a bounded shape.
  MassProperties mass_properties(Real density) const;

 private:
  Geometry geometry_;
};

using ShapePtr = std::shared_ptr<const Shape>;

}  // namespace carom
