#include "plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

/// A suite of Carom, and the largest number of moving bodies that it is meant for.
struct SuiteLimit {
  const char* name;
  std::size_t most_bodies;
};
constexpr SuiteLimit kSuiteLimits[] = {{"schmidl", 1000}, {"bender", 500},   {"guendelman", 1000},
                                       {"lcp", 20},       {"penalty", 1000}, {"mirtich", 100}};
constexpr std::size_t kFewBodies = 50;  // a second thread has nothing to do below

std::size_t count_dynamic(const Scene& scene) {
  return static_cast<std::size_t>(
      std::ranges::count_if(scene.bodies, [](const SceneBody& body) { return body.def.type == BodyType::Dynamic; }));
}

bool suits(const std::string& suite, std::size_t bodies) {
  return std::ranges::none_of(
      kSuiteLimits, [&](const SuiteLimit& limit) { return limit.name == suite && bodies > limit.most_bodies; });
}

Contender carom(const std::string& suite, int threads, bool freezing, std::vector<std::string> set) {
  std::string variant = fmt::format("{} {}", threads, threads == 1 ? "thread" : "threads");
  if (freezing) {
    variant += ", freezing";
    set.emplace_back("freezing=true");
  }
  return {"Carom " + suite, CAROM_VERSION,
          variant,          "",
          threads,          [suite, threads, set] { return make_carom(suite, threads, set); }};
}

void add_carom(const Scene& scene, const Field& field, std::vector<Contender>& out) {
  const std::size_t bodies = count_dynamic(scene);
  for (const std::string& suite : field.suites) {
    if (!suits(suite, bodies)) continue;
    const bool main = suite == "sequential" || suite == "exact";
    for (const int threads : field.threads)
      if (threads == field.threads.front() || (main && bodies >= kFewBodies))
        out.push_back(carom(suite, threads, false, field.set));
    if (field.freezing && main && squared_norm(scene.gravity) > 0)
      out.push_back(carom(suite, field.threads.front(), true, field.set));
  }
}

Effort effort_of(const std::string& name) {
  if (name == "accurate") return Effort::Accurate;
  return name == "two-directions" ? Effort::TwoDirections : Effort::Default;
}

}  // namespace

std::vector<std::string> quick_scenes() {
  return {"incline", "slide", "cradle", "stack", "csstack", "cubejam", "tower100", "pyramid", "cubeglass", "pile5000"};
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

std::vector<std::string> quick_suites() { return {"sequential", "exact", "schmidl"}; }

std::vector<Contender> contenders_for(const Scene& scene, const Field& field) {
  const auto takes_part = [&](const std::string& name) {
    return std::find(field.engines.begin(), field.engines.end(), name) != field.engines.end();
  };
  std::vector<Contender> contenders;
  if (takes_part("carom")) add_carom(scene, field, contenders);
  for (const Peer& peer : peers()) {
    if (peer.make == nullptr || !takes_part(peer.name)) continue;
    for (const std::string& effort : field.efforts) {
      const Effort level = effort_of(effort);
      if (level == Effort::TwoDirections && peer.name != "bullet") continue;
      contenders.push_back({peer.engine, peer.version, effort, "", 1, [peer, level] { return peer.make(level); }});
    }
  }
  return contenders;
}

}  // namespace carom::bench
