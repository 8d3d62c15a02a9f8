// The depth of an overlap is the distance of the origin from the boundary of the Minkowski difference. For two boxes
// its faces have 15 possible normals (separating axis theorem: three and three face normals, nine products of edges),
// and the depth is the least overlap of the projections on them. Spheres and capsules are segments with a radius, which
// adds to the depth.
#include "study/overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace carom {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Real kApart = -1;

/// The points within `radius` of the segment center ± half_axis: a sphere where the axis is zero.
struct RoundSegment {
  Vec3 center, half_axis;
  Real radius = 0;
};

RoundSegment round_segment(const PlacedShape& placed, const Sphere& sphere) {
  return {placed.center, {}, sphere.radius};
}

RoundSegment round_segment(const PlacedShape& placed, const Capsule& capsule) {
  return {placed.center, capsule.half_length * placed.rotation.column(2), capsule.radius};
}

Vec3 absolute(const Vec3& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

Real box_box_depth(const PlacedShape& a, const Box& box_a, const PlacedShape& b, const Box& box_b) {
  const Vec3 ha = box_a.half_size, hb = box_b.half_size;
  const Vec3 t = transposed_times(a.rotation, b.center - a.center);
  const Mat3 r = transposed(a.rotation) * b.rotation;
  Mat3 size;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) size(i, j) = std::abs(r(i, j));

  Real depth = kInfinity;
  for (int i = 0; i < 3; ++i) {
    depth = std::min(depth, ha[i] + dot(size.row(i), hb) - std::abs(t[i]));
    depth = std::min(depth, hb[i] + dot(size.column(i), ha) - std::abs(dot(r.column(i), t)));
    if (depth <= 0) return depth;
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // Nearly parallel edges span no face of the difference; the face normals have covered that direction.
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const Real squared_length = size(i1, j) * size(i1, j) + size(i2, j) * size(i2, j);
      if (squared_length < 1e-16) continue;
      const Real reach = ha[i1] * size(i2, j) + ha[i2] * size(i1, j) + hb[j1] * size(i, j2) + hb[j2] * size(i, j1);
      const Real distance = std::abs(t[i2] * r(i1, j) - t[i1] * r(i2, j));
      depth = std::min(depth, (reach - distance) / std::sqrt(squared_length));
      if (depth <= 0) return depth;
    }
  }
  return depth;
}

/// Vector from the nearest point of the box to p, in the box's axes; zero inside.
Vec3 outside_part(const Vec3& p, const Vec3& half_size) {
  Vec3 out;
  for (int i = 0; i < 3; ++i) out[i] = p[i] - std::clamp(p[i], -half_size[i], half_size[i]);
  return out;
}

/// The least overlap of a segment and a box that intersect: three face normals and three products with the segment.
Real core_depth(const Vec3& center, const Vec3& half_axis, const Vec3& half_size) {
  Real depth = kInfinity;
  for (int i = 0; i < 3; ++i) {
    depth = std::min(depth, half_size[i] + std::abs(half_axis[i]) - std::abs(center[i]));
    const Vec3 axis = cross(half_axis, Mat3::identity().column(i));
    const Real length = norm(axis);
    if (length <= 1e-9 * norm(half_axis)) continue;
    depth = std::min(depth, (dot(absolute(axis), half_size) - std::abs(dot(axis, center))) / length);
  }
  return depth;
}

Real segment_box_depth(const RoundSegment& segment, const PlacedShape& placed, const Box& box) {
  const Vec3 center = transposed_times(placed.rotation, segment.center - placed.center);
  const Vec3 axis = transposed_times(placed.rotation, segment.half_axis);
  Real at = 0;
  if (squared_norm(axis) > 0) {
    // The squared distance from the box is convex along the segment: halve on the sign of its slope.
    // The lower bound is kept, which is inside the box where the segment passes through it.
    Real high = 1;
    at = -1;
    for (int i = 0; i < 60; ++i) {
      const Real middle = 0.5 * (at + high);
      (dot(outside_part(center + middle * axis, box.half_size), axis) > 0 ? high : at) = middle;
    }
    if (high == 1) at = 1;
  }
  const Real distance = norm(outside_part(center + at * axis, box.half_size));
  if (distance > 0) return segment.radius - distance;
  return segment.radius + core_depth(center, axis, box.half_size);
}

