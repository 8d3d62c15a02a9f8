// Runs engines over one scene in turn and measures cost and error together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine.h"

namespace carom::bench {

struct Measurement {
  std::string scene, engine, version, settings;
  std::string not_run;  ///< why there are no figures; empty if there are
  int threads = 1;
  int steps = 0;
  int repeats = 0;
  Real dt = 0;
  double floor_ms = 0;   ///< mean over steps of the least time of each step over the repeats
  double median_ms = 0;  ///< the same of the median
  double p99_ms = 0;     ///< 99th percentile over steps of the least time
  bool finite = true;
  Real worst_penetration = 0;    ///< m, at any step, judged from the poses
  Real mean_penetration = 0;     ///< m, over all overlapping pairs of all steps
  std::size_t lost = 0;          ///< bodies that went through a fixed one
  std::optional<OwnReport> own;  ///< Carom only
};

using Progress = std::function<void(const std::string& line)>;

/// Repeats are interleaved: the engines take turns every half second of simulated time, so that a disturbance of the
/// machine meets all of them, and the order rotates from repeat to repeat. The judge works outside the timed steps, in
/// the first repeat.
std::vector<Measurement> measure_scene(const Scene& scene, const std::vector<EngineFactory>& engines, int steps,
                                       int repeats, const Progress& progress);

}  // namespace carom::bench
