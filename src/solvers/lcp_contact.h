// One contact under Coulomb's law with the pyramid for the cone.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "contact/pyramid.h"
#include "solvers/cone_system.h"

namespace carom {

/// The natural map: where it is zero the complementarity conditions hold. m/s.
inline Real pyramid_residual(const ConeContact& c, const Vec3& j, const Vec3& u) {
  const Vec3 shifted{u.x + c.mu * pyramid_slip(u), u.y, u.z};
  return norm(j - project_on_pyramid(j - c.rho * shifted, c.mu)) / c.rho;
}

/// The largest over all contacts at these velocities, m/s. What is not a number is taken and kept.
inline Real pyramid_residual(const ConeSystem& system, std::span<const Vec3> impulses,
                             std::span<const Vec6> velocities) {
  Real largest = 0;
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const Real residual = pyramid_residual(c, impulses[i], ConeSystem::velocity(c, velocities));
    if (!(residual <= largest) && !std::isnan(largest)) largest = residual;
  }
  return largest;
}

/// The friction (y, z) of most dissipation in the polygon of this radius: the nearest to `free` in the metric of w,
/// which is where the contact would stick.
inline Vec3 friction_in_polygon(const Mat3& w, const Vec3& free, Real radius) {
  if (pyramid_norm(free) <= radius) return free;
  const auto times = [&](Real y, Real z) -> Vec3 { return {0, w(1, 1) * y + w(1, 2) * z, w(2, 1) * y + w(2, 2) * z}; };
  const Real inner = kPyramidInner * radius, half_side = kPyramidHalfSide * radius;
  Vec3 best;
  Real least = -1;
  // The nearest point lies on a side that `free` is beyond.
  for (const auto& face : kPyramidFaces) {
    if (face[0] * free.y + face[1] * free.z <= inner) continue;
    const Vec3 middle{0, inner * face[0], inner * face[1]}, off = free - middle;
    const Vec3 along = times(-face[1], face[0]);
    const Real t = std::clamp((along.y * off.y + along.z * off.z) / (along.z * face[0] - along.y * face[1]), -half_side,
                              half_side);
    const Vec3 j = middle + Vec3{0, -t * face[1], t * face[0]}, miss = j - free;
    const Real distance = dot(miss, times(miss.y, miss.z));
    if (least >= 0 && distance >= least) continue;
    least = distance;
    best = j;
  }
  return best;
}

/// A visit to one contact, at velocity `u` under the impulse `j`, with all other impulses held: first its normal
/// impulse, then the friction that goes with it, each exact. To go on in turns gains nothing: the next visit does that.
inline Vec3 solve_in_pyramid(const ConeContact& c, Vec3 u, Vec3 j) {
  const Mat3& w = c.w;
  if (!(w(0, 0) > 0)) return {};
  const Real pressed = std::max(j.x - u.x / w(0, 0), 0.0) - j.x;
  j.x += pressed;
  if (c.mu == 0) return {j.x, 0, 0};
  u += pressed * Vec3{w(0, 0), w(1, 0), w(2, 0)};
  const Real determinant = w(1, 1) * w(2, 2) - w(1, 2) * w(2, 1);
  const Vec3 stick{0, j.y - (w(2, 2) * u.y - w(1, 2) * u.z) / determinant,
                   j.z - (w(1, 1) * u.z - w(2, 1) * u.y) / determinant};
  const Vec3 friction = friction_in_polygon(w, stick, c.mu * j.x);
  return {j.x, friction.y, friction.z};
}

/// One visit to every contact. `velocities` are those that go with the impulses, and keep up.
inline void sweep_pyramids(const ConeSystem& system, std::span<Vec3> impulses, std::span<Vec6> velocities) {
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const Vec3 j = solve_in_pyramid(c, ConeSystem::velocity(c, velocities), impulses[i]);
    ConeSystem::add_impulse(c, j - impulses[i], velocities);
    impulses[i] = j;
  }
}

}  // namespace carom
