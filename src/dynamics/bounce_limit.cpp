#include "dynamics/bounce_limit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

constexpr Real kRounding = 1e-12;  // of the energy

Real energy_with(const ProblemBody& body, const Mat3& inertia, const Vec3& velocity, const Vec3& angular_velocity) {
  return 0.5 * (squared_norm(velocity) / body.inverse_mass + dot(angular_velocity, inertia * angular_velocity));
}

/// The largest share in [0, 1] of the way from `start` to `end` at which a parabola through start, middle and end is
/// not above `limit`.
Real share_below(Real limit, Real start, Real middle, Real end) {
  if (start >= limit) return 0;
  const Real bend = 2 * (start + end - 2 * middle), slope = end - start - bend;
  const Real left = limit - start;  // bend s² + slope s = left
  return std::clamp(2 * left / (slope + std::sqrt(std::max(slope * slope + 4 * bend * left, 0.0))), 0.0, 1.0);
}

}  // namespace

bool BounceLimit::Group::gains() const { return !driven && bounced > (1 + kRounding) * before; }
Real BounceLimit::Group::bounce() const { return gains() ? share_below(before, dull, mixed, bounced) : 1; }
Real BounceLimit::Group::change() const { return gains() && dull > (1 + kRounding) * before ? 0 : 1; }

void BounceLimit::apply(Solver& solver, const SolveContext& context, ContactProblem& problem,
                        ContactSolution& solution) {
  find_groups(problem, solution, nullptr);
  sum_energies(problem, solution, nullptr);
  if (!any_gains()) return;

  restitution_.clear();
  for (ContactPoint& contact : problem.contacts) restitution_.push_back(std::exchange(contact.restitution, 0));
  solver.solve(problem, context, dull_);
  for (std::size_t i = 0; i < restitution_.size(); ++i) problem.contacts[i].restitution = restitution_[i];

  // Bodies on which one answer acts together have to mix the two alike.
  find_groups(problem, solution, &dull_);
  sum_energies(problem, solution, &dull_);
  mix(problem, solution);
}

void BounceLimit::find_groups(const ContactProblem& problem, const ContactSolution& solution,
                              const ContactSolution* dull) {
  const auto role = [&](std::int32_t body) { return problem.bodies[static_cast<std::size_t>(body)].role; };
  const auto each = [&](auto&& visit) {
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      if (solution.impulses[i] != Vec3{} || (dull != nullptr && dull->impulses[i] != Vec3{}))
        visit(problem.contacts[i].a, problem.contacts[i].b);
  };
  bodies_.clear();
  each([&](std::int32_t a, std::int32_t b) {
    for (const std::int32_t body : {a, b})
      if (role(body) == BodyRole::Dynamic) bodies_.push_back(body);
  });
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  groups_.reset(bodies_, problem.bodies.size());
  by_body_.assign(problem.bodies.size(), {});
  each([&](std::int32_t a, std::int32_t b) {
    if (role(a) == BodyRole::Dynamic && role(b) == BodyRole::Dynamic) groups_.join(a, b);
  });
  each([&](std::int32_t a, std::int32_t b) {
    if (role(a) == BodyRole::Kinematic && role(b) == BodyRole::Dynamic) group(b).driven = true;
    if (role(b) == BodyRole::Kinematic && role(a) == BodyRole::Dynamic) group(a).driven = true;
  });
}

void BounceLimit::sum_energies(const ContactProblem& problem, const ContactSolution& solution,
                               const ContactSolution* dull) {
  for (const std::int32_t body : bodies_) {
    const auto i = static_cast<std::size_t>(body);
    const ProblemBody& b = problem.bodies[i];
    const Mat3 inertia = inverse(b.inverse_inertia);
    Group& g = group(body);
    g.before += energy_with(b, inertia, b.velocity, b.angular_velocity);
    g.bounced += energy_with(b, inertia, solution.velocities[i], solution.angular_velocities[i]);
    if (dull == nullptr) continue;
    g.dull += energy_with(b, inertia, dull->velocities[i], dull->angular_velocities[i]);
    g.mixed += energy_with(b, inertia, 0.5 * (dull->velocities[i] + solution.velocities[i]),
                           0.5 * (dull->angular_velocities[i] + solution.angular_velocities[i]));
  }
}

bool BounceLimit::any_gains() const {
  return std::any_of(by_body_.begin(), by_body_.end(), [](const Group& g) { return g.gains(); });
}

void BounceLimit::mix(const ContactProblem& problem, ContactSolution& solution) {
  const auto mixed = [](const Group& g, const Vec3& before, const Vec3& dull, const Vec3& bounced) {
    return before + g.change() * (dull + g.bounce() * (bounced - dull) - before);
  };
  for (const std::int32_t body : bodies_) {
    const auto i = static_cast<std::size_t>(body);
    const Group& g = group(body);
    if (!g.gains()) continue;
    const ProblemBody& before = problem.bodies[i];
    solution.velocities[i] = mixed(g, before.velocity, dull_.velocities[i], solution.velocities[i]);
    solution.angular_velocities[i] =
        mixed(g, before.angular_velocity, dull_.angular_velocities[i], solution.angular_velocities[i]);
  }
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const bool a_moves = problem.bodies[static_cast<std::size_t>(c.a)].role == BodyRole::Dynamic;
    const bool b_moves = problem.bodies[static_cast<std::size_t>(c.b)].role == BodyRole::Dynamic;
    const bool acts = solution.impulses[i] != Vec3{} || dull_.impulses[i] != Vec3{};
    if (!acts || (!a_moves && !b_moves)) continue;
    const Group& g = group(a_moves ? c.a : c.b);
    if (g.gains()) solution.impulses[i] = mixed(g, {}, dull_.impulses[i], solution.impulses[i]);
  }
}

}  // namespace carom
