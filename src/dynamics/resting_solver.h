// Bodies in persistent contact, handed to a fixed step for a frame.
//
// Stacks are what microcollisions are worst at: impulses travel up and down them by thousands (M. Lin's slides). Bodies
// that have hopped on something through the last frame are therefore given, all together, to the step of another suite.
// It sees them among the bodies that never move; bodies in flight are not there for it, and meet them as any other
// body: an impact takes its victim out of the solver's hands for the rest of the frame.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "dynamics/stepper.h"

namespace carom {

class RestingSolver {
 public:
  explicit RestingSolver(std::unique_ptr<Stepper> stepper) : stepper_(std::move(stepper)) {}

  /// Advances the members (by slot) of the world by dt in a world of its own. False if that came to nothing: a state
  /// that is not finite.
  bool advance(const WorldState& world, std::span<const char> member, Real dt, ThreadPool* threads);
  /// Where the last `advance` has left a member.
  const Body& result(std::int32_t body) const { return inner_.at(body); }
  const StepReport& report() const { return report_; }
  /// Of the last `advance`.
  std::span<const ContactRecord> contacts() const { return inner_.contacts; }

  void forget() { stepper_->forget(); }
  void save(ByteWriter& out) const;
  bool restore(ByteReader& in, const WorldState& world);

 private:
  void take_bodies(const WorldState& world, std::span<const char> member);

  std::unique_ptr<Stepper> stepper_;
  WorldState inner_;  // the same slots; who is not a member is frozen and meets nobody
  StepReport report_;
};

}  // namespace carom
