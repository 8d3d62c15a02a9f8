// Bounces as high as energy allows.
//
// Newton's law of restitution with friction may create energy (W. J. Stronge, "Rigid body collisions with friction",
// 1990): a rod that falls on its end while it slides leaves faster than it came, and balls wedged between two walls can
// only obey the law by shooting out. The answer without restitution never gains, and any mixture of two answers keeps
// to the friction cones and lets nothing approach. So bodies that gain together get the mixture with as much of the
// bounce as leaves them the energy that they had. What kinematic bodies add is not counted: a gain is work of the
// contacts on the relative motion, ½ Σ j·(u⁻ + u⁺) > 0. Where a solver has not come to its end, even the answer without
// restitution may gain; then the impulses are left out, and what still approaches is for the contact stage to hold.
#pragma once

#include <vector>

#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"
#include "solvers/body_groups.h"

namespace carom {

/// Work of contacts, J: of an answer without restitution, of one with it, and of the mean of the two.
struct BounceWork {
  Real dull = 0, mean = 0, bounced = 0;

  /// Of a mixture of the two answers: the largest share of the second in [0, 1] that does no work.
  Real share() const;
};

class BounceLimit {
 public:
  /// Changes `solution`, an answer of `solver` to `problem`, where its contacts add energy. `problem` is left as it
  /// was.
  void apply(Solver& solver, const SolveContext& context, ContactProblem& problem, ContactSolution& solution);

 private:
  struct Group {
    BounceWork work;
    Real size = 0;  // J: what the sum of the bounce is made of

    bool gains() const;
    Real change() const;  // the share of the mixture that is kept: none where even the answer without restitution gains
  };

  /// Groups by the impulses of `solution` and, where it is given, of the answer without restitution, and their work.
  void find_groups(const ContactProblem& problem, const ContactSolution& solution, const ContactSolution* dull);
  void add_work(const ContactProblem& problem, const ContactSolution& solution, const ContactSolution* dull);
  bool any_gains() const;
  void mix(const ContactProblem& problem, ContactSolution& solution);
  Group& group(std::int32_t body) { return by_body_[static_cast<std::size_t>(groups_.of(body))]; }

  BodyGroups groups_;
  std::vector<std::size_t> acting_;   // contacts with an impulse on a body that moves
  std::vector<std::int32_t> bodies_;  // that they act on
  std::vector<Group> by_body_;        // by the body that stands for the group
  std::vector<Real> restitution_;     // of the problem's contacts
  ContactSolution dull_;              // the answer without
};

}  // namespace carom
