// Fast bodies at a coarse step: nothing sinks in, no bounce is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "acceptance.h"
#include "study/pose_audit.h"

namespace carom::acceptance {
namespace {

constexpr Real kStep = 1.0 / 60;

Quat turn(const Vec3& axis, Real radians) {
  const Vec3 v = std::sin(radians / 2) * normalized(axis);
  return {std::cos(radians / 2), v.x, v.y, v.z};
}

/// The deepest that a cube gets into the floor, thrown down at 14 m/s from where its lowest point is `gap` above it.
Real deepest(const Quat& orientation, Real gap, Real restitution, const ShapePtr& floor, const Pose& floor_pose) {
  const ShapePtr cube = Shape::box({1, 1, 1});
  World world;
  world.set_default_material({0.5, 0.5, restitution});
  const Real reach = -PlacedShape(*cube, {{}, orientation}).low.z;
  world.add_body({.name = "floor", .type = BodyType::Fixed, .shape = floor, .pose = floor_pose});
  world.add_body({.name = "cube", .shape = cube, .pose = {{0, 0, gap + reach}, orientation}, .velocity = {0, 0, -14}});
  PoseAudit audit({{floor, BodyType::Fixed}, {cube}});
  Real worst = 0;
  for (int step = 0; step < 120; ++step) {
    world.step(kStep);
    const PoseReport report = audit.judge(shape_poses(world));
    EXPECT_TRUE(report.finite);
    worst = std::max(worst, report.worst_depth);
  }
  return worst;
}

TEST(FallingCube, NeverSinksInByMoreThanAMillimetre) {
  // A step moves the cube by 0.233 m: sixteen gaps over that length meet the floor at every phase of the step.
  const Real corner = std::atan(std::sqrt(0.5));
  const std::vector<Quat> orientations{{},
                                       turn({1, 0, 0}, std::numbers::pi / 4),
                                       turn({0, 1, 0}, corner) * turn({1, 0, 0}, std::numbers::pi / 4),
                                       turn({1, 2, 3}, 0.7),
                                       turn({3, -1, 0.5}, 0.05)};
  const ShapePtr slab = Shape::box({40, 40, 2}), plane = Shape::plane({0, 0, 1}, 0);
  Real worst = 0;
  for (const Real restitution : {0.0, 0.1, 0.5}) {
    for (const Quat& orientation : orientations) {
      for (int phase = 0; phase < 16; ++phase) {
        const Real gap = 0.3 + phase * 14 * kStep / 16;
        const Real on_slab = deepest(orientation, gap, restitution, slab, {{0, 0, -1}, {}});
        const Real on_plane = deepest(orientation, gap, restitution, plane, {});
        worst = std::max({worst, on_slab, on_plane});
        EXPECT_LE(std::max(on_slab, on_plane), 1e-3)
            << "e = " << restitution << ", gap = " << gap << ", orientation " << orientation.w << ' ' << orientation.x
            << ' ' << orientation.y << ' ' << orientation.z;
      }
    }
  }
  figure("cube at 14 m/s: deepest in the floor", 1e3 * worst, "mm");
}

/// How high the lowest point of a ball rises after its first bounce, dropped from `height`.
Real rebound(Real height, Real restitution) {
  const Real radius = 0.5;
  World world;
  world.set_default_material({0.5, 0.5, restitution});
  world.add_body(
      {.name = "floor", .type = BodyType::Fixed, .shape = Shape::box({40, 40, 2}), .pose = {{0, 0, -1}, {}}});
  const BodyHandle ball =
      world.add_body({.name = "ball", .shape = Shape::sphere(radius), .pose = {{0, 0, height + radius}, {}}});
  Real top = 0;
  bool bounced = false;
  for (int step = 0; step < 240; ++step) {
    world.step(kStep);
    const BodyState state = world.state(ball);
    if (bounced && state.velocity.z < 0) return std::max(top, state.position.z - radius);
    bounced = bounced || state.velocity.z > 0;
    if (bounced) top = std::max(top, state.position.z - radius);
  }
  return top;
}

TEST(BouncingBall, RisesToTheHeightOfItsRestitution) {
  const Real e = 0.8;
  const Real height = rebound(2, e);
  figure("ball, e = 0.8 from 2 m: error of the rebound height", 100 * (height / (e * e * 2) - 1), "%");
  EXPECT_NEAR(height, e * e * 2, 0.02 * e * e * 2);
}

TEST(BouncingBall, RisesAsHighWhateverThePhaseOfTheStep) {
  // Drops that reach the floor at different fractions of a step, so that one lucky height cannot pass alone.
  const Real e = 0.8;
  Real worst = 0;
  for (int i = 0; i < 40; ++i) {
    const Real drop = 1.9 + 0.005 * i, error = rebound(drop, e) / (e * e * drop) - 1;
    worst = std::max(worst, std::abs(error));
    EXPECT_LE(std::abs(error), 0.02) << "dropped from " << drop;
  }
  figure("ball, e = 0.8 from 1.9 to 2.1 m: worst error of the rebound", 100 * worst, "%");
}

/// Largest error of a ball's speed, of the speed at which one ball strikes the cradle's other four.
Real cradle_error(const std::string& suite, Real speed, Real dt) {
  Scene cradle = scene("cradle", suite);
  World world = world_of(cradle);
  const BodyHandle first = body_named(world, "ball0");
  BodyState state = world.state(first);
  state.velocity = {speed, 0, 0};
  world.set_state(first, state);
  for (int i = 0; i < static_cast<int>(2 / dt); ++i) world.step(dt);
  Real worst = 0;
  for (int ball = 0; ball < 5; ++ball) {
    const Vec3 expected{ball == 4 ? speed : 0, 0, 0};
    const Vec3 velocity = world.state(body_named(world, "ball" + std::to_string(ball))).velocity;
    worst = std::max(worst, norm(velocity - expected) / speed);
  }
  return worst;
}

TEST(NewtonsCradle, SendsOutOneBallWhateverTheSpeedAndTheStep) {
  // The collision program leaves what its tolerance allows; the queue alone leaves rounding.
  for (const auto& [suite, tolerance] : {std::pair{"exact", 1e-12}, std::pair{"schmidl", 1e-6}}) {
    Real worst = 0;
    for (const Real speed : {0.9, 1.0, 1.03})
      for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 120, 1.0 / 240})
        worst = std::max(worst, cradle_error(suite, speed, dt));
    figure(std::string("cradle, ") + suite + ": worst error of a speed, of that of the blow", worst);
    EXPECT_LE(worst, tolerance) << suite;
  }
}

}  // namespace
}  // namespace carom::acceptance
