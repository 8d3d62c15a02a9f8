// Newton's restitution as a bound on the normal velocity.
#pragma once

#include <algorithm>

#include "carom/contact/classify.h"
#include "carom/contact/problem.h"
#include "contact/rows.h"

namespace carom {

/// The least normal velocity that the contact may have afterwards, m/s: its target, and −e v⁻ where it is closed and
/// collides at the problem's own velocities.
inline Real newton_target(const ContactProblem& problem, const ContactPoint& c, Real resting_speed) {
  if (c.restitution == 0 || c.target < 0) return c.target;
  const ProblemBody &a = problem.bodies[static_cast<std::size_t>(c.a)],
                    &b = problem.bodies[static_cast<std::size_t>(c.b)];
  const Real v = dot(c.normal, relative_velocity(c, a.velocity, a.angular_velocity, b.velocity, b.angular_velocity));
  return classify(v, resting_speed) == ContactState::Colliding ? std::max(c.target, -c.restitution * v) : c.target;
}

}  // namespace carom
