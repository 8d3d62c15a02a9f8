#include "study/measure_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "carom/contact/measures.h"
#include "carom/contact/operator.h"
#include "contact/restitution.h"

namespace carom {
namespace {

Real normal_velocity(const ContactPoint& c, const ContactSolution& solution) {
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  return dot(c.normal, relative_velocity(c, solution.velocities[a], solution.angular_velocities[a],
                                         solution.velocities[b], solution.angular_velocities[b]));
}

/// The problem with Newton's velocities as targets, and no restitution beyond them.
ContactProblem with_newton_targets(const ContactProblem& problem, Real resting_speed) {
  ContactProblem aimed = problem;
  for (ContactPoint& c : aimed.contacts) {
    c.target = newton_target(problem, c, resting_speed);
    c.restitution = 0;
  }
  return aimed;
}

/// The natural map of Signorini's condition, |min(j_n / ρ, u_n)| with ρ as in the map of Coulomb's law.
Real normal_residual(const ContactProblem& problem, const ContactSolution& solution) {
  const BodyOperator delassus(problem);
  Real largest = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    std::array<Real, 9> block{};
    delassus.diagonal_block(i, block);
    const Real weight = (block[0] + block[4] + block[8]) / 3;
    const Real u = normal_velocity(c, solution) - c.target;
    largest = std::max(largest, std::abs(std::min(weight * dot(solution.impulses[i], c.normal), u)));
  }
  return largest;
}

}  // namespace

bool is_moved(const ContactProblem& problem, const ContactSolution& solution, std::size_t body) {
  return problem.bodies[body].role == BodyRole::Dynamic ||
         std::ranges::binary_search(solution.revived, static_cast<std::int32_t>(body));
}

Real approach_left(const ContactProblem& problem, const ContactSolution& solution) {
  Real fastest = 0;
  for (const ContactPoint& c : problem.contacts) {
    const bool moves = is_moved(problem, solution, static_cast<std::size_t>(c.a)) ||
                       is_moved(problem, solution, static_cast<std::size_t>(c.b));
    if (moves) fastest = std::max(fastest, c.target - normal_velocity(c, solution));
  }
  return fastest;
}

bool restitution_acts(const ContactProblem& problem) {
  return std::ranges::any_of(problem.contacts,
                             [&](const ContactPoint& c) { return newton_target(problem, c, 0) > c.target; });
}

Real model_residual(SolverModel model, const ContactProblem& problem, const ContactSolution& solution,
                    Real resting_speed) {
  if (model == SolverModel::Bounces) return approach_left(problem, solution);
  const ContactProblem aimed = with_newton_targets(problem, resting_speed);
  if (model == SolverModel::NormalTargets) return normal_residual(aimed, solution);
  const ContactErrors errors = measure(aimed, solution);
  return errors.residual_coulomb * errors.reference_velocity;
}

}  // namespace carom
