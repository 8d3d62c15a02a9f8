// carom_bench_solvers: how long solvers take to which accuracy of their own model. Method: docs/solvers.md.
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "carom/base/error.h"
#include "study/log_plot.h"
#include "timing.h"

namespace carom::bench {
namespace {

struct Arguments {
  std::vector<std::string> subjects{"cubeglass@2", "cubeglass@12", "pile5000@2", "pile5000@9"};
  std::vector<std::string> solvers{"sequential", "qp", "qp:cone=exact", "exact"};
  std::vector<int> budgets;
  TimingSettings settings;
  std::string plots;
  bool as_is = false;
};

std::string milliseconds(double seconds) {
  const double ms = 1e3 * seconds;
  return ms < 10 ? fmt::format("{:.2g}", ms) : fmt::format("{:.0f}", ms);
}

/// Times in ms, then how far it got where it did not reach the last.
std::string row(const std::vector<Reached>& reached) {
  std::string text;
  for (std::size_t i = 0; i < std::size(kTargets); ++i)
    text += i < reached.size() && reached[i].met ? fmt::format(" {} |", milliseconds(reached[i].seconds)) : " – |";
  const Reached& last = reached.back();
  return text + (last.met ? fmt::format(" {:.1e} |", last.residual_coulomb)
                          : fmt::format(" {:.1e} (model {:.1e} after {} ms) |", last.residual_coulomb, last.residual,
                                        milliseconds(last.seconds)));
}

void print_name(const Subject& subject) {
  int moving = 0, active = 0;
  for (const ProblemBody& body : subject.problem.bodies) moving += takes_impulse(body.role) ? 1 : 0;
  for (const ContactPoint& c : subject.problem.contacts)
    if (takes_impulse(subject.problem.bodies[static_cast<std::size_t>(c.a)].role) ||
        takes_impulse(subject.problem.bodies[static_cast<std::size_t>(c.b)].role))
      ++active;
  fmt::print("\n**{}**: {} bodies that move, {} contacts; warm: {}\n\n", subject.name, moving, active,
             subject.previous ? "impulses of the step before, by contact id" : "velocities off by 0.1 g dt");
}

void print(const Subject& subject, const std::vector<SolverTimes>& all) {
  print_name(subject);
  fmt::print(
      "| solver | start | 1e-2 | 1e-4 | 1e-6 | 1e-8 | Coulomb residual at the end |\n|---|---|---|---|---|---|---|\n");
  for (const SolverTimes& times : all) {
    if (!times.refusal.empty()) {
      fmt::print("| {} | refuses: {} |\n", times.solver, times.refusal);
      continue;
    }
    fmt::print("| {} | cold |{}\n|  | warm |{}\n", times.solver, row(times.cold), row(times.warm));
  }
  std::cout << std::flush;
}

void print(const Subject& subject, const std::vector<SolverBudgets>& all) {
  print_name(subject);
  fmt::print("| solver | iterations | ms | cold | warm | approach left, m/s |\n|---|---|---|---|---|---|\n");
  for (const SolverBudgets& budgeted : all) {
    if (!budgeted.refusal.empty()) fmt::print("| {} | refuses: {} |\n", budgeted.solver, budgeted.refusal);
    for (const Budgeted& row : budgeted.rows)
      fmt::print("| {} | {} | {} | {:.1e} / {:.1e} | {:.1e} / {:.1e} | {:.2g} |\n", budgeted.solver, row.budget,
                 milliseconds(row.seconds), row.cold, row.cold_rms, row.warm, row.warm_rms, row.approach);
  }
  std::cout << std::flush;
}

/// One picture a subject: residual of the model against time, from a cold start.
void plot(const std::string& prefix, std::size_t number, const std::vector<SolverTimes>& all) {
  std::vector<PlotCurve> curves;
  for (const SolverTimes& times : all) {
    PlotCurve curve{times.solver, {}};
    for (const Reached& reached : times.cold) curve.points.push_back({1e3 * reached.seconds, reached.residual, {}});
    curves.push_back(std::move(curve));
  }
  const std::string path = fmt::format("{}{}.svg", prefix, number);
  std::ofstream file(path);
  file << log_plot_picture(curves, "time, ms", "residual of the solver's own model, in units of v_ref");
  require(file.good(), "carom_bench_solvers: a picture cannot be written where --plots says");
  std::cerr << "wrote " << path << '\n';
}

void run(const Arguments& arguments) {
  const auto progress = [](const std::string& line) {
    if (isatty(STDERR_FILENO) != 0) std::cerr << "\r\x1b[K" << line << std::flush;
  };
  if (!arguments.budgets.empty())
    fmt::print(
        "CPU milliseconds of one thread, and the residual of Coulomb's law after so many iterations: the largest and, "
        "after the stroke, the root mean square over contacts, in units of v_ref (median of {}).\n",
        arguments.settings.repeats);
  else
    fmt::print(
        "CPU milliseconds of one thread until the residual of the solver's own model is at most 1e-2 … 1e-8 "
        "(median of {}).\n",
        arguments.settings.repeats);
  std::size_t number = 0;
  for (const std::string& name : arguments.subjects) {
    progress(name + ": getting there");
    const Subject whole = find_subject(name);
    std::vector<Subject> variants{whole};
    if (!arguments.as_is) variants.push_back(with_frozen_bodies(whole));
    for (const Subject& subject : variants) {
      if (!arguments.budgets.empty()) {
        const auto rows = run_budgets(subject, arguments.solvers, arguments.budgets, arguments.settings, progress);
        progress("");
        print(subject, rows);
        continue;
      }
      const std::vector<SolverTimes> all = time_solvers(subject, arguments.solvers, arguments.settings, progress);
      progress("");
      print(subject, all);
      if (!arguments.plots.empty()) plot(arguments.plots, ++number, all);
    }
  }
}

int main_function(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Times solvers on contact problems: how long until their own model is solved to 1e-2 … 1e-8, cold and warm,\n"
      "on the problems as they are and with the bodies at rest frozen.");
  app.add_option("SUBJECT", arguments.subjects, "FILE.problem.json, or SCENE@SECONDS of a built-in scene")
      ->capture_default_str();
  app.add_option("--solvers", arguments.solvers, "names, options behind colons")->delimiter(',')->capture_default_str();
  app.add_option("--budgets", arguments.budgets,
                 "instead: the residual of Coulomb's law after so many iterations, as in 10,100,1000")
      ->delimiter(',');
  app.add_option("--patience", arguments.settings.patience, "seconds that one solve may take, about")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repeats", arguments.settings.repeats, "of each solve; the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--plots", arguments.plots, "write one SVG picture a table, named PREFIX1.svg and so on");
  app.add_flag("--as-is", arguments.as_is, "do not freeze bodies in addition");
  CLI11_PARSE(app, argc, argv);
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "carom_bench_solvers: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::main_function(argc, argv); }
