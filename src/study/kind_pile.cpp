// Boxes on boxes, and clouds of balls: many bodies, what must hold of all of them.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "io/split_mix.h"
#include "study/kind_scene.h"

namespace carom {
namespace {

KindScene read_scene(const JsonView& setup) {
  KindScene scene = read_kind_scene(setup);
  scene.duration = need(setup, "duration").positive();
  return scene;
}

/// Runs to the end; mean forces of every body on the one below over the last second. Body 0 is the floor.
std::vector<Real> run_and_weigh(SceneRun& run, Real duration, std::size_t bodies) {
  std::vector<Real> forces(bodies, 0);
  int steps = 0;
  const Real from = std::max(duration - 1, 0.0);
  const bool finite = run.run_to(duration, [&] {
    if (run.time() < from) return true;
    for (std::size_t i = 0; i < bodies; ++i) forces[i] += run.normal_force(i, i + 1);
    ++steps;
    return true;
  });
  if (!finite || steps == 0) return {};
  for (Real& force : forces) force /= steps;
  return forces;
}

void measure_stack(const KindInput& input, Measurements& out) {
  constexpr Real kGap = 1e-3;  // m: what the cubes are dropped through
  const Real edge = need(input.setup, "a").positive(), mass = need(input.setup, "m").positive();
  const std::uint64_t count = need(input.setup, "n").natural();
  if (input.setup.ok() && (count < 1 || count > 1000)) need(input.setup, "n").expected("from 1 to 1000");
  if (!input.setup.ok()) return;
  KindScene scene = read_scene(input.setup);
  // Overlaps of up to two envelopes are let be, at each interface: the envelope decides how low the top one stands.
  scene.options = where_known(input.suite, {{"envelope", 1e-6}});
  scene.bodies = {floor_body()};
  for (std::uint64_t i = 0; i < count; ++i) {
    KindBody cube{fmt::format("cube[{}]", i), box_shape({edge, edge, edge})};
    cube.mass = mass;
    cube.position = {0, 0, edge * (static_cast<Real>(i) + 0.5) + kGap * static_cast<Real>(i + 1)};
    scene.bodies.push_back(cube);
  }
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const std::vector<Real> forces = run_and_weigh(run, scene.duration, count);
  if (forces.empty()) return;
  std::vector<Real> heights;
  Real drift = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    const Vec3 x = run.state(i).position;
    heights.push_back(x.z);
    drift = std::max(drift, std::hypot(x.x, x.y));
  }
  out.add("z_centres", heights);
  out.add("interface_force", forces);
  out.add("lateral_drift", drift);
}

void measure_mass_ratio(const KindInput& input, Measurements& out) {
  const Real edge = need(input.setup, "a").positive();
  KindScene scene = read_scene(input.setup);
  scene.bodies = {floor_body(), {"light", box_shape({edge, edge, edge})}, {"heavy", box_shape({edge, edge, edge})}};
  scene.bodies[1].mass = need(input.setup, "m_bottom").positive();
  scene.bodies[2].mass = need(input.setup, "m_top").positive();
  scene.bodies[1].position = {0, 0, 0.5 * edge};
  scene.bodies[2].position = {0, 0, 1.5 * edge};
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const std::vector<Real> forces = run_and_weigh(run, scene.duration, 2);
  if (forces.empty()) return;
  out.add("z", std::vector<Real>{run.state(1).position.z, run.state(2).position.z});
  out.add("floor_force", forces[0]);
  out.add("middle_force", forces[1]);
}

/// True if no plank moved by more than a hundredth of its smallest edge.
std::optional<bool> overhang_holds(const KindInput& input, const std::string& name, Real scale, Measurements& out) {
  const Vec3 size{need(input.setup, "L").positive(), need(input.setup, "depth").positive(),
                  need(input.setup, "h").positive()};
  const Real mass = need(input.setup, "m").positive();
  std::vector<Real> shifts;
  for (const JsonView& shift : need(input.setup, "shifts_top_down").items()) shifts.push_back(shift.number());
  if (!input.setup.ok()) return {};
  KindScene scene = read_scene(input.setup);
  // The lowest plank lies on a table that ends at x = 0, from where all the others stick out further.
  scene.bodies = {{"table", box_shape({10 * size.x, 10 * size.y, 1}), "fixed"}};
  scene.bodies[0].position = {-5 * size.x, 0, -0.5};
  Real edge = 0;  // of what a plank lies on
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    KindBody plank{fmt::format("plank[{}]", i), box_shape(size)};
    plank.mass = mass;
    edge += scale * shifts[shifts.size() - 1 - i];
    plank.position = {edge - 0.5 * size.x, 0, (static_cast<Real>(i) + 0.5) * size.z};
    scene.bodies.push_back(plank);
  }
  return stays_put(input, scene, 0.01 * std::min({size.x, size.y, size.z}), out, name);
}

