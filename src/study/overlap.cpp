// The depth of an overlap is the distance of the origin from the boundary of the Minkowski difference. For two boxes
// its faces have 15 possible normals (separating axis theorem: three and three face normals, nine products of edges),
// and the depth is the least overlap of the projections on them. Spheres and capsules are segments with a radius, which
// adds to the depth. All other pairs go by what the shapes reach in any direction (overlap_polytope.h).
#include "study/overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "carom/base/error.h"
#include "study/overlap_polytope.h"

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

/// The point of a bounded shape that lies farthest along a direction, in the shape's frame.
Vec3 farthest(const Sphere& s, const Vec3& d) { return s.radius * normalized(d); }
Vec3 farthest(const Box& b, const Vec3& d) {
  return {std::copysign(b.half_size.x, d.x), std::copysign(b.half_size.y, d.y), std::copysign(b.half_size.z, d.z)};
}
Vec3 farthest(const Capsule& c, const Vec3& d) {
  return c.radius * normalized(d) + Vec3{0, 0, std::copysign(c.half_length, d.z)};
}
Vec3 farthest(const Cylinder& c, const Vec3& d) {
  return c.radius * normalized(Vec3{d.x, d.y, 0}) + Vec3{0, 0, std::copysign(c.half_height, d.z)};
}
Vec3 farthest(const Cone& c, const Vec3& d) {
  const Vec3 apex{0, 0, c.half_height}, rim = c.radius * normalized(Vec3{d.x, d.y, 0}) - apex;
  return dot(d, apex) >= dot(d, rim) ? apex : rim;
}
Vec3 farthest(const Ellipsoid& e, const Vec3& d) {
  const Vec3 r = e.radii, u = normalized(Vec3{r.x * d.x, r.y * d.y, r.z * d.z});
  return {r.x * u.x, r.y * u.y, r.z * u.z};
}
Vec3 farthest(const Shape& shape, const Vec3& d) {
  const auto of_kind = [&]<class Kind>(const Kind& kind) -> Vec3 {
    if constexpr (std::is_same_v<Kind, Hull>) {
      const std::span<const Vec3> corners = shape.corners();
      return *std::max_element(corners.begin(), corners.end(),
                               [&](const Vec3& a, const Vec3& b) { return dot(a, d) < dot(b, d); });
    } else if constexpr (std::is_same_v<Kind, Plane> || std::is_same_v<Kind, Compound>) {
      fail("overlap: planes and compounds have no farthest point");
    } else {
      return farthest(kind, d);
    }
  };
  return std::visit(of_kind, shape.geometry());
}

/// In the world, from the origin of the shape's frame.
Vec3 farthest(const PlacedShape& placed, const Vec3& direction) {
  return placed.rotation * farthest(*placed.shape, transposed_times(placed.rotation, direction));
}

/// Of two bounded convex shapes.
Real support_depth(const PlacedShape& a, const PlacedShape& b) {
  const Vec3 apart = b.center - a.center;
  return depth_in([&](const Vec3& d) { return farthest(a, d) - farthest(b, -d) - apart; });
}

/// The parts of a compound where they stand; the shape itself where it is none.
std::vector<PlacedShape> parts_of(const PlacedShape& placed) {
  const auto* compound = std::get_if<Compound>(&placed.shape->geometry());
  if (compound == nullptr) return {placed};
  std::vector<PlacedShape> parts;
  parts.reserve(compound->parts->size());
  for (const CompoundPart& part : *compound->parts)
    parts.emplace_back(*part.shape, placed.center + placed.rotation * part.pose.position,
                       placed.rotation * to_matrix(part.pose.orientation));
  return parts;
}

bool is_compound(const PlacedShape& placed) { return std::holds_alternative<Compound>(placed.shape->geometry()); }

bool is_segment_or_box(const PlacedShape& placed) {
  const auto& geometry = placed.shape->geometry();
  return std::holds_alternative<Sphere>(geometry) || std::holds_alternative<Capsule>(geometry) ||
         std::holds_alternative<Box>(geometry);
}

bool is_plane(const PlacedShape& placed) { return std::holds_alternative<Plane>(placed.shape->geometry()); }

