// Contacts from the ground up, and the pass in which nothing below gives way.
//
// E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex rigid bodies with stacking", 2003, sections 7 and 8; J. Bender and
// A. Schmitt, 2006, take the pass over. The contact graph orders bodies into levels; a contact belongs to the higher
// level of its two bodies. In the pass (shock propagation) the bodies of a level that is done get infinite mass: what
// still approaches is pushed up and out of the stack. Bodies below do not feel the reaction, so momentum is not kept.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "solvers/contact_graph.h"
#include "solvers/packed.h"

namespace carom {

class LevelPasses {
 public:
  void build(const ContactProblem& problem, const PackedProblem& packed);

  /// Levels 0 … count() − 1; level 0 has no contacts.
  std::size_t count() const { return first_.size() - 1; }
  /// The packed groups of a level's contacts.
  std::span<const std::size_t> groups(std::size_t level) const {
    return std::span(groups_).subspan(first_[level], first_[level + 1] - first_[level]);
  }

  /// Calls settle(level) from the ground up, each time with the bodies below as bodies of given velocity, and leaves
  /// velocities and impulses in `solution`. Impulses go on from where they are, so that their sums stay in the cones.
  template <class Settle>
  void propagate(const ContactProblem& problem, PackedProblem& packed, ContactSolution& solution, Settle&& settle) {
    below_ = problem;
    for (std::size_t level = 1; level < count(); ++level) {
      for (const std::size_t group : groups(level)) packed.pack_group(below_, group);
      settle(level);
      hold(level, packed);
    }
    take(problem, packed, solution);
  }
  /// While `propagate` runs: the problem with what is done as kinematic bodies.
  const ContactProblem& below() const { return below_; }

 private:
  void hold(std::size_t level, PackedProblem& packed);
  void take(const ContactProblem& problem, const PackedProblem& packed, ContactSolution& solution) const;

  ContactLevels levels_;
  std::vector<std::size_t> groups_, first_;  // groups by level; first_[l] is where level l begins
  ContactProblem below_;
};

}  // namespace carom
