// Bodies that are left out because they are at rest, and come back when they are hit (Schmidl and Milenkovic 2004,
// section 5.2).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "study/kind_scene.h"

namespace carom {
namespace {

/// A body on the floor with a speed and a turning rate about the vertical.
struct Slider {
  bool is_cube = true;
  Real size = 1, mass = 1;  // m: edge or radius; kg
  Vec3 velocity, turning;
};

KindScene slider_scene(const KindInput& input, const Slider& slider, int quiet_steps) {
  KindScene scene = read_kind_scene(input.setup);
  scene.options = {{"freezing", true}, {"c_f", static_cast<Real>(quiet_steps)}};
  const Real a = slider.size;
  scene.bodies = {floor_body(), {"body", slider.is_cube ? box_shape({a, a, a}) : sphere_shape(a)}};
  KindBody& body = scene.bodies[1];
  body.mass = slider.mass;
  body.position = {0, 0, slider.is_cube ? 0.5 * a : a};
  body.velocity = slider.velocity;
  body.angular_velocity = slider.turning;
  return scene;
}

/// The step at whose end the body is frozen, counted from one; nothing if it is not within `most` steps.
std::optional<int> steps_to_freeze(const KindInput& input, const Slider& slider, int quiet_steps, int most,
                                   Measurements& out, const std::string& name) {
  SceneRun run(input, slider_scene(input, slider, quiet_steps), out, name);
  if (!run.ok()) return {};
  for (int step = 1; step <= most; ++step) {
    if (!run.run_to(step * run.dt())) return {};
    if (run.world().is_frozen(run.handle(1))) return step;
  }
  return {};
}

/// The largest value at which the body freezes: halved until nothing is left between.
Real freezing_threshold(const KindInput& input, Real most, const std::function<Slider(Real)>& slider) {
  constexpr int kQuietSteps = 1, kHalvings = 60;
  Measurements unused;  // runs of a search are not worth keeping
  Real low = 0, high = most;
  for (int i = 0; i < kHalvings; ++i) {
    const Real middle = 0.5 * (low + high);
    (steps_to_freeze(input, slider(middle), kQuietSteps, kQuietSteps + 2, unused, "") ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void measure_freezing(const KindInput& input, Measurements& out) {
  const JsonView cube = need(input.setup, "cube"), ball = need(input.setup, "sphere");
  const Slider cube_at_rest{true, need(cube, "a").positive(), need(cube, "m").positive(), {}, {}};
  const Slider ball_at_rest{false, need(ball, "r").positive(), need(ball, "m").positive(), {}, {}};
  const Real fall = need(input.setup, "g").positive() * input.dt;  // m/s: what gravity adds in a step
  if (!input.setup.ok()) return;
  for (const int quiet : {1, 3}) {
    const auto steps = steps_to_freeze(input, cube_at_rest, quiet, quiet + 20, out, fmt::format("cf{}", quiet));
    if (steps) out.add(fmt::format("frames_to_freeze_cf{}", quiet), static_cast<Real>(*steps));
  }
  if (!out.ran) return;
  // Far beyond any threshold: a body of this speed has a hundred times the energy of the fall.
  const Real fast = 10 * fall;
  const auto moving = [&](Slider body, const Vec3& v, const Vec3& w) {
    body.velocity = v;
    body.turning = w;
    return body;
  };
  const auto threshold = [&](const Slider& body, Real most, const Vec3& v, const Vec3& w) {
    return freezing_threshold(input, most, [&](Real x) { return moving(body, x * v, x * w); });
  };
  const Real speed = threshold(cube_at_rest, fast, {1, 0, 0}, {});
  out.add("v_threshold", speed);
  out.add("E_threshold_cube", 0.5 * cube_at_rest.mass * speed * speed);
  out.add("w_threshold_cube", threshold(cube_at_rest, 10 * fast / cube_at_rest.size, {}, {0, 0, 1}));
  const Real ball_speed = threshold(ball_at_rest, fast, {1, 0, 0}, {});
  out.add("E_threshold_sphere", 0.5 * ball_at_rest.mass * ball_speed * ball_speed);
  out.add("w_threshold_sphere", threshold(ball_at_rest, 10 * fast / ball_at_rest.size, {}, {0, 0, 1}));
  out.add("rolling_sphere_v_threshold", threshold(ball_at_rest, fast, {1, 0, 0}, {0, 1 / ball_at_rest.size, 0}));
}

/// A row of frozen balls after the step in which one end was struck.
struct StruckRow {
  std::vector<char> frozen;  // per ball: it still is
  std::vector<Vec3> blows;   // N s, per ball: from the one before it, in the collision stage

  Real revived() const { return static_cast<Real>(std::ranges::count(frozen, 0)); }
};

std::optional<StruckRow> strike_row(const KindInput& input, const SuiteOptions& options, Measurements& out,
                                    const std::string& name) {
  const Real radius = need(input.setup, "r").positive(), mass = need(input.setup, "m").positive();
  const Real pitch = 2 * radius + need(input.setup, "gap").non_negative();
  const std::uint64_t count = need(input.setup, "n").natural();
  if (input.setup.ok() && (count < 1 || count > 1000)) need(input.setup, "n").expected("from 1 to 1000");
  KindScene scene = read_kind_scene(input.setup);
  if (!input.setup.ok()) return {};
  scene.options = {{"freezing", true}};
  scene.options.insert(scene.options.end(), options.begin(), options.end());
  scene.bodies = {floor_body()};
  for (std::uint64_t i = 0; i <= count; ++i) {
    KindBody ball{i == 0 ? "projectile" : fmt::format("ball[{}]", i - 1), sphere_shape(radius)};
    ball.mass = mass;
    // Touching the first ball from the start, the projectile has no gap to close.
    ball.position = {i == 0 ? -2 * radius : pitch * static_cast<Real>(i - 1), 0, radius};
    scene.bodies.push_back(ball);
  }
  scene.bodies[1].velocity = {need(input.setup, "v").positive(), 0, 0};
  SceneRun run(input, scene, out, name);
  if (!run.ok()) return {};
  for (std::uint64_t i = 0; i < count; ++i) run.world().freeze(run.handle(i + 2));
  if (!run.run_to(run.dt())) return {};
  StruckRow row;
  for (std::uint64_t i = 0; i < count; ++i) {
    row.frozen.push_back(run.world().is_frozen(run.handle(i + 2)) ? 1 : 0);
    row.blows.push_back(run.collision_impulse(i + 1, i + 2));
  }
  return row;
}

/// How many balls the queue revives on its first way down the row: those whom their first blow wakes, and not a later
/// one, when those behind have caught up. Which blow it was is found by letting the queue bounce once, twice, and so
/// on, until it has done all that it does.
std::optional<Real> count_first_pass(const KindInput& input, Measurements& out) {
  const auto given = input.setup.find("c_b");
  const auto queue_alone = [](Real bounces) {
    return SuiteOptions{{"c_b", bounces}, {"collisions_left", std::string("none")}};
  };
  const auto whole = strike_row(input, queue_alone(given ? given->non_negative() : 0), out, "");
  if (!whole) return {};
  StruckRow before;
  before.frozen.assign(whole->frozen.size(), 1);
  before.blows.resize(whole->frozen.size());
  Real revived = 0;
  for (Real bounces = 1; before.blows != whole->blows; ++bounces) {
    Measurements part;  // of all these runs only the whole one is worth keeping
    const auto now = strike_row(input, queue_alone(bounces), part, "");
    out.gave_up = out.gave_up || part.gave_up;
    if (!now) return {};
    for (std::size_t i = 0; i < now->frozen.size(); ++i)
      if (before.frozen[i] != 0 && before.blows[i] == Vec3{} && now->frozen[i] == 0) ++revived;
    before = *now;
  }
  return revived;
}

void measure_revival(const KindInput& input, Measurements& out) {
  // With another number of bounces, or another end to them, first blows cannot be told from later ones.
  const bool own_bounces = std::ranges::any_of(
      input.options, [](const auto& option) { return option.first == "c_b" || option.first == "collisions_left"; });
  if (own_bounces) return;
  if (const auto revived = count_first_pass(input, out)) out.add("revived_by_PQ_first_pass", *revived);
  if (const auto row = strike_row(input, {{"collisions", std::string("qp")}}, out, "qp"))
    out.add("revived_by_QP_only_first_step", row->revived());
}

}  // namespace

std::vector<KindInfo> freezing_kinds() {
  return {{"freezing", true, measure_freezing}, {"revival", true, measure_revival}};
}

}  // namespace carom
