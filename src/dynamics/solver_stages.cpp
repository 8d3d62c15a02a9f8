#include "dynamics/solver_stages.h"

#include <algorithm>
#include <utility>

namespace carom {
namespace {

class SolverCollisions final : public CollisionStage {
 public:
  explicit SolverCollisions(std::unique_ptr<Solver> solver) : solver_(std::move(solver)) {}

  void resolve(StepContext& step) override {
    assemble_collisions(*step.world, step.contacts, step.held, step.dt, step.envelope,
                        kFast * step.world->smallest_size, indices_, problem_);
    step.show(Stage::Collisions, problem_);
    solver_->solve(problem_, {{}, {}, step.resting_speed, step.threads}, solution_);
    for (std::size_t k = 0; k < indices_.size(); ++k)
      step.collision_impulses[static_cast<std::size_t>(indices_[k])] = solution_.impulses[k];
    step.take_velocities(solution_);
    step.report.approach_left = std::max(step.report.approach_left, solution_.report.approach_left);
  }

 private:
  std::unique_ptr<Solver> solver_;
  std::vector<std::int32_t> indices_;  // of the problem's contacts among those of the step
  ContactProblem problem_;
  ContactSolution solution_;
};

class SolverContacts final : public ContactStage {
 public:
  SolverContacts(std::unique_ptr<Solver> solver, bool warm_start)
      : solver_(std::move(solver)), warm_start_(warm_start) {}

  void resolve(StepContext& step) override {
    step.velocities_before_forces(before_);
    assemble_contacts(*step.world, step.contacts, before_, step.dt, step.envelope, step.resting_speed, problem_);
    step.show(Stage::Contacts, problem_);
    const std::span<const Vec3> warm = warm_start_ ? step.last_impulses() : std::span<const Vec3>{};
    solver_->solve(problem_, {warm, {}, step.resting_speed, step.threads}, solution_);
    step.impulses = solution_.impulses;
    step.take_velocities(solution_);
    step.report_contacts(problem_, solution_);
  }

 private:
  std::unique_ptr<Solver> solver_;
  bool warm_start_;
  Velocities before_;
  ContactProblem problem_;
  ContactSolution solution_;
};

}  // namespace

std::unique_ptr<CollisionStage> make_solver_collisions(std::unique_ptr<Solver> solver) {
  return std::make_unique<SolverCollisions>(std::move(solver));
}

std::unique_ptr<ContactStage> make_solver_contacts(std::unique_ptr<Solver> solver, bool warm_start) {
  return std::make_unique<SolverContacts>(std::move(solver), warm_start);
}

}  // namespace carom
