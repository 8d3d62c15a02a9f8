#include "study/compare.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "carom/io/fclib_file.h"
#include "io/text_file.h"
#include "solvers/model_residual.h"

namespace carom {
namespace {

constexpr Real kBestResidual = 1e-12;  // a curve ends here: below is rounding

/// The option that bounds a solver's work.
const OptionSpec* budget_option(const SolverInfo& info) {
  for (const char* name : {"iterations", "sweeps", "bounces"})
    for (const OptionSpec& spec : info.options)
      if (spec.name == name && spec.integer) return &spec;
  return nullptr;
}

/// The median of a few runs; of fewer where they take long.
double median_seconds(const ContactProblem& problem, const SolverChoice& choice, double first) {
  constexpr std::size_t kRuns = 5;
  constexpr double kPatience = 1;  // s
  std::vector<double> times{first};
  for (double spent = first; times.size() < kRuns && spent < kPatience; spent += times.back())
    times.push_back(solve_problem(problem, choice).seconds);
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// Budgets that double, each from a cold start, until nothing more is gained or time is up.
std::vector<BudgetPoint> measure_curve(const ContactProblem& problem, SolverChoice choice) {
  constexpr double kPatience = 2;  // s
  std::vector<BudgetPoint> curve;
  const OptionSpec* budget = budget_option(*choice.info);
  if (budget == nullptr) return curve;
  choice.tolerance = kBestResidual;
  for (const OptionSpec& spec : choice.info->options)
    if (spec.name == "tolerance" && !choice.options.set("tolerance", kBestResidual).empty()) return curve;
  Stopwatch watch;
  double spent = 0;
  for (double limit = 1; limit <= budget->maximum && spent < kPatience; limit *= 2) {
    if (!choice.options.set(budget->name, limit).empty()) break;
    const SolveOutcome outcome = solve_problem(problem, choice);
    const Real residual = outcome.residual_coulomb.value_or(outcome.residual_model);
    curve.push_back({outcome.solution.report.iterations, median_seconds(problem, choice, outcome.seconds), residual,
                     outcome.residual_model});
    // Some leave the end of a budget unused, where it is too short for their next stage.
    if (2 * outcome.solution.report.iterations < limit || outcome.residual_model <= kBestResidual) break;
    spent += watch.lap();
  }
  return curve;
}

}  // namespace

bool is_problem_file(const std::string& path) {
  if (is_hdf5_path(path) || path.ends_with(".problem.json")) return true;
  if (path.ends_with(".scene.json")) return false;
  const Result<std::string> text = read_text_file(path);
  return text && text.value().find("\"carom_problem\"") != std::string::npos;
}

std::vector<std::string> names_between_commas(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    names.push_back(list.substr(start, comma - start));
    start = comma + 1;
  }
  return names;
}

Result<std::vector<SolverChoice>> choose_solvers(const std::string& names) {
  using Choices = Result<std::vector<SolverChoice>>;
  std::vector<std::string> wanted;
  if (names.empty() || names == "all") {
    for (const SolverInfo& info : solver_registry()) wanted.push_back(info.name);
  } else {
    wanted = names_between_commas(names);
  }
  std::vector<SolverChoice> choices;
  for (const std::string& name : wanted) {
    const Result<SolverChoice> choice = choose_solver({name, {}, {}, {}, {}});
    if (!choice) return Choices::failure(choice.message());
    choices.push_back(choice.value());
  }
  return choices;
}

Comparison compare_solvers(const std::string& file, const ContactProblem& problem,
                           const std::vector<SolverChoice>& solvers, bool with_curves,
                           const std::function<void(double, const std::string&)>& progress) {
  Comparison comparison;
  comparison.problem = file;
  comparison.bodies = problem.bodies.size();
  comparison.contacts = problem.contacts.size();
  comparison.restitution_acts = restitution_acts(problem);
  for (std::size_t i = 0; i < solvers.size(); ++i) {
    if (progress) progress(static_cast<double>(i) / static_cast<double>(solvers.size()), solvers[i].info->name);
    SolverRow row;
    row.choice = solvers[i];
    row.refusal = refusal(*solvers[i].info, solvers[i].options, problem);
    if (row.refusal.empty()) {
      row.outcome = solve_problem(problem, row.choice);
      row.seconds = median_seconds(problem, row.choice, row.outcome.seconds);
      comparison.reference_velocity = row.outcome.reference_velocity;
      if (with_curves) row.curve = measure_curve(problem, row.choice);
    }
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

}  // namespace carom
