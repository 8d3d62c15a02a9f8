#include "study/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "carom/dynamics/suite.h"
#include "carom/io/problem_file.h"
#include "io/recording.h"
#include "study/failure_file.h"
#include "study/outputs.h"

namespace carom {
namespace {

constexpr std::size_t kReportsBeforeFailure = 20;

bool is_event_driven(const Scene& scene) {
  const SuiteInfo* suite = find_suite(scene.suite);
  return suite != nullptr && suite->event_driven;
}

/// Beside the first file that was asked for, or else in the current folder.
std::string failure_path(const RunSettings& settings, const Scene& scene) {
  std::string name = scene.name;
  std::replace(name.begin(), name.end(), '/', '_');
  const std::vector<std::string> paths = output_paths(settings);
  const auto folder = paths.empty() ? std::filesystem::path() : std::filesystem::path(paths.front()).parent_path();
  return (folder / (name + "-failed.json")).string();
}

/// The step that contains the time asked for. A time that is a rounded multiple of dt belongs to the step it begins.
std::int64_t step_at(const RunSettings& settings) {
  const Real step = std::floor(settings.problem_time / settings.dt + kStepRounding);
  return std::min(static_cast<std::int64_t>(step), step_count(settings.duration, settings.dt) - 1);
}

/// Keeps the problem of the step that contains a given time, and writes it when the step is over.
class ProblemDump {
 public:
  ProblemDump(const RunSettings& settings, const Scene& scene, World& world)
      : settings_(settings), scene_(scene), world_(world), step_(step_at(settings)) {}
  ~ProblemDump() { world_.set_problem_observer(nullptr); }
  ProblemDump(const ProblemDump&) = delete;
  ProblemDump& operator=(const ProblemDump&) = delete;

  void before_step(std::int64_t step) {
    if (settings_.problem.empty() || step != step_) return;
    time_ = world_.time();
    problem_.emplace();  // stays empty where the stage has nothing to solve
    world_.set_problem_observer([this](Stage stage, const ContactProblem& problem) {
      if (stage == settings_.problem_stage) problem_ = problem;
    });
  }

  std::string after_step() {
    if (!problem_ || written_) return {};
    world_.set_problem_observer(nullptr);
    written_ = true;
    const char* stage = settings_.problem_stage == Stage::Contacts ? "contacts" : "collisions";
    return save_problem(*problem_, settings_.problem,
                        fmt::format("{}, {} stage of the step from {} s", scene_.name, stage, time_));
  }

  bool is_missing() const { return !settings_.problem.empty() && !written_; }

 private:
  const RunSettings& settings_;
  const Scene& scene_;
  World& world_;
  std::int64_t step_;
  std::optional<ContactProblem> problem_;
  Real time_ = 0;
  bool written_ = false;
};

/// Writes the last good state and what led to it.
void fail_not_finite(const Scene& scene, const RunSettings& settings, const World& world,
                     const std::deque<StepReport>& reports, RunResult& result) {
  result.end = RunEnd::NotFinite;
  result.message =
      fmt::format("the simulation failed in the step after {} s: the state is no longer finite", world.time());
  if (!settings.keep_failure) return;
  const std::string path = failure_path(settings, scene);
  const std::string error = write_failure(path, scene, settings.options, settings.dt, world, reports);
  result.message += "; ";
  result.message += error.empty() ? "the last good state and what led to it are in " + path
                                  : "the last good state could not be written: " + error;
}

/// A run under way.
class Run {
 public:
  Run(const Scene& scene, const RunSettings& settings)
      : scene_(scene),
        settings_(settings),
        world_(make_world(scene, settings.options, settings.threads)),
        dump_(settings, scene, world_),
        snapshots_(settings.snapshot_every, settings.dt) {}

  RunResult go(const std::atomic<bool>* stop, const std::function<void(const RunProgress&)>& progress) {
    if (!begin()) return result_;
    const std::int64_t steps = step_count(settings_.duration, settings_.dt);
    while (step_ < steps && result_.end == RunEnd::Complete) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
        result_.end = RunEnd::Interrupted;
        break;
      }
      advance();
      if (progress && result_.end == RunEnd::Complete)
        progress(
            {world_.time(), settings_.duration, start_time_, elapsed(), &recent_.back(), accumulator_->event_count()});
    }
    end();
    return result_;
  }

