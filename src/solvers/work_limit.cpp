#include "solvers/work_limit.h"

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

/// Of the bodies at an acting contact, one that moves.
std::int32_t mover(const ContactProblem& problem, const ContactPoint& c) { return moves(problem, c.a) ? c.a : c.b; }

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
Real MixedWork::share() const {
  if (bounced <= 0) return 1;
  if (dull >= 0) return 0;
  const Real bend = 2 * (dull + bounced - 2 * mean), slope = bounced - dull - bend;
  return std::clamp(-2 * dull / (slope + std::sqrt(std::max(slope * slope - 4 * bend * dull, 0.0))), 0.0, 1.0);
}

bool WorkLimit::Group::gains() const { return work.bounced > kRounding * size; }

bool WorkLimit::Group::runs_away() const {
  // A kinematic body may send off another at many times its own speed, by a lever.
  constexpr Real kLever = 10;
  const Real given = 0.5 * mass * kLever * kLever * drive * drive;
  return along + change > kRounding * before + given;
}

std::optional<WorkLimit::Kept> WorkLimit::Group::of_bounce() const {
  if (!gains()) return {};
  const bool even_dull_gains = work.dull > kRounding * size;
  return even_dull_gains ? Kept{false, 0} : Kept{true, work.share()};
}

/// The multiple that leaves the least energy.
std::optional<WorkLimit::Kept> WorkLimit::Group::of_runaway() const {
  if (!runs_away()) return {};
  return Kept{false, change > 0 ? std::clamp(-along / (2 * change), 0.0, 1.0) : 1};
}

void WorkLimit::limit_bounces(Solver& solver, const SolveContext& context, ContactProblem& problem,
                              ContactSolution& solution) {
  find_groups(problem, nullptr, solution);
  add_work(problem, nullptr, solution);
  const auto gains = [this](std::int32_t body) { return by_body_[static_cast<std::size_t>(body)].gains(); };
  if (std::none_of(bodies_.begin(), bodies_.end(), gains)) return;

  restitution_.clear();
  for (ContactPoint& contact : problem.contacts) restitution_.push_back(std::exchange(contact.restitution, 0));
  solver.solve(problem, context, dull_);
  for (std::size_t i = 0; i < restitution_.size(); ++i) problem.contacts[i].restitution = restitution_[i];

  // Bodies on which one answer acts together have to mix the two alike.
  find_groups(problem, &dull_, solution);
  add_work(problem, &dull_, solution);
  keep(&Group::of_bounce, problem, solution);
}

bool WorkLimit::runs_away(const ContactProblem& problem, const ContactSolution& solution) {
  find_groups(problem, nullptr, solution);
  add_energy(problem, solution);
  return std::any_of(bodies_.begin(), bodies_.end(),
                     [this](std::int32_t body) { return by_body_[static_cast<std::size_t>(body)].runs_away(); });
}

void WorkLimit::find_groups(const ContactProblem& problem, const ContactSolution* dull,
                            const ContactSolution& solution) {
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

void WorkLimit::add_work(const ContactProblem& problem, const ContactSolution* dull, const ContactSolution& solution) {
  for (const std::size_t i : acting_) {
    const ContactPoint& c = problem.contacts[i];
    Group& g = group(mover(problem, c));
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

void WorkLimit::add_energy(const ContactProblem& problem, const ContactSolution& solution) {
  for (const std::int32_t body : bodies_) {
    const auto i = static_cast<std::size_t>(body);
    const ProblemBody& b = problem.bodies[i];
    const Mat3 inertia = inverse(b.inverse_inertia);
    const Vec3 v = solution.velocities[i] - b.velocity, w = solution.angular_velocities[i] - b.angular_velocity;
    Group& g = group(body);
    g.before +=
        0.5 * (squared_norm(b.velocity) / b.inverse_mass + dot(b.angular_velocity, inertia * b.angular_velocity));
    g.along += dot(b.velocity, v) / b.inverse_mass + dot(b.angular_velocity, inertia * w);
    g.change += 0.5 * (squared_norm(v) / b.inverse_mass + dot(w, inertia * w));
    g.mass += 1 / b.inverse_mass;
  }
  for (const std::size_t i : acting_) {
    const ContactPoint& c = problem.contacts[i];
    const auto drive = [&](std::int32_t body, const Vec3& arm) {
      const ProblemBody& b = problem.bodies[static_cast<std::size_t>(body)];
      return b.role == BodyRole::Kinematic ? norm(b.velocity + cross(b.angular_velocity, arm)) : 0;
    };
    Group& g = group(mover(problem, c));
    g.drive = std::max({g.drive, drive(c.a, c.ra), drive(c.b, c.rb)});
  }
}

void WorkLimit::keep(std::optional<Kept> (Group::*rule)() const, const ContactProblem& problem,
                     ContactSolution& solution) {
  const auto part = [](const Kept& kept, const Vec3& start, const Vec3& answer) {
    return kept.share > 0 ? start + kept.share * (answer - start) : start;  // answers may be infinite
  };
  for (const std::int32_t body : bodies_) {
    const std::optional<Kept> kept = (group(body).*rule)();
    if (!kept) continue;
    const auto i = static_cast<std::size_t>(body);
    const ProblemBody& before = problem.bodies[i];
    Vec3 &v = solution.velocities[i], &w = solution.angular_velocities[i];
    v = part(*kept, kept->from_dull ? dull_.velocities[i] : before.velocity, v);
    w = part(*kept, kept->from_dull ? dull_.angular_velocities[i] : before.angular_velocity, w);
  }
  for (const std::size_t i : acting_) {
    const ContactPoint& c = problem.contacts[i];
    const std::optional<Kept> kept = (group(mover(problem, c)).*rule)();
    if (kept) solution.impulses[i] = part(*kept, kept->from_dull ? dull_.impulses[i] : Vec3{}, solution.impulses[i]);
  }
}

void WorkLimit::weaken(const ContactProblem& problem, ContactSolution& solution) {
  keep(&Group::of_runaway, problem, solution);
}

}  // namespace carom
