// A sphere against a box, a cylinder, a cone or an ellipsoid: the point of the surface nearest to its centre, found in
// the frame of the shape, where a box far from the world's origin has lost no digits.
//
// Cylinder and cone are solids of revolution, so that the question is about a rectangle or a triangle in the half plane
// through axis and centre. For the ellipsoid the nearest point is q_i = r_i² p_i / (r_i² + t) with the largest root t
// of Σ (r_i p_i / (r_i² + t))² = 1 (D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a
// hyperellipsoid", 2013). The left side is convex and falls there, so Newton's method from the left never overshoots.
#include <algorithm>
#include <cmath>

#include "collision/contact_pairs.h"

namespace carom {
namespace {

/// The nearest surface point in the shape's frame, the outward normal there, and the distance, negative inside.
struct Nearest {
  Vec3 point, normal;
  Real distance = 0;
};

/// In the half plane: `x` from the axis, `z` along it.
struct Profile {
  Real x = 0, z = 0;
};

Nearest revolve(const Vec3& p, Real across, const Profile& at, const Profile& normal, Real distance) {
  // On the axis all directions are alike; the first of the shape's own will do.
  const Vec3 radial = across > 0 ? Vec3{p.x / across, p.y / across, 0} : Vec3{1, 0, 0};
  return {at.x * radial + Vec3{0, 0, at.z}, normal.x * radial + Vec3{0, 0, normal.z}, distance};
}

Nearest nearest_on(const Cylinder& c, const Vec3& p) {
  const Real across = std::sqrt(p.x * p.x + p.y * p.y), side = std::copysign(1.0, p.z);
  const Real out = across - c.radius, up = std::abs(p.z) - c.half_height;
  if (out <= 0 && up <= 0) {
    if (out > up) return revolve(p, across, {c.radius, p.z}, {1, 0}, out);
    return revolve(p, across, {across, side * c.half_height}, {0, side}, up);
  }
  const Real dx = std::max(out, 0.0), dz = std::max(up, 0.0), distance = std::sqrt(dx * dx + dz * dz);
  const Profile at{std::min(across, c.radius), std::clamp(p.z, -c.half_height, c.half_height)};
  return revolve(p, across, at, {dx / distance, side * dz / distance}, distance);
}

Nearest nearest_on(const Cone& c, const Vec3& p) {
  const Real across = std::sqrt(p.x * p.x + p.y * p.y), height = 2 * c.half_height;
  const Real length = std::sqrt(c.radius * c.radius + height * height);
  // Along the slope from the rim to the apex, and outward from it.
  const Profile along{-c.radius / length, height / length}, outward{height / length, c.radius / length};
  const Real dx = across - c.radius, dz = p.z + c.half_height;
  const Real over_slope = outward.x * dx + outward.z * dz;
  const Real s = std::clamp(along.x * dx + along.z * dz, 0.0, length);
  const Profile on_slope{c.radius + s * along.x, -c.half_height + s * along.z};
  if (over_slope <= 0 && dz >= 0) {
    if (over_slope > -dz) return revolve(p, across, on_slope, outward, over_slope);
    return revolve(p, across, {across, -c.half_height}, {0, -1}, -dz);
  }
  if (dz < 0 && dx <= 0) return revolve(p, across, {across, -c.half_height}, {0, -1}, -dz);
  const Real x = across - on_slope.x, z = p.z - on_slope.z, distance = std::sqrt(x * x + z * z);
  return revolve(p, across, on_slope, distance > 0 ? Profile{x / distance, z / distance} : outward, distance);
}

/// Σ (r_i p_i / (r_i² + t))² − 1 and its derivative. `square` holds r_i² less the smallest of them and s is t plus it:
/// on the plane of symmetry everything hangs on the digits of s, and t has lost them. A component on the axis adds
/// nothing, even at its pole.
Real excess(const Vec3& r, const Vec3& square, const Vec3& p, Real s, Real& slope) {
  Real sum = -1;
  slope = 0;
  for (int i = 0; i < 3; ++i) {
    if (p[i] == 0) continue;
    const Real bottom = square[i] + s, q = r[i] * p[i] / bottom;
    sum += q * q;
    slope -= 2 * q * q / bottom;
  }
  return sum;
}

Nearest nearest_on(const Ellipsoid& e, const Vec3& p) {
  const Vec3& r = e.radii;
  // The shortest radius; of equal ones that along which the point lies farther.
  int k = 0;
  for (const int i : {1, 2})
    if (r[i] < r[k] || (r[i] == r[k] && std::abs(p[i]) > std::abs(p[k]))) k = i;
  Vec3 square;
  for (int i = 0; i < 3; ++i) square[i] = (r[i] - r[k]) * (r[i] + r[k]);
  // At this s the k-th term alone is one (or, on the plane of symmetry, at its pole), so the root is not to the left.
  Real s = r[k] * std::abs(p[k]), slope = 0;
  const bool inside_pole = p[k] == 0 && excess(r, square, p, s, slope) < 0;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Real f = excess(r, square, p, s, slope);
    if (f <= 0 || slope == 0) break;
    const Real next = s - f / slope;
    if (next <= s) break;
    s = next;
  }
  Nearest nearest;
  Real rest = 1;
  for (int i = 0; i < 3; ++i) {
    if (p[i] == 0) continue;
    nearest.point[i] = r[i] * r[i] * p[i] / (square[i] + s);
    rest -= nearest.point[i] * nearest.point[i] / (r[i] * r[i]);
  }
  // Near the centre, in the plane of symmetry, the shortest way out has a part across the plane.
  if (inside_pole) nearest.point[k] = r[k] * std::sqrt(std::max(rest, 0.0));
  for (int i = 0; i < 3; ++i) nearest.normal[i] = nearest.point[i] / (r[i] * r[i]);
  nearest.normal = normalized(nearest.normal);
  nearest.distance = dot(p - nearest.point, nearest.normal);
  return nearest;
}

Nearest nearest_on(const Box& box, const Vec3& p) {
  Nearest nearest;
  for (int i = 0; i < 3; ++i) nearest.point[i] = std::clamp(p[i], -box.half_size[i], box.half_size[i]);
  const Vec3 out = p - nearest.point;
  nearest.distance = norm(out);
  nearest.normal = out / nearest.distance;
  if (nearest.distance > 0) return nearest;
  // Inside: out through the nearest face.
  int axis = 0;
  nearest.distance = -1e300;
  for (int i = 0; i < 3; ++i) {
    const Real d = std::abs(p[i]) - box.half_size[i];
    if (d > nearest.distance) nearest.distance = d, axis = i;
  }
  nearest.normal = {};
  nearest.normal[axis] = std::copysign(1.0, p[axis]);
  nearest.point[axis] = std::copysign(box.half_size[axis], p[axis]);
  return nearest;
}

}  // namespace

void sphere_surface(const Placed& pa, const Placed& pb, Real margin, Manifold& manifold) {
  const Real radius = std::get<Sphere>(*pa.geometry).radius;
  const Vec3 center = transposed_times(pb.rotation, pa.position - pb.position);
  Nearest nearest;
  if (const auto* box = std::get_if<Box>(pb.geometry)) nearest = nearest_on(*box, center);
  if (const auto* cylinder = std::get_if<Cylinder>(pb.geometry)) nearest = nearest_on(*cylinder, center);
  if (const auto* cone = std::get_if<Cone>(pb.geometry)) nearest = nearest_on(*cone, center);
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(pb.geometry)) nearest = nearest_on(*ellipsoid, center);
  const Real gap = nearest.distance - radius;
  if (gap > margin) return;
  const Vec3 outward = pb.rotation * nearest.normal;
  manifold.normal = -outward;
  manifold.add(pb.position + pb.rotation * nearest.point + 0.5 * gap * outward, gap, 0);
}

}  // namespace carom
