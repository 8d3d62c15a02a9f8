// carom_bench_freezing: what freezing saves. The protocol of Schmidl and Milenkovic (2004), section 6, Table 1: the
// same scene with and without freezing, step 1 (the priority queue) skipped, both runs warm started alike; mean time of
// a quadratic program of either kind, number of programs, time of the whole run, and whether the bodies end up as high.
// Piles are chaotic: one run says little about a height. So pairs of runs are repeated with steps that differ by
// thousandths, and what is compared are means, with how far they may be off. (By billionths runs part late: they share
// the fall, and all end as high or as low as it happens to lead to.)
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "study/scene_lookup.h"

namespace carom::bench {
namespace {

/// A scene, and after how many quiet steps its bodies freeze. The counts for stack and cubejam are the paper's.
struct Subject {
  std::string scene;
  int quiet_steps = 1;
};

struct Arguments {
  std::vector<std::string> scenes{"stack:1", "cubejam:3", "csstack:1"};
  std::string suite = "schmidl";
  std::vector<std::string> settings{"collisions=qp"};
  std::optional<Real> duration, dt;
  int runs = 3;
  double spread = 1e-3;
  bool json = false;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Problems of one stage: those with something to solve.
struct StageCount {
  std::int64_t problems = 0;
  double seconds = 0;  // of the whole stage

