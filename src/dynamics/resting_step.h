// What freezing sees of a step, whichever stepper makes it.
#pragma once

#include <span>
#include <vector>

#include "dynamics/assemble.h"
#include "dynamics/state.h"

namespace carom {

struct RestingStep {
  WorldState* world = nullptr;
  Real whole_dt = 0;  ///< s
  Real dt = 0;        ///< s, of this part of the step
  Real envelope = 0;  ///< ε_c, m
  std::vector<StepContact> contacts;
  std::vector<Vec3> collision_impulses;  ///< per contact, N s, world axes, on b
  std::vector<Vec3> impulses;            ///< of the contact stage, likewise

  RestingStep() = default;
  RestingStep(const RestingStep&) = delete;
  RestingStep& operator=(const RestingStep&) = delete;
  virtual ~RestingStep() = default;

  /// The body stops and is left out from the next detection on.
  virtual void freeze(std::int32_t body) = 0;
  /// The body takes part again. Does nothing to a body that is not frozen.
  virtual void revive(std::int32_t body) = 0;
  /// Per contact: what it carried in the last step. Valid until the next call.
  virtual std::span<const Vec3> last_impulses() = 0;

  /// All bodies that move, ascending. Changes when one is frozen or revived.
  std::span<const std::int32_t> awake() const { return world->awake; }
  /// J: eq. 15 of Schmidl and Milenkovic 2004, what a body gains in one step of free fall.
  Real quiet_energy(const Body& body) const {
    return 0.5 * squared_norm(whole_dt * world->gravity) / body.inverse_mass;
  }
};

}  // namespace carom
