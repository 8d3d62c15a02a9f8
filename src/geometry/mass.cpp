// Closed forms for the round kinds. Polyhedra: a solid is the signed sum of the tetrahedra between a point and the
// triangles of its surface, and over a tetrahedron the moments up to the second order are polynomials of its corners,
// so that the sum is exact up to rounding (B. Mirtich, "Fast and accurate computation of polyhedral mass properties",
// Journal of Graphics Tools 1, 1996, reduces the same integrals to the faces' planes; corners are taken here, since the
// fans of faces that are flat only up to a tolerance still close the surface).
#include "geometry/mass.h"

#include <numbers>

namespace carom {
namespace {

constexpr Real kPi = std::numbers::pi;

constexpr Mat3 outer(const Vec3& a, const Vec3& b) { return Mat3::columns(b.x * a, b.y * a, b.z * a); }

/// From second moments ∫ x xᵀ to the inertia: tr(S)·1 − S.
constexpr Mat3 inertia_of(const Mat3& second) {
  const Real trace = second.trace();
  return Mat3::diagonal({trace, trace, trace}) + (-1) * second;
}

/// The inertia of a point mass at distance d: what moving an axis adds.
constexpr Mat3 parallel_axes(Real mass, const Vec3& d) { return inertia_of(mass * outer(d, d)); }

}  // namespace

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

MassProperties solid(const Cylinder& c, Real density) {
  const Real r2 = c.radius * c.radius;
  const Real mass = density * kPi * r2 * 2 * c.half_height;
  const Real across = mass * (r2 / 4 + c.half_height * c.half_height / 3);
  return {mass, {}, Mat3::diagonal({across, across, mass * r2 / 2})};
}

/// The centre of mass lies a quarter of the height above the base.
MassProperties solid(const Cone& c, Real density) {
  const Real r2 = c.radius * c.radius, height = 2 * c.half_height;
  const Real mass = density * kPi * r2 * height / 3;
  const Real across = mass * (3 * r2 / 20 + 3 * height * height / 80);
  return {mass, {0, 0, -0.5 * c.half_height}, Mat3::diagonal({across, across, 0.3 * mass * r2})};
}

MassProperties solid(const Ellipsoid& e, Real density) {
  const Vec3 r = e.radii, sq{r.x * r.x, r.y * r.y, r.z * r.z};
  const Real mass = density * 4 / 3 * kPi * r.x * r.y * r.z;
  return {mass, {}, Mat3::diagonal(0.2 * mass * Vec3{sq.y + sq.z, sq.z + sq.x, sq.x + sq.y})};
}

MassProperties solid(const Polyhedron& polyhedron, Real density) {
  // About a point inside, so that nothing cancels however far the solid lies from its frame's origin.
  const std::span<const Vec3> vertices = polyhedron.vertices();
  Vec3 origin;
  for (const Vec3& v : vertices) origin += v / static_cast<Real>(vertices.size());

  Real volume = 0;
  Vec3 first;
  Mat3 second;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(polyhedron.faces().size()); ++f) {
    const std::span<const std::int32_t> loop = polyhedron.face_vertices(f);
    const auto at = [&](std::size_t k) { return vertices[static_cast<std::size_t>(loop[k])] - origin; };
    const Vec3 a = at(0);
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
      const Vec3 b = at(k), c = at(k + 1), sum = a + b + c;
      const Real six_volumes = dot(a, cross(b, c));
      volume += six_volumes / 6;
      first += six_volumes / 24 * sum;
      second = second + six_volumes / 120 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
    }
  }
  const Vec3 center = first / volume;
  const Mat3 about_center = second + (-volume) * outer(center, center);
  return {density * volume, origin + center, density * inertia_of(about_center)};
}

MassProperties solid(const Compound& compound, Real density) {
  // About the first part's centre of mass, for the same reason as above.
  MassProperties sum;
  Vec3 origin, moment;
  bool is_first = true;
  for (const CompoundPart& part : *compound.parts) {
    const MassProperties own = part.shape->mass_properties(part.density.value_or(density));
    const Vec3 center = transform(part.pose, own.center);
    if (is_first) origin = center, is_first = false;
    const Mat3 rotation = to_matrix(part.pose.orientation);
    sum.mass += own.mass;
    moment += own.mass * (center - origin);
    sum.inertia =
        sum.inertia + rotation * own.inertia * transposed(rotation) + parallel_axes(own.mass, center - origin);
  }
  const Vec3 offset = moment / sum.mass;
  sum.center = origin + offset;
  sum.inertia = sum.inertia + (-1) * parallel_axes(sum.mass, offset);
  return sum;
}

}  // namespace carom
