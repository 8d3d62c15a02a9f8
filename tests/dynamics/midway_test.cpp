// Contacts at the middle of the step: what rolls and tips goes its way to second order in dt.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dynamics/suites_scenery.h"

namespace carom {
namespace {

using test::kStandardGravity;

World world_with(bool midway) {
  World world = test::world_with("exact", {{"midway", midway}});
  world.set_default_material(test::surface(10));
  return world;
}

/// The angle of φ″ = k sin φ from rest at φ₀ after a time, in ten thousand steps of fourth order.
Real fallen(Real k, Real start, Real time) {
  constexpr int kSteps = 10000;
  const Real h = time / kSteps;
  Real angle = start, rate = 0;
  for (int i = 0; i < kSteps; ++i) {
    const Real a1 = k * std::sin(angle), a2 = k * std::sin(angle + 0.5 * h * rate);
    const Real a3 = k * std::sin(angle + 0.5 * h * rate + 0.25 * h * h * a1);
    const Real a4 = k * std::sin(angle + h * rate + 0.5 * h * h * a2);
    angle += h * rate + h * h * (a1 + a2 + a3) / 6;
    rate += h * (a1 + 2 * a2 + 2 * a3 + a4) / 6;
  }
  return angle;
}

/// A ball that rolls off a fixed ball, their radii together 1 m, from 0.02 rad; its angle after some time.
Real rolled_off(bool midway, Real dt, Real radius = 0.5, Real seconds = 1) {
  World world = world_with(midway);
  BodyDef below = test::body(Shape::sphere(1 - radius), {});
  below.type = BodyType::Fixed;
  world.add_body(below);
  const BodyHandle ball = world.add_body(test::body(Shape::sphere(radius), {std::sin(0.02), 0, std::cos(0.02)}));
  test::run(world, seconds, dt);
  const Vec3 x = world.state(ball).position;
  return std::atan2(x.x, x.z);
}

/// A block 0.1 wide and 0.4 high that tips over its lower edge from 0.02 rad past its balance for 0.5 s; by how much.
Real tipped_over(bool midway, Real dt) {
  World world = world_with(midway);
  test::add_floor(world);
  const Real balance = std::atan2(0.1, 0.4), angle = balance + 0.02;
  BodyDef def = test::body(Shape::box({0.1, 0.2, 0.4}), {});
  def.pose.orientation = test::turn({0, 1, 0}, angle * 180 / std::numbers::pi);
  def.pose.position = -rotate(def.pose.orientation, {0.05, 0, -0.2});
  const BodyHandle block = world.add_body(def);
  test::run(world, 0.5, dt);
  const Vec3 up = rotate(world.state(block).orientation, {0, 0, 1});
  return std::atan2(up.x, up.z) - balance;
}

TEST(Midway, ABallRollsOffABallToSecondOrder) {
  // φ″ = 5/7 g sin φ / (R + r). Half the step leaves a quarter of the error; with contacts at the start, half.
  const Real exact = fallen(5.0 / 7 * kStandardGravity, 0.02, 1);
  const Real coarse = rolled_off(true, 1.0 / 120) - exact, fine = rolled_off(true, 1.0 / 240) - exact;
  EXPECT_LE(std::abs(fine), 3e-4 * exact);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
  const Real first_order = rolled_off(false, 1.0 / 240) - exact;
  EXPECT_GE(std::abs(first_order), 10 * std::abs(fine));
}

TEST(Midway, SoDoesASmallBallThatGoesFarInAStep) {
  // At the end it goes by a tenth of its radius in half a step, and by a fifth in half of the coarse one.
  const Real exact = fallen(5.0 / 7 * kStandardGravity, 0.02, 1.5);
  const Real coarse = rolled_off(true, 1.0 / 120, 0.05, 1.5) - exact,
             fine = rolled_off(true, 1.0 / 240, 0.05, 1.5) - exact;
  EXPECT_LE(std::abs(fine), 3e-4 * exact);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

TEST(Midway, ABlockTipsOverItsEdgeToSecondOrder) {
  // φ″ = 3 g sin φ / (4 R), R half the diagonal.
  const Real half_diagonal = 0.5 * std::hypot(0.1, 0.4);
  const Real exact = fallen(0.75 * kStandardGravity / half_diagonal, 0.02, 0.5);
  const Real coarse = tipped_over(true, 1.0 / 120) - exact, fine = tipped_over(true, 1.0 / 240) - exact;
  EXPECT_LE(std::abs(fine), 2e-3 * exact);
  EXPECT_LE(std::abs(fine), 0.4 * std::abs(coarse));
  const Real first_order = tipped_over(false, 1.0 / 240) - exact;
  EXPECT_GE(std::abs(first_order), 5 * std::abs(fine));
}

TEST(Midway, ABallOnATurntableGoesRoundItsOwnCentre) {
  // At 2/7 of the turntable's rate, on a circle that does not grow (Weltner 1979): after a whole round it is where it
  // was. Contacts at the start of the step make it spiral, to first order.
  World world = world_with(true);
  BodyDef table = test::body(Shape::box({20, 20, 1}), {0, 0, -0.5});
  table.type = BodyType::Kinematic;
  table.angular_velocity = {0, 0, 2};
  world.add_body(table);
  BodyDef def = test::body(Shape::sphere(0.1), {1, 0, 0.1}, {0, 0.5, 0});
  // Rolling: the lowest point moves with the table, 2 m/s along y.
  def.angular_velocity = {(2 - 0.5) / 0.1, 0, 0};
  const BodyHandle ball = world.add_body(def);
  const Real round = 2 * std::numbers::pi / (2.0 / 7 * 2);
  constexpr int kSteps = 2640;  // 1/240 s, very nearly
  for (int i = 0; i < kSteps; ++i) ASSERT_TRUE(world.step(round / kSteps).finite);
  // Its way is 5.5 m long; (4/7 dt)² of that are 3.1e-5 m, while 4/7 dt of it, the first order, are 13 mm.
  EXPECT_LE(norm(world.state(ball).position - Vec3{1, 0, 0.1}), 3.1e-5);
}

TEST(Midway, LeavesWhatRestsAloneBitForBit) {
  World one = world_with(true), other = world_with(false);
  for (World* world : {&one, &other}) {
    test::add_floor(*world);
    world->add_body(test::cube({0, 0, 0.5}));
    world->add_body(test::cube({0, 0, 1.5}));
  }
  for (int i = 0; i < 60; ++i) {
    one.step(1.0 / 60);
    other.step(1.0 / 60);
  }
  EXPECT_EQ(one.state_hash(), other.state_hash());
}

}  // namespace
}  // namespace carom
