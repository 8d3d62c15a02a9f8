#include "measure.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "study/pose_audit.h"

namespace carom::bench {
namespace {

constexpr int kBlock = 30;  // steps of one engine before the next has its turn

/// One engine on one scene, over all repeats.
struct Runner {
  EngineFactory make;
  std::unique_ptr<Engine> engine;
  Measurement result;
  PoseAudit audit;
  std::vector<std::vector<double>> seconds;  // [step][repeat]
  std::vector<std::vector<Pose>> states;     // of the current block, for the judge
  Real depth_sum = 0;
  std::size_t overlaps = 0;

  Runner(EngineFactory factory, const Scene& scene, int steps) : make(std::move(factory)), audit(audit_bodies(scene)) {
    seconds.resize(static_cast<std::size_t>(steps));
    result.scene = scene.name;
    result.steps = steps;
    result.dt = scene.dt;
  }

  bool active() const { return result.not_run.empty() && result.finite; }

  void start(const Scene& scene) {
    engine = make();
    result.not_run = engine->load(scene);
    result.engine = engine->name();
    result.version = engine->version();
    result.settings = engine->settings();
    result.threads = engine->threads();
  }

  void run_block(int first, int last, bool judge) {
    states.resize(judge ? static_cast<std::size_t>(last - first) : 0);
    for (int step = first; step < last; ++step) {
      const auto start = std::chrono::steady_clock::now();
      engine->step(result.dt);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      seconds[static_cast<std::size_t>(step)].push_back(spent.count());
      if (judge) engine->poses(states[static_cast<std::size_t>(step - first)]);
    }
    for (const std::vector<Pose>& state : states) {
      const PoseReport report = audit.judge(state);
      result.finite = result.finite && report.finite;
      result.worst_penetration = std::max(result.worst_penetration, report.worst_depth);
      result.lost = std::max(result.lost, report.outside);
      depth_sum += report.depth_sum;
      overlaps += report.overlaps;
    }
  }

  /// Two repeats of a deterministic engine must agree; a difference would make the judged run another than the timed
  /// one.
  void finish_repeat() {
    const std::optional<OwnReport> own = engine->own_report();
    if (own && result.own && own->state_hash != result.own->state_hash)
      fail("carom_bench: two runs of " + result.scene + " ended in different states");
    if (own) result.own = own;
    ++result.repeats;
    engine.reset();
  }

  Measurement summary() {
    if (!active() || seconds.empty()) return result;
    std::vector<double> floors;
    double median_sum = 0;
    for (std::vector<double>& step : seconds) {
      std::sort(step.begin(), step.end());
      floors.push_back(step.front());
      median_sum += 0.5 * (step[(step.size() - 1) / 2] + step[step.size() / 2]);
    }
    const auto count = static_cast<double>(floors.size());
    result.floor_ms = 1e3 * std::accumulate(floors.begin(), floors.end(), 0.0) / count;
    result.median_ms = 1e3 * median_sum / count;
    std::sort(floors.begin(), floors.end());
    result.p99_ms = 1e3 * floors[std::min(floors.size() - 1, floors.size() * 99 / 100)];
    result.mean_penetration = overlaps > 0 ? depth_sum / static_cast<Real>(overlaps) : 0;
    return result;
  }
};

}  // namespace

std::vector<Measurement> measure_scene(const Scene& scene, const std::vector<EngineFactory>& engines, int steps,
                                       int repeats, const Progress& progress) {
  std::vector<std::unique_ptr<Runner>> runners;
  runners.reserve(engines.size());
  for (const EngineFactory& factory : engines) runners.push_back(std::make_unique<Runner>(factory, scene, steps));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (auto& runner : runners)
      if (runner->active()) runner->start(scene);
    for (int first = 0; first < steps; first += kBlock) {
      for (std::size_t turn = 0; turn < runners.size(); ++turn) {
        Runner& runner = *runners[(turn + static_cast<std::size_t>(repeat)) % runners.size()];
        if (runner.active()) runner.run_block(first, std::min(first + kBlock, steps), repeat == 0);
      }
      progress(scene.name + ": repeat " + std::to_string(repeat + 1) + " of " + std::to_string(repeats) + ", step " +
               std::to_string(std::min(first + kBlock, steps)) + " of " + std::to_string(steps));
    }
    for (auto& runner : runners)
      if (runner->active()) runner->finish_repeat();
  }
  std::vector<Measurement> results;
  results.reserve(runners.size());
  for (auto& runner : runners) results.push_back(runner->summary());
  return results;
}

}  // namespace carom::bench
