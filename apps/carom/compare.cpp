#include "study/compare.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "interrupt.h"
#include "output_options.h"
#include "study/compare_scene.h"
#include "study/output_file.h"
#include "study/scene_lookup.h"
#include "study/solve_matrix.h"
#include "terminal.h"

namespace carom::program {
namespace {

struct CompareArguments {
  std::string file, html;
  bool json = false;
  std::string solvers;    // for a problem
  SuitesRequest request;  // from here on: for a scene
  int threads = 0;
  Real fps = 30;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "carom compare: {}\n", message);
  return kBadInput;
}

/// Announces the page, or says why it could not be written.
int write_page(const CompareArguments& arguments, const std::string& page) {
  if (const std::string reason = write_output(arguments.html, page); !reason.empty()) {
    fmt::print(stderr, "carom compare: {}\n", reason);
    return kNotMet;
  }
  if (!arguments.json) print_written({arguments.html});
  return kSuccess;
}

/// A problem given as a matrix: the solvers that take one, and the answers that the file brings along.
int compare_fclib(const CompareArguments& arguments, const std::vector<SolverChoice>& solvers) {
  if (!arguments.html.empty())
    return refuse("--html: found a .hdf5 problem, expected a .problem.json one: no curves are drawn for a matrix");
  const Result<FclibFile> file = load_fclib(arguments.file);
  if (!file) return refuse(file.message());
  const std::vector<MatrixRow> rows = compare_on_matrix(file.value(), solvers);
  fmt::print("{}", arguments.json ? matrix_comparison_json(arguments.file, file.value(), rows)
                                  : matrix_comparison_text(arguments.file, file.value(), rows));
  return kSuccess;
}

/// Every solver on one problem.
int compare_on_problem(const CompareArguments& arguments) {
  const Result<std::vector<SolverChoice>> solvers = choose_solvers(arguments.solvers);
  if (!solvers) return refuse(solvers.message());
  if (is_hdf5_path(arguments.file)) return compare_fclib(arguments, solvers.value());
  std::string note;
  const Result<ContactProblem> problem = find_problem(arguments.file, note);
  if (!problem) return refuse(problem.message());
  if (!note.empty()) fmt::print(stderr, "carom compare: {}\n", note);
  if (const std::string reason = check_output(arguments.html, arguments.file); !reason.empty()) return refuse(reason);

  ProgressLine progress("compare");
  const Comparison comparison =
      compare_solvers(arguments.file, problem.value(), solvers.value(), !arguments.html.empty(),
                      [&](double share, const std::string& solver) { progress.show_share(share, solver.c_str()); });
  progress.clear();
  fmt::print("{}", arguments.json ? comparison_json(comparison) : comparison_text(comparison));
  return arguments.html.empty() ? kSuccess : write_page(arguments, comparison_html(comparison));
}

/// Every suite on one scene.
int compare_on_scene(const CompareArguments& arguments) {
  Result<Scene> scene = find_scene(arguments.file);
  // A file that names no suite may have options of `exact`, whatever its default is.
  if (!scene) scene = find_scene(arguments.file, std::string(kDefaultSuite));
  if (!scene) return refuse(scene.message());
  const Result<SuitesPlan> plan = plan_suites(scene.value(), arguments.request);
  if (!plan) return refuse(plan.message());
  OutputSettings outputs;
  outputs.html = arguments.html;
  outputs.fps = arguments.fps;
  std::string reason = check_outputs(outputs);
  if (reason.empty()) reason = check_output(arguments.html, arguments.file);
  if (!reason.empty()) return refuse(reason);

  const std::atomic<bool>& stop = catch_interrupts();
  const std::vector<SuiteChoice>& suites = plan.value().suites;
  std::vector<ProgressLine> lines;
  lines.reserve(suites.size());
  for (std::size_t i = 0; i < suites.size(); ++i)
    lines.emplace_back(fmt::format("{} {}/{} {}", scene.value().name, i + 1, suites.size(), suites[i].info->name));
  const SuitesComparison comparison = compare_suites(
      plan.value(), {usable_threads(arguments.threads), CAROM_VERSION, !arguments.html.empty(), arguments.fps}, &stop,
      [&](std::size_t suite, const RunProgress& state) { lines[suite].show(state); });
  for (ProgressLine& line : lines) line.clear();
  fmt::print("{}", arguments.json ? suites_json(comparison) : suites_text(comparison));
  if (!arguments.html.empty())
    if (const int status = write_page(arguments, suites_html(comparison)); status != kSuccess) return status;
  return comparison.is_complete() ? kSuccess : kNotMet;
}

/// Options of the other kind of file are a mistake, not something to pass over.
std::string foreign_option(const CLI::App& command, bool is_problem) {
  const std::vector<const char*> foreign =
      is_problem
          ? std::vector<const char*>{"--suites", "--reference", "--set", "--duration", "--dt", "--threads", "--fps"}
          : std::vector<const char*>{"--solvers"};
  for (const char* name : foreign)
    if (command.get_option(name)->count() > 0)
      return fmt::format("{}: found a {}, expected a {} with this option", name,
                         is_problem ? "contact problem" : "scene", is_problem ? "scene" : "contact problem");
  return {};
}

int compare_all(const CLI::App& command, const CompareArguments& arguments) {
  const bool is_problem = is_problem_file(arguments.file);
  if (const std::string mistake = foreign_option(command, is_problem); !mistake.empty()) return refuse(mistake);
  return is_problem ? compare_on_problem(arguments) : compare_on_scene(arguments);
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "compare", "Run every suite on one scene, or every solver on one contact problem, and judge them alike");
  auto arguments = std::make_shared<CompareArguments>();
  CompareArguments& a = *arguments;
  command
      ->add_option("FILE", a.file,
                   "A scene file or a built-in scene ('carom list'); or a contact problem (.problem.json, or .hdf5\n"
                   "as in FCLib)")
      ->required();
  command->add_option("--html", a.html,
                      "Write a page: of a scene the replays side by side, the table and curves; of a problem the\n"
                      "table and residual against time");
  command->add_flag("--json", a.json, "Print the table as JSON; of a problem with --html also the curves");
  command->add_option("--suites", a.request.suites, "Scene: names with commas between them, or all; default: all");
  command->add_option("--reference", a.request.reference,
                      "Scene: the suite that the end of the others is held against; default: exact");
  command
      ->add_option("--set", a.request.settings,
                   "Scene: set KEY=VALUE on every suite that takes it, or SUITE:KEY=VALUE on one; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--duration", a.request.duration, "Scene: simulated time in s; default: the scene's");
  command->add_option("--dt", a.request.dt, "Scene: length of a step in s; default: the scene's");
  command->add_option("--threads", a.threads, "Scene: 0, the default, stands for all cores")
      ->check(CLI::Range(0, kMostThreads));
  command->add_option("--fps", a.fps, "Scene: frames a second of --html; default: 30");
  command->add_option("--solvers", a.solvers, "Problem: names with commas between them, or all; default: all");
  command->footer(
      "Suites run one after another, each with its defaults; a scene's own options go with its own suite. One that\n"
      "fails or is refused is a row that says why, and the exit status is 1. Ctrl-C keeps what is done.\n"
      "Examples: carom compare stack --html stack.html\n"
      "          carom compare cubejam --suites exact,schmidl,sequential --duration 3 --set sequential:iterations=100\n"
      "          carom compare pile.problem.json --solvers sequential,shock --html pile.html");
  command->callback([command, arguments, &status] { status = compare_all(*command, *arguments); });
}

}  // namespace carom::program
