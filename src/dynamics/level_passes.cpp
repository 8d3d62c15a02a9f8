#include "dynamics/level_passes.h"

#include <algorithm>

#include "solvers/order.h"

namespace carom {

void LevelPasses::build(const ContactProblem& problem, const PackedProblem& packed) {
  levels_ = contact_levels(problem);
  groups_ = ordered_groups(SweepOrder::Level, problem, packed);
  first_.assign(static_cast<std::size_t>(levels_.count) + 2, 0);
  for (const std::size_t group : groups_) {
    const auto k = static_cast<std::size_t>(packed.schedule.groups()[group].first);
    const ContactPoint& contact = problem.contacts[static_cast<std::size_t>(packed.schedule.source()[k])];
    ++first_[static_cast<std::size_t>(levels_.of(contact)) + 1];
  }
  for (std::size_t level = 1; level < first_.size(); ++level) first_[level] += first_[level - 1];
}

/// From here on the bodies of a level move as they do now, whatever happens above.
void LevelPasses::hold(std::size_t level, PackedProblem& packed) {
  for (std::size_t i = 0; i < below_.bodies.size(); ++i) {
    if (levels_.of_body[i] != static_cast<std::int32_t>(level)) continue;
    const ScaledVelocity velocity = packed.bodies.immobilize(i);
    below_.bodies[i].role = BodyRole::Kinematic;
    below_.bodies[i].velocity = velocity.linear;
    below_.bodies[i].angular_velocity = velocity.angular;
  }
}

void LevelPasses::take(const ContactProblem& problem, const PackedProblem& packed, ContactSolution& solution) const {
  packed.unpack(problem, solution);
  Real& error = solution.report.momentum_error;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!takes_impulse(problem.bodies[i].role)) continue;
    const ProblemBody& held = below_.bodies[i];
    error = std::max(error, norm(held.velocity - solution.velocities[i]) / held.inverse_mass);
    solution.velocities[i] = held.velocity;
    solution.angular_velocities[i] = held.angular_velocity;
  }
}

}  // namespace carom
