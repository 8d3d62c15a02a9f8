// Bounces and stops: what comes back, and how deep nothing gets.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dynamics/scenery.h"

namespace carom {
namespace {

using test::cube;

/// The highest a ball's lowest point gets after its first bounce, dropped from `height`.
Real rebound(Real height, Real e, Real dt) {
  World world;
  world.set_default_material(test::surface(0, e));
  test::add_floor(world);
  const BodyHandle ball = world.add_body(test::body(Shape::sphere(0.1), {0, 0, height + 0.1}));
  bool rising = false;
  Real highest = 0;
  for (int i = 0; i < static_cast<int>(2 / dt); ++i) {
    world.step(dt);
    const BodyState state = world.state(ball);
    if (rising && state.velocity.z < 0) break;
    rising = rising || state.velocity.z > 0;
    if (rising) highest = std::max(highest, state.position.z - 0.1);
  }
  return highest;
}

TEST(Impact, BallRisesToESquaredOfItsHeight) {
  for (const Real dt : {1.0 / 60, 1.0 / 240}) EXPECT_NEAR(rebound(2, 0.8, dt), 0.64 * 2, 0.02 * 0.64 * 2) << dt;
}

TEST(Impact, NoBounceIsLostWhateverTheHeight) {
  // Heights that meet the floor at every phase of a step.
  for (int i = 0; i < 40; ++i) {
    const Real height = 1 + 0.037 * i;
    EXPECT_NEAR(rebound(height, 0.5, 1.0 / 60), 0.25 * height, 0.03 * 0.25 * height) << height;
  }
}

TEST(Impact, ElasticBallGainsNothingInManyBounces) {
  World world;
  world.set_default_material(test::surface(0, 1));
  test::add_floor(world);
  world.add_body(test::body(Shape::sphere(0.1), {0, 0, 1.1}));
  const Real before = world.kinetic_energy() + world.potential_energy();
  for (int i = 0; i < 1200; ++i) {
    const StepReport report = world.step(1.0 / 60);
    ASSERT_LE(report.kinetic_energy + report.potential_energy, before * 1.01) << i;
  }
}

TEST(Impact, InelasticBallStaysDown) {
  World world;
  world.set_default_material(test::surface(0.5, 0));
  test::add_floor(world);
  const BodyHandle ball = world.add_body(test::body(Shape::sphere(0.1), {0, 0, 1.1}));
  test::run(world, 2, 1.0 / 60);
  EXPECT_NEAR(world.state(ball).position.z, 0.1, 1e-4);
  EXPECT_LE(norm(world.state(ball).velocity), 1e-6);
}

/// How deep a cube that falls at 14 m/s gets into a floor, over a second.
Real deepest(const Quat& orientation, bool plane, Real height) {
  World world;
  world.set_default_material(test::surface(0.5));
  if (plane) {
    test::add_floor(world);
  } else {
    test::add_fixed_box(world, {20, 20, 1}, {0, 0, -0.5});
  }
  BodyDef def = cube({0, 0, 1 + height}, {0, 0, -14});
  def.pose.orientation = orientation;
  const BodyHandle body = world.add_body(def);
  Real lowest = 0;
  for (int i = 0; i < 60; ++i) {
    world.step(1.0 / 60);
    lowest = std::min(lowest, test::lowest(world, body));
  }
  return -lowest;
}

TEST(Impact, FastCubeIsNeverAMillimetreInTheFloor) {
  for (const bool plane : {true, false}) {
    for (const Real height : {0.1, 0.17, 0.233, 0.3}) {
      EXPECT_LE(deepest({}, plane, height), 1e-3) << plane << height;
      EXPECT_LE(deepest(test::turn({1, 0, 0}, 45), plane, height), 1e-3) << plane << height;
    }
  }
}

TEST(Impact, FastCubeOnAnyCornerIsNeverAMillimetreInTheFloor) {
  test::Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Quat orientation = random.rotation();
    EXPECT_LE(deepest(orientation, i % 2 == 0, random.uniform(0, 0.5)), 1e-3) << i;
  }
}

TEST(Impact, BulletDoesNotPassAThinWall) {
  World world(test::without_gravity());
  test::add_fixed_box(world, {0.05, 4, 4}, {2, 0, 0});
  const BodyHandle bullet = world.add_body(test::body(Shape::sphere(0.02), {0, 0.1, 0.2}, {300, 0, 0}));  // 5 m a step
  test::run(world, 1, 1.0 / 60);
  EXPECT_LT(world.state(bullet).position.x, 1.975);
}

TEST(Impact, MeetingBallsExchangeVelocitiesAndKeepMomentum) {
  World world(test::without_gravity());
  world.set_default_material(test::surface(0, 1));
  const auto ball = Shape::sphere(0.5);
  const BodyHandle left = world.add_body(test::body(ball, {-2, 0, 0}, {3, 0, 0}));
  const BodyHandle right = world.add_body(test::body(ball, {2, 0, 0}, {-1, 0, 0}));
  const Vec3 momentum = world.momentum();
  for (int i = 0; i < 120; ++i) EXPECT_LE(world.step(1.0 / 60).momentum_error, 1e-12);
  EXPECT_LE(norm(world.state(left).velocity - Vec3{-1, 0, 0}), 1e-9);
  EXPECT_LE(norm(world.state(right).velocity - Vec3{3, 0, 0}), 1e-9);
  EXPECT_LE(norm(world.momentum() - momentum), 1e-12 * norm(momentum));
}

TEST(Impact, KinematicBatSendsABallOffAtTwiceItsSpeed) {
  World world(test::without_gravity());
  world.set_default_material(test::surface(0, 1));
  BodyDef bat = cube({}, {1, 0, 0});
  bat.type = BodyType::Kinematic;
  world.add_body(bat);
  const BodyHandle ball = world.add_body(test::body(Shape::sphere(0.1), {1, 0, 0}));
  test::run(world, 1, 1.0 / 60);
  EXPECT_LE(norm(world.state(ball).velocity - Vec3{2, 0, 0}), 1e-9);
}

TEST(Impact, CubeThatLandsFlatLeavesFlat) {
  for (const char* suite : {"sequential", "exact", "bender"}) {
    WorldDef def;
    def.suite = suite;
    World world(def);
    world.set_default_material(test::surface(0.5, 0.5));
    test::add_floor(world);
    const BodyHandle body = world.add_body(cube({0, 0, 2.5}));
    bool left = false;
    for (int i = 0; i < 60; ++i) {
      world.step(1.0 / 60);
      // Corners are solved to 1e-9 of the approach.
      EXPECT_LE(norm(world.state(body).angular_velocity), 1e-6) << suite << " " << i;
      left = left || world.state(body).velocity.z > 2;
    }
    EXPECT_TRUE(left) << suite;
  }
}

TEST(Impact, AsManyBallsLeaveALongRowAsStrikeIt) {
  // Nine of thirty pass on their speed by 9 · 21 bounces.
  constexpr int kBalls = 30, kStriking = 9;
  WorldDef def = test::without_gravity();
  def.suite = "exact";
  World world(def);
  world.set_default_material(test::surface(0, 1));
  std::vector<BodyHandle> row;
  for (int i = 0; i < kBalls; ++i) {
    const bool strikes = i < kStriking;
    row.push_back(
        world.add_body(test::body(Shape::sphere(0.5), {i - (strikes ? 0.2 : 0), 0, 0}, {strikes ? 1.0 : 0, 0, 0})));
  }
  test::run(world, 0.5, 1.0 / 60);
  for (int i = 0; i < kBalls; ++i) {
    const Vec3 expected{i >= kBalls - kStriking ? 1.0 : 0, 0, 0};
    // A bounce keeps fifteen digits.
    EXPECT_LE(norm(world.state(row[static_cast<std::size_t>(i)]).velocity - expected), 1e-12) << i;
  }
}

TEST(Impact, GlancingCubeConservesAngularMomentumOfThePair) {
  // Two free cubes that hit off centre, without gravity: linear and angular momentum about the origin stay.
  World world(test::without_gravity());
  world.set_default_material(test::surface(0.4, 0.6));
  const BodyHandle a = world.add_body(cube({-1.5, 0.3, 0.1}, {4, 0, 0}));
  const BodyHandle b = world.add_body(cube({0.5, -0.2, 0}, {-1, 0.5, 0}));
  const auto angular = [&] {
    Vec3 sum;
    for (const BodyHandle h : {a, b}) {
      const BodyState s = world.state(h);
      sum += world.mass(h) * cross(s.position, s.velocity) + world.inertia(h) * s.angular_velocity;
    }
    return sum;
  };
  const Vec3 linear_before = world.momentum(), angular_before = angular();
  test::run(world, 1, 1.0 / 60);
  EXPECT_GT(norm(world.state(a).angular_velocity), 0.01);  // they did hit
  EXPECT_LE(norm(world.momentum() - linear_before), 1e-12 * norm(linear_before));
  // The impulse acts half way across a gap of at most the envelope: 1e-4 of the size.
  EXPECT_LE(norm(angular() - angular_before), 1e-3 * norm(linear_before));
}

}  // namespace
}  // namespace carom