  double mean() const { return problems > 0 ? seconds / static_cast<double>(problems) : 0; }
};

struct Figures {
  StageCount collisions, contacts;
  double seconds = 0;         // CPU, of all steps
  double moving_seconds = 0;  // the same, of each step only the share of bodies that eq. 15 does not let freeze
  double active_contacts = 0;
  std::vector<Real> heights;  // m: mean of the dynamic bodies at the end, of each run
  Real worst_residual = 0;
  std::int64_t frozen = 0, dynamic = 0, steps = 0, unconverged = 0;
  std::uint64_t hash = 0;
};

bool has_work(const ContactProblem& problem) {
  return std::ranges::any_of(problem.contacts, [&](const ContactPoint& c) {
    return takes_impulse(problem.bodies[static_cast<std::size_t>(c.a)].role) ||
           takes_impulse(problem.bodies[static_cast<std::size_t>(c.b)].role);
  });
}

struct Spread {
  Real mean = 0, deviation = 0;
};

Spread spread(const std::vector<Real>& values) {
  const auto count = static_cast<Real>(values.size());
  Spread s;
  for (const Real v : values) s.mean += v / count;
  for (const Real v : values) s.deviation += (v - s.mean) * (v - s.mean);
  s.deviation = values.size() > 1 ? std::sqrt(s.deviation / (count - 1)) : 0;
  return s;
}

/// Of the dynamic bodies: how many have more kinetic energy than a step of free fall gives (eq. 15).
double moving_share(const World& world, Real dt) {
  int moving = 0, all = 0;
  for (const BodyHandle body : world.bodies()) {
    if (world.type(body) != BodyType::Dynamic) continue;
    const BodyState& state = world.state(body);
    const Real mass = world.mass(body), fall = norm(world.gravity()) * dt;
    const Real energy = 0.5 * mass * dot(state.velocity, state.velocity) +
                        0.5 * dot(state.angular_velocity, world.inertia(body) * state.angular_velocity);
    moving += energy > 0.5 * mass * fall * fall ? 1 : 0;
    ++all;
  }
  return all > 0 ? static_cast<double>(moving) / all : 0;
}

/// Adds a run to the figures.
void run_once(const Scene& scene, const Options& options, Real dt, Real duration, Figures& figures) {
  World world = make_world(scene, options);
  world.set_problem_observer([&](Stage stage, const ContactProblem& problem) {
    if (has_work(problem)) ++(stage == Stage::Collisions ? figures.collisions : figures.contacts).problems;
  });
  const std::int64_t steps = std::llround(duration / dt);
  for (std::int64_t step = 0; step < steps; ++step, ++figures.steps) {
    const double start = cpu_seconds();
    const StepReport report = world.step(dt);
    const double seconds = cpu_seconds() - start;
    figures.seconds += seconds;
    figures.moving_seconds += seconds * moving_share(world, dt);
    require(report.finite, "carom_bench_freezing: the state is no longer finite");
    figures.collisions.seconds += report.seconds.collisions;
    figures.contacts.seconds += report.seconds.contacts;
    figures.active_contacts += static_cast<double>(report.active_contacts);
    figures.worst_residual = std::max(figures.worst_residual, report.residual_model);
    figures.unconverged += report.converged ? 0 : 1;
    figures.frozen = report.frozen;
  }
  Real height = 0;
  figures.dynamic = 0;
  for (const BodyHandle body : world.bodies()) {
    if (world.type(body) != BodyType::Dynamic) continue;
    height += world.state(body).position.z;
    ++figures.dynamic;
  }
  figures.heights.push_back(height / static_cast<Real>(std::max<std::int64_t>(figures.dynamic, 1)));
  figures.hash = world.state_hash();
}

Options with(Options options, const std::string& name, const OptionValue& value) {
  if (const std::string refusal = options.set(name, value); !refusal.empty()) fail(refusal);
  return options;
}

Subject read_subject(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text};
  return {text.substr(0, colon), std::stoi(text.substr(colon + 1))};
}

void print_json(const Subject& subject, const Arguments& arguments, const char* run, const Figures& f) {
  fmt::print(
      R"({{"scene": "{}", "suite": "{}", "freezing": "{}", "c_f": {}, "runs": {}, "steps": {}, "cpu_seconds": {:.6g}, "moving_cpu_seconds": {:.6g}, )"
      R"("collision_problems": {}, "mean_collision_ms": {:.6g}, "contact_problems": {}, "mean_contact_ms": {:.6g}, )"
      R"("mean_active_contacts": {:.6g}, "mean_height": {:.9g}, "height_deviation": {:.3g}, "frozen_end": {}, "worst_residual_model": {:.3g}, )"
      R"("unconverged_steps": {}, "state_hash": "{:016x}"}})"
      "\n",
      subject.scene, arguments.suite, run, subject.quiet_steps, f.heights.size(), f.steps, f.seconds, f.moving_seconds,
      f.collisions.problems, 1e3 * f.collisions.mean(), f.contacts.problems, 1e3 * f.contacts.mean(),
      f.active_contacts / static_cast<double>(f.steps), spread(f.heights).mean, spread(f.heights).deviation, f.frozen,
      f.worst_residual, f.unconverged, f.hash);
}

double ratio(double without, double with) { return with > 0 ? without / with : 0; }

void print_table(const Subject& subject, const Figures& off, const Figures& on) {
  fmt::print("\n**{}** (c_f = {}): {} bodies, {} steps in {} runs, {} frozen at the end\n\n", subject.scene,
             subject.quiet_steps, on.dynamic, on.steps, on.heights.size(), on.frozen);
  fmt::print("| | without freezing | with freezing | ratio |\n|---|---|---|---|\n");
  const auto row = [](const char* name, double a, double b) {
    fmt::print("| {} | {:.4g} | {:.4g} | {:.3g} |\n", name, a, b, ratio(a, b));
  };
  row("contacts with an impulse, mean of a step", off.active_contacts / static_cast<double>(off.steps),
      on.active_contacts / static_cast<double>(on.steps));
  row("collision stage, mean ms a QP", 1e3 * off.collisions.mean(), 1e3 * on.collisions.mean());
  row("collision QPs", static_cast<double>(off.collisions.problems), static_cast<double>(on.collisions.problems));
  row("contact stage, mean ms a QP", 1e3 * off.contacts.mean(), 1e3 * on.contacts.mean());
  row("contact QPs", static_cast<double>(off.contacts.problems), static_cast<double>(on.contacts.problems));
  row("all runs, CPU s", off.seconds, on.seconds);
  // What moves has to be computed, whatever freezes: where time goes with the number of bodies, this is the limit.
  row("all runs, if just the bodies below eq. 15 cost nothing", off.seconds, off.moving_seconds);
  const Spread a = spread(off.heights), b = spread(on.heights);
  const Real error =
      std::sqrt((a.deviation * a.deviation + b.deviation * b.deviation) / static_cast<Real>(on.heights.size()));
  fmt::print(
      "| mean height at the end, m; deviation of a run | {:.4f}; {:.3f} | {:.4f}; {:.3f} | difference {:.4f} ± {:.4f} "
      "|\n",
      a.mean, a.deviation, b.mean, b.deviation, b.mean - a.mean, error);
  fmt::print("| worst residual of the model | {:.1e} | {:.1e} | |\n", off.worst_residual, on.worst_residual);
  fmt::print("| steps not converged | {} | {} | |\n", off.unconverged, on.unconverged);
  std::cout << std::flush;
}

void run(const Arguments& arguments) {
  for (const std::string& text : arguments.scenes) {
    const Subject subject = read_subject(text);
    Result<Scene> scene = find_scene(subject.scene);
    if (!scene) fail(scene.message());
    if (const std::string refusal = choose_suite(scene.value(), arguments.suite); !refusal.empty()) fail(refusal);
    const Result<Options> chosen = choose_options(scene.value(), arguments.settings);
    if (!chosen) fail(chosen.message());
    const Options off = with(chosen.value(), "freezing", false);
    const Options on = with(with(chosen.value(), "freezing", true), "c_f", static_cast<double>(subject.quiet_steps));
    const Real dt = arguments.dt.value_or(scene.value().dt);
    const Real duration = arguments.duration.value_or(scene.value().duration);
    Figures without, with_it;
    for (int i = 0; i < arguments.runs; ++i) {
      const Real other = dt * (1 + arguments.spread * (i - 0.5 * (arguments.runs - 1)));
      run_once(scene.value(), off, other, duration, without);
      run_once(scene.value(), on, other, duration, with_it);
    }
    if (arguments.json) {
      print_json(subject, arguments, "off", without);
      print_json(subject, arguments, "on", with_it);
    } else {
      print_table(subject, without, with_it);
    }
  }
}

int main_function(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "What freezing saves: scenes with and without it, by turns, on one thread; the priority queue skipped, as "
      "Schmidl\n"
      "and Milenkovic (2004) do when they measure it.");
  app.add_option("SCENE", arguments.scenes, "scenes, each with c_f behind a colon")->capture_default_str();
  app.add_option("--suite", arguments.suite, "the suite")->capture_default_str();
  app.add_option("--set", arguments.settings, "options of the suite, key=value")->capture_default_str();
  app.add_option("--duration", arguments.duration, "s, where it is not the scene's")->check(CLI::PositiveNumber);
  app.add_option("--dt", arguments.dt, "s, where it is not the scene's")->check(CLI::PositiveNumber);
  app.add_option("--runs", arguments.runs, "pairs of runs of a scene")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--spread", arguments.spread, "by how much steps of runs differ, as a share; runs are around the step")
      ->check(CLI::Range(0.0, 0.1))
      ->capture_default_str();
  app.add_flag("--json", arguments.json, "one line of JSON a run");
  CLI11_PARSE(app, argc, argv);
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "carom_bench_freezing: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::main_function(argc, argv); }
