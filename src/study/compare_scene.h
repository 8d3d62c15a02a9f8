// One scene by every suite, judged alike: `carom compare SCENE`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/dynamics/suite.h"
#include "study/run.h"

namespace carom {

/// What was asked for; values that were not are left to the scene.
struct SuitesRequest {
  std::string suites;                 ///< names with commas between them; empty or "all": every one
  std::string reference;              ///< the suite that others are held against; empty: see `plan_suites`
  std::vector<std::string> settings;  ///< `key=value` for every suite that takes the key, `suite:key=value` for one
  std::optional<Real> dt, duration;   ///< s
};

/// A suite and how it is to run.
struct SuiteChoice {
  const SuiteInfo* info = nullptr;
  Scene scene;       ///< with that suite on it
  Options options;   ///< of the suite
  std::string note;  ///< which settings it does not take; empty: it takes all
};

struct SuitesPlan {
  std::vector<SuiteChoice> suites;
  std::string reference;      ///< one of them
  Real dt = 0, duration = 0;  /// s
};

/// The reference is the one asked for, else `exact` where it takes part, else the first. The message of a failure
/// begins with the option that is wrong.
Result<SuitesPlan> plan_suites(const Scene& scene, const SuitesRequest& request);

/// Where the dynamic bodies are at the end.
struct Arrangement {
  Real height = 0;                         ///< m, of their common centre of mass: against gravity, from the origin
  std::optional<Real> distance, farthest;  ///< m, of a body from where the reference has it: mean and largest
  std::int64_t moving = 0;                 ///< bodies that move, see `kMovingSpeed`
  std::int64_t frozen = 0;
};

/// A body moves when its kinetic energy is that of a particle of its mass at this speed, or more.
inline constexpr Real kMovingSpeed = 0.01;  // m/s

enum class SuiteEnd : std::uint8_t {
  Complete,
  Failed,       ///< the state was no longer finite: the figures are those up to there
  Refused,      ///< it cannot run this scene
  Interrupted,  ///< by the user: the figures are those up to there
  NotRun        ///< interrupted before its turn
};
const char* suite_end_name(SuiteEnd end);  ///< "complete", "failed", "refused", "interrupted", "not run"

struct SuiteRow {
  const SuiteInfo* info = nullptr;
  SuiteEnd end = SuiteEnd::NotRun;
  std::string message;        ///< why it did not end complete
  std::string note;           ///< as in `SuiteChoice`
  RunSummary summary;         ///< where it ran
  double median_step_ms = 0;  ///< ms
  Arrangement arrangement;
  std::string replay;  ///< a `ReplayData`, where one was asked for

  bool has_run() const { return end != SuiteEnd::Refused && end != SuiteEnd::NotRun; }
  /// Impacts follow their law one by one: an event-driven suite has a residual only where it called a solver.
  bool has_residual() const { return !summary.events || summary.events->solved_steps > 0; }
  /// Steps whose solver missed its tolerance; of an event-driven suite, frames with more impacts than allowed.
  std::int64_t limited_steps() const {
    return summary.events ? summary.events->limited_steps : summary.unconverged_steps;
  }
};

struct SuitesComparison {
  std::string scene, description, version;
  std::size_t bodies = 0;  ///< dynamic ones
  Real dt = 0, duration = 0;
  Real gravity = 0;  ///< m/s²
  int threads = 1;
  std::string reference;  ///< the one planned, or, where that was not completed, the first that was
  std::vector<SuiteRow> rows;

  bool is_complete() const;  ///< every suite ran to the end
};

struct SuitesSettings {
  int threads = 1;
  std::string version;
  bool with_replays = false;  ///< for a page
  Real fps = 30;              ///< frames/s of the replays
};

/// Which suite is under way, counted from 0, and how far it is.
using SuitesProgress = std::function<void(std::size_t, const RunProgress&)>;

/// Runs the suites one after another. `stop` ends the one under way after its step; the others are not run then.
SuitesComparison compare_suites(const SuitesPlan& plan, const SuitesSettings& settings,
                                const std::atomic<bool>* stop = nullptr, const SuitesProgress& progress = nullptr);

std::string suites_json(const SuitesComparison& comparison);
std::string suites_text(const SuitesComparison& comparison);
/// A page with synchronised replays, the table and curves. Requires `replay_page_available()` and replays.
std::string suites_html(const SuitesComparison& comparison);

}  // namespace carom
