// Contacts at the middle of the step.
//
// J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", 1988: half a step of motion, the
// impulses of contacts where that has led, the other half with the velocities that they leave. Directions and arms that
// belong to the step's beginning are half a step old on average: what rolls off a ball or tips over an edge then grows
// by the rate λ (1 − λ dt/4) in the place of λ. Those of the middle are right to second order. The middle also keeps
// what contacts should keep: an impulse at the arm r leaves L·r alone, and turning by the angular momentum does too, so
// that Jellett's constant of a top stays to rounding.
//
// Moreau asks that velocities at the end of the step obey the contacts of its middle. A velocity turns by half a step's
// angle between the two, and where each step takes away what points off the surface, a body loses speed by itself. So
// what contacts have turned in the first half is taken to go on in the second, and the velocity asked for at the middle
// is the one that is right at the end.
//
// Only bodies that touch nothing but what takes no impulses go there. Between two dynamic bodies the rule of positions
// (dynamics/integrate.h) conserves angular momentum for the arms of the beginning and for no others; and in a crowd
// where bodies stop each other all the time, half a step on at the old velocities is nowhere that anybody gets to.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "dynamics/step_context.h"

namespace carom {

class Midway {
 public:
  /// Before the contact stage, after forces: places bodies that touch nothing but what takes no impulses half a step
  /// ahead, at the velocities before forces, and moves their contacts with them. Angular momentum stays what it is.
  void enter(StepContext& step);
  /// Puts the bodies back. Their contacts stay where they are.
  void leave(StepContext& step);

  /// Before `leave`, given rates: lets bodies turn by two halves, the first by the angular momentum before the contact
  /// stage, the second by that after it. Sets `step.halves`, which is valid until the next `enter`.
  void turn_by_halves(StepContext& step);
  /// Per body: it is half way.
  std::span<const char> marks() const { return marks_; }
  /// To be called where contacts are not moved.
  void skip(StepContext& step);

 private:
  struct Traveller {
    std::int32_t body = 0;
    Vec3 position;  // at the start of the step, like the rest
    Quat orientation;
    Mat3 rotation, inverse_inertia;
    Vec3 first_turn;  // rad, in the first half
  };

  static std::pair<std::int32_t, std::int32_t> body_and_other(const WorldState& world, const StepContact& contact);
  void find_travellers(StepContext& step);
  void send(StepContext& step, Traveller& traveller);
  bool follow(const StepContext& step, std::int32_t body, std::int32_t manifold);
  void move_contacts(StepContext& step);

  std::vector<char> marks_, held_;     // per body
  std::vector<Traveller> travellers_;  // ascending
  std::vector<TurnByHalves> turns_;
  Velocities before_;  // velocities before forces, at the start of the step
  Velocities middle_;  // and at its middle, with the same angular momentum
  Manifold manifold_;
};

}  // namespace carom
