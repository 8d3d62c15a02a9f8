// Shapes: immutable, shared, in their own frame.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "carom/base/error.h"
#include "carom/math/types.h"

namespace carom {

class Polyhedron;
class Shape;
using ShapePtr = std::shared_ptr<const Shape>;

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
/// Axis along z, centred.
struct Cylinder {
  Real radius = 0;
  Real half_height = 0;
};
/// Axis along z, centred at half the height: the base at z = −half_height, the apex at z = half_height. The centre of
/// mass lies at z = −half_height / 2.
struct Cone {
  Real radius = 0;
  Real half_height = 0;
};
/// Centred, axes along the frame's.
struct Ellipsoid {
  Vec3 radii;
};
/// The convex hull of points, anywhere in the frame.
struct Hull {
  std::shared_ptr<const Polyhedron> polyhedron;
};
/// One of the shapes that a compound is the union of.
struct CompoundPart {
  ShapePtr shape;
  Pose pose;                    ///< of the part's frame, in the compound's
  std::optional<Real> density;  ///< kg/m³; none: that of the body
};
/// Parts that move as one. Where they overlap, the matter counts twice.
struct Compound {
  std::shared_ptr<const std::vector<CompoundPart>> parts;
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
  using Geometry = std::variant<Sphere, Box, Capsule, Plane, Cylinder, Cone, Ellipsoid, Hull, Compound>;

  /// A hull may have this many corners and no more, so that its faces can be numbered in 16 bits.
  static constexpr std::size_t kMostCorners = 32'768;
  /// A compound may have this many parts and no more, so that a pair of parts can be named in 32 bits.
  static constexpr std::size_t kMostParts = 65'536;

  /// Require finite, positive dimensions (a capsule's length may be zero).
  static ShapePtr sphere(Real radius);
  static ShapePtr box(const Vec3& size);
  static ShapePtr capsule(Real radius, Real length);
  static ShapePtr cylinder(Real radius, Real height);
  static ShapePtr cone(Real radius, Real height);
  static ShapePtr ellipsoid(const Vec3& radii);
  /// Requires a normal that is not zero; it is normalised.
  static ShapePtr plane(const Vec3& normal, Real offset);
  /// The convex hull. Requires finite points that do not lie in a plane, and no more corners than `kMostCorners`.
  /// Corners keep their coordinates to the last bit; sides that are flat to 1e-11 of the size become one face.
  static ShapePtr hull(std::span<const Vec3> points);
  /// As `hull`, with a message instead of an exception: for points that come from elsewhere.
  static Result<ShapePtr> try_hull(std::span<const Vec3> points);
  /// Requires at least one part and at most `kMostParts`. Parts are bounded, and are not compounds themselves.
  static ShapePtr compound(std::vector<CompoundPart> parts);

  explicit Shape(Geometry geometry);
  const Geometry& geometry() const { return geometry_; }

  /// False for a plane.
  bool is_bounded() const;
  /// The smallest width, exact: what a contact tolerance is measured by. Of a compound: the least of its parts'. Zero
  /// for a plane.
  Real smallest_size() const { return smallest_size_; }
  /// Exact, for a uniform density in kg/m³, which parts of a compound that have their own do not take. Requires a
  /// bounded shape.
  MassProperties mass_properties(Real density) const;
  /// Corners, edges and faces of a box or a hull; null for all others.
  const Polyhedron* polyhedron() const { return polyhedron_.get(); }
  /// The corners of a box or a hull, in the shape's frame, m; none for all others.
  std::span<const Vec3> corners() const;

 private:
  Geometry geometry_;
  std::shared_ptr<const Polyhedron> polyhedron_;
  MassProperties unit_;  // of a hull with density 1, which takes a sum over its faces
  Real smallest_size_ = 0;
};

}  // namespace carom
