// Time integration of the fixed step.
#pragma once

#include <span>
#include <vector>

#include "dynamics/assemble.h"
#include "dynamics/state.h"

namespace carom {

/// v += dt (g + F/m), ω += dt I⁻¹ τ for dynamic bodies.
void integrate_forces(WorldState& world, Real dt);

/// The rates at which poses move: v⁺ + c/2, where c takes back what forces and the impulses of bodies that do not move
/// have added too early. In free flight c is whole, which gives the exact parabola. For a body in contact it is
/// projected on the motions that the active contacts (those with a normal impulse, fast ones excepted) leave free, so
/// that nothing is pushed in along a normal and nothing that sticks creeps. Impulses between dynamic bodies add nothing
/// to c, which keeps angular momentum.
class DisplacementRates {
 public:
  void compute(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses, Real dt,
               Velocities& rates);

 private:
  void gather_active(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses);

  std::vector<std::int32_t> first_, entries_;  // per body: its active contacts
};

/// x += dt rate, q turned by dt rate. The turn conserves angular momentum where no torque acts.
void integrate_positions(WorldState& world, const Velocities& rates, Real dt);

}  // namespace carom
