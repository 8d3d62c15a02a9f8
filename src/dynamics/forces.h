// What acts on bodies between contacts: gravity, their own forces, the caller's field, and damping.
//
// Damping after M. Lembcke 2006, section 4.1, implicit: v⁺ = (v + dt a) / (1 + dt c). It never turns a velocity round,
// however large c is, and a falling body tends to the speed a/c whatever the step.
#pragma once

#include <span>
#include <vector>

#include "carom/dynamics/force_field.h"
#include "dynamics/assemble.h"
#include "dynamics/state.h"

namespace carom {

/// 1/s.
struct Damping {
  Real linear = 0, angular = 0;
};

/// What the caller's field does to the body as it is now.
AppliedForce field_force(const WorldState& world, std::int32_t body);

class Forces {
 public:
  void set_damping(const Damping& damping) { damping_ = damping; }

  /// Asks what acts on these bodies now.
  void find(const WorldState& world, std::span<const std::int32_t> bodies);
  /// v += dt (g + F/m), ω += dt I⁻¹ τ, and damping, for all bodies that are awake.
  void apply(WorldState& world, Real dt);
  /// After the move: half of what the forces there would add in dt more than those that were applied.
  void find_change(const WorldState& world, Real dt, Velocities& change);
  /// Nothing was gained: the velocities of now are those to go by.
  void clear_gained(const WorldState& world);

  /// Other than gravity, as `find` or `apply` left it.
  const AppliedForce& on(std::int32_t body) const { return applied_[static_cast<std::size_t>(body)]; }
  /// What `apply` has changed, by slot; zero for those that it did not look at.
  const Velocities& gained() const { return gained_; }
  /// Of that the part of damping, by slot; empty where there is none.
  const Velocities& damped() const { return damped_; }
  /// False once a field has said something that is not finite; it counts as nothing.
  bool finite() const { return finite_; }
  void begin() { finite_ = true; }

 private:
  bool damps() const { return damping_.linear > 0 || damping_.angular > 0; }
  AppliedForce total(const WorldState& world, std::int32_t body);

  Damping damping_;
  bool finite_ = true;
  std::vector<AppliedForce> applied_;  // by slot
  Velocities gained_, damped_;
};

}  // namespace carom
