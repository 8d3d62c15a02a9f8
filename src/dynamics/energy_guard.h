// Energy that the step itself would add is taken back.
//
// A step uses the contacts of its start. A body that rolls on a curved surface or tips over an edge turns away from
// them within the step, and gains or loses a little energy of second order in dt; what it gains, step after step, would
// make an ellipsoid rock higher and higher. And lifting bodies out of a penetration raises them. Neither may add
// energy: gains of the first kind are taken from the velocity of the body, where only bodies that do not move have
// acted on it (so that no other momentum is touched); lifting has to be paid for by what the step dissipates.
#pragma once

#include <vector>

#include "dynamics/body_groups.h"
#include "dynamics/step_context.h"

namespace carom {

class EnergyGuard {
 public:
  /// After the collision stage: what each body has.
  void note(const StepContext& step);
  /// After the contact stage: fills in the step's `kinetic_loss` and `held_alone`.
  void assess(StepContext& step) const;
  /// After the move: slows down bodies that have gained. Returns the momentum that this has given to all bodies, N s.
  Vec3 take_back(StepContext& step);

 private:
  /// What acts on a group from outside: bodies that stay where they are, or kinematic ones, which may add energy.
  enum class Hold : std::uint8_t { None, Still, Driven };

  void find_groups(const StepContext& step);

  std::vector<Real> energy_;   // J, per body that is awake: kinetic and of gravity
  std::vector<Real> kinetic_;  // J, likewise
  BodyGroups groups_;
  std::vector<Hold> hold_;                  // per group, by the body that stands for it
  std::vector<Real> rise_, group_kinetic_;  // J, likewise
};

/// J: what gravity and the other forces on the body lose when it moves at these rates; negative: they gain.
Real potential_rise(const StepContext& step, std::int32_t body, const Velocities& rates);

}  // namespace carom
