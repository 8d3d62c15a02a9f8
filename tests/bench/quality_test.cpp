// The judge of the benchmark on motions and overlaps that have a closed form. Tolerances are round-off at unit size
// unless they say otherwise.
#include "quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace carom::bench {
namespace {

constexpr Real kRoundOff = 1e-12;
constexpr Real kG = 9.81;

Quat turn(const Vec3& axis, Real angle) {
  const Vec3 v = std::sin(angle / 2) * normalized(axis);
  return {std::cos(angle / 2), v.x, v.y, v.z};
}

SceneBody body(ShapePtr shape, const Vec3& position, BodyType type = BodyType::Dynamic) {
  SceneBody made;
  made.def.shape = std::move(shape);
  made.def.pose.position = position;
  made.def.type = type;
  made.material = "default";
  return made;
}

Scene scene_of(std::vector<SceneBody> bodies, Real duration, const Vec3& gravity = {0, 0, -kG}) {
  Scene scene;
  scene.duration = duration;
  scene.gravity = gravity;
  scene.materials = {{"default", Material{}}};
  scene.materials.front().second.friction = 0.5;
  scene.bodies = std::move(bodies);
  return scene;
}

/// The judge's verdict on a motion given as poses over time.
Quality judged(const Scene& scene, Task task, const std::function<std::vector<Pose>(Real time)>& motion,
               Real neck = 0) {
  QualityJudge judge(scene, scene.duration, task, neck);
  const int steps = static_cast<int>(std::lround(scene.duration / scene.dt));
  for (int i = 1; i <= steps; ++i) judge.add(motion(i * scene.dt));
  return judge.quality(true);
}

Real figure(const Quality& quality, std::string_view name) {
  const Figure* found = quality.find(name);
  EXPECT_NE(found, nullptr) << name;
  return found != nullptr ? found->value : -1e9;
}

TEST(BenchQuality, AgreesWithClosedFormOverlaps) {
  // A floor, a cube 10 mm in it, one 20 mm in the first, a ball 30 mm in the second; a cube on its edge 40 mm deep.
  const Scene scene = scene_of({body(Shape::box({20, 20, 2}), {0, 0, -1}, BodyType::Fixed),
                                body(Shape::box({1, 1, 1}), {0, 0, 0.49}), body(Shape::box({1, 1, 1}), {0, 0, 1.47}),
                                body(Shape::sphere(0.5), {0, 0, 2.44}), body(Shape::box({1, 1, 1}), {5, 0, 0})},
                               1.0 / 60);
  const Quality quality = judged(scene, Task::None, [&](Real /*time*/) {
    std::vector<Pose> poses;
    poses.reserve(scene.bodies.size());
    for (const SceneBody& each : scene.bodies) poses.push_back(each.def.pose);
    poses[4] = {{5, 0, std::sqrt(0.5) - 0.04}, turn({1, 0, 0}, std::numbers::pi / 4)};
    return poses;
  });
  EXPECT_NEAR(quality.worst_penetration, 0.04, kRoundOff);
  EXPECT_NEAR(quality.mean_penetration, (0.01 + 0.02 + 0.03 + 0.04) / 4, kRoundOff);
  EXPECT_NEAR(quality.rest_penetration, 0.04, kRoundOff);
}

TEST(BenchQuality, DepthOfTurnedBoxesIsTheirLeastProjection) {
  // A cube turned by 30° about z beside one that is not, and a ball over the corner of a box: by hand.
  const Real half_width = 0.5 * (std::cos(std::numbers::pi / 6) + std::sin(std::numbers::pi / 6));
  const Scene scene = scene_of({body(Shape::box({1, 1, 1}), {0, 0, 0}), body(Shape::box({1, 1, 1}), {1.1, 0, 0}),
                                body(Shape::box({2, 2, 2}), {9, 0, 0}), body(Shape::sphere(0.5), {10.2, 1.2, 1.2})},
                               1.0 / 60, {});
  const Quality quality = judged(scene, Task::None, [&](Real /*time*/) {
    return std::vector<Pose>{
        {{0, 0, 0}, {}}, {{1.1, 0, 0}, turn({0, 0, 1}, std::numbers::pi / 6)}, {{9, 0, 0}, {}}, {{10.2, 1.2, 1.2}, {}}};
  });
  const Real cubes = 0.5 + half_width - 1.1, corner = 0.5 - 0.2 * std::sqrt(3.0);
  EXPECT_NEAR(quality.mean_penetration, (cubes + corner) / 2, kRoundOff);
  EXPECT_NEAR(quality.worst_penetration, std::max(cubes, corner), kRoundOff);
}

TEST(BenchQuality, MassesAreThoseOfTextbooks) {
  BodyDef def;
  def.density = 2;
  const auto mass = [&](ShapePtr shape) {
    def.shape = std::move(shape);
    return *judged_mass(def);
  };
  EXPECT_NEAR(mass(Shape::sphere(0.5)).mass, std::numbers::pi / 3, kRoundOff);
  EXPECT_NEAR(mass(Shape::sphere(0.5)).moments.x, 0.4 * 0.25 * std::numbers::pi / 3, kRoundOff);
  EXPECT_NEAR(mass(Shape::box({1, 2, 3})).moments.x, 12 * (4.0 + 9.0) / 12, kRoundOff);
  EXPECT_NEAR(mass(Shape::cylinder(1, 2)).moments.z, 0.5 * 4 * std::numbers::pi, kRoundOff);
  EXPECT_NEAR(mass(Shape::cylinder(1, 2)).moments.x, 4 * std::numbers::pi * (3 + 4) / 12, kRoundOff);
  // A capsule without length is a ball; the moments of a long one are known from its two parts.
  EXPECT_NEAR(mass(Shape::capsule(0.5, 0)).moments.x, mass(Shape::sphere(0.5)).moments.x, kRoundOff);
  const Real cylinder = 2 * std::numbers::pi * 2, ball = 2 * std::numbers::pi * 4 / 3;
  EXPECT_NEAR(mass(Shape::capsule(1, 2)).moments.x, cylinder * (3 + 4) / 12 + ball * (0.4 + 1 + 2 * 3.0 / 8), 1e-11);
  EXPECT_FALSE(judged_mass({.shape = Shape::cone(1, 1)}).has_value());
}

TEST(BenchQuality, SizeIsTheLeastExtent) {
  const auto size = [](ShapePtr shape) { return judged_mass({.shape = std::move(shape)})->size; };
  EXPECT_EQ(size(Shape::sphere(0.5)), 1);
  EXPECT_EQ(size(Shape::box({3, 1, 2})), 1);
  EXPECT_EQ(size(Shape::cylinder(2, 1)), 1);
  EXPECT_EQ(size(Shape::capsule(0.5, 3)), 1);
}

TEST(BenchQuality, FreeFlightKeepsTheEnergyHoweverItIsIntegrated) {
  const Scene scene = scene_of({body(Shape::box({1, 2, 3}), {0, 0, 50})}, 1);
  const auto parabola = [&](Real t) {
    return std::vector<Pose>{{{3 * t, 0, 50 + 2 * t - 0.5 * kG * t * t}, turn({1, 0, 0}, 4 * t)}};
  };
  EXPECT_NEAR(*judged(scene, Task::None, parabola).energy_rise, 0, 1e-11);
  const auto euler = [&](Real t) {
    const Real n = std::round(t / scene.dt), dt = scene.dt;
    return std::vector<Pose>{{{0, 0, 50 + 2 * t - kG * dt * dt * n * (n + 1) / 2}, {}}};
  };
  EXPECT_NEAR(*judged(scene, Task::None, euler).energy_rise, 0, 1e-11);
}

TEST(BenchQuality, EnergyGainedInFlightIsSeenInSizesOfTheBody) {
  // A ball that rises by itself from rest to v = 2 m/s has gained v²/2 per kg: v²/(2g) of height. It does so at t = ½.
  const Real size = 0.5;
  const Scene scene = scene_of({body(Shape::sphere(size / 2), {0, 0, 50})}, 1);
  const auto kicked = [&](Real t) {
    const Real late = std::max(0.0, t - 0.5);
    return std::vector<Pose>{{{2 * late, 0, 50 - 0.5 * kG * t * t}, {}}};
  };
  EXPECT_NEAR(*judged(scene, Task::None, kicked).energy_rise, 4 / (2 * kG * size), 1e-9);
}

TEST(BenchQuality, ABounceInsideAStepIsNoGain) {
  // An elastic ball under no gravity turns round between two poses: the difference over that step is too small.
  const Scene scene = scene_of({body(Shape::sphere(0.5), {0, 0, 5})}, 1, {});
  Scene moving = scene;
  moving.bodies[0].def.velocity = {0, 0, -1};
  const auto bounce = [&](Real t) { return std::vector<Pose>{{{0, 0, 4.5 + std::abs(0.5 - t + 0.003)}, {}}}; };
  EXPECT_NEAR(*judged(moving, Task::None, bounce).energy_rise, 0, 1e-10);
}

TEST(BenchQuality, StackTellsSagDriftAndFall) {
  const Scene scene = scene_of({body(Shape::box({1, 1, 1}), {0, 0, 0.5}), body(Shape::box({1, 1, 1}), {0, 0, 1.55}),
                                body(Shape::box({1, 1, 1}), {0, 0, 2.6})},
                               2);
  const auto poses = [](Real t, Real top) {
    return std::vector<Pose>{{{0, 0, 0.5}, {}}, {{0, 0, 1.5}, {}}, {{0.01 * t, 0, top}, {}}};
  };
  const Quality stands = judged(scene, Task::Stack, [&](Real t) { return poses(t, 2.48); });
  EXPECT_NEAR(figure(stands, "sag_mm"), 20, 1e-9);
  EXPECT_NEAR(figure(stands, "drift_mm"), 10, 1e-9);  // 10 mm/s over the second half
  EXPECT_EQ(figure(stands, "stands"), 1);
  EXPECT_EQ(figure(judged(scene, Task::Stack, [&](Real t) { return poses(t, 1.5); }), "stands"), 0);
}

TEST(BenchQuality, CreepCountsFromATenthOfTheRun) {
  const Scene scene = scene_of({body(Shape::box({1, 1, 1}), {0, 0, 0.5})}, 10);
  const Quality quality = judged(scene, Task::Incline, [](Real t) {
    return std::vector<Pose>{{{0.5 + 0.001 * t, 0, 0.5}, {}}};  // the jump at the start is not creep
  });
  EXPECT_NEAR(figure(quality, "creep_mm"), 9, 1e-9);
}

TEST(BenchQuality, StoppingDistanceIsComparedWithTheTextbook) {
  Scene scene = scene_of({body(Shape::box({1, 1, 1}), {0, 0, 0.5})}, 3);
  scene.bodies[0].def.velocity = {5, 0, 0};
  const Real ideal = 25 / (2 * 0.5 * kG), stop = 5 / (0.5 * kG);
  const Quality exact = judged(scene, Task::Slide, [&](Real t) {
    const Real s = std::min(t, stop);
    return std::vector<Pose>{{{5 * s - 0.25 * kG * s * s, 0, 0.5}, {}}};
  });
  EXPECT_NEAR(figure(exact, "stopping_error_percent"), 0, 1e-10);
  const Quality late =
      judged(scene, Task::Slide, [&](Real /*time*/) { return std::vector<Pose>{{{1.02 * ideal, 0, 0.5}, {}}}; });
  EXPECT_NEAR(figure(late, "stopping_error_percent"), 2, 1e-10);
}

TEST(BenchQuality, CradleTellsVelocitiesFromPosesAlone) {
  Scene scene = scene_of(
      {body(Shape::sphere(0.5), {-1, 0, 0}), body(Shape::sphere(0.5), {1, 0, 0}), body(Shape::sphere(0.5), {2, 0, 0})},
      2, {});
  scene.bodies[0].def.velocity = {2, 0, 0};
  const auto after = [](Real first, Real second, Real third) {
    return [=](Real t) {
      return std::vector<Pose>{{{-1 + first * t, 0, 0}, {}}, {{5 + second * t, 0, 0}, {}}, {{9 + third * t, 0, 0}, {}}};
    };
  };
  const Quality ideal = judged(scene, Task::Cradle, after(0, 0, 2));
  EXPECT_NEAR(figure(ideal, "velocity_error"), 0, 1e-9);
  EXPECT_NEAR(figure(ideal, "energy_percent"), 100, 1e-9);
  const Quality shared = judged(scene, Task::Cradle, after(-2.0 / 3, 4.0 / 3, 4.0 / 3));
  EXPECT_NEAR(figure(shared, "velocity_error"), 2.0 / 3, 1e-9);
  EXPECT_NEAR(figure(shared, "velocity_0"), -1.0 / 3, 1e-9);
}

TEST(BenchQuality, PouredBodiesAreCountedBelowTheNeck) {
  const Scene scene = scene_of({body(Shape::sphere(0.1), {0, 0, 9}), body(Shape::sphere(0.1), {3, 0, 9})}, 1);
  const Quality quality =
      judged(scene, Task::Pour, [](Real t) { return std::vector<Pose>{{{0, 0, 9 - 5 * t}, {}}, {{3, 0, 9}, {}}}; }, 5);
  EXPECT_EQ(figure(quality, "through_neck"), 1);
}

TEST(BenchQuality, ARunThatWasCutHasNoFiguresOfItsEnd) {
  const Scene scene = scene_of({body(Shape::box({1, 1, 1}), {0, 0, 0.5})}, 10);
  QualityJudge judge(scene, scene.duration, Task::Stack);
  judge.add({{{0, 0, 0.4}, {}}});
  EXPECT_TRUE(judge.quality(false).figures.empty());
  EXPECT_EQ(judge.quality(false).steps, 1);
}

TEST(BenchQuality, AStateThatIsNotFiniteIsSaidToBe) {
  const Scene scene = scene_of({body(Shape::box({1, 1, 1}), {0, 0, 0.5})}, 10);
  QualityJudge judge(scene, scene.duration, Task::Stack);
  judge.add({{{0, 0, std::nan("")}, {}}});
  EXPECT_FALSE(judge.quality(true).finite);
}

}  // namespace
}  // namespace carom::bench