 private:
  bool begin() {
    if (settings_.resume) {
      result_.message = world_.restore(settings_.resume->state);
      step_ = settings_.resume->step;
      if (!result_.message.empty()) result_.end = RunEnd::NotStarted;
      if (result_.end != RunEnd::Complete) return false;
    }
    start_time_ = world_.time();
    const RecordingHeader header = make_header();
    const Cast cast = make_cast(header);
    outputs_.emplace(settings_.outputs, cast);
    for (const RunWatcher& watcher : settings_.watchers)
      outputs_->add(watcher.make(cast), Sampler(watcher.every, settings_.dt), watcher.with_contacts);
    accumulator_.emplace(world_, is_event_driven(scene_));
    // A recording that goes on holds this moment already.
    if (!settings_.resume_in_place) open_recording(header);
    if (outputs_->wants_frame(start_time_)) add_frame();
    if (settings_.resume_in_place) open_recording(header);
    snapshots_.is_due(start_time_);
    if (recording_ != nullptr && !settings_.resume_in_place) add_snapshot();
    note_write_failure();
    start_ = std::chrono::steady_clock::now();
    return true;
  }

  RecordingHeader make_header() const {
    return {settings_.version,         scene_,
            settings_.options,         settings_.dt,
            settings_.duration,        settings_.outputs.every,
            settings_.record_contacts, settings_.record_events};
  }

  void open_recording(const RecordingHeader& header) {
    if (settings_.record.empty()) return;
    auto recording = settings_.resume_in_place
                         ? std::make_unique<RecordingWriter>(settings_.record, header, *settings_.resume)
                         : std::make_unique<RecordingWriter>(settings_.record, header);
    recording_ = recording.get();
    Sampler frames(settings_.outputs.every, settings_.dt);
    if (settings_.resume_in_place) frames.is_due(start_time_);
    outputs_->add(std::move(recording), frames, settings_.record_contacts);
  }

  void add_frame() {
    capture(world_, outputs_->wants_contacts(), frame_);
    outputs_->add_frame(frame_);
  }

  void add_events() {
    capture(world_, events_);
    accumulator_->add(events_);
    outputs_->add_events(events_);
  }

  void advance() {
    dump_.before_step(step_);
    const StepReport report = world_.step(settings_.dt);
    const std::string dump_error = dump_.after_step();
    if (recent_.size() == kReportsBeforeFailure) recent_.pop_front();
    recent_.push_back(report);
    if (!report.finite) {
      fail_not_finite(scene_, settings_, world_, recent_, result_);
      return;
    }
    ++step_;
    accumulator_->add(report);
    outputs_->add_step(report);
    if (!world_.events().empty()) add_events();
    if (outputs_->wants_frame(world_.time())) add_frame();
    if (recording_ != nullptr && snapshots_.is_due(world_.time())) add_snapshot();
    note_write_failure();
    if (!dump_error.empty()) {
      result_.end = RunEnd::WriteFailed;
      result_.message = dump_error;
    }
  }

  void add_snapshot() {
    recording_->add_snapshot(world_, step_);
    last_snapshot_ = step_;
  }

  void end() {
    if (recording_ != nullptr) {
      if (last_snapshot_ != step_) add_snapshot();
      const char* reason = result_.end == RunEnd::Complete      ? "complete"
                           : result_.end == RunEnd::Interrupted ? "interrupted"
                                                                : "failed";
      recording_->add_end({reason, step_, world_.time(), world_.state_hash()});
    }
    outputs_->finish();
    if (result_.end == RunEnd::Complete || result_.end == RunEnd::Interrupted) note_write_failure();
    summarise();
    if (result_.end == RunEnd::Interrupted) {
      result_.message = "interrupted: everything up to here is written";
      if (dump_.is_missing())
        result_.message += fmt::format(", but {} is not: its time was not reached", settings_.problem);
    }
  }

  void note_write_failure() {
    result_.message = outputs_->error();
    if (!result_.message.empty()) result_.end = RunEnd::WriteFailed;
  }

