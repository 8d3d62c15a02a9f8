#include "collision/recycle.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "geometry/bounds.h"

namespace carom {
namespace {

Real squared_difference(const Mat3& a, const Mat3& b) {
  Real sum = 0;
  for (int i = 0; i < 3; ++i) sum += squared_norm(a.row(i) - b.row(i));
  return sum;
}

Mat3 turn_of(const Placed& base, const Placed& probe) { return transposed(base.rotation) * probe.rotation; }

/// Bounded by planes alone.
bool is_flat(const Shape::Geometry& geometry) {
  if (const auto* compound = std::get_if<Compound>(&geometry))
    return std::all_of(compound->parts->begin(), compound->parts->end(),
                       [](const CompoundPart& part) { return is_flat(part.shape->geometry()); });
  return std::holds_alternative<Box>(geometry) || std::holds_alternative<Hull>(geometry) ||
         std::holds_alternative<Plane>(geometry);
}

/// True where the normal (in the shape's frame) is that of a face.
bool is_face_normal(const Shape::Geometry& geometry, const Vec3& normal) {
  constexpr Real kRounding = 1e-12;
  if (std::holds_alternative<Plane>(geometry)) return true;
  return std::holds_alternative<Box>(geometry) &&
         std::max({std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)}) > 1 - kRounding;
}

/// Smallest width of the box around a shape, 1e300 for a plane; `lever2` becomes how far it reaches from its frame.
Real size_of(const Placed& placed, Real& lever2) {
  if (std::holds_alternative<Plane>(*placed.geometry)) return 1e300;
  const Aabb box = bounds(*placed.geometry, placed.position, placed.rotation);
  const Vec3 low = placed.position - box.min, high = box.max - placed.position, width = box.max - box.min;
  lever2 = squared_norm({std::max(std::abs(low.x), std::abs(high.x)), std::max(std::abs(low.y), std::abs(high.y)),
                         std::max(std::abs(low.z), std::abs(high.z))});
  return std::min({width.x, width.y, width.z});
}

}  // namespace

Real coarse_margin(Real margin) {
  // The next number with no more than three binary digits after the leading one.
  constexpr std::uint64_t kRest = (std::uint64_t{1} << 49) - 1;
  return margin > 0 ? std::bit_cast<Real>((std::bit_cast<std::uint64_t>(margin) + kRest) & ~kRest) : margin;
}

ContactReference make_reference(const Manifold& manifold, const Placed& a, const Placed& b, Real margin,
                                std::vector<PointAnchor>& anchors) {
  ContactReference reference;
  const Vec3 normal_in_a = transposed_times(a.rotation, manifold.normal);
  const Vec3 normal_in_b = transposed_times(b.rotation, manifold.normal);
  // The normal belongs to the body of which it is a face's.
  reference.base_is_a = is_face_normal(*a.geometry, normal_in_a) || !is_face_normal(*b.geometry, normal_in_b);
  const Placed &base = reference.base_is_a ? a : b, &probe = reference.base_is_a ? b : a;
  const Real side = reference.base_is_a ? 1 : -1;
  reference.normal_local = side * (reference.base_is_a ? normal_in_a : normal_in_b);
  reference.offset_local = transposed_times(base.rotation, probe.position - base.position);
  reference.turn = turn_of(base, probe);
  reference.margin = margin;
  Real lever2 = 0;
  const Real size = std::min(size_of(base, lever2), size_of(probe, reference.lever2));
  if (const auto* ball = std::get_if<Sphere>(probe.geometry)) {
    reference.radius = ball->radius;
    reference.lever2 = 0;
    if (std::holds_alternative<Sphere>(*base.geometry)) reference.normal_local = {};
  }
  const bool exact = follows_exactly(reference, a, b);
  // Points that were beyond the margin must not be able to touch.
  const Real allowed = std::min((exact ? kStill : kStillCurved) * size, 0.5 * margin);
  reference.allowed2 = allowed * allowed;

  const Vec3 normal = side * manifold.normal;
  for (int i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& p = manifold.points[static_cast<std::size_t>(i)];
    const Vec3 on_probe = p.point + (0.5 * p.gap + reference.radius) * normal;
    const Real level = dot(normal, on_probe - base.position) - p.gap;
    anchors.push_back({transposed_times(probe.rotation, on_probe - probe.position), level});
  }
  return reference;
}

