#include "study/solve.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/io/problem_file.h"
#include "commands.h"
#include "study/solve_matrix.h"

namespace carom::program {
namespace {

struct SolveArguments {
  std::string problem;
  SolveRequest request;
  bool json = false;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "carom solve: {}\n", message);
  return kBadInput;
}

/// A problem given as a matrix: impulses and velocities are in the contacts' frames, and there are no bodies.
int solve_fclib(const SolveArguments& arguments, const SolverChoice& choice) {
  const Result<FclibFile> file = load_fclib(arguments.problem);
  if (!file) return refuse(file.message());
  if (const std::string reason = matrix_refusal(choice); !reason.empty())
    return refuse(arguments.problem + ": " + reason);
  std::vector<Real> warm;
  if (!arguments.request.warm.empty()) {
    const Result<std::vector<Vec3>> impulses =
        load_warm_impulses(arguments.request.warm, file.value().problem.contact_count());
    if (!impulses) return refuse(impulses.message());
    for (const Vec3& j : impulses.value()) warm.insert(warm.end(), {j.x, j.y, j.z});
  }
  const MatrixOutcome outcome = solve_matrix(file.value().problem, choice, warm);
  fmt::print("{}", arguments.json ? matrix_solve_json(file.value(), choice, outcome)
                                  : matrix_solve_text(file.value(), choice, outcome));
  return outcome.met ? kSuccess : kNotMet;
}

int solve(const SolveArguments& arguments) {
  const Result<SolverChoice> choice = choose_solver(arguments.request);
  if (!choice) return refuse(choice.message());
  if (is_hdf5_path(arguments.problem)) return solve_fclib(arguments, choice.value());
  std::string note;
  const Result<ContactProblem> problem = find_problem(arguments.problem, note);
  if (!problem) return refuse(problem.message());
  if (!note.empty()) fmt::print(stderr, "carom solve: {}\n", note);
  if (const std::string reason = refusal(*choice.value().info, choice.value().options, problem.value());
      !reason.empty())
    return refuse(arguments.problem + ": " + reason);
  std::vector<Vec3> warm;
  if (!arguments.request.warm.empty()) {
    const Result<std::vector<Vec3>> impulses =
        load_warm_impulses(arguments.request.warm, problem.value().contacts.size());
    if (!impulses) return refuse(impulses.message());
    warm = impulses.value();
  }
  const SolveOutcome outcome = solve_problem(problem.value(), choice.value(), warm);
  fmt::print("{}", arguments.json ? solve_json(choice.value(), outcome)
                                  : solve_text(problem.value(), choice.value(), outcome));
  return outcome.met ? kSuccess : kNotMet;
}

}  // namespace

void add_solve(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("solve", "Solve a contact problem with one solver");
  auto arguments = std::make_shared<SolveArguments>();
  SolveRequest& request = arguments->request;
  command->add_option("FILE", arguments->problem, "A contact problem (.problem.json, or .hdf5 as in FCLib)")
      ->required();
  command->add_option("--solver", request.solver, "One of 'carom solvers'")->required();
  command->add_option("--set", request.settings, "An option of the solver, as NAME=VALUE; may be repeated");
  command->add_option("--cone", request.cone, "Where impulses lie: exact or pyramid; default: the solver's own")
      ->check(CLI::IsMember({"exact", "pyramid"}));
  command->add_option("--tolerance", request.tolerance, "Model residual that counts as solved; default: 1e-6");
  command->add_option("--warm", request.warm, "Start from the impulses in this file, which 'carom solve --json' wrote");
  command->add_flag("--json", arguments->json, "Print the answer as JSON");
  command->footer(
      "Exit status 1: the model residual did not meet the tolerance; the best answer is printed all the same.\n"
      "Example: carom solve pile.problem.json --solver sequential --set iterations=1000 --json");
  command->callback([arguments, &status] { status = solve(*arguments); });
}

}  // namespace carom::program
