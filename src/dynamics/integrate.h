// Time integration of the fixed step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynamics/assemble.h"
#include "dynamics/state.h"

namespace carom {

/// How poses follow velocities (M. Lembcke 2006, section 4.1).
enum class Integrator : std::uint8_t {
  Parabola,  ///< exact where forces are constant
  Euler,     ///< symplectic: x⁺ = x + dt v⁺
  Verlet     ///< as the parabola, and half of the step's velocity comes from the forces at its end
};

/// The rates at which poses move: v⁺ + c/2, where c takes back what forces and the impulses of bodies that do not move
/// have added too early. In free flight c is whole, which gives the exact parabola. For a body in contact it is
/// projected on the motions that the active contacts (those with a normal impulse, fast ones excepted) leave free, so
/// that nothing is pushed in along a normal and nothing that sticks creeps. Impulses between dynamic bodies add nothing
/// to c, which keeps angular momentum.
class DisplacementRates {
 public:
  /// `gained` is what forces have added to the velocities.
  void compute(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
               const Velocities& gained, Real dt, Real envelope, Velocities& rates);
  /// Takes from a change of velocities what active contacts do not leave free. Requires a `compute` with these
  /// contacts.
  void project(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
               Velocities& change) const;

 private:
  bool is_lifted(const WorldState& world, std::span<const StepContact> contacts, std::int32_t body, Real dt,
                 Real envelope) const;
  void gather_active(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses);

  std::vector<char> pushed_;                   // per body: by one that does not move
  std::vector<std::int32_t> first_, entries_;  // per body: its active contacts
};

/// The velocities themselves.
void take_rates(const WorldState& world, Velocities& rates);

/// rad, world axes: by how much the body turns in a step of dt. It conserves angular momentum where no torque acts.
Vec3 turn_of(const Body& body, const Vec3& rate, Real dt);

/// A body that does not go as far as its rates say, and the pose that it is left in.
struct StoppedBody {
  std::int32_t body = 0;
  Vec3 position;  ///< m, of the centre of mass
  Quat orientation;
  Real time = 0;          ///< s, from the start of the step: until then it went its way, straight and turning evenly,
  Vec3 velocity;          ///< m/s, of the centre of mass,
  Vec3 angular_velocity;  ///< rad/s
};

/// x += dt rate, q turned by `turn_of`, but for those stopped (ascending). Angular momentum stays what it is.
void integrate_positions(WorldState& world, const Velocities& rates, Real dt, std::span<const StoppedBody> stopped);

}  // namespace carom