/// Squared distance of a point from the segment center ± half_axis.
Real squared_distance(const Vec3& p, const Vec3& center, const Vec3& half_axis) {
  const Real squared_length = squared_norm(half_axis);
  const Real s = squared_length > 0 ? std::clamp(dot(p - center, half_axis) / squared_length, -1.0, 1.0) : 0;
  return squared_norm(p - center - s * half_axis);
}

Real segment_segment_depth(const RoundSegment& a, const RoundSegment& b) {
  const Vec3 u = a.half_axis, v = b.half_axis, w = b.center - a.center;
  // A convex function of two parameters in a square: its minimum is inside, or on one of the four sides.
  Real squared = std::min({squared_distance(a.center + u, b.center, v), squared_distance(a.center - u, b.center, v),
                           squared_distance(b.center + v, a.center, u), squared_distance(b.center - v, a.center, u)});
  const Real uu = squared_norm(u), vv = squared_norm(v), uv = dot(u, v), determinant = uu * vv - uv * uv;
  if (determinant > 1e-12 * uu * vv) {
    const Real s = (dot(u, w) * vv - uv * dot(v, w)) / determinant;
    const Real t = (dot(u, w) * uv - uu * dot(v, w)) / determinant;
    if (std::abs(s) <= 1 && std::abs(t) <= 1) squared = std::min(squared, squared_norm(w + t * v - s * u));
  }
  return a.radius + b.radius - std::sqrt(squared);
}

/// How far the shape reaches along a unit direction, from its own centre.
Real reach(const PlacedShape& placed, const Vec3& direction) {
  const Vec3 local = transposed_times(placed.rotation, direction);
  if (const auto* sphere = std::get_if<Sphere>(&placed.shape->geometry())) return sphere->radius;
  if (const auto* box = std::get_if<Box>(&placed.shape->geometry())) return dot(absolute(local), box->half_size);
  if (const auto* capsule = std::get_if<Capsule>(&placed.shape->geometry()))
    return capsule->radius + capsule->half_length * std::abs(local.z);
  return kInfinity;
}

Real plane_height(const PlacedShape& placed, const Plane& plane, const Vec3& point) {
  return dot(placed.rotation * plane.normal, point - placed.center) - plane.offset;
}

Real plane_depth(const PlacedShape& placed, const Plane& plane, const PlacedShape& other) {
  if (std::holds_alternative<Plane>(other.shape->geometry())) return kApart;
  return reach(other, placed.rotation * plane.normal) - plane_height(placed, plane, other.center);
}

Real segment_depth(const RoundSegment& segment, const PlacedShape& other) {
  const auto& geometry = other.shape->geometry();
  if (const auto* box = std::get_if<Box>(&geometry)) return segment_box_depth(segment, other, *box);
  if (const auto* sphere = std::get_if<Sphere>(&geometry))
    return segment_segment_depth(segment, round_segment(other, *sphere));
  return segment_segment_depth(segment, round_segment(other, std::get<Capsule>(geometry)));
}

}  // namespace

PlacedShape::PlacedShape(const Shape& of, const Pose& pose)
    : shape(&of), center(pose.position), rotation(to_matrix(normalized(pose.orientation))) {
  const Vec3 size{reach(*this, {1, 0, 0}), reach(*this, {0, 1, 0}), reach(*this, {0, 0, 1})};
  low = center - size;
  high = center + size;
}

Real overlap_depth(const PlacedShape& a, const PlacedShape& b) {
  const auto& geometry_a = a.shape->geometry();
  const auto& geometry_b = b.shape->geometry();
  if (const auto* plane = std::get_if<Plane>(&geometry_a)) return plane_depth(a, *plane, b);
  if (const auto* plane = std::get_if<Plane>(&geometry_b)) return plane_depth(b, *plane, a);
  if (const auto* sphere = std::get_if<Sphere>(&geometry_a)) return segment_depth(round_segment(a, *sphere), b);
  if (const auto* capsule = std::get_if<Capsule>(&geometry_a)) return segment_depth(round_segment(a, *capsule), b);
  if (!std::holds_alternative<Box>(geometry_b)) return overlap_depth(b, a);
  return box_box_depth(a, std::get<Box>(geometry_a), b, std::get<Box>(geometry_b));
}

bool path_enters(const Vec3& from, const Vec3& to, const PlacedShape& shape) {
  if (const auto* plane = std::get_if<Plane>(&shape.shape->geometry()))
    return plane_height(shape, *plane, from) < 0 || plane_height(shape, *plane, to) < 0;
  return segment_depth({0.5 * (from + to), 0.5 * (to - from), 0}, shape) > 0;
}

}  // namespace carom
