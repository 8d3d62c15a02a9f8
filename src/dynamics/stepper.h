// How a world advances: steppers, and the parts that a suite chooses for them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "carom/contact/problem.h"
#include "carom/dynamics/world.h"
#include "carom/solvers/solver.h"
#include "dynamics/state.h"

namespace carom {

/// A suite's choice for each part of the fixed step.
struct StepParts {
  std::unique_ptr<Solver> collisions;  ///< null: no collision stage
  std::unique_ptr<Solver> contacts;
  std::unique_ptr<Solver> positions;  ///< null: no position stage
  Real envelope = 1e-4;               ///< ε_c as a fraction of the smallest body size
  Real correction = 0.2;              ///< share of a penetration that the position stage takes back in a step
  bool warm_start = true;
  bool to_impacts = false;  ///< the step is cut at times of impact
  int most_stops = 1000;    ///< cuts in a step
};

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

  /// Shown every problem before it is solved.
  World::ProblemObserver observer;
};

std::unique_ptr<Stepper> make_fixed_step(StepParts parts);
/// Requires a suite of the registry and options made for it; empty options are its defaults.
std::unique_ptr<Stepper> make_stepper(std::string_view suite, const Options& options);

}  // namespace carom
