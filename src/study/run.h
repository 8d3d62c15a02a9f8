// Running a scene from start to end with everything it writes on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/io/scene.h"
#include "study/output_settings.h"
#include "study/summary.h"

namespace carom {

struct Cast;
class RunOutput;
struct RecordedSnapshot;

/// Something of the caller's that a run is given to as it goes.
struct RunWatcher {
  std::function<std::unique_ptr<RunOutput>(const Cast&)> make;  ///< called once, before the first step
  Real every = 0;                                               ///< s between frames; 0: every step
  bool with_contacts = false;                                   ///< frames hold their contacts
};

struct RunSettings {
  Options options;  ///< of the scene's suite
  int threads = 1;
  Real dt = 1.0 / 60;      ///< s
  Real duration = 10;      ///< s
  std::string version;     ///< for the summary
  std::string input_file;  ///< where the scene came from, if from a file: never overwritten
  OutputSettings outputs;
  std::vector<RunWatcher> watchers;
  bool keep_failure = true;  ///< a run that fails writes its last good state to a file

  std::string record;            ///< the recording; empty: none
  bool record_contacts = false;  ///< with every contact in every frame: several times as large
  bool record_events = false;    ///< with every impact of an event-driven suite
  Real snapshot_every = 1;       ///< s between states to resume from

  std::shared_ptr<const RecordedSnapshot> resume;  ///< where to go on from; null: the start
  bool resume_in_place = false;                    ///< `record` is the recording that is resumed: goes on in it

  std::string problem;    ///< the contact problem of the step that contains `problem_time`
  Real problem_time = 0;  ///< s
  Stage problem_stage = Stage::Contacts;
};

/// A scene, and how to run it.
struct RunPlan {
  Scene scene;
  RunSettings settings;
};

/// The rest of a recorded run, from the last snapshot (at or before `from`, if given). `asked` are the settings for
/// what a recording leaves open: files, threads and, if given, a new end. Where `asked.record` is the recording itself,
/// it is continued.
Result<RunPlan> plan_resumption(const std::string& recording, std::optional<Real> from, std::optional<Real> duration,
                                const RunSettings& asked);
/// Where a resumed run starts, for people; empty for other runs.
std::string resumption_text(const RunPlan& plan);

/// Every file that the run will write.
std::vector<std::string> output_paths(const RunSettings& settings);

struct RunProgress {
  Real time = 0, duration = 0;         ///< s, simulated
  Real start = 0;                      ///< s: where the run began
  double wall_seconds = 0;             ///< since the first step
  const StepReport* report = nullptr;  ///< of the last step
  std::optional<std::int64_t> events;  ///< impacts so far; none: a suite of fixed steps
};

enum class RunEnd : std::uint8_t {
  Complete,
  Interrupted,  ///< the user asked
  NotFinite,    ///< the state is no longer finite; `message` names the file with the last good state, if one is kept
  WriteFailed,  ///< a file could not be written to the end
  NotStarted    ///< the state to resume from does not fit
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

/// Empty when the scene's suite has what the settings ask for, else what it lacks and which suites have it.
[[nodiscard]] std::string check_suite(const Scene& scene, const RunSettings& settings);
/// Empty when the settings can be run and every file can be written, else why not. Nothing is written or left behind.
[[nodiscard]] std::string check_run(const RunSettings& settings);

/// Requires settings that passed `check_suite` and `check_run`. `stop` may be set from elsewhere (a signal handler):
/// the step under way is finished, everything is written, and the run ends. `progress` is called after every step; both
/// may be null.
RunResult run_scene(const Scene& scene, const RunSettings& settings, const std::atomic<bool>* stop = nullptr,
                    const std::function<void(const RunProgress&)>& progress = nullptr);

}  // namespace carom
