// The books of a step: momentum and energy, what came in from outside, and what does not balance.
#pragma once

#include <span>

#include "carom/dynamics/report.h"
#include "dynamics/assemble.h"
#include "dynamics/state.h"

namespace carom {

class Ledger {
 public:
  void begin(const WorldState& world) {
    momentum_before_ = momentum(world);
    given_momentum_ = {};
    work_ = 0;
  }

  /// Of the step or of a part of it: what forces do on the way, before poses change.
  void add_forces(const WorldState& world, const Velocities& rates, Real dt);
  /// What bodies that take no impulses do.
  void add_contact(const WorldState& world, const ContactPoint& contact, const Vec3& impulse_on_b);

  /// Fills in energies, momentum and its error.
  void finish(const WorldState& world, Real dt, StepReport& report) const;

 private:
  Vec3 momentum_before_;
  Vec3 given_momentum_;  // by forces and by bodies that do not take impulses
  Real work_ = 0;        // by forces other than gravity and by kinematic bodies
};

}  // namespace carom
