// Measures of error. The natural map of Coulomb's law with De Saxcé's shift (G. De Saxcé, Z.-Q. Feng, "The bipotential
// method", 1998): j solves the law exactly where j = P_K(j − ρ(u + μ|u_t| n)), for any ρ > 0; ρ = 3 / tr W_cc makes the
// distance a velocity. Everything is recomputed from the impulses.
#include "carom/contact/measures.h"

#include <algorithm>
#include <cmath>

#include "carom/base/error.h"
#include "carom/contact/operator.h"
#include "contact/rows.h"
#include "math/cone.h"

namespace carom {
namespace {

constexpr Real kStickFraction = 1e-3;  // of v_ref: tangential speed up to which static friction may act

/// Body velocities after the solution's impulses, from the impulses alone.
struct After {
  std::vector<Vec3> v, w;
};

After velocities_after(const ContactProblem& problem, const ContactSolution& solution) {
  After after;
  for (const ProblemBody& body : problem.bodies) {
    after.v.push_back(body.velocity);
    after.w.push_back(body.angular_velocity);
  }
  std::vector<Real> impulse;
  impulse.reserve(problem.row_count());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Vec3 j = to_frame(problem.contacts[i], solution.impulses[i]);
    impulse.insert(impulse.end(), {j.x, j.y, j.z});
  }
  impulse.insert(impulse.end(), solution.row_impulses.begin(), solution.row_impulses.end());
  BodyOperator(problem).add_impulses(impulse, after.v, after.w);
  return after;
}

Real natural_map(const Vec3& j, const Vec3& u, Real mu, Real rho) {
  const Vec3 shifted{u.x + mu * std::sqrt(u.y * u.y + u.z * u.z), u.y, u.z};
  return norm(j - project_on_cone(j - rho * shifted, mu)) / rho;
}

/// The smaller of the maps of the dynamic and, where the contact sticks, the static coefficient.
Real contact_residual(const ContactPoint& c, const Vec3& j, const Vec3& u, Real rho, Real v_ref) {
  Real residual = natural_map(j, u, c.mu, rho);
  if (c.mu_static > c.mu && std::sqrt(u.y * u.y + u.z * u.z) < kStickFraction * v_ref)
    residual = std::min(residual, natural_map(j, u, c.mu_static, rho));
  return residual;
}

Real kinetic_energy(const ProblemBody& body, const Vec3& v, const Vec3& w) {
  if (body.role != BodyRole::Dynamic) return 0;
  return 0.5 * (squared_norm(v) / body.inverse_mass + dot(w, inverse(body.inverse_inertia) * w));
}

/// Momentum that the dynamic bodies get from those that take no impulses.
Vec3 given_momentum(const ContactProblem& problem, const ContactSolution& solution) {
  const auto moves = [&](std::int32_t body) {
    return takes_impulse(problem.bodies[static_cast<std::size_t>(body)].role);
  };
  Vec3 given;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    if (moves(c.b)) given += solution.impulses[i];
    if (moves(c.a)) given -= solution.impulses[i];
  }
  std::size_t row = 0;
  for (const RowBlock& block : problem.row_blocks) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k, ++row) {
      if (moves(block.a)) given += solution.row_impulses[row] * block.jacobian_a[k].linear;
      if (moves(block.b)) given += solution.row_impulses[row] * block.jacobian_b[k].linear;
    }
  }
  return given;
}

}  // namespace

Real reference_velocity(const ContactProblem& problem) {
  Real fastest = 0;
  for (const ContactPoint& c : problem.contacts) {
    const ProblemBody &a = problem.bodies[static_cast<std::size_t>(c.a)],
                      &b = problem.bodies[static_cast<std::size_t>(c.b)];
    fastest = std::max(
        fastest, squared_norm(relative_velocity(c, a.velocity, a.angular_velocity, b.velocity, b.angular_velocity)));
  }
  return std::max({std::abs(problem.gravity) * problem.dt, 1e-3 * std::sqrt(fastest), 1e-9});
}

ContactErrors measure(const ContactProblem& problem, const ContactSolution& solution) {
  require(solution.impulses.size() == problem.contacts.size(), "measure: the solution has another number of contacts");
  require(3 * problem.contacts.size() + solution.row_impulses.size() == problem.row_count(),
          "measure: the solution has another number of rows");
  const After after = velocities_after(problem, solution);
  ContactErrors errors;
  errors.reference_velocity = reference_velocity(problem);
  Real sum = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    const Mat3 block = diagonal_block(c, mobility(problem.bodies[a]), mobility(problem.bodies[b]));
    if (block.trace() <= 0) continue;  // between two bodies that do not move: no impulse can act
    const Vec3 u = to_frame(c, relative_velocity(c, after.v[a], after.w[a], after.v[b], after.w[b])) - target_of(c);
    const Vec3 j = to_frame(c, solution.impulses[i]);
    const Real residual =
        contact_residual(c, j, u, 3 / block.trace(), errors.reference_velocity) / errors.reference_velocity;
    // A residual that is not a number is taken and kept.
    if (!(residual <= errors.residual_coulomb) && !std::isnan(errors.residual_coulomb))
      errors.residual_coulomb = residual;
    sum += residual * residual;
    errors.max_penetrating_velocity = std::max(errors.max_penetrating_velocity, -u.x);
    errors.max_cone_violation = std::max(errors.max_cone_violation, norm(j - project_on_cone(j, c.mu_static)));
    errors.max_complementarity = std::max(errors.max_complementarity, std::abs(j.x * u.x));
  }
  if (!problem.contacts.empty()) errors.rms_coulomb = std::sqrt(sum / static_cast<Real>(problem.contacts.size()));

  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    errors.kinetic_energy_before += kinetic_energy(body, body.velocity, body.angular_velocity);
    errors.kinetic_energy_after += kinetic_energy(body, after.v[i], after.w[i]);
    if (body.role == BodyRole::Dynamic) errors.momentum_change += (after.v[i] - body.velocity) / body.inverse_mass;
  }
  errors.momentum_change -= given_momentum(problem, solution);
  return errors;
}

}  // namespace carom
