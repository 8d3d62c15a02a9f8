// Runs a random scene and judges it from poses and velocities alone: nothing escapes, nothing stays deep in anything,
// energy does not rise, and whether it has come to rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"
#include "study/overlap.h"
#include "support/random_scenes.h"

namespace carom::test {

struct SceneVerdict {
  bool finite = true;
  std::string escaped;  ///< the first body outside; empty: none
  int escape_step = 0;
  Real energy_rise = 0;  ///< of the sum of m |g| size
  int rise_step = 0;     ///< of the largest rise
  Real deepest = 0;      ///< of the smaller body's size
  std::string deepest_pair;
  int deepest_step = 0;
  int longest_deep = 0;  ///< consecutive steps in which a pair was deeper than kDeep
  std::string longest_pair;
  int longest_end = 0;  ///< the step after which it was over
  Real last_speed = 0;  ///< m/s: the fastest surface in the last second
  std::string fastest;
  double step_seconds = 0;  ///< mean

  static constexpr Real kDeep = 0.02;  ///< of the smaller body's size
  static constexpr int kMostDeepSteps = 5;
  static constexpr Real kMostRise = 0.01;
  /// A body at rest has a fiftieth of what gravity adds in a step: less than any body that falls, slides or rolls has.
  static constexpr Real kStill = 0.02 * 9.81 / 60;

  bool contained() const { return finite && escaped.empty(); }
  bool shallow() const { return longest_deep <= kMostDeepSteps; }
  bool passive() const { return energy_rise <= kMostRise; }
  bool at_rest() const { return last_speed <= kStill; }
};

class SceneJudge {
 public:
  SceneJudge(const RandomScene& made, const World& world) : made_(made), world_(world), bodies_(world.bodies()) {
    for (const BodyHandle body : bodies_) {
      const bool dynamic = world.type(body) == BodyType::Dynamic;
      dynamic_.push_back(dynamic);
      sizes_.push_back(world.shape(body)->smallest_size());
      if (dynamic) unit_ += world.mass(body) * norm(world.gravity()) * sizes_.back();
      if (!made.drum.empty() && world.name(body) == made.drum) drum_ = body;
    }
    deep_steps_.assign(bodies_.size() * bodies_.size(), 0);
    placed_.resize(bodies_.size());
    lowest_energy_ = energy();
  }

  void judge(const StepReport& report, int step, bool last_second) {
    verdict_.finite = verdict_.finite && report.finite;
    work_ += report.external_work;
    const Real own = energy() - work_;
    const Real rise = (own - lowest_energy_) / unit_;
    if (rise > verdict_.energy_rise) verdict_.energy_rise = rise, verdict_.rise_step = step;
    lowest_energy_ = std::min(lowest_energy_, own);
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      placed_[i] = {*world_.shape(bodies_[i]), world_.shape_pose(bodies_[i])};
    look_outside(step);
    look_for_overlaps(step);
    if (last_second) look_at_speeds();
  }
  const SceneVerdict& verdict() const { return verdict_; }

 private:
  Real energy() const { return world_.kinetic_energy() + world_.potential_energy(); }

  void look_outside(int step) {
    if (!verdict_.escaped.empty()) return;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!dynamic_[i]) continue;
      Vec3 at = world_.state(bodies_[i]).position;
      if (!made_.drum.empty()) {
        const Pose drum = world_.shape_pose(drum_);
        at = rotate(conjugate(drum.orientation), at - drum.position);
      }
      for (int k = 0; k < 3; ++k) {
        if (at[k] > made_.low[k] && at[k] < made_.high[k]) continue;
        verdict_.escaped = world_.name(bodies_[i]);
        verdict_.escape_step = step;
      }
    }
  }

  void look_for_overlaps(int step) {
    const std::size_t n = bodies_.size();
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b) {
        if (!dynamic_[a] && !dynamic_[b]) continue;
        int& steps = deep_steps_[a * n + b];
        const Real size = dynamic_[a] && dynamic_[b] ? std::min(sizes_[a], sizes_[b]) : sizes_[dynamic_[a] ? a : b];
        const Real depth = apart(placed_[a], placed_[b]) ? 0 : overlap_depth(placed_[a], placed_[b]) / size;
        if (depth > verdict_.deepest) {
          verdict_.deepest = depth;
          verdict_.deepest_pair = pair_name(a, b);
          verdict_.deepest_step = step;
        }
        if (depth <= SceneVerdict::kDeep) {
          steps = 0;
        } else if (++steps > verdict_.longest_deep) {
          verdict_.longest_deep = steps;
          verdict_.longest_pair = pair_name(a, b);
          verdict_.longest_end = step;
        }
      }
  }

  void look_at_speeds() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!dynamic_[i]) continue;
      const BodyState state = world_.state(bodies_[i]);
      const Real speed = norm(state.velocity) + 0.5 * sizes_[i] * norm(state.angular_velocity);
      if (speed > verdict_.last_speed) verdict_.last_speed = speed, verdict_.fastest = name(i);
    }
  }

  static bool apart(const PlacedShape& a, const PlacedShape& b) {
    for (int k = 0; k < 3; ++k)
      if (a.low[k] > b.high[k] || b.low[k] > a.high[k]) return true;
    return false;
  }
  std::string name(std::size_t i) const {
    return world_.name(bodies_[i]) + " (" + kKinds[world_.shape(bodies_[i])->geometry().index()] + ")";
  }
  std::string pair_name(std::size_t a, std::size_t b) const { return name(a) + " and " + name(b); }

  static constexpr std::array<const char*, 9> kKinds = {"sphere", "box",       "capsule", "plane",   "cylinder",
                                                        "cone",   "ellipsoid", "hull",    "compound"};
  const RandomScene& made_;
  const World& world_;
  std::vector<BodyHandle> bodies_;
  std::vector<bool> dynamic_;
  std::vector<Real> sizes_;  // m
  std::vector<PlacedShape> placed_;
  std::vector<int> deep_steps_;  // per pair, until now
  BodyHandle drum_;
  Real unit_ = 0, work_ = 0, lowest_energy_ = 0;  // J
  SceneVerdict verdict_;
};

/// The whole scene with a suite.
inline SceneVerdict judge_scene(const RandomScene& made, const std::string& suite, const Options& options = {}) {
  Scene scene = made.scene;
  scene.suite = suite;
  World world = make_world(scene, options);
  SceneJudge judge(made, world);
  const int steps = static_cast<int>(scene.duration / scene.dt + 0.5), second = static_cast<int>(1 / scene.dt + 0.5);
  double seconds = 0;
  for (int step = 1; step <= steps; ++step) {
    const StepReport report = world.step(scene.dt);
    seconds += report.seconds.total;
    judge.judge(report, step, step > steps - second);
  }
  SceneVerdict verdict = judge.verdict();
  verdict.step_seconds = seconds / steps;
  return verdict;
}

}  // namespace carom::test
