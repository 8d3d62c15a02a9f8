#include "plan.h"

#include <algorithm>
#include <cmath>

#include "carom/io/scene.h"

namespace carom::bench {
namespace {

constexpr const char* kMeanPenetration = "mean penetration, mm";

const std::vector<ScenePlan>& known_scenes() {
  static const std::vector<ScenePlan> scenes{
      {"incline", Task::Incline, 0, "creep_mm", "creep after the first tenth, mm", 1e9, 1},
      {"slide", Task::Slide, 0, "stopping_error_percent", "error of the stopping distance, %", 1e9, 1},
      {"cradle", Task::Cradle, 0, "velocity_error", "largest error of a ball's velocity, relative", 1e9, 1},
      {"stack", Task::Stack, 0, "drift_mm", "drift of the top in the second half, mm", 1e9, 2},
      {"csstack", Task::None, 0, "", kMeanPenetration, 1e9, 1},
      {"cubejam", Task::None, 0, "", kMeanPenetration, 5, 3},
      {"tower100", Task::Stack, 0, "sag_mm", "sag of the top, mm", 1e9, 3},
      {"pyramid", Task::Stack, 0, "sag_mm", "sag of the top, mm", 3, 3},
      // Necks: the lowest corners of the upper funnels.
      {"hourglass", Task::Pour, 8.5, "", kMeanPenetration, 1.5, 4},
      {"cubeglass", Task::Pour, 11.5, "", kMeanPenetration, 1.5, 5},
      {"cubeflow", Task::Pour, 11.5, "", kMeanPenetration, 2, 4},
      {"pile5000", Task::None, 0, "", kMeanPenetration, 1, 4},
  };
  return scenes;
}

}  // namespace

std::vector<std::string> quick_scenes() {
  return {"incline", "slide", "cradle", "stack", "csstack", "cubejam", "tower100", "pyramid", "cubeglass", "pile5000"};
}

std::vector<std::string> docs_scenes() {
  return {"incline",  "slide",   "cradle",    "stack",    "csstack", "cubejam",
          "tower100", "pyramid", "cubeglass", "cubeflow", "pile5000"};
}

std::vector<std::string> all_scenes() {
  std::vector<std::string> names;
  for (const ScenePlan& plan : known_scenes()) names.push_back(plan.name);
  const std::size_t known = names.size();
  for (const BuiltInScene& scene : built_in_scenes())
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(known), scene.name) ==
        names.begin() + static_cast<std::ptrdiff_t>(known))
      names.push_back(scene.name);
  return names;
}

ScenePlan plan_for(const std::string& scene) {
  for (const ScenePlan& plan : known_scenes())
    if (plan.name == scene) return plan;
  return {scene, Task::None, 0, "", kMeanPenetration, 2, 1};
}

std::optional<double> headline_error(const ScenePlan& plan, const Quality& quality) {
  if (!quality.finite || quality.steps == 0) return std::nullopt;
  if (plan.figure.empty()) return 1e3 * quality.mean_penetration;
  const Figure* figure = quality.find(plan.figure);
  return figure != nullptr ? std::optional(std::abs(figure->value)) : std::nullopt;
}

}  // namespace carom::bench
