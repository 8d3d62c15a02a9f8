// One contact by itself: Coulomb's law in a cone, all other impulses held.
#pragma once

#include <cmath>

#include "solvers/packed.h"

namespace carom {

/// The sliding impulse found by searching all directions of slip: for the few contacts where iterating goes in circles.
/// `v` is the contact's velocity without an impulse. Zero if no direction fits.
Vec3 search_sliding_impulse(const PackedContact& c, const Vec3& v);

/// The impulse that Coulomb's law asks for at a contact with velocity `u` (less target) under its impulse `j`. Sticking
/// and opening are exact. Sliding iterates j_n ← [−v_n − W_nt j_t] / W_nn, j_t ← P(j_t − u_t / λ) on the disc of radius
/// μ j_n: its fixed point is the exact law, and a sweep comes back to it anyway.
inline Vec3 solve_contact(const PackedContact& c, const Vec3& u, Vec3 j) {
  const Mat3& w = c.w;
  if (c.mu_static == 0) return {w(0, 0) > 0 ? std::max(j.x - u.x / w(0, 0), 0.0) : 0, 0, 0};

  const Vec3 stick = j - c.w_inverse * u;
  if (stick.x > 0 && stick.y * stick.y + stick.z * stick.z <= c.mu_static * c.mu_static * stick.x * stick.x)
    return stick;

  const Vec3 v = u - w * j;  // without any impulse here
  if (v.x >= 0 || !(w(0, 0) > 0)) return {};
  constexpr int kSlideIterations = 4;
  Real first_change = 0, change = 0;
  for (int i = 0; i < kSlideIterations; ++i) {
    const Vec3 before = j;
    j.x = std::max(-v.x - w(0, 1) * j.y - w(0, 2) * j.z, 0.0) / w(0, 0);
    const Real y = j.y - c.tangent_step * (v.y + w(1, 0) * j.x + w(1, 1) * j.y + w(1, 2) * j.z);
    const Real z = j.z - c.tangent_step * (v.z + w(2, 0) * j.x + w(2, 1) * j.y + w(2, 2) * j.z);
    const Real size = std::sqrt(y * y + z * z);
    const Real scale = size > c.mu_static * j.x ? c.mu * j.x / size : 1;
    j.y = scale * y;
    j.z = scale * z;
    change = squared_norm(j - before);
    if (i == 1) first_change = change;
  }
  // Changes that do not shrink mean that the iteration circles around the answer: a sweep would call that rest.
  const bool circling = change > 0.5 * first_change && change > 1e-12 * squared_norm(j);
  return circling ? search_sliding_impulse(c, v) : j;
}

}  // namespace carom
