#include "fast/ball_pair.h"

#include <algorithm>
#include <cmath>

#include "carom/contact/problem.h"

namespace carom::fast {
namespace {

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// The point of a shape's surface nearest to a point, and the normal there that looks towards it; the shape's frame.
struct Nearest {
  Vec3 point, normal;
};

Nearest nearest(const Sphere& sphere, const Vec3& p) {
  const Vec3 normal = p == Vec3{} ? Vec3{0, 0, 1} : normalized(p);
  return {sphere.radius * normal, normal};
}

Nearest nearest(const Plane& plane, const Vec3& p) {
  return {p - (dot(plane.normal, p) - plane.offset) * plane.normal, plane.normal};
}

Nearest nearest(const Box& box, const Vec3& p) {
  const Vec3& h = box.half_size;
  Vec3 point{std::clamp(p.x, -h.x, h.x), std::clamp(p.y, -h.y, h.y), std::clamp(p.z, -h.z, h.z)};
  if (point != p) return {point, normalized(p - point)};
  // Inside: out by the nearest face.
  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (h[i] - std::abs(p[i]) < h[axis] - std::abs(p[axis])) axis = i;
  Vec3 normal;
  normal[axis] = p[axis] < 0 ? -1 : 1;
  point[axis] = normal[axis] * h[axis];
  return {point, normal};
}

}  // namespace

Record make_ball_record(const BodyView& view_b, std::int32_t a, std::int32_t b) {
  Record record;
  record.base_is_a = view_b.ball;
  record.base = record.base_is_a ? a : b;
  record.probe = record.base_is_a ? b : a;
  record.count = 1;
  for (std::size_t i = 1; i < Record::kMaxPoints; ++i) record.arms[i][3] = Record::kNowhere;
  return record;
}

void place_ball(const BodyView& base, const BodyView& ball, Record& record) {
  const Real radius = std::get<Sphere>(*ball.geometry).radius;
  const Vec3 center = transposed_times(base.rotation, ball.origin - base.origin);
  Nearest at;
  if (const auto* sphere = std::get_if<Sphere>(base.geometry))
    at = nearest(*sphere, center);
  else if (const auto* box = std::get_if<Box>(base.geometry))
    at = nearest(*box, center);
  else
    at = nearest(std::get<Plane>(*base.geometry), center);
  const Vec3 before{record.tangent_local[0], record.tangent_local[1], record.tangent_local[2]};
  Vec3 tangent = before - dot(before, at.normal) * at.normal;
  constexpr Real kTurned = 0.1;  // of a unit vector: what is left of the tangent says little about its direction
  tangent = norm(tangent) > kTurned ? normalized(tangent) : default_tangent(at.normal);
  record.normal_local = floats(at.normal);
  record.tangent_local = floats(tangent);
  const Vec3 anchor = at.point + transposed_times(base.rotation, base.origin - base.center);
  record.anchor_local = {anchor.x, anchor.y, anchor.z};
  const std::array<float, 3> arm = floats(transposed_times(ball.rotation, ball.origin - ball.center));
  for (auto& point : record.arms) std::copy(arm.begin(), arm.end(), point.begin());
  record.round = static_cast<float>(radius);
  record.least_gap = static_cast<float>(dot(at.normal, center - at.point) - radius);
}

}  // namespace carom::fast
