// Time integration of the fixed step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dynamics/assemble.h"
#include "dynamics/state.h"
#include "solvers/body_groups.h"

namespace carom {

/// Who would have to move this many times as far as any contact asks for is wedged: planes of contacts tell nothing of
/// places that far off.
inline constexpr Real kLeap = 30;

/// How poses follow velocities (M. Lembcke 2006, section 4.1).
enum class Integrator : std::uint8_t {
  Parabola,  ///< exact where forces are constant
  Euler,     ///< symplectic: x⁺ = x + dt v⁺
  Verlet     ///< as the parabola, and half of the step's velocity comes from the forces at its end
};

/// A body whose contacts act at the middle of the step (dynamics/midway.h): it turns first by the angular momentum that
/// it had, then by that which they have left it.
struct TurnByHalves {
  std::int32_t body = 0;
  Vec3 rate;         ///< rad/s, of both halves in the mean; what rates differ from it is turned besides
  Quat orientation;  ///< after both
};

/// The rates at which poses move: v⁺ + c/2, where c takes back what forces and the impulses of bodies that do not move
/// have added too early. In free flight c is whole, which gives the exact parabola. For a body in contact it is
/// projected on the motions that the active contacts (those with a normal impulse, fast ones excepted) leave free, so
/// that nothing is pushed in along a normal and nothing that sticks creeps. Impulses between dynamic bodies add nothing
/// to c, which keeps angular momentum; but where they have kept a body from moving along c, c is that much shorter.
/// Bodies that act on each other in flight, with nobody to hold them, share the c of their common centre of mass, which
/// flies its exact parabola; what each of them has besides is projected.
/// What slides at the start of a step and sticks at its end has its c for the part of the step that it slid.
class DisplacementRates {
 public:
  /// `gained` is what forces have added to the velocities; `midway` says, per body, whose contacts act at the middle of
  /// the step.
  void compute(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
               const Velocities& gained, std::span<const char> midway, Real dt, Real envelope, Velocities& rates);
  /// Takes from a change of velocities what active contacts do not leave free. Requires a `compute` with these
  /// contacts.
  void project(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
               Velocities& change) const;

 private:
  void set_along_contacts(const WorldState& world, std::span<const StepContact> contacts,
                          std::span<const Vec3> impulses, Real turnings, Velocities& change) const;
  bool is_lifted(const WorldState& world, std::span<const StepContact> contacts, std::int32_t body, Real dt,
                 Real envelope) const;
  void take_common(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
                   Velocities& rates);
  void limit_to_change(const WorldState& world, std::int32_t index, Velocities& rates) const;
  void add_last_slide(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses,
                      const Velocities& gained, std::int32_t index, Velocities& rates) const;
  void gather_active(const WorldState& world, std::span<const StepContact> contacts, std::span<const Vec3> impulses);

  /// Bodies that act on each other.
  struct Together {
    bool held = false;    // by a body that takes no impulses
    bool shares = false;  // two bodies or more
    Real mass = 0;        // kg
    Vec3 common;          // m/s: what its centre has of c; times the mass while it is summed up

    bool flies() const { return shares && !held; }
  };
  Together& group(std::int32_t body) { return together_[static_cast<std::size_t>(groups_.of(body))]; }

  // m/s, rad/s, per body that dynamic ones push: the velocities before the step, less those after; in flight, without
  // what the group has in common.
  Velocities change_;
  Velocities whole_;                           // likewise of all that are awake, where no dynamic ones push
  std::vector<char> pushed_;                   // per body: by one that does not move
  std::vector<char> shoved_;                   // per body: by dynamic ones
  BodyGroups groups_;                          // by impulses between them
  std::vector<Together> together_;             // per body that stands for a group
  std::vector<std::int32_t> first_, entries_;  // per body: its active contacts
};

/// The velocities themselves.
void take_rates(const WorldState& world, Velocities& rates);
/// Of bodies that are awake; what `to` says of others means nothing.
void copy_awake(const WorldState& world, const Velocities& from, Velocities& to);

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
  Real until = 0;         ///< s: from then until this it went on straight, without turning,
  Vec3 onward;            ///< m/s
};

/// The one of a body, or null. `halves` are ascending.
const TurnByHalves* find_turn(std::span<const TurnByHalves> halves, std::int32_t body);
/// Where it leads at a given rate.
Quat orientation_after(const TurnByHalves& turn, const Vec3& rate, Real dt);

/// x += dt rate, q turned by `turn_of`, in flight, or by halves, but for those stopped (both ascending). Angular
/// momentum stays what it is, but for bodies that are `limited` (per body; none where it is empty): turned otherwise
/// than they would by themselves, those keep it only as far as they gain no energy by that. A thin rod's could be any
/// number of times what it was.
void integrate_positions(WorldState& world, const Velocities& rates, Real dt, std::span<const TurnByHalves> halves,
                         std::span<const StoppedBody> stopped, std::span<const char> limited);

}  // namespace carom
