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
    open();
    for (const std::int32_t index : world.awake) count_before(world.at(index));
  }
  /// The same for a caller who passes by all bodies that are awake, in order, and counts them as it does: in a large
  /// scene a pass of its own is a way through all of memory.
  void open() { *this = {}; }
  void count_before(const Body& body) {
    if (body.is_active()) momentum_before_ += body.velocity / body.inverse_mass;
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
  void give_damping_work(Real work) { damping_work_ += work; }

  /// Fills in energies, momentum and its error.
  void finish(const WorldState& world, Real dt, StepReport& report) {
    for (const std::int32_t index : world.awake) count_after(world, world.at(index));
    close(world, dt, report);
  }
  /// The same, as for `open`.
  void count_after(const WorldState& world, const Body& body);
  void close(const WorldState& world, Real dt, StepReport& report) const;

 private:
  Vec3 momentum_before_;
  Vec3 momentum_;  // after it, as the energies and the rest of these
  Real kinetic_energy_ = 0, potential_energy_ = 0;
  Real mass_ = 0, fastest_ = 0;  // kg, of all; m²/s², squared
  Vec3 given_momentum_;          // by forces and by bodies that do not take impulses
  Real work_ = 0;                // by forces other than gravity and by kinematic bodies
  Real damping_work_ = 0;
};

}  // namespace carom
