// The friction pyramid: the one polygon that stands in for the disc of Coulomb's cone.
//
// H. Schmidl and V. J. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004, eqs. 8 and 9:
// eight sides, inscribed in the cone. In the contact's tangent frame the outward normals of the faces are a_h at 45h°
// and the edges d_k at 22.5° + 45k°:
//   |j_t|_P ≤ μ j_n,   |t|_P = max_h a_h·t / cos(π/8),
// or j_t = μ Σ β_k d_k with β_k ≥ 0 and Σ β_k ≤ j_n. Along an edge friction is Coulomb's; along a face normal, and so
// along the tangents themselves, it is cos(π/8) = 0.924 of it.
// Vectors are in the contact's frame: x along the normal, y and z along the tangents.
#pragma once

#include <array>
#include <cmath>

#include "carom/math/types.h"

namespace carom {

inline constexpr Real kPyramidInner = 0.92387953251128675613;        // cos(π/8): inner radius of the polygon
inline constexpr Real kPyramidHalfSide = 0.38268343236508977173;     // sin(π/8)
inline constexpr Real kPyramidSectorSlope = 0.41421356237309504880;  // tan(π/8)
inline constexpr Real kPyramidDiagonal = 0.70710678118654752440;     // cos(π/4)

/// Edge directions d_k, anticlockwise, (tangent, second tangent); d_k and d_{k+4} are opposite.
inline constexpr std::array<std::array<Real, 2>, 8> kPyramidEdges{{{kPyramidInner, kPyramidHalfSide},
                                                                   {kPyramidHalfSide, kPyramidInner},
                                                                   {-kPyramidHalfSide, kPyramidInner},
                                                                   {-kPyramidInner, kPyramidHalfSide},
                                                                   {-kPyramidInner, -kPyramidHalfSide},
                                                                   {-kPyramidHalfSide, -kPyramidInner},
                                                                   {kPyramidHalfSide, -kPyramidInner},
                                                                   {kPyramidInner, -kPyramidHalfSide}}};

/// Outward face normals a_h, anticlockwise; a_h lies between d_{h−1} and d_h.
inline constexpr std::array<std::array<Real, 2>, 8> kPyramidFaces{{{1, 0},
                                                                   {kPyramidDiagonal, kPyramidDiagonal},
                                                                   {0, 1},
                                                                   {-kPyramidDiagonal, kPyramidDiagonal},
                                                                   {-1, 0},
                                                                   {-kPyramidDiagonal, -kPyramidDiagonal},
                                                                   {0, -1},
                                                                   {kPyramidDiagonal, -kPyramidDiagonal}}};

/// A tangential vector as seen from the face normal nearest to it: p a + q a⊥ with |q| ≤ p tan(π/8), a⊥ = (−a_y, a_x).
struct PyramidSector {
  std::array<Real, 2> face;
  Real p = 0, q = 0;
};

inline PyramidSector pyramid_sector(Real y, Real z) {
  const Real ay = std::abs(y), az = std::abs(z);
  PyramidSector sector;
  if (az <= kPyramidSectorSlope * ay)
    sector.face = {std::copysign(1.0, y), 0};
  else if (ay <= kPyramidSectorSlope * az)
    sector.face = {0, std::copysign(1.0, z)};
  else
    sector.face = {std::copysign(kPyramidDiagonal, y), std::copysign(kPyramidDiagonal, z)};
  sector.p = sector.face[0] * y + sector.face[1] * z;
  sector.q = sector.face[0] * z - sector.face[1] * y;
  return sector;
}

/// |j_t|_P: an impulse is in the pyramid where this is at most μ j_n.
inline Real pyramid_norm(const Vec3& impulse) { return pyramid_sector(impulse.y, impulse.z).p / kPyramidInner; }

/// max_k d_k·u_t: the most that a friction impulse of normal impulse 1 and μ = 1 can dissipate. It takes the place of
/// |u_t| in Coulomb's law, as in the slack of a complementarity problem and in De Saxcé's shift.
inline Real pyramid_slip(const Vec3& velocity) {
  const PyramidSector sector = pyramid_sector(velocity.y, velocity.z);
  return kPyramidInner * sector.p + kPyramidHalfSide * std::abs(sector.q);
}

inline bool in_pyramid(const Vec3& impulse, Real mu) {
  return impulse.x >= 0 && pyramid_norm(impulse) <= mu * impulse.x;
}

/// The point of the pyramid |j_t|_P ≤ mu x, x ≥ 0 nearest to z. Reflections that map the pyramid to itself keep a point
/// and its projection in one sector, so one face and its two edges are all there is to look at.
inline Vec3 project_on_pyramid(const Vec3& z, Real mu) {
  const PyramidSector s = pyramid_sector(z.y, z.z);
  const Real slope = mu * kPyramidInner;
  if (z.x >= 0 && s.p <= slope * z.x) return z;
  const auto place = [&](Real normal, Real p, Real q) -> Vec3 {
    return {normal, p * s.face[0] - q * s.face[1], p * s.face[1] + q * s.face[0]};
  };
  const Real on_face = (z.x + slope * s.p) / (1 + slope * slope);
  const Real half_side = mu * kPyramidHalfSide;
  if (on_face > 0 && std::abs(s.q) <= half_side * on_face) return place(on_face, slope * on_face, s.q);
  const Real on_edge = (z.x + slope * s.p + half_side * std::abs(s.q)) / (1 + mu * mu);
  if (!(on_edge > 0)) return std::isnan(on_edge) ? Vec3{on_edge, on_edge, on_edge} : Vec3{};
  return place(on_edge, slope * on_edge, std::copysign(half_side * on_edge, s.q));
}

}  // namespace carom
