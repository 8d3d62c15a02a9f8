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

#include "carom/io/problem_file.h"
#include "io/run_files.h"
#include "study/failure_file.h"

namespace carom {
namespace {

constexpr Real kStepRounding = 0.01;  // of a step: what a rounded dt or time in a file may be off by
constexpr std::size_t kReportsBeforeFailure = 20;

std::vector<std::string> output_paths(const RunSettings& settings) {
  std::vector<std::string> paths;
  for (const std::string* path : {&settings.trajectory, &settings.metrics, &settings.contacts, &settings.problem})
    if (!path->empty()) paths.push_back(*path);
  return paths;
}

/// When samples are due: at the first step that reaches each multiple of the interval.
class Sampler {
 public:
  Sampler(Real every, Real dt) : every_(every), slack_(kStepRounding * dt) {}

  bool is_due(Real time) {
    if (every_ <= 0) return true;
    const Real reached = std::floor((time + slack_) / every_);
    if (reached <= last_) return false;
    last_ = reached;
    return true;
  }

 private:
  Real every_, slack_;
  Real last_ = -1;
};

/// The files of a run, opened together.
class Outputs {
 public:
  Outputs(const RunSettings& settings, const World& world) : sampler_(settings.every, settings.dt) {
    if (!settings.trajectory.empty()) trajectory_.emplace(settings.trajectory, world);
    if (!settings.metrics.empty()) metrics_.emplace(settings.metrics);
    if (!settings.contacts.empty()) contacts_.emplace(settings.contacts);
    if (sampler_.is_due(0) && trajectory_) trajectory_->sample(world);
  }

  void add(const World& world, const StepReport& report) {
    if (metrics_) metrics_->add(report);
    if (!sampler_.is_due(world.time())) return;
    if (trajectory_) trajectory_->sample(world);
    if (contacts_) contacts_->sample(world);
  }

  void flush() {
    for_each([](CsvFile& file) { file.flush(); });
  }

  /// The first failure, or empty.
  std::string error() {
    std::string error;
    for_each([&](CsvFile& file) {
      if (error.empty()) error = file.error();
    });
    return error;
  }

 private:
  template <class F>
  void for_each(F&& call) {
    if (trajectory_) call(trajectory_->file());
    if (metrics_) call(metrics_->file());
    if (contacts_) call(contacts_->file());
  }

  Sampler sampler_;
  std::optional<TrajectoryFile> trajectory_;
  std::optional<MetricsFile> metrics_;
  std::optional<ContactsFile> contacts_;
};

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

void fail_not_finite(const Scene& scene, const RunSettings& settings, const World& world,
                     const std::deque<StepReport>& reports, RunResult& result) {
  const std::string path = failure_path(settings, scene);
  const std::string error = write_failure(path, scene, settings.options, settings.dt, world, reports);
  result.end = RunEnd::NotFinite;
  result.message =
      fmt::format("the simulation failed in the step after {} s: the state is no longer finite; ", world.time());
  result.message += error.empty() ? "the last good state and what led to it are in " + path
                                  : "the last good state could not be written: " + error;
}

}  // namespace

std::int64_t step_count(Real duration, Real dt) {
  return static_cast<std::int64_t>(std::max(0.0, std::ceil(std::min(duration / dt, 1e18) - kStepRounding)));
}

std::string check_run(const RunSettings& settings) {
  if (!(settings.dt > 0) || !std::isfinite(settings.dt)) return "the step dt must be a positive number of seconds";
  if (!(settings.duration >= 0) || !std::isfinite(settings.duration))
    return "the duration must be a number of seconds, at least 0";
  if (!(settings.every >= 0) || !std::isfinite(settings.every))
    return "the sampling interval must be a number of seconds, at least 0";
  const std::int64_t steps = step_count(settings.duration, settings.dt);
  if (steps > kMostSteps)
    return fmt::format("found {} steps of {} s, expected at most {}", steps, settings.dt, kMostSteps);
  const Real end = static_cast<Real>(steps) * settings.dt;
  if (!settings.problem.empty() && !(settings.problem_time >= 0 && settings.problem_time < end))
    return fmt::format("no step contains {} s: the run goes from 0 to {} s", settings.problem_time, end);

  const std::vector<std::string> paths = output_paths(settings);
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (std::filesystem::path(paths[i]).lexically_normal() == std::filesystem::path(paths[k]).lexically_normal())
        return paths[i] + ": found the same file for two outputs, expected one each";
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!settings.scene_file.empty() && std::filesystem::equivalent(path, settings.scene_file, ignored))
      return path + ": found the scene file as an output, expected another file";
  }
  return check_writable(paths);
}

RunResult run_scene(const Scene& scene, const RunSettings& settings, const std::atomic<bool>* stop,
                    const std::function<void(const RunProgress&)>& progress) {
  World world = make_world(scene, settings.options, settings.threads);
  Outputs outputs(settings, world);
  SummaryAccumulator accumulator(world);
  ProblemDump dump(settings, scene, world);
  RunResult result;
  std::deque<StepReport> recent;

  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const std::int64_t steps = step_count(settings.duration, settings.dt);
  for (std::int64_t i = 0; i < steps && result.end == RunEnd::Complete; ++i) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
      result.end = RunEnd::Interrupted;
      break;
    }
    dump.before_step(i);
    const StepReport report = world.step(settings.dt);
    const std::string dump_error = dump.after_step();
    if (recent.size() == kReportsBeforeFailure) recent.pop_front();
    recent.push_back(report);
    if (!report.finite) {
      fail_not_finite(scene, settings, world, recent, result);
      break;
    }
    accumulator.add(report);
    outputs.add(world, report);
    result.message = dump_error.empty() ? outputs.error() : dump_error;
    if (!result.message.empty()) result.end = RunEnd::WriteFailed;
    if (progress) progress({world.time(), settings.duration, elapsed(), &report});
  }
  outputs.flush();
  if (result.end == RunEnd::Complete && !outputs.error().empty()) {
    result.end = RunEnd::WriteFailed;
    result.message = outputs.error();
  }

  result.summary = accumulator.finish(world);
  result.summary.scene = scene.name;
  result.summary.suite = scene.suite;
  result.summary.version = settings.version;
  result.summary.threads = settings.threads;
  result.summary.wall_seconds = elapsed();
  result.summary.interrupted = result.end == RunEnd::Interrupted;
  if (result.end == RunEnd::Interrupted) {
    result.message = "interrupted: everything up to here is written";
    if (dump.is_missing()) result.message += fmt::format(", but {} is not: its time was not reached", settings.problem);
  }
  return result;
}

}  // namespace carom
