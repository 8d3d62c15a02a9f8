#include "study/compare.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "output_options.h"
#include "study/output_file.h"
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

int compare_all(const CompareArguments& arguments) {
  const Result<std::vector<SolverChoice>> solvers = choose_solvers(arguments.solvers);
  if (!solvers) return refuse(solvers.message());
  if (!arguments.problem.ends_with(".json") || arguments.problem.ends_with(".scene.json"))
    return refuse(arguments.problem +
                  ": found no contact problem, expected a .problem.json file ('carom run --dump-problem' writes one): "
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
  command->add_option("FILE", arguments->problem, "A contact problem (.problem.json)")->required();
  command->add_option("--solvers", arguments->solvers, "Names with commas between them, or all; default: all");
  command->add_option("--html", arguments->html, "Write a page with the table and residual against time");
  command->add_flag("--json", arguments->json, "Print the table as JSON; with --html also the curves");
  command->footer(
      "Solvers that cannot do what the problem asks for are listed with the reason.\n"
      "Example: carom compare pile.problem.json --solvers sequential,shock --html pile.html");
  command->callback([arguments, &status] { status = compare_all(*arguments); });
}

}  // namespace carom::program
