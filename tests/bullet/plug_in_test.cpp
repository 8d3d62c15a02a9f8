// The plug-in inside Bullet's world, on small scenes with known answers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bullet/test_world.h"

namespace carom {
namespace {

constexpr Real kGravity = 9.81;
/// What single precision leaves of a number near one.
constexpr Real kRounding = kDouble ? 1e-9 : 1e-6;

TEST(BulletPlugIn, CubeAtRestStaysWhereItIs) {
  TestWorld test;
  test.add_floor();
  const btRigidBody& cube = test.add_cube({0, 0, 0.5});
  test.step(300);
  EXPECT_LT(norm(position_of(cube) - Vec3{0, 0, 0.5}), kRounding);
  EXPECT_LT(norm(velocity_of(cube)), kRounding);
  EXPECT_TRUE(test.solver.report().converged);
  EXPECT_EQ(test.solver.report().contacts, 4);
  EXPECT_LT(test.solver.report().residual_coulomb, kDouble ? 1e-8 : 1e-6);
}

TEST(BulletPlugIn, ImpulsesUnderAStackSumToItsWeight) {
  TestWorld test;
  const btRigidBody& floor = test.add_floor();
  test.add_stack(5);
  test.step(60);
  const Vec3 impulse = test.impulse_from(floor);
  const Real expected = 5 * 1000 * kGravity / 60;
  EXPECT_NEAR(impulse.z, expected, (kDouble ? 1e-7 : 1e-5) * expected);
  EXPECT_NEAR(std::hypot(impulse.x, impulse.y), 0, (kDouble ? 1e-7 : 1e-5) * expected);
}

TEST(BulletPlugIn, FrictionOnASlopeIsInTheManifoldPoints) {
  TestWorld test;
  const auto angle = static_cast<btScalar>(0.3);  // tan 0.3 = 0.31 < 0.5: it holds
  const btQuaternion tilt({0, 1, 0}, angle);
  const btVector3 up = quatRotate(tilt, {0, 0, 1});
  const btRigidBody& slope = test.add_box(0, -up, {20, 20, 1}, tilt);
  // A tenth of a millimetre deep, so that Bullet finds the contact at once.
  const btRigidBody& cube = test.add_box(1000, static_cast<btScalar>(0.4999) * up, {0.5, 0.5, 0.5}, tilt);
  const Vec3 start = position_of(cube);
  test.step(300);
  // The reaction is vertical: normal and friction together carry the weight.
  const Vec3 impulse = test.impulse_from(slope);
  const Real weight = 1000 * kGravity / 60;
  EXPECT_LT(norm(impulse - Vec3{0, 0, weight}), 1e-4 * weight);
  // It may be pushed out of the overlap, along the normal, and nothing else.
  const Vec3 way = position_of(cube) - start, normal{up.x(), up.y(), up.z()};
  EXPECT_LT(norm(way - dot(way, normal) * normal), 10 * kRounding);
}

/// The pulse goes through the row in one step where the balls touch, and from step to step where they do not.
TEST(BulletPlugIn, CradlePassesTheWholeSpeedOn) {
  for (const double speed : {1.0, 0.73, 2.9}) {
    TestWorld test;
    test.world.setGravity({0, 0, 0});
    std::vector<btRigidBody*> balls;
    for (int i = 0; i < 5; ++i) {
      balls.push_back(&test.add_ball(1, {static_cast<btScalar>(i == 0 ? -1 : i), 0, 0}));
      balls.back()->setRestitution(1);
      balls.back()->setFriction(0);
    }
    balls[0]->setLinearVelocity({static_cast<btScalar>(speed), 0, 0});
    test.step(240);
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(velocity_of(*balls[static_cast<std::size_t>(i)]).x, i == 4 ? speed : 0, 1e-5) << "ball " << i;
  }
}

/// Whatever Bullet does with its points between two steps, their impulses are what the next solve starts from.
TEST(BulletPlugIn, SolveStartsFromTheImpulsesOfTheLastStep) {
  const auto iterations_at_rest = [](bool warm_start) {
    TestWorld test;
    test.add_floor();
    test.add_stack(10);
    if (!warm_start) test.world.getSolverInfo().m_solverMode &= ~SOLVER_USE_WARMSTARTING;
    test.step(20);
    EXPECT_TRUE(test.solver.report().converged);
    return test.solver.report().iterations;
  };
  EXPECT_LT(iterations_at_rest(true), iterations_at_rest(false) / 2);
}

TEST(BulletPlugIn, BallBouncesByItsRestitution) {
  TestWorld test;
  test.add_floor().setRestitution(1);
  btRigidBody& ball = test.add_ball(1, {0, 0, 1.5});
  ball.setRestitution(0.6F);
  Real before = 0, after = 0;
  for (int i = 0; i < 60 && after <= 0; ++i) {
    before = velocity_of(ball).z;
    test.step();
    after = velocity_of(ball).z;
  }
  // Within the step of the bounce gravity acts once, after the collision.
  EXPECT_NEAR(after, -0.6 * before - kGravity / 60, 1e-5);
  EXPECT_LT(before, -4);
}

TEST(BulletPlugIn, BouncyCubeAtRestDoesNotHop) {
  TestWorld test;
  test.add_floor().setRestitution(1);
  btRigidBody& cube = test.add_cube({0, 0, 0.5});
  cube.setRestitution(1);
  Real highest = 0;
  for (int i = 0; i < 120; ++i) {
    test.step();
    highest = std::max(highest, position_of(cube).z);
  }
  EXPECT_LT(highest, 0.5 + kRounding);
}

TEST(BulletPlugIn, OverlapIsTakenBackWithoutSpeed) {
  TestWorld test;
  test.add_floor();
  const btRigidBody& cube = test.add_cube({0, 0, 0.45F});
  Real fastest = 0;
  for (int i = 0; i < 120; ++i) {
    test.step();
    fastest = std::max(fastest, norm(velocity_of(cube)));
  }
  EXPECT_LT(fastest, 1e-6);
  EXPECT_NEAR(position_of(cube).z, 0.5, 1e-5);  // what Bullet's m_erp2 leaves, and single precision
}

TEST(BulletPlugIn, SliderStopsWhereCoulombSays) {
  TestWorld test;
  test.add_floor();
  btRigidBody& cube = test.add_cube({-10, 0, 0.5});
  cube.setLinearVelocity({5, 0, 0});
  test.step(120);
  // Poses move by the velocity at the end of each step: v dt/2 less than v²/(2 μ g).
  const Real expected = 25 / (2 * 0.5 * kGravity) - 0.5 * 5.0 / 60;
  // Bullet's cache has 2 to 4 points of a cube that slides by more than its breaking threshold in a step, so that the
  // load goes up and down.
  EXPECT_NEAR(position_of(cube).x + 10, expected, 1e-2 * expected);
  EXPECT_LT(norm(velocity_of(cube)), 1e-6);
}

TEST(BulletPlugIn, KinematicBodyCarriesWhatStandsOnIt) {
  TestWorld test;
  btRigidBody& platform = test.add_box(0, {0, 0, -1}, {20, 20, 1});
  platform.setCollisionFlags(platform.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  const btRigidBody& cube = test.add_cube({0, 0, 0.5});
  for (int i = 1; i <= 60; ++i) {
    btTransform pose = platform.getWorldTransform();
    pose.setOrigin({static_cast<btScalar>(i) * kDt, 0, -1});
    platform.setWorldTransform(pose);
    test.step();
  }
  // From rest to 1 m/s within the first steps, by friction of 0.5 g.
  EXPECT_NEAR(velocity_of(cube).x, 1, 1e-4);
}

TEST(BulletPlugIn, TurnsOnlyAboutAxesThatAreFree) {
  TestWorld test;
  test.add_floor();
  btRigidBody& cube = test.add_cube({0, 0, 2});
  cube.setAngularFactor(0);
  btRigidBody& above = test.add_box(1000, {0.45F, 0, 3.2F}, {0.5, 0.5, 0.5});
  above.setAngularFactor({0, 0, 1});
  test.step(120);
  EXPECT_EQ(cube.getAngularVelocity(), btVector3(0, 0, 0));
  EXPECT_EQ(above.getAngularVelocity().x(), 0);
  EXPECT_EQ(above.getAngularVelocity().y(), 0);
  EXPECT_NEAR(position_of(cube).z, 0.5, 1e-4);
  EXPECT_NEAR(position_of(above).z, 1.5, 1e-4);
}

TEST(BulletPlugIn, GroupsWithJointsGoToBulletsOwnSolver) {
  TestWorld test;
  test.world.getSolverInfo().m_minimumSolverBatchSize = 1;  // a group for each island
  test.add_floor();
  test.add_cube({0, 0, 0.5});
  btRigidBody& bob = test.add_ball(1, {6, 0, 3});
  btPoint2PointConstraint hook(bob, {-1, 0, 0});
  test.world.addConstraint(&hook);
  test.step(30);
  EXPECT_EQ(test.solver.report().groups, 1);
  EXPECT_EQ(test.solver.report().passed_on, 1);
  EXPECT_EQ(test.solver.report().passed_on_why, "it has joints");
  EXPECT_NEAR(norm(position_of(bob) - Vec3{5, 0, 3}), 1, 0.02);  // how soft Bullet's joint is
  test.world.removeConstraint(&hook);
}

TEST(BulletPlugIn, WhatSolversDoNotKnowGoesToBulletsOwn) {
  TestWorld test;
  test.add_floor();
  btRigidBody& ball = test.add_ball(1, {0, 0, 0.5});
  test.step();
  EXPECT_EQ(test.solver.report().passed_on, 0);
  ball.setRollingFriction(0.1F);
  test.step();
  EXPECT_EQ(test.solver.report().passed_on, 1);
  EXPECT_NE(test.solver.report().passed_on_why.find("rolling friction"), std::string::npos);
}

TEST(BulletPlugIn, SleepingBodiesCostNothingAndWakeUp) {
  TestWorld test;
  test.add_floor();
  btRigidBody& cube = test.add_cube({0, 0, 0.5});
  cube.forceActivationState(ACTIVE_TAG);
  test.step(240);  // Bullet wants two seconds of rest
  EXPECT_EQ(cube.getActivationState(), ISLAND_SLEEPING);
  EXPECT_EQ(test.solver.report().groups, 0);
  btRigidBody& ball = test.add_ball(1000, {0, 0, 3});
  test.step(60);
  EXPECT_NE(cube.getActivationState(), ISLAND_SLEEPING);
  EXPECT_NEAR(position_of(ball).z, 1.5, 0.1);
}

TEST(BulletPlugIn, RunsRepeatBitForBit) {
  const auto run = [] {
    TestWorld test;
    test.add_floor();
    for (int i = 0; i < 12; ++i)
      test.add_cube({static_cast<btScalar>(0.3 * (i % 3)), static_cast<btScalar>(0.2 * (i % 2)),
                     static_cast<btScalar>(1.2 * i + 1)});
    test.step(180);
    std::vector<Vec3> positions;
    positions.reserve(static_cast<std::size_t>(test.world.getNumCollisionObjects()));
    for (int i = 0; i < test.world.getNumCollisionObjects(); ++i)
      positions.push_back(position_of(*test.world.getCollisionObjectArray()[i]));
    return positions;
  };
  EXPECT_EQ(run(), run());
}

TEST(BulletPlugIn, EverySolverThatKeepsBodiesApartHoldsACube) {
  int tried = 0;
  for (const SolverInfo& solver : solver_registry()) {
    const auto has = [&](Feature feature) {
      return std::find(solver.honours.begin(), solver.honours.end(), feature) != solver.honours.end();
    };
    if (!has(Feature::GapTarget) || !has(Feature::Friction)) continue;
    BulletSettings settings;
    settings.contacts = {solver.name, {}};
    TestWorld test(settings);
    test.add_floor();
    const btRigidBody& cube = test.add_cube({0, 0, 0.5});
    test.step(60);
    EXPECT_LT(norm(position_of(cube) - Vec3{0, 0, 0.5}), 1e-3) << solver.name;
    EXPECT_EQ(test.solver.report().passed_on, 0) << solver.name << ": " << test.solver.report().passed_on_why;
    ++tried;
  }
  EXPECT_GE(tried, 5);
}

TEST(BulletPlugIn, SettingsThatCannotWorkAreRefusedWithAReason) {
  const auto message = [](const BulletSettings& settings) -> std::string {
    try {
      const BulletSolver solver(settings);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  BulletSettings settings;
  settings.contacts = {"magic", {}};
  EXPECT_NE(message(settings).find("no solver is named 'magic'; there are: sequential"), std::string::npos);
  settings.contacts = {"exact", {{"tolerance", "-1"}}};
  EXPECT_NE(message(settings).find("BulletSettings::contacts: exact: option 'tolerance' expects"), std::string::npos)
      << message(settings);
  settings.contacts = {"pq", {}};
  EXPECT_NE(message(settings).find("pq cannot keep bodies apart"), std::string::npos);
  settings.contacts = {"none", {}};
  EXPECT_NE(message(settings).find("there must be a solver"), std::string::npos);
}

}  // namespace
}  // namespace carom
