#include "dynamics/swept_contacts.h"

namespace carom {

void SweptContacts::resolve(StepContext& step) {
  step.impulses.clear();
  if (step.contacts.empty()) return;
  step.pose_contacts(problem_);
  packed_.pack(problem_, warm_start_ ? step.last_impulses() : std::span<const Vec3>{}, step.threads);
  solution_.report = {};
  sweep(step);
  step.impulses = solution_.impulses;
  step.report_contacts(problem_, SolverModel::Coulomb, solution_);
  step.take_velocities(solution_);
}

}  // namespace carom
