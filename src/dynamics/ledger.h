// The books of a step: momentum and energy, what came in from outside, and what does not balance.
#pragma once

#include <span>

#include "carom/dynamics/report.h"
#include "dynamics/assemble.h"
#include "dynamics/state.h"

namespace carom {

class Ledger {
 public:
  void begin(const WorldState& world) { momentum_before_ = momentum(world); }

  /// With the velocities and impulses of the step known, before poses change.
  void before_move(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
                   std::span<const Vec3> collision_impulses, const Velocities& rates, Real dt);

  /// Fills in energies, momentum and its error.
  void finish(const WorldState& world, Real dt, StepReport& report) const;

 private:
  Vec3 momentum_before_;
  Vec3 given_momentum_;  // by forces and by bodies that do not take impulses
  Real work_ = 0;        // by forces other than gravity and by kinematic bodies
};

}  // namespace carom
