// The suite of springs and dampers.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/suites_scenery.h"

namespace carom {
namespace {

using test::world_with;

constexpr Real kStep = 1.0 / 60;

TEST(Penalty, CubeSinksByItsWeightOverTheStiffnessOfItsFourCorners) {
  for (const Real stiffness : {1e3, 1e5, 1e7}) {
    World world = world_with("penalty", {{"stiffness", stiffness}});
    test::add_floor(world);
    const BodyHandle body = world.add_body(test::cube({0, 0, 0.5}));
    test::run(world, 5, kStep);
    const Real sag = 9.81 / (4 * stiffness);  // stiffness is given for each kg
    EXPECT_NEAR(0.5 - world.state(body).position.z, sag, 1e-5 * sag) << stiffness;
  }
}

TEST(Penalty, AnyStiffnessIsStableAtAnyStep) {
  for (const Real stiffness : {1e2, 1e6, 1e12}) {
    for (const Real dt : {1.0 / 20, 1.0 / 60, 1.0 / 1000}) {
      World world = world_with("penalty", {{"stiffness", stiffness}, {"spring_damping", 0.1}});
      world.set_default_material(test::surface(0.5));
      test::add_floor(world);
      const BodyHandle body = world.add_body(test::cube({0, 0, 1.5}));
      Real fastest = 0;
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(world.step(dt).finite);
        fastest = std::max(fastest, norm(world.state(body).velocity));
      }
      // It falls 1 m, and a little deeper into a soft floor: √(2 g h). Nothing may make it faster.
      EXPECT_LE(fastest, std::sqrt(2 * 9.81 * 1.5)) << stiffness << " " << dt;
    }
  }
}

TEST(Penalty, CubeOnASlopeGivesWayByItsLoadOverTheStiffnessOfItsCorners) {
  const Real degrees = 20, sine = std::sin(degrees * std::numbers::pi / 180);
  World world = world_with("penalty");
  world.set_default_material(test::surface(0.8));  // no corner slips: those uphill carry 0.15 m g and hold 0.09
  const BodyHandle body = test::add_cube_on_slope(world, degrees);
  const Vec3 start = world.state(body).position;
  test::run(world, 5, kStep);
  // Springs are as stiff along the surface as across it: four give way to the weight by g / 4k. Its moment turns the
  // cube by (m g sin α · 1/2) / (4 k · 1/4), which moves the centre down the slope by g sin α / 4k again.
  const Real sag = 9.81 / 4e5;
  EXPECT_NEAR(start.z - world.state(body).position.z, sag * (1 + sine * sine),
              1e-2 * sag);  // corners slip before they are loaded
}

TEST(Penalty, CubeStaysOnASlopeJustBelowItsFrictionAngle) {
  const Real degrees = 20;
  World world = world_with("penalty");
  world.set_default_material(test::surface(1.02 * std::tan(degrees * std::numbers::pi / 180)));
  const BodyHandle body = test::add_cube_on_slope(world, degrees);
  test::run(world, 5, kStep);
  const Vec3 settled = world.state(body).position;
  test::run(world, 20, kStep);
  EXPECT_LE(norm(world.state(body).position - settled), 1e-9);
}

TEST(Penalty, CubeOnASlopeStaysAtStepsOfManyLengths) {
  World world = world_with("penalty");
  world.set_default_material(test::surface(0.5));
  const BodyHandle body = test::add_cube_on_slope(world, 20);
  const Vec3 start = world.state(body).position;
  for (int i = 0; i < 1000; ++i) world.step(kStep / (1 + i % 7));
  // Twice what its springs give way.
  EXPECT_LE(norm(world.state(body).position - start), 2 * 9.81 / 4e5);
}

TEST(Penalty, SliderIsSlowedByCoulombFriction) {
  World world = world_with("penalty");
  world.set_default_material(test::surface(0.3));
  test::add_floor(world);
  const BodyHandle body = world.add_body(test::body(Shape::box({1, 1, 0.2}), {0, 0, 0.1 - 9.81 / 4e5}, {3, 0, 0}));
  test::run(world, 0.5, kStep);
  EXPECT_NEAR(world.state(body).velocity.x, 3 - 0.5 * 0.3 * 9.81, 1e-3);
}

TEST(Penalty, MomentumBalances) {
  World world = test::falling_heap("penalty", 1);
  for (int i = 0; i < 120; ++i) {
    const StepReport report = world.step(kStep);
    ASSERT_TRUE(report.finite);
    ASSERT_LE(report.momentum_error, 1e-9) << i;
  }
}

TEST(Penalty, GivesTheSameBitsOnAnyNumberOfThreads) {
  World one = test::falling_heap("penalty", 1), three = test::falling_heap("penalty", 3);
  for (int i = 0; i < 60; ++i) {
    one.step(kStep);
    three.step(kStep);
    ASSERT_EQ(one.state_hash(), three.state_hash()) << i;
  }
}

}  // namespace
}  // namespace carom
