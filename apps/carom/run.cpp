#include "study/run.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/dynamics/suite.h"
#include "commands.h"
#include "interrupt.h"
#include "output_options.h"
#include "study/scene_lookup.h"
#include "terminal.h"

namespace carom::program {
namespace {

/// What was typed. Values that were not are left to the scene.
struct RunArguments {
  std::string scene, suite, stage = "contacts";
  std::vector<std::string> settings;
  std::optional<double> dt, duration, at, from;
  double snapshot_every = 1;
  int threads = 0;
  OutputSettings outputs;
  std::string record, resume, problem;
  bool record_contacts = false, record_events = false, json = false, quiet = false;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "carom run: {}\n", message);
  return kBadInput;
}

Result<RunPlan> plan_scene(const RunArguments& arguments, const RunSettings& asked) {
  using Failure = Result<RunPlan>;
  if (arguments.scene.empty())
    return Failure::failure("found neither SCENE nor --resume, expected a scene ('carom list') or a recording");
  const Result<Scene> scene = find_scene(arguments.scene, arguments.suite);
  if (!scene) return Failure::failure(scene.message());
  RunPlan plan{scene.value(), asked};
  const Result<Options> options = choose_options(plan.scene, arguments.settings);
  if (!options) return Failure::failure("--set: " + options.message());
  plan.settings.options = options.value();
  plan.settings.dt = arguments.dt.value_or(plan.scene.dt);
  plan.settings.duration = arguments.duration.value_or(plan.scene.duration);
  plan.settings.input_file = arguments.scene;
  return plan;
}

/// What is the same for a scene and for a recording.
RunSettings make_settings(const RunArguments& arguments) {
  RunSettings settings;
  settings.threads = usable_threads(arguments.threads);
  settings.version = CAROM_VERSION;
  settings.outputs = arguments.outputs;
  settings.record = arguments.record;
  settings.record_contacts = arguments.record_contacts;
  settings.record_events = arguments.record_events;
  settings.snapshot_every = arguments.snapshot_every;
  settings.problem = arguments.problem;
  settings.problem_time = arguments.at.value_or(0);
  settings.problem_stage = arguments.stage == "contacts" ? Stage::Contacts : Stage::Collisions;
  return settings;
}

void print_result(const RunArguments& arguments, const RunSettings& settings, const RunResult& result) {
  if (arguments.json) {
    fmt::print("{}", summary_json(result.summary));
  } else if (!arguments.quiet) {
    const bool bold = is_terminal(stdout) && std::getenv("NO_COLOR") == nullptr;
    fmt::print("{}", summary_table(result.summary, bold));
    if (result.end == RunEnd::Complete) print_written(output_paths(settings));
  }
  if (!result.message.empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "carom run: {}\n", result.message);
  }
}

int run(const RunArguments& arguments) {
  const RunSettings asked = make_settings(arguments);
  const Result<RunPlan> plan = arguments.resume.empty()
                                   ? plan_scene(arguments, asked)
                                   : plan_resumption(arguments.resume, arguments.from, arguments.duration, asked);
  if (!plan) return refuse(plan.message());
  const auto& [scene, settings] = plan.value();
  std::string refusal = check_suite(scene, settings);
  if (refusal.empty()) refusal = check_run(settings);
  if (!refusal.empty()) return refuse(refusal);
  if (settings.resume && !arguments.quiet && !arguments.json) fmt::print("{}\n", resumption_text(plan.value()));

  const std::atomic<bool>& stop = catch_interrupts();
  ProgressLine progress(scene.name);
  const RunResult result = run_scene(scene, settings, &stop, [&](const RunProgress& state) {
    if (!arguments.quiet) progress.show(state);
  });
  progress.clear();
  if (result.end == RunEnd::NotStarted) return refuse(arguments.resume + ": " + result.message);
  print_result(arguments, settings, result);
  if (result.end == RunEnd::NotFinite) return kFailed;
  return result.end == RunEnd::Complete ? kSuccess : kNotMet;
}

void add_recording_options(CLI::App& command, RunArguments& a, CLI::Option* scene) {
  CLI::Option* record = command.add_option("--record", a.record, "Write a recording, for 'carom export' and --resume");
  command
      .add_flag("--record-contacts", a.record_contacts, "Keep every contact in the recording: several times as large")
      ->needs(record);
  command
      .add_flag("--record-events", a.record_events,
                "Keep every impact of an event-driven suite (mirtich) in the recording")
      ->needs(record);
  command.add_option("--snapshot-every", a.snapshot_every, "Seconds between states to resume from; default: 1")
      ->needs(record);
  CLI::Option* resume =
      command.add_option("--resume", a.resume,
                         "Go on from the last snapshot of this recording, bit for bit; with --record of the\n"
                         "same file the recording is continued, its frames after the snapshot written anew");
  command.add_option("--from", a.from, "Resume from the last snapshot at or before this time, in s")->needs(resume);
  for (CLI::Option* other :
       {scene, command.get_option("--suite"), command.get_option("--set"), command.get_option("--dt")})
    resume->excludes(other);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene file or a built-in scene");
  auto arguments = std::make_shared<RunArguments>();
  RunArguments& a = *arguments;
  CLI::Option* scene =
      command->add_option("SCENE", a.scene, "A scene file, or the name of a built-in scene ('carom list')");
  command->add_option("--suite", a.suite,
                      fmt::format("How contacts are resolved ('carom suites'); default: the scene's own. A scene that\n"
                                  "names none has {} from {} dynamic bodies on, else {}",
                                  default_suite(kFastFromBodies).name, kFastFromBodies, default_suite(0).name));
  command->add_option("--set", a.settings, "Set an option of the suite, KEY=VALUE; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--duration", a.duration, "Simulated time in s; default: the scene's");
  command->add_option("--dt", a.dt, "Length of a step in s; default: the scene's");
  command->add_option("--threads", a.threads, "0, the default, stands for all cores; the result does not depend on it")
      ->check(CLI::Range(0, kMostThreads));
  add_recording_options(*command, a, scene);
  add_output_options(*command, a.outputs);
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
      "Examples: carom run hourglass --html hourglass.html\n"
      "          carom run stack --duration 5 --set iterations=50 --trajectory stack.csv --metrics steps.csv\n"
      "          carom run cubejam --record jam.carom      and, after an interruption:\n"
      "          carom run --resume jam.carom --record jam.carom");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace carom::program
