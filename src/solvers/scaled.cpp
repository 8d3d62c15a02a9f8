#include "solvers/scaled.h"

#include <cmath>

#include "contact/rows.h"
#include "math/symmetric.h"

namespace carom {

BodyScale scale_of(const ProblemBody& body) { return {std::sqrt(body.inverse_mass), cholesky(body.inverse_inertia)}; }

ScaledVelocity scaled_velocity(const ProblemBody& body, const BodyScale& scale) {
  const Mat3& s = scale.angular;
  const Vec3& w = body.angular_velocity;
  // ω̂ = S⁻¹ ω by forward substitution.
  ScaledVelocity scaled{body.velocity / scale.linear, {}};
  scaled.angular.x = w.x / s(0, 0);
  scaled.angular.y = (w.y - s(1, 0) * scaled.angular.x) / s(1, 1);
  scaled.angular.z = (w.z - s(2, 0) * scaled.angular.x - s(2, 1) * scaled.angular.y) / s(2, 2);
  return scaled;
}

void ScaledBodies::pack(const ContactProblem& problem) {
  const std::size_t n = problem.bodies.size();
  velocities.assign(n, {});
  root_inertia.assign(n, {});
  root_mass.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (!takes_impulse(body.role)) continue;
    const BodyScale scale = scale_of(body);
    root_inertia[i] = scale.angular;
    root_mass[i] = scale.linear;
    velocities[i] = scaled_velocity(body, scale);
  }
}

ScaledVelocity ScaledBodies::immobilize(std::size_t body) {
  ScaledVelocity& scaled = velocities[body];
  const ScaledVelocity velocity{root_mass[body] * scaled.linear, root_inertia[body] * scaled.angular};
  scaled = {};
  root_mass[body] = 0;
  root_inertia[body] = {};
  return velocity;
}

Vec3 bias_of(const ContactProblem& problem, const ContactPoint& contact) {
  return bias_of(problem, contact, takes_impulse(problem.bodies[static_cast<std::size_t>(contact.a)].role),
                 takes_impulse(problem.bodies[static_cast<std::size_t>(contact.b)].role));
}

Vec3 bias_of(const ContactProblem& problem, const ContactPoint& contact, bool a_moves, bool b_moves) {
  const ProblemBody& a = problem.bodies[static_cast<std::size_t>(contact.a)];
  const ProblemBody& b = problem.bodies[static_cast<std::size_t>(contact.b)];
  const Vec3 none;
  const Vec3 given = relative_velocity(contact, a_moves ? none : a.velocity, a_moves ? none : a.angular_velocity,
                                       b_moves ? none : b.velocity, b_moves ? none : b.angular_velocity);
  return to_frame(contact, given) - target_of(contact);
}

void recompute_velocities(const ContactProblem& problem, ContactSolution& solution) {
  const std::size_t n = problem.bodies.size();
  // Sums of impulses and of their moments first, in the place of the answer; then one product with the inertia a body.
  std::vector<Vec3>&linear = solution.velocities, &angular = solution.angular_velocities;
  solution.revived.clear();
  linear.assign(n, {});
  angular.assign(n, {});
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Vec3& j = solution.impulses[i];
    if (j == Vec3{}) continue;
    const ContactPoint& c = problem.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    linear[a] -= j;
    angular[a] -= cross(c.ra, j);
    linear[b] += j;
    angular[b] += cross(c.rb, j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const ProblemBody& body = problem.bodies[i];
    const bool moves = takes_impulse(body.role);
    linear[i] = moves ? body.velocity + body.inverse_mass * linear[i] : body.velocity;
    angular[i] = moves ? body.angular_velocity + body.inverse_inertia * angular[i] : body.angular_velocity;
  }
}

}  // namespace carom
