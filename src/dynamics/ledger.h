// The books of a step: momentum and energy, what came in from outside, and what does not balance.
#pragma once

#include <span>

#include "carom/dynamics/report.h"
#include "dynamics/assemble.h"
#include "dynamics/forces.h"
#include "dynamics/state.h"

namespace carom {

class Ledger {
 public:
  void begin(const WorldState& world) {
    momentum_before_ = awake_momentum(world);
    given_momentum_ = {};
    work_ = damping_work_ = 0;
  }

  /// Of the step or of a part of it: the momentum that forces give.
  void add_forces(const WorldState& world, const Forces& forces);
  /// What forces do on the way, before poses change.
  void add_work(const WorldState& world, const Forces& forces, const Velocities& rates, Real dt);
  /// What a change of velocities by forces at the end of the way gives, before it is made.
  void add_change(const WorldState& world, const Velocities& change);
  /// What bodies that take no impulses do, frozen ones included.
  void add_contact(const WorldState& world, const ContactPoint& contact, const Vec3& impulse_on_b);

  /// By other ways: freezing takes what a body had.
  void give_momentum(const Vec3& momentum) { given_momentum_ += momentum; }
  /// Of forces other than gravity.
  void give_work(Real work) { work_ += work; }

  /// Fills in energies, momentum and its error.
  void finish(const WorldState& world, Real dt, StepReport& report) const;

 private:
  static Vec3 awake_momentum(const WorldState& world);

  Vec3 momentum_before_;
  Vec3 given_momentum_;  // by forces and by bodies that do not take impulses
  Real work_ = 0;        // by forces other than gravity and by kinematic bodies
  Real damping_work_ = 0;
};

}  // namespace carom
