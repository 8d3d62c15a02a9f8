// Who counts as at rest: H. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004,
// section 5.2, eq. 15. A body may be frozen while its kinetic energy is at most that of one step of free fall, and a
// frozen one is revived by an impulse that lifts it above.
#pragma once

#include "carom/contact/problem.h"

namespace carom {

/// Whether the body's kinetic energy at these velocities is above ½ m (g dt)².
inline bool is_faster_than_a_fall(const ContactProblem& problem, const ProblemBody& body, const Vec3& velocity,
                                  const Vec3& angular_velocity) {
  const Real fall = problem.gravity * problem.dt;
  const Real energy = squared_norm(velocity) / body.inverse_mass +
                      dot(angular_velocity, inverse(body.inverse_inertia) * angular_velocity);
  return energy > fall * fall / body.inverse_mass;
}

}  // namespace carom