bool is_still(const ContactReference& reference, const Placed& a, const Placed& b, Real margin) {
  if (margin > reference.margin) return false;
  const Placed &base = reference.base_is_a ? a : b, &probe = reference.base_is_a ? b : a;
  if (reference.normal_local == Vec3{}) {
    // Two balls look the same from all sides.
    const Real shift = norm(probe.position - base.position) - norm(reference.offset_local);
    return shift * shift <= reference.allowed2;
  }
  // (|shift| + lever · turn)² is at most twice the sum of squares.
  const Vec3 offset = transposed_times(base.rotation, probe.position - base.position);
  const Real shift2 = squared_norm(offset - reference.offset_local);
  if (!(2 * shift2 <= reference.allowed2)) return false;
  if (reference.lever2 == 0) return true;
  const Real turn2 = squared_difference(turn_of(base, probe), reference.turn);
  return 2 * (shift2 + reference.lever2 * turn2) <= reference.allowed2;
}

bool follows_exactly(const ContactReference& reference, const Placed& a, const Placed& b) {
  const Placed &base = reference.base_is_a ? a : b, &probe = reference.base_is_a ? b : a;
  if (std::holds_alternative<Sphere>(*probe.geometry))
    return reference.normal_local == Vec3{} || is_face_normal(*base.geometry, reference.normal_local);
  return is_flat(*base.geometry) && is_flat(*probe.geometry);
}

void follow_bodies(const ContactReference& reference, std::span<const PointAnchor> anchors, const Placed& a,
                   const Placed& b, Manifold& manifold) {
  const Placed &base = reference.base_is_a ? a : b, &probe = reference.base_is_a ? b : a;
  const Vec3 offset = probe.position - base.position;
  Vec3 normal = base.rotation * reference.normal_local;
  if (reference.normal_local == Vec3{})
    normal = offset != Vec3{} ? normalized(offset) : (reference.base_is_a ? manifold.normal : -manifold.normal);
  manifold.normal = reference.base_is_a ? normal : -normal;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    ManifoldPoint& p = manifold.points[i];
    const Vec3 from_probe = probe.rotation * anchors[i].on_probe_local;
    p.gap = dot(normal, offset + from_probe) - anchors[i].level;
    p.point = probe.position + from_probe - (reference.radius + 0.5 * p.gap) * normal;
  }
}

void put_vector(ByteWriter& out, const Vec3& v) {
  for (int i = 0; i < 3; ++i) out.put(v[i]);
}

Real get_finite(ByteReader& in) {
  const Real x = in.get<Real>();
  if (!std::isfinite(x)) in.fail();
  return x;
}

Vec3 get_finite_vector(ByteReader& in) {
  const Real x = get_finite(in), y = get_finite(in), z = get_finite(in);
  return {x, y, z};
}

void put(ByteWriter& out, const ContactReference& reference) {
  put_vector(out, reference.offset_local);
  for (int i = 0; i < 3; ++i) put_vector(out, reference.turn.row(i));
  put_vector(out, reference.normal_local);
  for (const Real x : {reference.margin, reference.allowed2, reference.lever2, reference.radius}) out.put(x);
  out.put(static_cast<std::uint8_t>(reference.base_is_a));
}

void put(ByteWriter& out, const PointAnchor& anchor) {
  put_vector(out, anchor.on_probe_local);
  out.put(anchor.level);
}

ContactReference get_reference(ByteReader& in) {
  ContactReference reference;
  reference.offset_local = get_finite_vector(in);
  for (auto& row : reference.turn.m)
    for (Real& x : row) x = get_finite(in);
  reference.normal_local = get_finite_vector(in);
  reference.margin = get_finite(in);
  reference.allowed2 = get_finite(in);
  reference.lever2 = get_finite(in);
  reference.radius = get_finite(in);
  reference.base_is_a = in.get<std::uint8_t>() != 0;
  return reference;
}

PointAnchor get_anchor(ByteReader& in) {
  const Vec3 on_probe = get_finite_vector(in);
  return {on_probe, get_finite(in)};
}

}  // namespace carom
