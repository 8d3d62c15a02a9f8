// How a world advances.
#pragma once

#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "carom/dynamics/world.h"
#include "dynamics/stage.h"
#include "dynamics/state.h"

namespace carom {

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual StepReport advance(WorldState& world, Real dt, ThreadPool* threads) = 0;
  /// Drops everything remembered from earlier steps: after a step that was not taken it may not be finite.
  virtual void forget() = 0;

  /// Everything remembered from earlier steps.
  virtual void save(ByteWriter& out) const = 0;
  /// Requires a stepper of the same suite and a world of the same bodies. False, and nothing changed, where the rest of
  /// the bytes cannot be what `save` wrote.
  virtual bool restore(ByteReader& in, const WorldState& world) = 0;

  /// Appends the contacts of the last step that it has not listed yet: those among bodies that do not move, or all.
  /// Asked for once a step at most, and only by those who look at contacts.
  virtual void list_contacts(const WorldState& world, std::vector<ContactRecord>& records) = 0;

  /// Shown every problem before it is solved.
  World::ProblemObserver observer;
};

std::unique_ptr<Stepper> make_fixed_step(StepParts parts);
/// Requires a suite of the registry and options made for it; empty options are its defaults.
std::unique_ptr<Stepper> make_stepper(std::string_view suite, const Options& options);

}  // namespace carom
