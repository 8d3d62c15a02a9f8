// Solvers: pure functions from a contact problem to a contact solution, listed in one registry.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/options.h"
#include "carom/contact/problem.h"
#include "carom/contact/solution.h"

namespace carom {

class ThreadPool;

/// What a solver may use besides the problem. The answer does not depend on the number of threads.
struct SolveContext {
  std::span<const Vec3> warm_impulses;  ///< N s, world axes, in contact order; empty for a cold start
  std::span<const Real> warm_row_impulses;
  Real resting_speed = 0;         ///< m/s: a contact that approaches more slowly does not bounce
  ThreadPool* threads = nullptr;  ///< null: the calling thread alone
};

/// One method. An instance keeps scratch memory between calls, so use one a thread; its answers do not depend on
/// history.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Requires a problem that passes `check`. Fills in impulses, velocities and the solver's own part of the report.
  virtual void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) = 0;
};

struct SolverInfo {
  std::string name;
  std::string solves;  ///< one line
  std::string source;  ///< paper and section
  std::string fails;   ///< where it does not do well
  std::vector<OptionSpec> options;
  std::unique_ptr<Solver> (*make)(const Options& options);
};

/// Every solver there is, in a fixed order.
const std::vector<SolverInfo>& solver_registry();
/// Null if there is none of that name.
const SolverInfo* find_solver(std::string_view name);

}  // namespace carom
