// Time to residual: how long a solver takes until its own model is solved to a given accuracy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/solve.h"
#include "subjects.h"

namespace carom::bench {

inline constexpr Real kTargets[] = {1e-2, 1e-4, 1e-6, 1e-8};

/// One target: the time, or how far it got.
struct Reached {
  Real target = 0;
  bool met = false;
  double seconds = 0;         ///< CPU time of the solver alone; median
  Real residual = 0;          ///< of the model, in units of v_ref
  Real residual_coulomb = 0;  ///< the same of Coulomb's law
};

/// What so many iterations give.
struct Budgeted {
  int budget = 0;
  double seconds = 0;           ///< CPU time from a cold start; median
  Real cold = 0, cold_rms = 0;  ///< distance from Coulomb's law, in units of v_ref
  Real warm = 0, warm_rms = 0;
  Real approach = 0;  ///< m/s: fastest approach left, from a cold start
};

struct SolverBudgets {
  std::string solver;
  std::string refusal;
  std::vector<Budgeted> rows;
};

struct SolverTimes {
  std::string solver;   ///< with its options
  std::string refusal;  ///< not empty: it did not run
  std::vector<Reached> cold, warm;
};

struct TimingSettings {
  double patience = 3;  ///< s of one solve: budgets of iterations are cut so that it takes about this long at most
  int repeats = 3;
};

/// Residual after each budget of iterations (sweeps, bounces), whatever the solver's tolerance.
std::vector<SolverBudgets> run_budgets(const Subject& subject, const std::vector<std::string>& solvers,
                                       const std::vector<int>& budgets, const TimingSettings& settings,
                                       const std::function<void(const std::string&)>& progress);

/// Solvers are names with options behind colons: "qp:cone=exact". `progress` gets the solver at hand.
std::vector<SolverTimes> time_solvers(const Subject& subject, const std::vector<std::string>& solvers,
                                      const TimingSettings& settings,
                                      const std::function<void(const std::string&)>& progress);

}  // namespace carom::bench
