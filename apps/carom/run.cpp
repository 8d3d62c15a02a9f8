#include "study/run.h"

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "study/scene_lookup.h"
#include "terminal.h"

namespace carom::program {
namespace {

/// What was typed. Values that were not are left to the scene.
struct RunArguments {
  std::string scene, suite, stage = "contacts";
  std::vector<std::string> settings;
  std::optional<double> dt, duration, at;
  double every = 0;
  int threads = 0;
  std::string trajectory, metrics, contacts, problem;
  bool json = false, quiet = false;
};

std::atomic<bool> stop_requested{false};

extern "C" void request_stop(int /*signal*/) { stop_requested.store(true); }

/// The first signal ends the run after its step; a second one ends the program at once.
void catch_signals() {
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int usable_threads(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int refuse(const std::string& message) {
  fmt::print(stderr, "carom run: {}\n", message);
  return kBadInput;
}

RunSettings make_settings(const RunArguments& arguments, const Scene& scene, const Options& options) {
  RunSettings settings;
  settings.options = options;
  settings.threads = usable_threads(arguments.threads);
  settings.dt = arguments.dt.value_or(scene.dt);
  settings.duration = arguments.duration.value_or(scene.duration);
  settings.every = arguments.every;
  settings.version = CAROM_VERSION;
  settings.trajectory = arguments.trajectory;
  settings.metrics = arguments.metrics;
  settings.contacts = arguments.contacts;
  settings.problem = arguments.problem;
  settings.problem_time = arguments.at.value_or(0);
  settings.problem_stage = arguments.stage == "contacts" ? Stage::Contacts : Stage::Collisions;
  settings.scene_file = arguments.scene;
  return settings;
}

void print_result(const RunArguments& arguments, const RunResult& result) {
  if (arguments.json) {
    fmt::print("{}", summary_json(result.summary));
  } else if (!arguments.quiet) {
    const bool bold = is_terminal(stdout) && std::getenv("NO_COLOR") == nullptr;
    fmt::print("{}", summary_table(result.summary, bold));
    for (const std::string* path : {&arguments.trajectory, &arguments.metrics, &arguments.contacts, &arguments.problem})
      if (!path->empty() && result.end == RunEnd::Complete) fmt::print("  wrote {}\n", *path);
  }
  if (!result.message.empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "carom run: {}\n", result.message);
  }
}

int run(const RunArguments& arguments) {
  Result<Scene> scene = find_scene(arguments.scene);
  if (!scene) return refuse(scene.message());
  if (!arguments.suite.empty()) {
    const std::string refusal = choose_suite(scene.value(), arguments.suite);
    if (!refusal.empty()) return refuse("--suite: " + refusal);
  }
  const Result<Options> options = choose_options(scene.value(), arguments.settings);
  if (!options) return refuse("--set: " + options.message());
  const RunSettings settings = make_settings(arguments, scene.value(), options.value());
  const std::string refusal = check_run(settings);
  if (!refusal.empty()) return refuse(refusal);

  catch_signals();
  ProgressLine progress(scene.value().name);
  const RunResult result = run_scene(scene.value(), settings, &stop_requested, [&](const RunProgress& state) {
    if (!arguments.quiet) progress.show(state);
  });
  progress.clear();
  print_result(arguments, result);
  if (result.end == RunEnd::NotFinite) return kFailed;
  return result.end == RunEnd::Complete ? kSuccess : kNotMet;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  constexpr int kMostThreads = 1024;
  CLI::App* command = app.add_subcommand("run", "Simulate a scene file or a built-in scene");
  auto arguments = std::make_shared<RunArguments>();
  RunArguments& a = *arguments;
  command->add_option("SCENE", a.scene, "A scene file, or the name of a built-in scene ('carom list')")->required();
  command->add_option("--suite", a.suite, "How contacts are resolved ('carom suites'); default: the scene's");
  command->add_option("--set", a.settings, "Set an option of the suite, KEY=VALUE; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--duration", a.duration, "Simulated time in s; default: the scene's");
  command->add_option("--dt", a.dt, "Length of a step in s; default: the scene's");
  command->add_option("--threads", a.threads, "0, the default, stands for all cores; the result does not depend on it")
      ->check(CLI::Range(0, kMostThreads));
  command->add_option("--every", a.every, "Seconds between samples of trajectory and contacts; default: every step");
  command->add_option("--trajectory", a.trajectory, "Write the motion of every body to this CSV file");
  command->add_option("--metrics", a.metrics, "Write a row a step to this CSV file: energy, errors, times");
  command->add_option("--contacts", a.contacts, "Write every contact with its impulses to this CSV file");
  CLI::Option* dump =
      command->add_option("--dump-problem", a.problem, "Write the contact problem of one step to this file");
  CLI::Option* at =
      command->add_option("--at", a.at, "The step to dump is the one that contains this time, in s")->needs(dump);
  command->add_option("--stage", a.stage, "The stage to dump: contacts (default) or collisions")
      ->check(CLI::IsMember({"collisions", "contacts"}))
      ->needs(dump);
  dump->needs(at);
  command->add_flag("--json", a.json, "Print the summary as JSON on standard output, and nothing else there");
  command->add_flag("-q,--quiet", a.quiet, "No progress and no summary table");
  command->footer(
      "Ctrl-C ends the run after the current step, with everything written so far kept (exit status 1).\n"
      "Example: carom run stack --duration 5 --set iterations=50 --trajectory stack.csv --metrics steps.csv");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace carom::program
