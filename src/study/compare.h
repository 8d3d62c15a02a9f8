// Every solver on one problem, judged alike: `carom compare`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "study/solve.h"

namespace carom {

/// An answer within a budget of iterations.
struct BudgetPoint {
  int iterations = 0;
  double seconds = 0;  ///< median of several runs
  Real residual = 0;   ///< distance from Coulomb's law; where restitution acts, that of the model; in units of v_ref
  Real residual_model = 0;  ///< distance from what the solver set out to do
};

struct SolverRow {
  SolverChoice choice;
  std::string refusal;             ///< not empty: it did not run, and this is why
  SolveOutcome outcome;            ///< with the solver's default options
  double seconds = 0;              ///< median of several runs
  std::vector<BudgetPoint> curve;  ///< with growing budgets; empty where none was asked for
};

struct Comparison {
  std::string problem;  ///< file
  std::size_t bodies = 0, contacts = 0;
  bool restitution_acts = false;
  Real reference_velocity = 0;  ///< m/s
  std::vector<SolverRow> rows;
};

/// Whether a file is a contact problem rather than a scene: by its name, else by what it says of itself.
bool is_problem_file(const std::string& path);

/// `a,b,c`
std::vector<std::string> names_between_commas(const std::string& list);

/// "all", empty, or names with commas between them.
Result<std::vector<SolverChoice>> choose_solvers(const std::string& names);

/// `progress` gets the share done and the solver at hand.
Comparison compare_solvers(const std::string& file, const ContactProblem& problem,
                           const std::vector<SolverChoice>& solvers, bool with_curves,
                           const std::function<void(double, const std::string&)>& progress = nullptr);

std::string comparison_json(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison);
/// A page with the table and residual against time.
std::string comparison_html(const Comparison& comparison);

}  // namespace carom
