#include "study/solver_budget.h"

#include "study/trial.h"

namespace carom {

SolveOutcome solve_within(const BudgetMethod& method, const std::vector<ContactProblem>& problems, int budget) {
  require(!problems.empty(), "solve_within: a problem is needed");
  SolveRequest request{method.solver, method.settings, {}, 1e-14, {}};
  request.settings.push_back("iterations=" + std::to_string(budget));
  const Result<SolverChoice> choice = choose_solver(request);
  if (!choice) fail(choice.message());
  if (!method.warm) return solve_problem(problems.back(), choice.value());
  SolveOutcome outcome = solve_problem(problems.front(), choice.value());
  for (std::size_t i = 1; i < problems.size(); ++i)
    outcome = solve_problem(problems[i], choice.value(),
                            matched_by_id(problems[i - 1], outcome.solution.impulses, problems[i]));
  return outcome;
}

std::optional<int> iterations_needed(const BudgetMethod& method, const std::vector<ContactProblem>& problems,
                                     const OutcomeError& error, Real target, int most) {
  const auto is_enough = [&](int budget) { return error(solve_within(method, problems, budget)) <= target; };
  int low = 0, high = 1;  // low is not enough
  while (!is_enough(high)) {
    if (high >= most) return {};
    low = high;
    high = std::min(2 * high, most);
  }
  while (high - low > 1 + high / 64) {
    const int middle = low + (high - low) / 2;
    (is_enough(middle) ? high : low) = middle;
  }
  return high;
}

Real coulomb_error(const SolveOutcome& outcome) { return outcome.residual_coulomb.value_or(outcome.residual_model); }

Real approach_error(const SolveOutcome& outcome) { return outcome.approach_left / outcome.reference_velocity; }

}  // namespace carom
