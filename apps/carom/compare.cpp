#include "study/compare.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "output_options.h"
#include "study/output_file.h"
#include "study/solve_matrix.h"
#include "terminal.h"

namespace carom::program {
namespace {

struct CompareArguments {
  std::string problem, solvers, html;
  bool json = false;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "carom compare: {}\n", message);
  return kBadInput;
}

/// A problem given as a matrix: the solvers that take one, and the answers that the file brings along.
int compare_fclib(const CompareArguments& arguments, const std::vector<SolverChoice>& solvers) {
  if (!arguments.html.empty())
    return refuse("--html: found a .hdf5 problem, expected a .problem.json one: no curves are drawn for a matrix");
  const Result<FclibFile> file = load_fclib(arguments.problem);
  if (!file) return refuse(file.message());
  const std::vector<MatrixRow> rows = compare_on_matrix(file.value(), solvers);
  fmt::print("{}", arguments.json ? matrix_comparison_json(arguments.problem, file.value(), rows)
                                  : matrix_comparison_text(arguments.problem, file.value(), rows));
  return kSuccess;
}

int compare_all(const CompareArguments& arguments) {
  const Result<std::vector<SolverChoice>> solvers = choose_solvers(arguments.solvers);
  if (!solvers) return refuse(solvers.message());
  if (is_hdf5_path(arguments.problem)) return compare_fclib(arguments, solvers.value());
  if (!arguments.problem.ends_with(".json") || arguments.problem.ends_with(".scene.json"))
    return refuse(arguments.problem +
                  ": found no contact problem, expected a .problem.json or .hdf5 file ('carom run --dump-problem' "
                  "writes the first): "
                  "comparing suites on a scene is not supported yet");
  std::string note;
  const Result<ContactProblem> problem = find_problem(arguments.problem, note);
  if (!problem) return refuse(problem.message());
  if (!note.empty()) fmt::print(stderr, "carom compare: {}\n", note);
  if (const std::string reason = check_output(arguments.html, arguments.problem); !reason.empty())
    return refuse(reason);

  ProgressLine progress("compare");
  const Comparison comparison =
      compare_solvers(arguments.problem, problem.value(), solvers.value(), !arguments.html.empty(),
                      [&](double share, const std::string& solver) { progress.show_share(share, solver.c_str()); });
  progress.clear();
  fmt::print("{}", arguments.json ? comparison_json(comparison) : comparison_text(comparison));
  if (arguments.html.empty()) return kSuccess;
  if (const std::string reason = write_output(arguments.html, comparison_html(comparison)); !reason.empty()) {
    fmt::print(stderr, "carom compare: {}\n", reason);
    return kNotMet;
  }
  if (!arguments.json) print_written({arguments.html});
  return kSuccess;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("compare", "Run every solver on one contact problem and judge them alike");
  auto arguments = std::make_shared<CompareArguments>();
  command->add_option("FILE", arguments->problem, "A contact problem (.problem.json, or .hdf5 as in FCLib)")
      ->required();
  command->add_option("--solvers", arguments->solvers, "Names with commas between them, or all; default: all");
  command->add_option("--html", arguments->html, "Write a page with the table and residual against time");
  command->add_flag("--json", arguments->json, "Print the table as JSON; with --html also the curves");
  command->footer(
      "Solvers that cannot do what the problem asks for are listed with the reason.\n"
      "Example: carom compare pile.problem.json --solvers sequential,shock --html pile.html");
  command->callback([arguments, &status] { status = compare_all(*arguments); });
}

}  // namespace carom::program
