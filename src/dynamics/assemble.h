// From contacts to contact problems: the one place that knows both.
//
// Bounce and gap. Contacts are found before bodies touch. The collision stage takes the closed ones (gap ≤ ε_c, and
// those of bodies held back in the last step whose gap closes early in this one), with restitution. In the contact
// stage a closed contact must not approach. One with a gap may approach until the gap is closed, v_n ≥ −gap/dt, unless
// it does so faster than the resting speed: then only the speed at which the gap closes is asked for, √(v₀² + 2aγ), so
// that the next collision stage finds the bodies touching with the momentum that they really have; the position stage
// alone keeps them from passing.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/contact/problem.h"
#include "collision/manifold.h"
#include "dynamics/state.h"

namespace carom {

/// A contact of the current step, in the order of the manifolds' points.
struct StepContact {
  ContactPoint point;          ///< geometry and surface properties; targets are set stage by stage
  Vec3 position;               ///< m, world
  Real gap = 0;                ///< m
  std::int32_t index = 0;      ///< of its point among all points of the manifolds
  std::int32_t manifold = 0;   ///< the one it belongs to, of those detected
  std::int32_t previous = -1;  ///< that index in the last step, or −1
  /// m/s, in the contact's frame, where it acts at the middle of the step (dynamics/midway.h): what its velocity is to
  /// be there beyond what it is to be at the end.
  Vec3 turning;
  Real closing = 0;   ///< m/s: at which positions alone close the gap there
  Real bias = 0;      ///< m/s: at which the contact stage is to undo an overlap
  bool fast = false;  ///< has a gap and closes it faster than the resting speed
};

/// The name of a contact of two bodies, the same as long as it lasts: 24 bits for each body's slot, 16 for the feature.
inline std::uint64_t contact_id(std::int32_t a, std::int32_t b, std::uint64_t feature) {
  return (static_cast<std::uint64_t>(a) + 1) << 40 | (static_cast<std::uint64_t>(b) + 1) << 16 | feature;
}

/// True where the contact presses and its friction has something in reserve: a slider's friction is the dynamic one
/// exactly.
inline bool sticks(const ContactPoint& contact, const Vec3& impulse) {
  constexpr Real kRounding = 1e-9;
  const Real normal = dot(impulse, contact.normal);
  if (normal <= 0) return false;
  const Real tangential = norm(impulse - normal * contact.normal);
  const Real sliding = contact.mu * normal;
  return std::abs(tangential - sliding) > kRounding * sliding && tangential <= contact.mu_static * normal;
}

/// A problem that a stage poses step after step. Its bodies are the world's, by slot; those that do not move are copied
/// when something about them has changed, so that what is frozen costs nothing.
struct StepProblem : ContactProblem {
  /// The world's when they were copied; 0: they have to be copied again, as after any change to them here.
  std::uint64_t still_version = 0;

  bool knows_still_bodies(const WorldState& world) const;
};

/// Velocities that a stage works on, by slot.
struct Velocities {
  std::vector<Vec3> linear, angular;
};

/// Normal, tangent and arms of a point of a manifold, for the bodies where they are.
void place_contact(const Body& a, const Body& b, const Manifold& manifold, std::int32_t point, ContactPoint& contact);
/// Appends the contacts of these manifolds; `first` is the number of the first of them.
void gather_contacts(const WorldState& world, std::span<const Manifold> manifolds, std::vector<StepContact>& contacts,
                     std::int32_t first = 0);

/// All bodies of the world in a problem without contacts; frozen ones have that role.
void set_bodies(const WorldState& world, Real dt, StepProblem& problem);
/// Gives frozen bodies the role of dynamic ones.
void let_frozen_yield(StepProblem& problem);

/// m/s: how fast a contact opens at the velocities that its problem begins with.
Real normal_velocity(const ContactPoint& contact, const std::vector<ProblemBody>& bodies);
/// m/s: how fast the surfaces close in on each other at the contact; negative: they part.
Real approach(const WorldState& world, const StepContact& contact);
/// The same at given velocities.
Real approach(const StepContact& contact, const Velocities& velocities);

/// True if the contact can matter in this step: closed, or with the gap closing to less than `pad` at the bodies'
/// velocities.
bool in_reach(const WorldState& world, const StepContact& contact, Real dt, Real envelope, Real pad);

/// What the position stage has done to a body's way in the last step; as chars they are in snapshots.
inline constexpr char kNotHeld = 0;
inline constexpr char kHeldBack = 1;  ///< it has changed it
inline constexpr char kStopped = 2;   ///< it has left hardly any of it; one more for each step before in which it did
inline constexpr char kStuck = 6;     ///< as many as count

/// Closed contacts with their restitution; `indices` says which they are. A contact of a body that the position stage
/// has held back in the last step (`held`) is closed too if its gap closes early in this one: its turn to collide has
/// come, and it must not hover for want of a hair's breadth. Where they approach by more than `fast` in a step the gap
/// must be small as well. Of a body that is stuck, a contact with what does not move is closed if it closes in this
/// step and is near: whoever would meet the floor with all corners, one after the other within a step, may be let come
/// nowhere, and would hang in the air.
void assemble_collisions(const WorldState& world, std::span<const StepContact> contacts, std::span<const char> held,
                         Real dt, Real envelope, Real fast, std::vector<std::int32_t>& indices, StepProblem& problem);

/// All contacts, e = 0, with gap targets, or their bias where they are closed. `before` are the velocities before
/// forces. Gaps up to `dead_zone` are taken for closed, wider ones may close. Marks fast contacts. Where static
/// friction is above the dynamic one, a contact has in this step the one or the other, as it slides or not when the
/// step begins: every solver knows what to do with one coefficient, and few with two.
void assemble_contacts(const WorldState& world, std::span<StepContact> contacts, const Velocities& before, Real dt,
                       Real envelope, Real dead_zone, Real resting_speed, StepProblem& problem);

/// All contacts, without friction: `rates` move bodies up to their surfaces, and no deeper where they overlap. Contacts
/// with a gap wider than `far`, and those of bodies that are `settled` (per body), ask for nothing. Returns false if no
/// rate needs to change by much, measured by `slop`.
bool assemble_positions(const WorldState& world, std::span<const StepContact> contacts, const Velocities& rates,
                        std::span<const char> settled, Real dt, Real far, Real slop, StepProblem& problem);

/// Asks a problem of `assemble_positions`, whatever was added to it, to take `share` of each penetration deeper than
/// `slop` back. Returns false if that changes nothing.
bool ask_for_recovery(std::span<const StepContact> contacts, Real dt, Real share, Real slop, ContactProblem& problem);

/// Puts rates in the place of the bodies' velocities.
void move_bodies(const WorldState& world, const Velocities& rates, StepProblem& problem);

/// Adds overlaps found at the poses that `problem`'s velocities lead to; `centers` are the bodies' centres of mass
/// there. They are to be undone down to `slop`. Overlaps added before stay, so that undoing one does not bring back
/// another.
void add_overlaps(std::span<const Manifold> overlaps, std::span<const Vec3> centers, Real dt, Real slop,
                  ContactProblem& problem);

}  // namespace carom
