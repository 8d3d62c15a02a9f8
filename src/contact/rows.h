// Rows of contacts and joint blocks in body terms: the arithmetic that the operator, the measures and the solvers
// share.
#pragma once

#include "carom/contact/problem.h"

namespace carom {

/// Inverse mass and inertia as impulses feel them: zero for what does not take impulses.
struct Mobility {
  Real inverse_mass = 0;
  Mat3 inverse_inertia;
};

inline Mobility mobility(const ProblemBody& body) {
  return takes_impulse(body.role) ? Mobility{body.inverse_mass, body.inverse_inertia} : Mobility{};
}

/// Velocity of b relative to a at the contact point, world axes.
inline Vec3 relative_velocity(const ContactPoint& c, const Vec3& va, const Vec3& wa, const Vec3& vb, const Vec3& wb) {
  return (vb + cross(wb, c.rb)) - (va + cross(wa, c.ra));
}

/// Components along normal, tangent and second tangent.
inline Vec3 to_frame(const ContactPoint& c, const Vec3& world) {
  return {dot(c.normal, world), dot(c.tangent, world), dot(c.second_tangent(), world)};
}
inline Vec3 from_frame(const ContactPoint& c, const Vec3& local) {
  return local.x * c.normal + local.y * c.tangent + local.z * c.second_tangent();
}

/// The contact's targets in its frame.
inline Vec3 target_of(const ContactPoint& c) { return {c.target, c.tangent_target[0], c.tangent_target[1]}; }

/// Adds to K, 1/kg, world axes: the velocity of a body's point at `arm` that an impulse of 1 N s there brings about.
inline void add_inverse_mass(const Mobility& body, const Vec3& arm, Mat3& k) {
  for (int j = 0; j < 3; ++j) {
    Vec3 axis;
    axis[j] = 1;
    const Vec3 v = body.inverse_mass * axis + cross(body.inverse_inertia * cross(arm, axis), arm);
    for (int i = 0; i < 3; ++i) k(i, j) += v[i];
  }
}

/// The contact's diagonal block of the Delassus operator, in its frame.
inline Mat3 diagonal_block(const ContactPoint& c, const Mobility& a, const Mobility& b) {
  const Vec3 axes[3] = {c.normal, c.tangent, c.second_tangent()};
  Mat3 w;
  for (int j = 0; j < 3; ++j) {
    const Vec3 wa = a.inverse_inertia * cross(c.ra, axes[j]), wb = b.inverse_inertia * cross(c.rb, axes[j]);
    const Vec3 v = (a.inverse_mass + b.inverse_mass) * axes[j] + cross(wa, c.ra) + cross(wb, c.rb);
    for (int i = 0; i < 3; ++i) w(i, j) = dot(axes[i], v);
  }
  return w;
}

}  // namespace carom
