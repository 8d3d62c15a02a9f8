// Collisions found where bodies will be, and bounced where they are.
//
// E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex rigid bodies with stacking", 2003, section 6, as surveyed by
// S. Lembcke, "Realtime rigid body simulation using impulses", 2006, section 4.2. Several times over: bodies are placed
// where the step would take them, forces included; pairs that overlap there and approach at the velocities of now
// bounce with their restitution, at the points and velocities of now, in the order in which they are found. Bouncing
// changes where bodies go, so they are placed again. Then forces act, and what still approaches is a contact.
// Known failure: bodies bounce before they touch, at a distance of up to their way in a step, and pairs that pass
// through each other within the step are not seen here (the position stage stops those).
#include <algorithm>
#include <utility>

#include "dynamics/guendelman.h"

namespace carom {
namespace {

class GuendelmanCollisions final : public CollisionStage {
 public:
  GuendelmanCollisions(std::unique_ptr<CollisionStage> bounces, int iterations)
      : bounces_(std::move(bounces)), iterations_(iterations) {}

  void resolve(StepContext& step) override {
    for (int i = 0; i < iterations_; ++i) {
      find_overlaps(step);
      impulses_ = step.collision_impulses;
      close_overlaps(step);
      bounces_->resolve(step);
      for (std::size_t k = 0; k < gaps_.size(); ++k) step.contacts[k].gap = gaps_[k];
      if (step.collision_impulses == impulses_) return;
    }
  }

 private:
  /// Pairs that overlap at the end of the step if nothing is done, as contacts name them.
  void find_overlaps(StepContext& step) {
    const WorldState& world = *step.world;
    step.rates.linear.assign(world.bodies.size(), {});
    step.rates.angular.assign(world.bodies.size(), {});
    for (const std::int32_t index : step.awake()) {
      const auto i = static_cast<std::size_t>(index);
      const Body& body = world.bodies[i];
      step.rates.linear[i] = body.velocity;
      step.rates.angular[i] = body.angular_velocity;
      if (!body.is_dynamic()) continue;
      const AppliedForce& on = step.forces.on(index);
      step.rates.linear[i] += step.dt * (world.gravity + body.inverse_mass * on.force);
      step.rates.angular[i] += step.dt * (body.inverse_inertia * on.torque);
    }
    pairs_.clear();
    for (const Manifold& m : step.look_ahead(0, 0)) pairs_.emplace_back(m.a, m.b);
    std::sort(pairs_.begin(), pairs_.end());
  }

  /// The contacts of those pairs count as closed while they bounce, whatever their gaps.
  void close_overlaps(StepContext& step) {
    gaps_.clear();
    for (StepContact& c : step.contacts) {
      gaps_.push_back(c.gap);
      if (std::binary_search(pairs_.begin(), pairs_.end(), std::pair(c.point.a, c.point.b)))
        c.gap = std::min(c.gap, step.envelope);
    }
  }

  std::unique_ptr<CollisionStage> bounces_;
  int iterations_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
  std::vector<Real> gaps_;      // per contact, as detected
  std::vector<Vec3> impulses_;  // per contact, before the bounces of this iteration
};

}  // namespace

std::unique_ptr<CollisionStage> make_guendelman_collisions(std::unique_ptr<CollisionStage> bounces, int iterations) {
  return std::make_unique<GuendelmanCollisions>(std::move(bounces), iterations);
}

}  // namespace carom
