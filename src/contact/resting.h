// Resting contacts at the level of accelerations: what a problem's velocities were before the step's forces acted.
//
// A problem carries velocities alone, after gravity has pulled for dt. So a body that moves had v − g dt before, and
// the acceleration of a contact is the change of its velocity over dt; Coriolis and centrifugal terms are not in a
// problem.
#pragma once

#include <cmath>

#include "carom/contact/problem.h"
#include "contact/rows.h"

namespace carom {

/// The contact's normal velocity before forces, m/s.
inline Real velocity_before_forces(const ContactProblem& problem, const ContactPoint& c) {
  const ProblemBody &a = problem.bodies[static_cast<std::size_t>(c.a)],
                    &b = problem.bodies[static_cast<std::size_t>(c.b)];
  const Vec3 gained = problem.gravity * problem.dt * problem.down;
  const auto before = [&](const ProblemBody& body) {
    return takes_impulse(body.role) ? body.velocity - gained : body.velocity;
  };
  return dot(c.normal, relative_velocity(c, before(a), a.angular_velocity, before(b), b.angular_velocity));
}

/// Up to this part of v_ref a normal velocity counts as none: rounding of whoever added gravity.
inline constexpr Real kRestFraction = 1e-6;

}  // namespace carom
