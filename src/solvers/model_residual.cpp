#include "solvers/model_residual.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "carom/contact/measures.h"
#include "carom/contact/operator.h"
#include "contact/pyramid.h"
#include "contact/resting.h"
#include "contact/restitution.h"
#include "math/cone.h"

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

/// Calls visit(contact, impulse, velocity less target, ρ) in the contacts' frames, with velocities that follow from the
/// impulses; the largest of what it returns.
template <class Visit>
Real largest_over_contacts(const ContactProblem& problem, const ContactSolution& solution, Visit&& visit) {
  const BodyOperator delassus(problem);
  std::vector<Real> j, u(delassus.row_count()), free(delassus.row_count());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Vec3 local = to_frame(problem.contacts[i], solution.impulses[i]);
    j.insert(j.end(), {local.x, local.y, local.z});
  }
  j.insert(j.end(), solution.row_impulses.begin(), solution.row_impulses.end());
  delassus.apply(j, u);
  delassus.free_velocity(free);
  Real largest = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    std::array<Real, 9> block{};
    delassus.diagonal_block(i, block);
    const Real trace = block[0] + block[4] + block[8];
    if (!(trace > 0)) continue;  // between two bodies that do not move: no impulse can act
    const std::size_t k = 3 * i;
    const Real error = visit(problem.contacts[i], Vec3{j[k], j[k + 1], j[k + 2]},
                             Vec3{u[k] + free[k], u[k + 1] + free[k + 1], u[k + 2] + free[k + 2]}, 3 / trace);
    // What is not a number is taken and kept.
    if (!(error <= largest) && !std::isnan(largest)) largest = error;
  }
  return largest;
}

/// The natural map of Coulomb's law with the pyramid for the cone: maximal dissipation over its polygon.
Real pyramid_residual(const ContactProblem& problem, const ContactSolution& solution) {
  return largest_over_contacts(problem, solution, [](const ContactPoint& c, const Vec3& j, const Vec3& u, Real rho) {
    const Vec3 shifted{u.x + c.mu * pyramid_slip(u), u.y, u.z};
    return norm(j - project_on_pyramid(j - rho * shifted, c.mu)) / rho;
  });
}

/// The natural map of f ≥ 0, a ≥ 0, f a = 0 at contacts that rest, times dt; the others take no force.
Real resting_residual(const ContactProblem& problem, const ContactSolution& solution) {
  const Real rest = kRestFraction * reference_velocity(problem);
  return largest_over_contacts(problem, solution, [&](const ContactPoint& c, const Vec3& j, const Vec3& u, Real rho) {
    const Real before = velocity_before_forces(problem, c);
    if (before > rest) return norm(j) / rho;
    return norm(Vec3{std::min(j.x / rho, u.x + c.target - before), j.y / rho, j.z / rho});
  });
}

/// The optimum of kinetic energy over impulses in the cone or pyramid: the natural map of j ∈ K ⊥ J y ∈ K*, without a
/// shift, and where restitution acts that of λ ≥ 0 ⊥ v_n ≥ −e v_n⁻, with y = v − M⁻¹J_nᵀλ.
Real convex_residual(const ContactProblem& problem, const ContactSolution& solution, Real resting_speed, bool pyramid) {
  const std::vector<Real>& multipliers = solution.bound_multipliers;
  const bool bounded = std::ranges::any_of(
      problem.contacts, [&](const ContactPoint& c) { return newton_target(problem, c, resting_speed) > c.target; });
  // What the multipliers take from the velocities.
  std::vector<Real> taken(problem.row_count());
  if (multipliers.size() == problem.contacts.size()) {
    std::vector<Real> along_normals(problem.row_count());
    for (std::size_t i = 0; i < multipliers.size(); ++i) along_normals[3 * i] = multipliers[i];
    BodyOperator(problem).apply(along_normals, taken);
  }
  std::size_t i = 0;
  return largest_over_contacts(problem, solution, [&](const ContactPoint& c, const Vec3& j, const Vec3& u, Real rho) {
    while (&problem.contacts[i] != &c) ++i;  // some are passed over
    const Vec3 z = j - rho * (u - Vec3{taken[3 * i], taken[3 * i + 1], taken[3 * i + 2]});
    const Real map = norm(j - (pyramid ? project_on_pyramid(z, c.mu) : project_on_cone(z, c.mu))) / rho;
    if (!bounded) return map;
    const Real multiplier = multipliers.empty() ? 0 : multipliers[i];
    const Real over = u.x + c.target - newton_target(problem, c, resting_speed);
    return std::max(map, std::abs(std::min(multiplier / rho, over)));
  });
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
  if (model == SolverModel::RestingForces) return resting_residual(problem, solution);
  if (model == SolverModel::Convex || model == SolverModel::ConvexPyramid)
    return convex_residual(problem, solution, resting_speed, model == SolverModel::ConvexPyramid);
  const ContactProblem aimed = with_newton_targets(problem, resting_speed);
  if (model == SolverModel::NormalTargets) return normal_residual(aimed, solution);
  if (model == SolverModel::CoulombPyramid) return pyramid_residual(aimed, solution);
  const ContactErrors errors = measure(aimed, solution);
  return errors.residual_coulomb * errors.reference_velocity;
}

}  // namespace carom
