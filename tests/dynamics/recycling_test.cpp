// Resting piles reuse their manifolds, and are at rest all the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "dynamics/scenery.h"

namespace carom {
namespace {

struct Rest {
  Real reused = 0;       // share of manifolds over the last second
  Real penetration = 0;  // m, over the last second
  Real drift = 0;        // m, the farthest that a body went in it
};

Rest after_settling(World& world, Real seconds) {
  constexpr Real kDt = 1.0 / 60;
  test::run(world, seconds, kDt);
  std::vector<Vec3> before;
  for (const BodyHandle body : world.bodies()) before.push_back(world.state(body).position);
  Rest rest;
  Real manifolds = 0;
  for (int i = 0; i < 60; ++i) {
    const StepReport report = world.step(kDt);
    manifolds += static_cast<Real>(report.manifolds);
    rest.reused += static_cast<Real>(report.manifolds_reused);
    rest.penetration = std::max(rest.penetration, report.max_penetration);
  }
  rest.reused /= manifolds;
  for (std::size_t i = 0; i < before.size(); ++i)
    rest.drift = std::max(rest.drift, norm(world.state(world.bodies()[i]).position - before[i]));
  return rest;
}

// Cubes of 1 m: ε_c is 0.1 mm. Overlaps up to 2 ε_c are left alone, and one more is room for what is being taken back.
constexpr Real kMostPenetration = 3e-4;
constexpr Real kMostDrift = 1e-4;

TEST(Recycling, APyramidAtRestReusesItsManifolds) {
  World world;
  test::add_floor(world);
  for (int row = 0; row < 6; ++row)
    for (int i = 0; i < 6 - row; ++i) world.add_body(test::cube({1.1 * i + 0.55 * row, 0, row + 0.5}));
  const Rest rest = after_settling(world, 2);
  EXPECT_GT(rest.reused, 0.9);
  EXPECT_LT(rest.penetration, kMostPenetration);
  EXPECT_LT(rest.drift, kMostDrift);
}

TEST(Recycling, AHeapThatFellDoesToo) {
  World world;
  world.set_default_material(test::surface(0.6));
  test::add_floor(world);
  test::Random random(1);
  for (int i = 0; i < 20; ++i) {
    BodyDef def = test::cube({random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), 1 + 1.5 * i});
    def.pose.orientation = random.rotation();
    world.add_body(def);
  }
  const Rest rest = after_settling(world, 12);
  EXPECT_GT(rest.reused, 0.9);
  EXPECT_LT(rest.penetration, kMostPenetration);
}

TEST(Recycling, ARollingBallIsNotHeldBackOrDriven) {
  // A point that lags behind the ball would push it; without friction losses its speed must stay.
  for (const Real speed : {1e-6, 1e-4, 1e-2}) {
    World world;
    world.set_default_material(test::surface(0.5));
    test::add_floor(world);
    BodyDef def = test::body(Shape::sphere(0.5), {0, 0, 0.5}, {speed, 0, 0});
    def.angular_velocity = {0, speed / 0.5, 0};
    const BodyHandle ball = world.add_body(def);
    test::run(world, 5, 1.0 / 60);
    EXPECT_NEAR(world.state(ball).velocity.x, speed, 1e-9 * speed);
  }
}

TEST(Recycling, AStackRidesOnAKinematicBodyWithItsManifolds) {
  World world;
  BodyDef lift = test::body(Shape::box({3, 3, 1}), {0, 0, -0.5}, {1, 0, 0});
  lift.type = BodyType::Kinematic;
  world.add_body(lift);
  for (int i = 0; i < 5; ++i) world.add_body(test::cube({0, 0, i + 0.5}, {1, 0, 0}));
  const Rest rest = after_settling(world, 1);
  EXPECT_GT(rest.reused, 0.9);
}

}  // namespace
}  // namespace carom
