// Which scenes are run how long, and which error counts in the plot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quality.h"

namespace carom::bench {

struct ScenePlan {
  std::string name;
  Task task = Task::None;
  Real neck = 0;             ///< m: see QualityJudge
  std::string figure;        ///< of the task, whose size is the error that counts; empty: the mean penetration
  std::string error_label;   ///< of the plot's axis
  Real quick_seconds = 1e9;  ///< simulated, in a quick run
  double weight = 1;         ///< share of the time that all scenes have
};

/// The scenes of a quick run, the quick ones first.
std::vector<std::string> quick_scenes();
/// Of the table in docs/performance.md: those with a task of their own, crowds among them.
std::vector<std::string> docs_scenes();
/// Those and all other built-in scenes.
std::vector<std::string> all_scenes();
/// Of any scene; those that are not known by name are judged by penetration alone.
ScenePlan plan_for(const std::string& scene);
/// The error that counts, in the unit of the label; none if the run did not reach its end and the error needs that.
std::optional<double> headline_error(const ScenePlan& plan, const Quality& quality);

/// Errors below this count as none, in the unit of any label: a nanometre, a millionth of a percent. What is left there
/// is round-off, and comparing it says nothing.
inline constexpr double kNoError = 1e-6;

}  // namespace carom::bench
