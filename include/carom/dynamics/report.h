// What a step tells: errors, energy, cost.
#pragma once

#include <cstdint>

#include "carom/base/handle.h"
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
  Real approach_left = 0;      ///< m/s: fastest approach that the collision stage left over
  int iterations = 0;          ///< of the contact stage
  std::int64_t stops = 0;      ///< times of impact at which the step was cut (`step=toi`)
  bool stops_limited = false;  ///< there were more of them than allowed; the rest was done in one go
  bool converged = true;       ///< the contact stage met its tolerance
  bool finite = true;          ///< false: the state is no longer finite; the step was not taken
};

enum class ContactMode : std::uint8_t { Separating, Stick, Slide, Inactive };

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

/// A time of impact at which a step was cut.
struct ImpactStop {
  Real time = 0;  ///< s
  BodyHandle a, b;
};

}  // namespace carom
