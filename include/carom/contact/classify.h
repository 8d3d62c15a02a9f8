// What a contact is at the velocities it has: separating, resting or colliding.
//
// A body that falls through the tolerance of collision detection arrives at √(2 g ε_c); slower approach cannot be told
// from rest (Bender and Schmitt 2006; Mirtich and Canny 1994).
#pragma once

#include <cmath>
#include <cstdint>

#include "carom/math/types.h"

namespace carom {

enum class ContactState : std::uint8_t { Separating, Resting, Colliding };

/// √(2 g ε_c), m/s: `gravity` in m/s², `envelope` is the distance ε_c in m up to which bodies count as touching.
inline Real resting_speed(Real gravity, Real envelope) { return std::sqrt(2 * gravity * envelope); }

/// `normal_velocity` is that of b relative to a along the normal, m/s: negative where they approach. At the limit
/// itself a contact rests.
constexpr ContactState classify(Real normal_velocity, Real resting_speed) {
  if (normal_velocity < -resting_speed) return ContactState::Colliding;
  return normal_velocity > resting_speed ? ContactState::Separating : ContactState::Resting;
}

}  // namespace carom
