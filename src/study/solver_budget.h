// How far solvers get within a number of iterations, and how many they need, on the problems of consecutive steps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/solve.h"

namespace carom {

struct BudgetMethod {
  std::string name;  ///< for tables and plots
  std::string solver;
  std::vector<std::string> settings;  ///< `key=value`, of the solver
  /// Each problem starts from the answer to the one before, found within the same budget; else from nothing.
  bool warm = false;
};

/// The answer to the last of the problems, after at most `budget` iterations a problem. Nothing ends it earlier than
/// rounding does. Requires a problem, and a solver with iterations to limit.
SolveOutcome solve_within(const BudgetMethod& method, const std::vector<ContactProblem>& problems, int budget);

/// What is looked at: zero is right.
using OutcomeError = std::function<Real(const SolveOutcome&)>;

/// The least budget after which the error is at most `target`, to one in 64; nothing where `most` are not enough. Takes
/// for granted that more iterations do no harm.
std::optional<int> iterations_needed(const BudgetMethod& method, const std::vector<ContactProblem>& problems,
                                     const OutcomeError& error, Real target, int most);

/// The distance from Coulomb's law, in units of v_ref.
Real coulomb_error(const SolveOutcome& outcome);
/// How fast bodies still approach each other at the velocities that the solver gives, in units of v_ref.
Real approach_error(const SolveOutcome& outcome);

}  // namespace carom
