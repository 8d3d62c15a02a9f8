// Running a scene from start to end with everything it writes on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "carom/io/scene.h"
#include "study/summary.h"

namespace carom {

struct RunSettings {
  Options options;  ///< of the scene's suite
  int threads = 1;
  Real dt = 1.0 / 60;      ///< s
  Real duration = 10;      ///< s
  Real every = 0;          ///< s between samples of trajectory and contacts; 0: every step
  std::string version;     ///< for the summary
  std::string scene_file;  ///< where the scene came from, if from a file: never overwritten
  // Files, each written where its path is not empty.
  std::string trajectory, metrics, contacts;
  std::string problem;    ///< the contact problem of the step that contains `problem_time`
  Real problem_time = 0;  ///< s
  Stage problem_stage = Stage::Contacts;
};

struct RunProgress {
  Real time = 0, duration = 0;         ///< s, simulated
  double wall_seconds = 0;             ///< since the first step
  const StepReport* report = nullptr;  ///< of the last step
};

enum class RunEnd : std::uint8_t {
  Complete,
  Interrupted,  ///< the user asked
  NotFinite,    ///< the state is no longer finite; `message` names the file with the last good state
  WriteFailed   ///< a file could not be written to the end
};

struct RunResult {
  RunEnd end = RunEnd::Complete;
  RunSummary summary;
  std::string message;  ///< why it did not end complete
};

/// How many steps of dt cover the duration. A hundredth of a step is left over rather than paid with a whole one, since
/// files round their dt.
std::int64_t step_count(Real duration, Real dt);
inline constexpr std::int64_t kMostSteps = 1'000'000'000;

/// Empty when the settings can be run and every file can be written, else why not. Nothing is written or left behind.
[[nodiscard]] std::string check_run(const RunSettings& settings);

/// Requires settings that passed `check_run`. `stop` may be set from elsewhere (a signal handler): the step under way
/// is finished, everything is written, and the run ends. `progress` is called after every step; both may be null.
RunResult run_scene(const Scene& scene, const RunSettings& settings, const std::atomic<bool>* stop = nullptr,
                    const std::function<void(const RunProgress&)>& progress = nullptr);

}  // namespace carom
