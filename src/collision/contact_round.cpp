// Pairs of spheres, capsules and boxes with a round one among them: the distance between points, segments and boxes.
#include <algorithm>
#include <array>
#include <cmath>

#include "collision/contact_pairs.h"
#include "geometry/gjk.h"
#include "geometry/segment.h"

namespace carom {
namespace {

/// A point with a radius against a point with a radius. Coinciding centres separate along `fallback`.
void add_round_pair(const Vec3& ca, Real ra, const Vec3& cb, Real rb, const Vec3& fallback, Real margin,
                    std::uint16_t feature, Manifold& m) {
  const Vec3 d = cb - ca;
  const Real distance = norm(d);
  const Real gap = distance - ra - rb;
  if (gap > margin) return;
  m.normal = distance > 0 ? d / distance : fallback;
  m.add(ca + (ra + 0.5 * gap) * m.normal, gap, feature);
}

Segment axis_of(const Capsule& c, const Placed& p) { return {p.position, p.rotation.column(2), c.half_length}; }

/// The part of the capsule's axis over a face of the box, both ends as points.
void add_axis_over_face(const Box& box, const Placed& pb, const Segment& axis, Real radius, int face_axis, Real side,
                        Real margin, Manifold& m) {
  const Vec3 center = transposed_times(pb.rotation, axis.center - pb.position);
  const Vec3 direction = transposed_times(pb.rotation, axis.direction);
  Real low = -axis.half_length, high = axis.half_length;
  for (int k = 1; k <= 2; ++k) {
    const int i = (face_axis + k) % 3;
    if (std::abs(direction[i]) < 1e-12) {
      if (std::abs(center[i]) > box.half_size[i]) return;
      continue;
    }
    const Real s0 = (-box.half_size[i] - center[i]) / direction[i], s1 = (box.half_size[i] - center[i]) / direction[i];
    low = std::max(low, std::min(s0, s1));
    high = std::min(high, std::max(s0, s1));
  }
  if (low > high) return;
  const Vec3 outward = side * pb.rotation.column(face_axis);
  m.normal = outward;
  std::uint16_t feature = 1;
  for (const Real s : {low, high}) {
    const Real height = side * (center[face_axis] + s * direction[face_axis]) - box.half_size[face_axis];
    const Real gap = height - radius;
    if (gap <= margin) m.add(axis.at(s) - (radius + 0.5 * gap) * outward, gap, feature);
    ++feature;
    if (high - low < 1e-3 * radius) return;
  }
}

/// The axis of a capsule that passes through a box: out along the axis of least overlap.
void add_deep_axis(const Box& box, const Placed& pb, const Segment& axis, Real radius, Real margin, Manifold& m) {
  const Vec3 center = transposed_times(pb.rotation, axis.center - pb.position);
  const Vec3 direction = transposed_times(pb.rotation, axis.direction);
  Real best = -1e300;
  Vec3 outward_local;
  const auto consider = [&](const Vec3& n, Real reach) {
    const Real separation = std::abs(dot(n, center)) - reach;
    if (separation > best) best = separation, outward_local = dot(n, center) >= 0 ? n : -n;
  };
  for (int i = 0; i < 3; ++i) {
    Vec3 n;
    n[i] = 1;
    consider(n, box.half_size[i] + axis.half_length * std::abs(direction[i]));
  }
  for (int i = 0; i < 3; ++i) {
    Vec3 edge;
    edge[i] = 1;
    const Vec3 n = cross(edge, direction);
    const Real length = norm(n);
    if (length < 1e-6) continue;
    const Vec3 unit = n / length;
    consider(unit, std::abs(unit.x) * box.half_size.x + std::abs(unit.y) * box.half_size.y +
                       std::abs(unit.z) * box.half_size.z);
  }
  const Real gap = best - radius;
  if (gap > margin) return;
  const Vec3 outward = pb.rotation * outward_local;
  // The end (or, lying flat, the middle) of the axis that is deepest.
  const Real slope = dot(axis.direction, outward);
  const Real s = std::abs(slope) < 1e-9 ? 0 : (slope > 0 ? -axis.half_length : axis.half_length);
  m.normal = outward;
  m.add(axis.at(s) - (radius + 0.5 * gap) * outward, gap, 3);
}

}  // namespace

void sphere_sphere(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Sphere& a = std::get<Sphere>(*pa.geometry);
  const Sphere& b = std::get<Sphere>(*pb.geometry);
  add_round_pair(pa.position, a.radius, pb.position, b.radius, {0, 0, 1}, margin, 0, m);
}

void sphere_capsule(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Sphere& a = std::get<Sphere>(*pa.geometry);
  const Capsule& b = std::get<Capsule>(*pb.geometry);
  const Segment axis = axis_of(b, pb);
  const Real t = std::clamp(dot(pa.position - axis.center, axis.direction), -axis.half_length, axis.half_length);
  add_round_pair(pa.position, a.radius, axis.at(t), b.radius, pb.rotation.column(0), margin, 0, m);
}

void sphere_box(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Sphere& a = std::get<Sphere>(*pa.geometry);
  const Box& b = std::get<Box>(*pb.geometry);
  const Vec3 local = transposed_times(pb.rotation, pa.position - pb.position);
  Vec3 nearest;
  for (int i = 0; i < 3; ++i) nearest[i] = std::clamp(local[i], -b.half_size[i], b.half_size[i]);
  if (nearest != local) {
    add_round_pair(pa.position, a.radius, pb.position + pb.rotation * nearest, 0, {0, 0, 1}, margin, 0, m);
    return;
  }
  // The centre is inside: out through the nearest face.
  int axis = 0;
  Real depth = 1e300;
  for (int i = 0; i < 3; ++i) {
    const Real d = b.half_size[i] - std::abs(local[i]);
    if (d < depth) depth = d, axis = i;
  }
  const Vec3 outward = (local[axis] >= 0 ? 1.0 : -1.0) * pb.rotation.column(axis);
  const Real gap = -(depth + a.radius);
  m.normal = -outward;
  m.add(pa.position + 0.5 * (depth - a.radius) * outward, gap, 0);
}

void capsule_capsule(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Capsule& a = std::get<Capsule>(*pa.geometry);
  const Capsule& b = std::get<Capsule>(*pb.geometry);
  const Segment sa = axis_of(a, pa), sb = axis_of(b, pb);
  const Real cosine = dot(sa.direction, sb.direction);
  // Side by side (within half a degree): the ends of the overlap, so that one can lie on the other.
  if (std::abs(cosine) > 0.99996) {
    const Real middle = dot(sb.center - sa.center, sa.direction);
    const Real low = std::max(-sa.half_length, middle - sb.half_length);
    const Real high = std::min(sa.half_length, middle + sb.half_length);
    if (high - low > 1e-3 * (a.radius + b.radius)) {
      std::uint16_t feature = 1;
      for (const Real s : {low, high}) {
        const Real t = std::clamp(dot(sa.at(s) - sb.center, sb.direction), -sb.half_length, sb.half_length);
        add_round_pair(sa.at(s), a.radius, sb.at(t), b.radius, pa.rotation.column(0), margin, feature++, m);
      }
      return;
    }
  }
  const SegmentPair nearest = closest(sa, sb);
  Vec3 fallback = cross(sa.direction, sb.direction);
  fallback = squared_norm(fallback) > 0 ? normalized(fallback) : pa.rotation.column(0);
  add_round_pair(sa.at(nearest.s), a.radius, sb.at(nearest.t), b.radius, fallback, margin, 0, m);
}

void box_capsule(const Placed& pa, const Placed& pb, Real margin, Manifold& m) {
  const Box& a = std::get<Box>(*pa.geometry);
  const Capsule& b = std::get<Capsule>(*pb.geometry);
  const Segment axis = axis_of(b, pb);
  const auto box_support = [&](const Vec3& d) {
    const Vec3 l = transposed_times(pa.rotation, d);
    const Vec3 corner{std::copysign(a.half_size.x, l.x), std::copysign(a.half_size.y, l.y),
                      std::copysign(a.half_size.z, l.z)};
    return pa.position + pa.rotation * corner;
  };
  const auto axis_support = [&](const Vec3& d) {
    return axis.at(std::copysign(axis.half_length, dot(d, axis.direction)));
  };
  const ClosestPoints nearest = closest_points(box_support, axis_support, pb.position - pa.position);
  if (!nearest.separated || nearest.distance < 1e-9 * b.radius) {
    add_deep_axis(a, pa, axis, b.radius, margin, m);
    return;
  }
  if (nearest.distance - b.radius > margin) return;
  const Vec3 n = (nearest.on_b - nearest.on_a) / nearest.distance;
  for (int i = 0; i < 3; ++i) {
    const Real along = dot(pa.rotation.column(i), n);
    if (std::abs(along) < 1 - 1e-9) continue;
    add_axis_over_face(a, pa, axis, b.radius, i, along > 0 ? 1 : -1, margin, m);
    if (m.count > 0) return;
  }
  add_round_pair(nearest.on_a, 0, nearest.on_b, b.radius, n, margin, 0, m);
}

}  // namespace carom
