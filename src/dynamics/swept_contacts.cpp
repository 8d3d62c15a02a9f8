#include "dynamics/swept_contacts.h"

namespace carom {

void SweptContacts::resolve(StepContext& step) {
  step.impulses.clear();
  if (step.contacts.empty()) return;
  step.velocities_before_forces(before_);
  assemble_contacts(*step.world, step.contacts, before_, step.dt, step.envelope, step.dead_zone, step.resting_speed,
                    problem_);
  if (step.frozen_bodies == FrozenBodies::Yield) let_frozen_yield(problem_);
  step.show(Stage::Contacts, problem_);
  packed_.pack(problem_, warm_start_ ? step.last_impulses() : std::span<const Vec3>{}, step.threads);
  solution_.report = {};
  sweep(step);
  step.impulses = solution_.impulses;
  step.report_contacts(problem_, SolverModel::Coulomb, solution_);
  step.take_velocities(solution_);
}

}  // namespace carom
