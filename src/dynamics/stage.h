// The stages of the fixed step: what a suite chooses one of each from.
//
// A stage works on the step under way (dynamics/step_context.h): it reads contacts, changes velocities or rates, and
// writes down the impulses that did it. It may ask the context to look ahead or to solve a problem; it keeps scratch
// memory but no history, which belongs to the context.
#pragma once

#include <cstdint>
#include <memory>

#include "carom/math/types.h"
#include "dynamics/freezer.h"
#include "dynamics/step_context.h"

namespace carom {

/// Who bounces: on the velocities as they are, with restitution.
class CollisionStage {
 public:
  virtual ~CollisionStage() = default;
  /// Changes the bodies' velocities and adds to `step.collision_impulses`; reports what still approaches.
  virtual void resolve(StepContext& step) = 0;
};

/// Who stays: on the velocities that forces have changed, without restitution.
class ContactStage {
 public:
  virtual ~ContactStage() = default;
  /// Changes the bodies' velocities, fills in `step.impulses`, and calls `step.report_contacts`.
  virtual void resolve(StepContext& step) = 0;
};

/// How far poses move: up to the surfaces, not into them.
class PositionStage {
 public:
  virtual ~PositionStage() = default;
  /// Changes `step.rates`, `step.stopped` and `step.held`.
  virtual void settle(StepContext& step) = 0;
};

/// What still overlaps after the move.
class CorrectionStage {
 public:
  virtual ~CorrectionStage() = default;
  /// Changes poses and leaves linear and angular momentum alone.
  virtual void correct(StepContext& step) = 0;
};

/// What comes after what.
enum class StepOrder : std::uint8_t {
  Contact,  ///< collisions, forces, contacts, move
  Naive     ///< forces, move, collisions, contacts: shows why the other order is better
};

/// A suite's choice for each part of the fixed step.
struct StepParts {
  std::unique_ptr<CollisionStage> collisions;  ///< null: no collision stage
  std::unique_ptr<ContactStage> contacts;
  std::unique_ptr<PositionStage> positions;     ///< null: poses move at the rates, whatever is in the way
  std::unique_ptr<CorrectionStage> correction;  ///< null: poses are where the move has left them
  Real bias = 0;                                ///< share of a penetration that the contact stage takes back in a step
  Integrator integrator = Integrator::Parabola;
  bool midway = false;  ///< contacts with what takes no impulses act at the middle of the step
  Damping damping;
  StepOrder order = StepOrder::Contact;
  Real envelope = 1e-4;       ///< ε_c as a fraction of the smallest body size
  Real dead_zone = 1;         ///< of the envelope: gaps up to this are left as they are
  bool detect_again = false;  ///< contacts are found once more after collisions
  bool to_impacts = false;    ///< the step is cut at times of impact
  int most_stops = 1000;      ///< cuts in a step
  bool guard_energy = false;  ///< energy that the step itself adds is taken back
  Freezing freezing;
};

}  // namespace carom
