// Bounces as high as energy allows.
//
// Newton's law of restitution, asked of many contacts with friction at once, may create energy (W. J. Stronge, "Rigid
// body collisions with friction", 1990, shows it for one): balls wedged between two walls can only obey it by shooting
// out. The answer without restitution never gains, and any mixture of two answers keeps to the friction cones and lets
// nothing approach. So bodies that gain together get the mixture with as much of the bounce as leaves them the energy
// that they had. Where a solver has not come to its end, even the answer without restitution may gain; then the
// impulses are left out, and what still approaches is for the contact stage to hold.
#pragma once

#include <span>
#include <vector>

#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"
#include "dynamics/body_groups.h"

namespace carom {

class BounceLimit {
 public:
  /// Changes `solution`, an answer of `solver` to `problem`, where it has more energy than the bodies had. `problem` is
  /// left as it was.
  void apply(Solver& solver, const SolveContext& context, ContactProblem& problem, ContactSolution& solution);

 private:
  struct Group {
    bool driven = false;                     // kinematic bodies act on it: they may add energy
    Real before = 0, bounced = 0, dull = 0;  // J
    Real mixed = 0;                          // J: that of the mean of the two answers

    bool gains() const;
    Real bounce() const;  // the share of it that is kept
    Real change() const;  // the share of that mixture: none where even the answer without restitution gains
  };

  /// Groups by the impulses of `solution` and, where it is given, of the answer without restitution, and their
  /// energies.
  void find_groups(const ContactProblem& problem, const ContactSolution& solution, const ContactSolution* dull);
  void sum_energies(const ContactProblem& problem, const ContactSolution& solution, const ContactSolution* dull);
  bool any_gains() const;
  void mix(const ContactProblem& problem, ContactSolution& solution);
  Group& group(std::int32_t body) { return by_body_[static_cast<std::size_t>(groups_.of(body))]; }

  BodyGroups groups_;
  std::vector<std::int32_t> bodies_;  // that impulses act on
  std::vector<Group> by_body_;        // by the body that stands for the group
  std::vector<Real> restitution_;     // of the problem's contacts
  ContactSolution dull_;              // the answer without
};

}  // namespace carom
