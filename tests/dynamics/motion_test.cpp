// Motion without contact, and on bodies that move as they are told.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/scenery.h"

namespace carom {
namespace {

using test::cube;

Vec3 angular_momentum(const World& world, BodyHandle body) {
  return world.inertia(body) * world.state(body).angular_velocity;
}

TEST(FreeFlight, IsTheExactParabolaAtAnyStep) {
  const Vec3 x0{1, 2, 300}, v0{3, -1, 10}, g{0, 0, -9.81};
  for (const Real dt : {0.1, 1.0 / 60, 1e-3}) {
    World world;
    const BodyHandle ball = world.add_body(test::body(Shape::sphere(0.5), x0, v0));
    test::run(world, 2, dt);
    const Real t = world.time();
    EXPECT_NEAR(t, 2, 1e-12);
    // A rounding a step of numbers up to 300.
    EXPECT_LE(norm(world.state(ball).position - (x0 + t * v0 + 0.5 * t * t * g)), 2000 * 300 * 2.3e-16) << dt;
    EXPECT_LE(norm(world.state(ball).velocity - (v0 + t * g)), 2000 * 20 * 2.3e-16) << dt;
  }
}

TEST(FreeFlight, ConstantForceAddsToGravity) {
  World world;
  BodyDef def = cube({0, 0, 100});
  def.mass = 2;
  def.force = {4, 0, 2 * 9.81};
  const BodyHandle body = world.add_body(def);
  test::run(world, 1, 1.0 / 60);
  EXPECT_LE(norm(world.state(body).position - Vec3{1, 0, 100}), 1e-11);
  EXPECT_LE(norm(world.state(body).velocity - Vec3{2, 0, 0}), 1e-12);
  world.set_force(body, {0, 0, 2 * 9.81});
  test::run(world, 1, 1.0 / 60);
  EXPECT_LE(norm(world.state(body).position - Vec3{3, 0, 100}), 1e-11);
}

TEST(FreeFlight, ConstantTorqueTurnsABallByTheSquareOfTime) {
  World world(test::without_gravity());
  BodyDef def = test::body(Shape::sphere(0.5), {});
  def.mass = 10;  // 2/5 · 10 · 1/4 = 1 kg m²
  def.torque = {0, 0, 0.5};
  const BodyHandle ball = world.add_body(def);
  test::run(world, 2, 0.01);
  EXPECT_NEAR(world.state(ball).angular_velocity.z, 1, 1e-12);
  // Half of 0.5 · 2²: one radian.
  const Quat q = world.state(ball).orientation;
  EXPECT_NEAR(2 * std::atan2(q.z, q.w), 1, 1e-11);
}

TEST(FreeFlight, WorkOfForcesIsTheChangeOfEnergy) {
  World world;
  BodyDef def = cube({0, 0, 50}, {1, 0, 3});
  def.mass = 2;
  def.force = {3, 1, 0};
  const BodyHandle body = world.add_body(def);
  for (int i = 0; i < 60; ++i) {
    const Real before = world.kinetic_energy() + world.potential_energy();
    const StepReport report = world.step(1.0 / 60);
    EXPECT_NEAR(report.kinetic_energy + report.potential_energy - before, report.external_work, 1e-10) << i;
  }
  EXPECT_GT(world.state(body).velocity.x, 1);
}

TEST(Tumbling, KeepsAngularMomentum) {
  World world(test::without_gravity());
  BodyDef def = test::body(Shape::box({0.3, 1, 2}), {});
  def.angular_velocity = {0.1, 5, 0.2};  // about the middle axis, which is unstable
  const BodyHandle body = world.add_body(def);
  const Vec3 before = angular_momentum(world, body);
  for (int i = 0; i < 1000; ++i) {
    world.step(1.0 / 60);
    ASSERT_LE(norm(angular_momentum(world, body) - before), 1e-12 * norm(before)) << i;  // a rounding or two a step
  }
}

TEST(Tumbling, KeepsEnergyAndAngularMomentumAtAnySpeed) {
  // Up to 100 rad a step. A step rounds both, and the inertia that they go by, ten times or so by 1e-16.
  constexpr Real kRounding = 1e-15 * 10 * 1000;
  for (const Vec3& size : {Vec3{0.3, 1, 2}, Vec3{1, 1.5, 0.01}, Vec3{0.02, 0.03, 1}})
    for (const Real speed : {1.0, 30.0, 600.0, 6000.0}) {
      World world(test::without_gravity());
      BodyDef def = test::body(Shape::box(size), {});
      def.angular_velocity = speed * Vec3{0.3, 1, 0.2};
      const BodyHandle body = world.add_body(def);
      const Real energy = world.kinetic_energy();
      const Vec3 momentum = angular_momentum(world, body);
      for (int i = 0; i < 1000; ++i) {
        world.step(1.0 / 60);
        ASSERT_NEAR(world.kinetic_energy(), energy, kRounding * energy) << size.x << ' ' << speed << ' ' << i;
      }
      EXPECT_LE(norm(angular_momentum(world, body) - momentum), kRounding * norm(momentum)) << size.x << ' ' << speed;
    }
}

/// Where a tumbling box is turned after half a second.
Quat turned(Real dt, Real speed) {
  World world(test::without_gravity());
  BodyDef def = test::body(Shape::box({0.3, 1, 2}), {});
  def.angular_velocity = speed * Vec3{0.3, 1, 0.4};
  const BodyHandle body = world.add_body(def);
  test::run(world, 0.5, dt);
  return world.state(body).orientation;
}

/// Sine of half the angle between two orientations.
Real turn_between(const Quat& a, const Quat& b) { return norm((conjugate(a) * b).vector()); }

TEST(Tumbling, TheWayItTurnsIsRightToTheFourthOrder) {
  const Quat slow = turned(1e-4, 5);
  EXPECT_LE(turn_between(turned(1.0 / 60, 5), slow), 1e-7);
  // Beyond 0.16 rad a step turns have eight parts, whatever their length, up to 1.6 rad. Twice as fine: 16 times
  // smaller, or nearly so.
  const Quat fast = turned(1e-4, 40);
  const Real coarse = turn_between(turned(1.0 / 60, 40), fast), fine = turn_between(turned(1.0 / 120, 40), fast);
  EXPECT_LE(coarse, 1e-3);
  EXPECT_LE(fine, coarse / 12);
}

TEST(Tumbling, ThinRodsAndDiscsAreExactAtAnySpeed) {
  for (const ShapePtr& shape : {Shape::box({0.02, 0.02, 1}), Shape::cylinder(0.5, 0.001), Shape::capsule(0.01, 2)}) {
    for (const Real speed : {3.0, 30.0, 300.0}) {
      World world(test::without_gravity());
      BodyDef def = test::body(shape, {});
      def.angular_velocity = speed * Vec3{1, 0, 0.1};
      const BodyHandle body = world.add_body(def);
      const Real energy = world.kinetic_energy();
      const Vec3 momentum = angular_momentum(world, body);
      test::run(world, 5, 1.0 / 60);
      EXPECT_NEAR(world.kinetic_energy(), energy, 1e-9 * energy) << speed;
      EXPECT_LE(norm(angular_momentum(world, body) - momentum), 1e-9 * norm(momentum)) << speed;
    }
  }
}

TEST(Tumbling, SpinAboutAPrincipalAxisIsExact) {
  World world(test::without_gravity());
  BodyDef def = test::body(Shape::box({0.3, 1, 2}), {});
  def.angular_velocity = {0, 0, 3};
  const BodyHandle body = world.add_body(def);
  test::run(world, 1, 0.01);
  const Quat q = world.state(body).orientation;
  EXPECT_NEAR(2 * std::atan2(q.z, q.w), 3, 1e-12);
  EXPECT_LE(norm(world.state(body).angular_velocity - Vec3{0, 0, 3}), 1e-12);
}

TEST(Tumbling, ASpinWithinRoundingOfAPrincipalAxisStaysThere) {
  // What energy is off by is rounding there, and no turn makes up for it.
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    for (const Real speed : {1e-3, 0.5, 20.0}) {
      World world(test::without_gravity());
      BodyDef def = test::body(Shape::box({0.3, 1, 2}), {});
      def.pose.orientation = {0.9968773066565666, 0.03, 0.0789660399991659, 0.01};
      const BodyHandle body = world.add_body(def);
      BodyState state = world.state(body);
      const Vec3 along = rotate(state.orientation, axis);
      state.angular_velocity = speed * along + 1e-16 * speed * Vec3{1, -1, 1};
      world.set_state(body, state);
      test::run(world, 0.2, 1.0 / 240);
      // The middle axis is unstable: 20 rad/s for 0.2 s make e^3 out of a rounding.
      EXPECT_LE(norm(rotate(world.state(body).orientation, axis) - along), 1e-12) << axis.x << axis.y << ' ' << speed;
    }
}

TEST(Tumbling, OrientationStaysAUnitQuaternion) {
  World world(test::without_gravity());
  BodyDef def = test::body(Shape::capsule(0.2, 1), {});
  def.angular_velocity = {30, 20, -10};
  const BodyHandle body = world.add_body(def);
  test::run(world, 10, 0.01);
  const Quat q = world.state(body).orientation;
  EXPECT_NEAR(q.w * q.w + squared_norm(q.vector()), 1, 1e-15);
}

BodyHandle add_kinematic(World& world, const Vec3& size, const Vec3& at, const Vec3& velocity) {
  BodyDef def = test::body(Shape::box(size), at, velocity);
  def.type = BodyType::Kinematic;
  return world.add_body(def);
}

TEST(Kinematic, MovesAsToldAndFeelsNothing) {
  World world;
  const BodyHandle lift = add_kinematic(world, {4, 4, 1}, {0, 0, -0.5}, {0, 0, 0.5});
  world.add_body(cube({0, 0, 0.5}));
  test::run(world, 2, 1.0 / 60);
  EXPECT_LE(norm(world.state(lift).position - Vec3{0, 0, 0.5}), 1e-13);
  EXPECT_EQ(world.state(lift).velocity, (Vec3{0, 0, 0.5}));
}

TEST(Kinematic, TurnsAsTold) {
  World world;
  BodyDef def = cube({});
  def.type = BodyType::Kinematic;
  def.angular_velocity = {0, 0, 1};
  const BodyHandle body = world.add_body(def);
  test::run(world, 1, 0.01);
  const Quat q = world.state(body).orientation;
  EXPECT_NEAR(2 * std::atan2(q.z, q.w), 1, 1e-12);
}

TEST(Kinematic, LiftCarriesABoxUp) {
  World world;
  const BodyHandle lift = add_kinematic(world, {4, 4, 1}, {0, 0, -0.5}, {0, 0, 0.5});
  const BodyHandle box = world.add_body(cube({0, 0, 0.5}));
  test::run(world, 2, 1.0 / 60);
  // Within the envelope of 1e-4 of its size, at the lift's speed.
  EXPECT_NEAR(test::lowest(world, box) - (world.state(lift).position.z + 0.5), 0, 1e-3);
  EXPECT_NEAR(world.state(box).velocity.z, 0.5, 1e-3);
}

TEST(Kinematic, BeltDragsABoxUpToItsSpeed) {
  World world;
  world.set_default_material(test::surface(0.5));
  add_kinematic(world, {100, 4, 1}, {0, 0, -0.5}, {1, 0, 0});
  const BodyHandle box = world.add_body(cube({0, 0, 0.5}));
  test::run(world, 0.1, 1.0 / 60);
  // Friction speeds it up at mu g until it keeps pace, after 0.2 s.
  EXPECT_NEAR(world.state(box).velocity.x, 0.5 * 9.81 * 0.1, 1e-3);
  test::run(world, 0.9, 1.0 / 60);
  EXPECT_NEAR(world.state(box).velocity.x, 1, 1e-6);
  EXPECT_LE(norm(world.state(box).angular_velocity), 1e-6);
}

TEST(Kinematic, DoesWorkOnWhatItLifts) {
  World world;
  add_kinematic(world, {4, 4, 1}, {0, 0, -0.5}, {0, 0, 0.5});
  BodyDef def = cube({0, 0, 0.5});
  def.mass = 2;
  world.add_body(def);
  test::run(world, 1, 1.0 / 60);
  Real work = 0;
  const Real before = world.potential_energy();
  for (int i = 0; i < 60; ++i) work += world.step(1.0 / 60).external_work;
  // m g times half a metre, both ways of counting.
  EXPECT_NEAR(world.potential_energy() - before, 2 * 9.81 * 0.5, 1e-3);
  EXPECT_NEAR(work, 2 * 9.81 * 0.5, 1e-3);
}

}  // namespace
}  // namespace carom