Real plane_height(const PlacedShape& placed, const Plane& plane, const Vec3& point) {
  return dot(placed.rotation * plane.normal, point - placed.center) - plane.offset;
}

Real plane_depth(const PlacedShape& placed, const Plane& plane, const PlacedShape& other) {
  if (is_plane(other)) return kApart;
  const Vec3 normal = placed.rotation * plane.normal;
  return -dot(farthest(other, -normal), normal) - plane_height(placed, plane, other.center);
}

Real segment_depth(const RoundSegment& segment, const PlacedShape& other) {
  const auto& geometry = other.shape->geometry();
  if (const auto* box = std::get_if<Box>(&geometry)) return segment_box_depth(segment, other, *box);
  if (const auto* sphere = std::get_if<Sphere>(&geometry))
    return segment_segment_depth(segment, round_segment(other, *sphere));
  if (const auto* capsule = std::get_if<Capsule>(&geometry))
    return segment_segment_depth(segment, round_segment(other, *capsule));
  const auto support = [&](const Vec3& d) {
    const Vec3 end = dot(d, segment.half_axis) >= 0 ? segment.half_axis : -segment.half_axis;
    return segment.center + end + segment.radius * normalized(d) - other.center - farthest(other, -d);
  };
  return depth_in(support);
}

}  // namespace

PlacedShape::PlacedShape(const Shape& of, const Pose& pose)
    : PlacedShape(of, pose.position, to_matrix(normalized(pose.orientation))) {}

PlacedShape::PlacedShape(const Shape& of, const Vec3& center_of, const Mat3& rotation_of)
    : shape(&of), center(center_of), rotation(rotation_of) {
  if (is_plane(*this)) {
    low = {-kInfinity, -kInfinity, -kInfinity};
    high = {kInfinity, kInfinity, kInfinity};
    return;
  }
  low = {kInfinity, kInfinity, kInfinity};
  high = {-kInfinity, -kInfinity, -kInfinity};
  if (is_compound(*this)) {
    for (const PlacedShape& part : parts_of(*this))
      for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], part.low[i]), high[i] = std::max(high[i], part.high[i]);
    return;
  }
  for (int i = 0; i < 3; ++i) {
    Vec3 axis;
    axis[i] = 1;
    low[i] = center[i] + farthest(*this, -axis)[i];
    high[i] = center[i] + farthest(*this, axis)[i];
  }
}

Real overlap_depth(const PlacedShape& a, const PlacedShape& b) {
  if (is_compound(a) || is_compound(b)) {
    Real deepest = -kInfinity;
    for (const PlacedShape& part_a : parts_of(a))
      for (const PlacedShape& part_b : parts_of(b)) deepest = std::max(deepest, overlap_depth(part_a, part_b));
    return deepest;
  }
  const auto& geometry_a = a.shape->geometry();
  const auto& geometry_b = b.shape->geometry();
  if (const auto* plane = std::get_if<Plane>(&geometry_a)) return plane_depth(a, *plane, b);
  if (const auto* plane = std::get_if<Plane>(&geometry_b)) return plane_depth(b, *plane, a);
  if (!is_segment_or_box(a) || !is_segment_or_box(b)) return support_depth(a, b);
  if (const auto* sphere = std::get_if<Sphere>(&geometry_a)) return segment_depth(round_segment(a, *sphere), b);
  if (const auto* capsule = std::get_if<Capsule>(&geometry_a)) return segment_depth(round_segment(a, *capsule), b);
  if (!std::holds_alternative<Box>(geometry_b)) return overlap_depth(b, a);
  return box_box_depth(a, std::get<Box>(geometry_a), b, std::get<Box>(geometry_b));
}

bool path_enters(const Vec3& from, const Vec3& to, const PlacedShape& shape) {
  if (const auto* plane = std::get_if<Plane>(&shape.shape->geometry()))
    return plane_height(shape, *plane, from) < 0 || plane_height(shape, *plane, to) < 0;
  for (const PlacedShape& part : parts_of(shape))
    if (segment_depth({0.5 * (from + to), 0.5 * (to - from), 0}, part) > 0) return true;
  return false;
}

}  // namespace carom
