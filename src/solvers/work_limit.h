// Contacts that add energy, and what is done about it.
//
// Newton's law of restitution with friction may create energy (W. J. Stronge, "Rigid body collisions with friction",
// 1990): a rod that falls on its end while it slides leaves faster than it came, and balls wedged between two walls can
// only obey the law by shooting out. The answer without restitution never gains, and any mixture of two answers keeps
// to the friction cones and lets nothing approach. So bodies that gain together get the mixture with as much of the
// bounce as leaves them the energy that they had. A gain is work of the contacts on the relative motion,
// ½ Σ j·(u⁻ + u⁺) > 0; what a kinematic body gives to what it pushes is none. Where a solver has not come to its end,
// even the answer without restitution may gain; then the impulses are left out, and what still approaches is for the
// contact stage to hold.
//
// Contacts without restitution add energy only where a solver has run away: where no motion obeys all of them, as under
// a press, impulses grow without end, and what is left of their differences throws bodies at thousands of metres a
// second. Of such an answer bodies get the multiple in [0, 1] that leaves the least energy, and overlap by what that
// does not hold.
#pragma once

#include <optional>
#include <vector>

#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"
#include "solvers/body_groups.h"

namespace carom {

/// Work of contacts, J: of an answer without restitution, of one with it, and of the mean of the two.
struct MixedWork {
  Real dull = 0, mean = 0, bounced = 0;

  /// Of a mixture of the two answers: the largest share of the second in [0, 1] that does no work.
  Real share() const;
};

class WorkLimit {
 public:
  /// Changes `solution`, an answer of `solver` to `problem`, where its bounces add energy. `problem` is left as it was.
  void limit_bounces(Solver& solver, const SolveContext& context, ContactProblem& problem, ContactSolution& solution);

  /// Whether an answer to a problem without restitution gives some bodies more energy than they had, beyond what
  /// kinematic bodies can give them.
  bool runs_away(const ContactProblem& problem, const ContactSolution& solution);
  /// Takes less of the impulses on those bodies. To be called after `runs_away` of the same.
  void weaken(const ContactProblem& problem, ContactSolution& solution);

 private:
  /// What a group keeps of an answer: start + share (answer − start), where the start is the answer without restitution
  /// or, where that is no good either, what was before.
  struct Kept {
    bool from_dull = false;
    Real share = 0;
  };

  struct Group {
    MixedWork work;
    Real size = 0;  // J: what the work of the bounce is a sum of
    // J: kinetic energy; and what enters the energy of a multiple s of the answer, before + s along + s² change.
    Real before = 0, along = 0, change = 0;
    Real mass = 0, drive = 0;  // kg, and m/s of kinematic bodies where they touch

    bool gains() const;
    bool runs_away() const;
    std::optional<Kept> of_bounce() const;
    std::optional<Kept> of_runaway() const;
  };

  /// Groups by the impulses of `solution` and, where it is given, of the answer without restitution, and their work.
  void find_groups(const ContactProblem& problem, const ContactSolution* dull, const ContactSolution& solution);
  void add_work(const ContactProblem& problem, const ContactSolution* dull, const ContactSolution& solution);
  void add_energy(const ContactProblem& problem, const ContactSolution& solution);
  /// Groups for which `rule` says nothing keep the whole answer.
  void keep(std::optional<Kept> (Group::*rule)() const, const ContactProblem& problem, ContactSolution& solution);
  Group& group(std::int32_t body) { return by_body_[static_cast<std::size_t>(groups_.of(body))]; }

  BodyGroups groups_;
  std::vector<std::size_t> acting_;   // contacts with an impulse on a body that moves
  std::vector<std::int32_t> bodies_;  // that they act on
  std::vector<Group> by_body_;        // by the body that stands for the group
  std::vector<Real> restitution_;     // of the problem's contacts
  ContactSolution dull_;              // the answer without
};

}  // namespace carom
