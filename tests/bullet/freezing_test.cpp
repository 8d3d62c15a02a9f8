// Freezing inside Bullet's islands.
#include <gtest/gtest.h>

#include "bullet/test_world.h"

namespace carom {
namespace {

constexpr int kQuiet = 10;

BulletSettings freezing() {
  BulletSettings settings;
  settings.freezing = true;
  settings.quiet_steps = kQuiet;
  return settings;
}

TEST(BulletFreezing, StackFreezesFromTheGroundUpAndStays) {
  TestWorld test(freezing());
  test.add_floor();
  const std::vector<btRigidBody*> cubes = test.add_stack(3);
  test.step(kQuiet);
  EXPECT_EQ(test.solver.report().frozen, 0);
  test.step(1);
  EXPECT_EQ(test.solver.report().frozen, 1);
  test.step(3 * kQuiet);
  EXPECT_EQ(test.solver.report().frozen, 3);
  test.step(600);
  EXPECT_EQ(test.solver.report().frozen, 3);
  EXPECT_EQ(test.solver.report().iterations, 0);
  for (int i = 0; i < 3; ++i)
    EXPECT_LT(norm(position_of(*cubes[static_cast<std::size_t>(i)]) - Vec3{0, 0, i + 0.5}), 1e-6);
}

/// The impulses in the manifold points stay what they were: the floor still carries the cube.
TEST(BulletFreezing, FrozenBodiesKeepTheImpulsesThatCarryThem) {
  TestWorld test(freezing());
  const btRigidBody& floor = test.add_floor();
  test.add_cube({0, 0, 0.5});
  test.step(5 * kQuiet);
  EXPECT_EQ(test.solver.report().frozen, 1);
  EXPECT_NEAR(test.impulse_from(floor).z, 1000 * 9.81 / 60, 1e-2);
}

TEST(BulletFreezing, HardHitRevivesAndSoftTouchDoesNot) {
  for (const bool hard : {true, false}) {
    TestWorld test(freezing());
    test.add_floor();
    const btRigidBody& cube = test.add_cube({0, 0, 0.5});
    test.step(2 * kQuiet);
    ASSERT_EQ(test.solver.report().frozen, 1);
    btRigidBody& ball = test.add_ball(hard ? 500 : 1, {-1.02F, 0, 0.5});
    ball.setGravity({0, 0, 0});
    ball.setLinearVelocity({hard ? 3.0F : 0.5F, 0, 0});
    test.step(6);
    EXPECT_EQ(test.solver.report().frozen, hard ? 0 : 1);
    EXPECT_EQ(norm(velocity_of(cube)) > 0, hard);
  }
}

/// The lower cube is thrown away: what stood on it falls, with what stood on that.
TEST(BulletFreezing, WhatLosesItsSupportFalls) {
  TestWorld test(freezing());
  test.add_floor();
  const std::vector<btRigidBody*> cubes = test.add_stack(3);
  test.step(5 * kQuiet);
  ASSERT_EQ(test.solver.report().frozen, 3);
  test.world.removeRigidBody(cubes[0]);
  test.step(1);
  EXPECT_EQ(test.solver.report().frozen, 0);
  test.step(60);
  EXPECT_NEAR(position_of(*cubes[1]).z, 0.5, 1e-2);
  EXPECT_NEAR(position_of(*cubes[2]).z, 1.5, 1e-2);
  test.world.addRigidBody(cubes[0]);
}

TEST(BulletFreezing, CallersVelocityPoseAndForceRevive) {
  const auto frozen_after = [](auto&& disturb) {
    TestWorld test(freezing());
    test.add_floor();
    btRigidBody& cube = test.add_cube({0, 0, 0.5});
    test.step(2 * kQuiet);
    EXPECT_EQ(test.solver.report().frozen, 1);
    disturb(cube);
    test.step(1);
    return test.solver.report().frozen;
  };
  EXPECT_EQ(frozen_after([](btRigidBody&) {}), 1);
  EXPECT_EQ(frozen_after([](btRigidBody& cube) { cube.setLinearVelocity({1, 0, 0}); }), 0);
  EXPECT_EQ(frozen_after([](btRigidBody& cube) { cube.applyCentralForce({2000, 0, 0}); }), 0);
  EXPECT_EQ(frozen_after([](btRigidBody& cube) {
              btTransform pose = cube.getWorldTransform();
              pose.setOrigin({0.1F, 0, 0.5F});
              cube.setWorldTransform(pose);
            }),
            0);
}

/// A ball that rolls among frozen cubes keeps their island awake; they rest all the same.
TEST(BulletFreezing, RestsWhileTheIslandMoves) {
  TestWorld test(freezing());
  test.add_floor();
  const btRigidBody& wide = test.add_box(4000, {0, 0, 0.5}, {10, 1, 0.5});
  btRigidBody& ball = test.add_ball(1, {-8, 0, 1.5});
  ball.setLinearVelocity({2, 0, 0});
  ball.setAngularVelocity({0, 4, 0});
  test.step(120);
  EXPECT_EQ(test.solver.report().frozen, 1);
  EXPECT_LT(norm(position_of(wide) - Vec3{0, 0, 0.5}), 1e-5);
  EXPECT_NEAR(velocity_of(ball).x, 2, 1e-3);
  EXPECT_NEAR(position_of(ball).z, 1.5, 1e-3);
}

}  // namespace
}  // namespace carom
