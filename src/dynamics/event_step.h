// The event-driven step: from impact to impact, with no step length and no classes of contact.
//
// B. Mirtich and J. Canny, "Impulse-based dynamic simulation", 1994. Bodies fly (dynamics/flight.h) until they meet.
// Pairs that may meet before the end of the frame (dynamics/near_pairs.h) stand in a heap by the earliest time at which
// they can: a conservative bound, so that no collision is missed. The first one is looked at. If its bodies have met,
// they collide at one point (dynamics/blow.h), and the times of all pairs with either of them are found anew; if not,
// its own time is. What rests, rolls or slides does so in microcollisions.
//
// How two bodies stay in contact. They collide when their distance has come down to a floor, a fraction of the envelope
// ε_c above zero. After a blow the floor is a little below where they are; once they have risen from there, it is where
// the blow was. So every hop takes time, however small the speeds, there is no infinite sequence of blows in a finite
// time, and one hop is like the next.
//
// What rests for longer can be handed to a contact solver, frame by frame (dynamics/resting_solver.h). So is the rest
// of a frame in which there are more impacts than allowed.
#pragma once

#include <memory>

#include "dynamics/blow.h"
#include "dynamics/stepper.h"

namespace carom {

struct EventSettings {
  ImpactLaw law = ImpactLaw::Poisson;
  bool reverse = true;         ///< as in BlowRules
  bool artificial = true;      ///< as in BlowRules
  Real envelope = 1e-4;        ///< ε_c as a fraction of the smallest body size
  Real most_events = 2e4;      ///< impacts for each moving body and second; what a frame has more is left to the solver
  bool solve_resting = false;  ///< bodies in persistent contact are handed to the solver
};

/// `solver` is the step that takes over.
std::unique_ptr<Stepper> make_event_step(const EventSettings& settings, std::unique_ptr<Stepper> solver);

}  // namespace carom
