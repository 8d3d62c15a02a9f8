// What a step tells: errors, energy, cost.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "carom/base/handle.h"
#include "carom/contact/impact.h"
#include "carom/math/types.h"

namespace carom {

/// Wall time of each stage, in seconds.
struct StageSeconds {
  double detect = 0, collisions = 0, contacts = 0, positions = 0, total = 0;
};

struct StepReport {
  Real time = 0;                      ///< s, at the end of the step
  std::int64_t contacts = 0;          ///< contacts found, speculative ones included
  std::int64_t active_contacts = 0;   ///< those that carried an impulse in the contact or collision stage
  std::int64_t frozen = 0;            ///< frozen bodies
  std::int64_t manifolds = 0;         ///< pairs of shapes with contact points
  std::int64_t manifolds_reused = 0;  ///< of those: bodies had hardly moved, so that no new points were searched for
  StageSeconds seconds;
  Real kinetic_energy = 0;    ///< J, at the end
  Real potential_energy = 0;  ///< J, of gravity, zero at the origin
  Real external_work = 0;     ///< J, done in this step by forces other than gravity and by kinematic bodies
  Real damping_work = 0;      ///< J, done in this step by damping: what it takes is negative
  Vec3 momentum;              ///< N s, of the dynamic bodies
  Real momentum_error = 0;  ///< |Δp − forces·dt − impulses of fixed and kinematic bodies| / (M max(|g| dt, v_max/1000))
  Real max_penetration = 0;   ///< m, at the start of the step, where contacts were detected
  Real residual_model = 0;    ///< of the contact stage, in units of v_ref
  Real residual_coulomb = 0;  ///< of the contact stage, in units of v_ref
  Real rms_coulomb = 0;
  Real approach_left = 0;         ///< m/s: fastest approach that the collision stage left over
  int iterations = 0;             ///< of the contact stage
  std::int64_t stops = 0;         ///< times of impact at which the step was cut (`step=toi`)
  bool stops_limited = false;     ///< there were more of them than allowed; the rest was done in one go
  std::int64_t events = 0;        ///< impacts of an event-driven suite, microcollisions included
  std::int64_t micro_events = 0;  ///< of those: microcollisions
  bool events_limited = false;    ///< there were more of them than allowed: the rest of the frame was cut short
  std::int64_t solved = 0;        ///< bodies that an event-driven suite handed to a contact solver (`resting=solve`)
  bool converged = true;          ///< the collision and the contact stage met their tolerances
  bool finite = true;             ///< false: the state is no longer finite; the step was not taken
};

enum class ContactMode : std::uint8_t {
  Separating,
  Stick,
  Slide,
  Inactive,  ///< between bodies that do not move
  Guard      ///< no contact: what the energy guard took from b, at its centre of mass, as a collision impulse by a
};

/// A contact of the last step, at the poses it started from, with what it did.
struct ContactRecord {
  std::uint64_t id = 0;
  BodyHandle a, b;
  Vec3 point;              ///< m, world, half way between the surfaces
  Vec3 normal;             ///< unit, from a to b
  Real gap = 0;            ///< m; negative: penetration
  Vec3 impulse;            ///< N s, of the contact stage, on b
  Vec3 collision_impulse;  ///< N s, of the collision stage, on b
  ContactMode mode = ContactMode::Separating;
};

/// How an event-driven suite treated an impact.
enum class EventKind : std::uint8_t {
  Impact,   ///< a collision, by the impact law and the material's restitution
  Micro,    ///< a microcollision, by the impact law and the artificial restitution
  Reversed  ///< a microcollision whose contact velocity was turned round, since friction can do that
};
const char* event_kind_name(EventKind kind);  ///< "impact", "micro", "reversed"

/// One impact of two bodies at one point.
struct ImpactEvent {
  Real time = 0;  ///< s
  BodyHandle a, b;
  EventKind kind = EventKind::Impact;
  Vec3 point;            ///< m, world
  Vec3 normal;           ///< unit, from a to b
  Vec3 impulse;          ///< N s, on b
  Real approach = 0;     ///< m/s: how fast the surfaces closed in on each other
  Real energy_loss = 0;  ///< J, kinetic, of both bodies together; negative: gained
  std::array<ImpactMode, 5> modes{};
  std::uint8_t mode_count = 0;

  std::span<const ImpactMode> all_modes() const { return {modes.data(), mode_count}; }
};

/// A time of impact at which a step was cut.
struct ImpactStop {
  Real time = 0;  ///< s
  BodyHandle a, b;
};

}  // namespace carom
