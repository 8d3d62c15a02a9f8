#include "dynamics/direct_correction.h"

#include <utility>

#include "math/trig.h"

namespace carom {
namespace {

constexpr int kPasses = 4;

class DirectCorrection final : public CorrectionStage {
 public:
  DirectCorrection(std::unique_ptr<Solver> solver, Real share) : solver_(std::move(solver)), share_(share) {}

  void correct(StepContext& step) override {
    if (step.awake().empty()) return;
    for (int pass = 0; pass < kPasses; ++pass) {
      const Real slop = kSlop * step.envelope;
      const std::span<const Manifold> overlaps = step.look_here(slop);
      if (overlaps.empty()) break;
      set_bodies(*step.world, step.dt, problem_);
      for (const std::int32_t body : step.awake()) {
        ProblemBody& p = problem_.bodies[static_cast<std::size_t>(body)];
        p.velocity = p.angular_velocity = {};
      }
      add_overlaps(overlaps, step.centers, step.dt, slop, problem_);
      for (ContactPoint& contact : problem_.contacts) contact.target *= share_;
      solver_->solve(problem_, {{}, {}, 0, step.threads}, solution_);
      displace(step);
    }
  }

 private:
  /// Velocities stay what they are; of spinning bodies it is the angular momentum that stays.
  void displace(StepContext& step) const {
    for (const std::int32_t index : step.awake()) {
      const auto i = static_cast<std::size_t>(index);
      const Vec3 way = step.dt * solution_.velocities[i], turn = step.dt * solution_.angular_velocities[i];
      if (way == Vec3{} && turn == Vec3{}) continue;
      Body& body = step.world->at(index);
      const Vec3 spin = body.inertia() * body.angular_velocity;
      body.position += way;
      body.orientation = normalized(rotation(turn) * body.orientation);
      body.refresh();
      body.angular_velocity = body.inverse_inertia * spin;
    }
  }

  std::unique_ptr<Solver> solver_;
  Real share_;
  StepProblem problem_;
  ContactSolution solution_;
};

}  // namespace

std::unique_ptr<CorrectionStage> make_direct_correction(std::unique_ptr<Solver> solver, Real share) {
  return std::make_unique<DirectCorrection>(std::move(solver), share);
}

}  // namespace carom
