#include "solvers/bounce_limit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/rows.h"

namespace carom {
namespace {

constexpr Real kRounding = 1e-12;  // of the work

bool moves(const ContactProblem& problem, std::int32_t body) {
  return problem.bodies[static_cast<std::size_t>(body)].role == BodyRole::Dynamic;
}

/// The contact's velocity before.
Vec3 velocity_before(const ContactProblem& problem, const ContactPoint& c) {
  const ProblemBody &a = problem.bodies[static_cast<std::size_t>(c.a)],
                    &b = problem.bodies[static_cast<std::size_t>(c.b)];
  return relative_velocity(c, a.velocity, a.angular_velocity, b.velocity, b.angular_velocity);
}

Vec3 velocity_after(const ContactSolution& solution, const ContactPoint& c) {
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  return relative_velocity(c, solution.velocities[a], solution.angular_velocities[a], solution.velocities[b],
                           solution.angular_velocities[b]);
}

}  // namespace

/// Work is a parabola in the share s: dull + slope s + bend s².
Real BounceWork::share() const {
  if (bounced <= 0) return 1;
  if (dull >= 0) return 0;
  const Real bend = 2 * (dull + bounced - 2 * mean), slope = bounced - dull - bend;
  return std::clamp(-2 * dull / (slope + std::sqrt(std::max(slope * slope - 4 * bend * dull, 0.0))), 0.0, 1.0);
}

bool BounceLimit::Group::gains() const { return work.bounced > kRounding * size; }
Real BounceLimit::Group::change() const { return work.dull > kRounding * size ? 0 : 1; }

void BounceLimit::apply(Solver& solver, const SolveContext& context, ContactProblem& problem,
                        ContactSolution& solution) {
  find_groups(problem, solution, nullptr);
  add_work(problem, solution, nullptr);
  if (!any_gains()) return;

  restitution_.clear();
  for (ContactPoint& contact : problem.contacts) restitution_.push_back(std::exchange(contact.restitution, 0));
  solver.solve(problem, context, dull_);
  for (std::size_t i = 0; i < restitution_.size(); ++i) problem.contacts[i].restitution = restitution_[i];

  // Bodies on which one answer acts together have to mix the two alike.
  find_groups(problem, solution, &dull_);
  add_work(problem, solution, &dull_);
  mix(problem, solution);
}

void BounceLimit::find_groups(const ContactProblem& problem, const ContactSolution& solution,
                              const ContactSolution* dull) {
  acting_.clear();
  bodies_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const bool acts = solution.impulses[i] != Vec3{} || (dull != nullptr && dull->impulses[i] != Vec3{});
    if (!acts || (!moves(problem, c.a) && !moves(problem, c.b))) continue;
    acting_.push_back(i);
    for (const std::int32_t body : {c.a, c.b})
      if (moves(problem, body)) bodies_.push_back(body);
  }
  std::sort(bodies_.begin(), bodies_.end());
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  groups_.reset(bodies_, problem.bodies.size());
  by_body_.assign(problem.bodies.size(), {});
  for (const std::size_t i : acting_) {
    const ContactPoint& c = problem.contacts[i];
    if (moves(problem, c.a) && moves(problem, c.b)) groups_.join(c.a, c.b);
  }
}

void BounceLimit::add_work(const ContactProblem& problem, const ContactSolution& solution,
                           const ContactSolution* dull) {
  for (const std::size_t i : acting_) {
    const ContactPoint& c = problem.contacts[i];
    Group& g = group(moves(problem, c.a) ? c.a : c.b);
    const Vec3 before = velocity_before(problem, c), after = velocity_after(solution, c);
    const Vec3& j = solution.impulses[i];
    g.work.bounced += 0.5 * dot(j, before + after);
    g.size += 0.5 * norm(j) * (norm(before) + norm(after));
    if (dull == nullptr) continue;
    const Vec3 dull_after = velocity_after(*dull, c);
    g.work.dull += 0.5 * dot(dull->impulses[i], before + dull_after);
    g.work.mean += 0.25 * dot(j + dull->impulses[i], before + 0.5 * (after + dull_after));
  }
}

bool BounceLimit::any_gains() const {
  return std::any_of(bodies_.begin(), bodies_.end(),
                     [this](std::int32_t body) { return by_body_[static_cast<std::size_t>(body)].gains(); });
}

void BounceLimit::mix(const ContactProblem& problem, ContactSolution& solution) {
  const auto mixed = [](const Group& g, const Vec3& before, const Vec3& dull, const Vec3& bounced) {
    return before + g.change() * (dull + g.work.share() * (bounced - dull) - before);
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
  for (const std::size_t i : acting_) {
    const ContactPoint& c = problem.contacts[i];
    const Group& g = group(moves(problem, c.a) ? c.a : c.b);
    if (g.gains()) solution.impulses[i] = mixed(g, {}, dull_.impulses[i], solution.impulses[i]);
  }
}

}  // namespace carom