void measure_overhang(const KindInput& input, Measurements& out) {
  const auto held = overhang_holds(input, "hold", need(input.setup, "scale_hold").positive(), out);
  const auto fell = overhang_holds(input, "fall", need(input.setup, "scale_fall").positive(), out);
  if (held) out.add("holds_at_0_98", *held);
  if (fell) out.add("falls_at_1_02", !*fell);
}

/// Box and Muller's pairs of normal numbers, one after the other.
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : random_(seed) {}
  Real next() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    const Real radius = std::sqrt(-2 * std::log(1 - random_.fraction()));
    const Real angle = 2 * std::numbers::pi * random_.fraction();
    second_ = radius * std::sin(angle);
    has_second_ = true;
    return radius * std::cos(angle);
  }
  Vec3 vector(Real scale) {
    const Real x = next(), y = next(), z = next();
    return scale * Vec3{x, y, z};
  }

 private:
  SplitMix64 random_;
  Real second_ = 0;
  bool has_second_ = false;
};

/// Sums over all bodies.
struct Motion {
  Vec3 linear, angular;                    // about the origin
  Real linear_size = 0, angular_size = 0;  // sums of lengths
};

Motion motion_of(const SceneRun& run, std::size_t bodies) {
  Motion sum;
  for (std::size_t i = 0; i < bodies; ++i) {
    const BodyState s = run.state(i);
    const Vec3 p = run.world().mass(run.handle(i)) * s.velocity;
    const Vec3 l = cross(s.position, p) + run.world().inertia(run.handle(i)) * s.angular_velocity;
    sum.linear += p;
    sum.angular += l;
    sum.linear_size += norm(p);
    sum.angular_size += norm(l);
  }
  return sum;
}

/// The gas of balls that the case describes in words: radius 0.1, unit mass, ten a side at a pitch of 0.3.
void measure_momentum(const KindInput& input, Measurements& out) {
  constexpr std::uint64_t kSide = 10;
  constexpr Real kPitch = 0.3, kRadius = 0.1, kSpeed = 1, kSpin = 3;
  const std::uint64_t count = need(input.setup, "n").natural();
  if (input.setup.ok() && (count < 1 || count > kSide * kSide * kSide))
    need(input.setup, "n").expected("from 1 to 1000");
  NormalNumbers random(need(input.setup, "seed").natural());
  if (!input.setup.ok()) return;
  KindScene scene = read_scene(input.setup);
  // A step in one go holds back who would pass through another, and momentum gets another lever arm by that. Where the
  // step is cut when they meet, nobody is held back.
  scene.options = to_impacts(input.suite);
  Vec3 mean;
  for (std::uint64_t i = 0; i < count; ++i) {
    KindBody ball{fmt::format("ball[{}]", i), sphere_shape(kRadius)};
    const std::uint64_t x = i % kSide, y = i / kSide % kSide, z = i / (kSide * kSide);
    ball.position = kPitch * Vec3{static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z)};
    ball.velocity = random.vector(kSpeed);
    mean += ball.velocity / static_cast<Real>(count);
    scene.bodies.push_back(ball);
  }
  for (KindBody& ball : scene.bodies) {
    ball.velocity -= mean;
    ball.angular_velocity = random.vector(kSpin);
  }
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const Motion start = motion_of(run, count);
  Real linear = 0, angular = 0;
  const bool finite = run.run_to(scene.duration, [&] {
    const Motion now = motion_of(run, count);
    linear = std::max(linear, norm(now.linear - start.linear) / start.linear_size);
    angular = std::max(angular, norm(now.angular - start.angular) / start.angular_size);
    return true;
  });
  if (!finite) return;
  out.add("total_momentum_change", linear);
  out.add("total_angular_momentum_change", angular);
}

}  // namespace

std::vector<KindInfo> pile_kinds() {
  return {{"stack", true, measure_stack},
          {"mass_ratio", true, measure_mass_ratio},
          {"overhang", true, measure_overhang},
          {"momentum", true, measure_momentum}};
}

}  // namespace carom
