#include "solvers/cone_projection.h"

namespace carom {
namespace {

Mat3 outer(const Vec3& a) {
  Mat3 m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = a[i] * a[j];
  return m;
}

/// In the third case the point moves along the cone's side, α (1, μ d) with d = z_t / |z_t|:
/// [1, μdᵀ; μd, μ²ddᵀ] / (1 + μ²), and as d turns, (αμ / |z_t|) (1 − ddᵀ) on the tangents.
Projection on_cone(const Vec3& z, Real mu) {
  const Real r = std::sqrt(z.y * z.y + z.z * z.z);
  if (z.x >= 0 && r <= mu * z.x) return {z, Mat3::identity()};
  if (mu * r <= -z.x) return {};
  const Real normal = (z.x + mu * r) / (1 + mu * mu);
  const Vec3 side{1, mu * z.y / r, mu * z.z / r};
  const Vec3 across{0, -z.z / r, z.y / r};
  return {normal * side, (1 / (1 + mu * mu)) * outer(side) + (mu * normal / r) * outer(across)};
}

Projection on_pyramid(const Vec3& z, Real mu) {
  const PyramidSector s = pyramid_sector(z.y, z.z);
  const Real slope = mu * kPyramidInner, half_side = mu * kPyramidHalfSide;
  if (z.x >= 0 && s.p <= slope * z.x) return {z, Mat3::identity()};
  const auto place = [&](Real normal, Real p, Real q) -> Vec3 {
    return {normal, p * s.face[0] - q * s.face[1], p * s.face[1] + q * s.face[0]};
  };
  const Real on_face = (z.x + slope * s.p) / (1 + slope * slope);
  if (on_face > 0 && std::abs(s.q) <= half_side * on_face)
    return {place(on_face, slope * on_face, s.q),
            (1 / (1 + slope * slope)) * outer(place(1, slope, 0)) + outer(place(0, 0, 1))};
  const Real on_edge = (z.x + slope * s.p + half_side * std::abs(s.q)) / (1 + mu * mu);
  if (!(on_edge > 0)) return {std::isnan(on_edge) ? Vec3{on_edge, on_edge, on_edge} : Vec3{}, {}};
  const Vec3 edge = place(1, slope, std::copysign(half_side, s.q));
  return {on_edge * edge, (1 / (1 + mu * mu)) * outer(edge)};
}

}  // namespace

Projection differentiate_projection(ImpulseSet set, const Vec3& z, Real mu) {
  return set == ImpulseSet::Pyramid ? on_pyramid(z, mu) : on_cone(z, mu);
}

}  // namespace carom