  void summarise() {
    RunSummary& summary = result_.summary;
    summary = accumulator_->finish(world_);
    summary.scene = scene_.name;
    summary.suite = scene_.suite;
    summary.suite_reason = scene_.suite_reason;
    summary.version = settings_.version;
    summary.threads = settings_.threads;
    summary.wall_seconds = elapsed();
    summary.interrupted = result_.end == RunEnd::Interrupted;
  }

  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  const Scene& scene_;
  const RunSettings& settings_;
  World world_;
  ProblemDump dump_;
  Sampler snapshots_;
  std::optional<Outputs> outputs_;
  RecordingWriter* recording_ = nullptr;  // one of the outputs
  std::optional<SummaryAccumulator> accumulator_;
  std::deque<StepReport> recent_;
  Frame frame_;
  StepEvents events_;
  RunResult result_;
  std::int64_t step_ = 0, last_snapshot_ = -1;
  Real start_time_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::int64_t step_count(Real duration, Real dt) {
  return static_cast<std::int64_t>(std::max(0.0, std::ceil(std::min(duration / dt, 1e18) - kStepRounding)));
}

std::string check_suite(const Scene& scene, const RunSettings& settings) {
  const SuiteInfo* info = find_suite(scene.suite);
  const std::string found = "found suite " + suite_text(scene.suite, scene.suite_reason);
  if (!settings.problem.empty() && info != nullptr && !info->makes_problems)
    return fmt::format("--dump-problem: {}, whose steps solve no contact problems, expected another one, as --suite {}",
                       found, kDefaultSuite);
  const bool wants_events = settings.record_events || !settings.outputs.events.empty();
  if (is_event_driven(scene) || !wants_events) return {};
  std::string suites;
  for (const SuiteInfo& suite : suite_registry())
    if (suite.event_driven) suites += (suites.empty() ? "" : ", ") + suite.name;
  return fmt::format("{}: {}, which takes fixed steps and has no events, expected an event-driven one: {}",
                     settings.record_events ? "--record-events" : "--events", found, suites);
}

std::string check_run(const RunSettings& settings) {
  if (!(settings.dt > 0) || !std::isfinite(settings.dt)) return "the step dt must be a positive number of seconds";
  if (!(settings.duration >= 0) || !std::isfinite(settings.duration))
    return "the duration must be a number of seconds, at least 0";
  if (!(settings.snapshot_every > 0) || !std::isfinite(settings.snapshot_every))
    return "the interval between snapshots must be a positive number of seconds";
  const std::int64_t steps = step_count(settings.duration, settings.dt);
  if (steps > kMostSteps)
    return fmt::format("found {} steps of {} s, expected at most {}", steps, settings.dt, kMostSteps);
  const Real end = static_cast<Real>(steps) * settings.dt;
  const Real start = settings.resume ? settings.resume->time : 0;
  if (!settings.problem.empty() && !(settings.problem_time >= start && settings.problem_time < end))
    return fmt::format("no step contains {} s: the run goes from {:.6g} to {:.6g} s", settings.problem_time, start,
                       end);
  if (settings.resume && settings.resume->step >= steps)
    return fmt::format("found a run that has reached {:.6g} s, expected a longer duration to go on to (--duration)",
                       settings.resume->time);

  std::string refusal = check_outputs(settings.outputs);
  if (refusal.empty()) refusal = check_paths(output_paths(settings));
  if (!refusal.empty()) return refusal;
  for (const std::string& path : output_paths(settings)) {
    std::error_code ignored;
    const bool is_input =
        !settings.input_file.empty() && std::filesystem::equivalent(path, settings.input_file, ignored);
    if (is_input && !(settings.resume_in_place && path == settings.record))
      return path + ": found the file that is read as an output, expected another file";
  }
  return {};
}

std::vector<std::string> output_paths(const RunSettings& settings) {
  std::vector<std::string> paths = output_paths(settings.outputs);
  for (const std::string* path : {&settings.record, &settings.problem})
    if (!path->empty()) paths.push_back(*path);
  return paths;
}

Result<RunPlan> plan_resumption(const std::string& path, std::optional<Real> from, std::optional<Real> duration,
                                const RunSettings& asked) {
  const Result<Recording> recording = Recording::open(path);
  if (!recording) return Result<RunPlan>::failure(recording.message());
  const Result<RecordedSnapshot> snapshot =
      from ? recording.value().find_snapshot(*from) : recording.value().find_snapshot();
  if (!snapshot) return Result<RunPlan>::failure(snapshot.message());
  const RecordingHeader& header = recording.value().header();
  RunPlan plan{header.scene, asked};
  plan.settings.options = header.options;
  plan.settings.dt = header.dt;
  plan.settings.duration = duration.value_or(header.duration);
  plan.settings.resume = std::make_shared<RecordedSnapshot>(snapshot.value());
  plan.settings.input_file = path;
  std::error_code ignored;
  if (!asked.record.empty() && std::filesystem::equivalent(asked.record, path, ignored)) {
    plan.settings.resume_in_place = true;
    plan.settings.outputs.every = header.every;
    plan.settings.record_contacts = header.contacts;
    plan.settings.record_events = header.events;
  }
  return plan;
}

std::string resumption_text(const RunPlan& plan) {
  const RunSettings& settings = plan.settings;
  if (!settings.resume) return {};
  std::string text =
      fmt::format("Resuming {} from {:.6g} s (step {})", plan.scene.name, settings.resume->time, settings.resume->step);
  if (settings.record.empty())
    text += fmt::format("; {0} stays as it is: --record {0} would continue it", settings.input_file);
  return text;
}

RunResult run_scene(const Scene& scene, const RunSettings& settings, const std::atomic<bool>* stop,
                    const std::function<void(const RunProgress&)>& progress) {
  return Run(scene, settings).go(stop, progress);
}

}  // namespace carom
