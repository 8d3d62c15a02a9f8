// Stages that put one contact problem together and hand it to a solver.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "carom/solvers/solver.h"
#include "dynamics/stage.h"

namespace carom {

/// A solver, and what its registry entry says of it.
struct StepSolver {
  std::unique_ptr<Solver> solver;
  SolverModel model = SolverModel::Coulomb;
  bool revives = false;
};

/// Requires options made for it; empty ones are its defaults.
StepSolver make_step_solver(const SolverInfo& info, const Options& options = {});

struct CollisionRules {
  /// Rounds of the first method, at the most, on the pairs that collide alone, before it gets all that touch: pairs
  /// that touch and do not approach are left out, and a blow goes on from pair to pair.
  int rounds = 0;
  /// Answers that add energy are weakened until they do not. A priority queue sees to its bounces itself.
  bool limited = false;
};

/// The first method, and the others one after the other as long as something still approaches.
std::unique_ptr<CollisionStage> make_solver_collisions(std::vector<StepSolver> methods, const CollisionRules& rules);

/// What solves problems of few contacts more closely than the method itself, where that costs next to nothing.
struct SmallProblems {
  std::size_t most_contacts = 0;  ///< 0: none
  std::unique_ptr<Solver> solver;
};
std::unique_ptr<ContactStage> make_solver_contacts(StepSolver method, bool warm_start, SmallProblems small = {});

}  // namespace carom
