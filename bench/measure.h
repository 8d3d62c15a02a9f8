// Runs the contenders over one scene in turn and measures cost and error together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine.h"
#include "plan.h"
#include "quality.h"

namespace carom::bench {

struct Measurement {
  std::string scene, engine, version, variant, settings;
  std::string not_run;  ///< why there are no figures; empty if there are
  std::string cut;      ///< why it did not reach the end of the scene; empty if it did
  int threads = 1;
  int steps = 0;  ///< that were taken in the first repeat
  int planned_steps = 0;
  int repeats = 0;  ///< that were complete
  Real dt = 0;
  /// Means over steps of the least that each step took in any repeat, in ms: a disturbance only ever adds time. `ms` is
  /// the CPU time where there is one thread, which other work on the machine hardly changes, and the wall time where
  /// there are more.
  double ms = 0, wall_ms = 0, cpu_ms = 0;
  double p99_ms = 0;  ///< over steps, of what `ms` is the mean of
  Quality quality;
  std::optional<OwnReport> own;  ///< Carom only

  std::string label() const { return engine + ", " + variant; }
};

struct MeasureSettings {
  int steps = 0;
  int most_repeats = 3;
  double seconds = 20;       ///< wall time that the scene may take
  double step_seconds = 10;  ///< wall time after which an engine that does not come back from a turn is given up
};

/// How far the scene is: share of its time that is used, and what is going on.
using Progress = std::function<void(double share, const std::string& what)>;

/// Contenders take turns of a quarter of a second or 30 steps, so that a disturbance of the machine meets all of them;
/// the next turn is that of the one that has had the least time. Whoever has not reached the end when the scene's time
/// is used up is cut. Time that is left goes to further repeats of those that can still finish one. The judge works
/// outside the timed steps, in the first repeat.
std::vector<Measurement> measure_scene(const Scene& scene, const ScenePlan& plan,
                                       const std::vector<Contender>& contenders, const MeasureSettings& settings,
                                       const Progress& progress);

}  // namespace carom::bench
