// Bodies that meet in flight: what a step may not do to their momenta, their energy and their fall.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dynamics/scenery.h"

namespace carom {
namespace {

constexpr Real kRounding = 1e-10;  // of a hundred steps

World world_with(const std::string& suite, const Material& material, const Vec3& gravity) {
  WorldDef def;
  def.suite = suite;
  def.gravity = gravity;
  World world(def);
  world.set_default_material(material);
  return world;
}

/// All bodies as one.
struct Whole {
  Real mass = 0;
  Vec3 center, velocity;
  Vec3 spin;  // N m s, about the centre
};

Whole whole(const World& world) {
  Whole w;
  for (const BodyHandle body : world.bodies()) {
    w.mass += world.mass(body);
    w.center += world.mass(body) * world.state(body).position;
  }
  w.center = w.center / w.mass;
  w.velocity = world.momentum() / w.mass;
  for (const BodyHandle body : world.bodies()) {
    const BodyState s = world.state(body);
    w.spin += world.mass(body) * cross(s.position - w.center, s.velocity - w.velocity) +
              world.inertia(body) * s.angular_velocity;
  }
  return w;
}

Real energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

class MeetingSuites : public testing::TestWithParam<const char*> {};

TEST_P(MeetingSuites, BallsPartByTheAngleOfTheLawOfImpactAtAnyStep) {
  constexpr Real kRadius = 0.05, kSpeed = 4;
  for (const Real offset : {0.2, 0.6, 1.2, 1.8}) {  // of the radius
    for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 240}) {
      World world = world_with(GetParam(), test::surface(0, 1), {0, 0, -test::kStandardGravity});
      const Real beside = offset * kRadius;
      const BodyHandle a = world.add_body(test::body(Shape::sphere(kRadius), {-0.5, 0, 100}, {kSpeed, 0, 0}));
      const BodyHandle b = world.add_body(test::body(Shape::sphere(kRadius), {0.5, beside, 100}, {-kSpeed, 0, 0}));
      const Vec3 before = whole(world).spin;
      test::run(world, 0.3, dt);
      // Where they touch, the normal from a to b has the sine of the offset over the sum of radii.
      const Real sine = beside / (2 * kRadius), cosine = std::sqrt(1 - sine * sine);
      const Vec3 normal{cosine, sine, 0}, approach{-2 * kSpeed, 0, 0};
      const Vec3 expected = approach - 2 * dot(approach, normal) * normal;
      const Vec3 parting = world.state(b).velocity - world.state(a).velocity;
      // They bounce within an envelope of each other, 1e-4 of their size, which at a glancing blow turns the normal by
      // 1e-4 over the cosine.
      EXPECT_LE(norm(parting - expected), 4e-4 / cosine * norm(approach)) << offset << ' ' << dt;
      EXPECT_LE(norm(whole(world).spin - before), kRounding * norm(before)) << offset << ' ' << dt;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllThatBounceWhereTheyTouch, MeetingSuites,
                         testing::Values("exact", "schmidl", "sequential", "lcp"),
                         [](const auto& test) { return std::string(test.param); });

/// Two bodies that tumble towards each other, a little off centre.
World tumblers(const std::string& suite, test::Random& random, Real restitution, const Vec3& gravity) {
  World world = world_with(suite, test::surface(random.uniform(0, 0.8), restitution), gravity);
  const ShapePtr shapes[] = {Shape::box({0.1, 0.1, 0.1}), Shape::box({0.1, 0.1, 0.01}),
                             Shape::box({0.1, 0.0125, 0.0125}), Shape::cylinder(0.05, 0.04)};
  const Real speed = random.uniform(0.5, 6);
  for (const Real side : {-1.0, 1.0}) {
    BodyDef def = test::body(shapes[random.integer(0, 3)],
                             {side * 0.12, random.uniform(-0.03, 0.03), 100 + random.uniform(-0.03, 0.03)},
                             {-side * speed, random.uniform(-0.2, 0.2) * speed, random.uniform(-0.2, 0.2) * speed});
    def.pose.orientation = random.rotation();
    def.angular_velocity = speed / 0.1 * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    world.add_body(def);
  }
  return world;
}

TEST(Meetings, PairsInFlightKeepBothMomentaAndTheirEnergyAndFallAsTheyShould) {
  for (const char* suite : {"exact", "schmidl"}) {
    test::Random random(7);
    for (int i = 0; i < 60; ++i) {
      const Real dt = 1.0 / (i % 3 == 0 ? 30 : i % 3 == 1 ? 60 : 240);
      World world = tumblers(suite, random, 0.5 * (i % 3), {0, 0, -test::kStandardGravity});
      const Whole before = whole(world);
      Real size = norm(before.spin), least = energy(world), rise = 0;
      const Real kinetic = world.kinetic_energy();
      for (const BodyHandle body : world.bodies()) size += 0.1 * world.mass(body) * norm(world.state(body).velocity);
      while (world.time() < 0.4) {
        ASSERT_TRUE(world.step(dt).finite);
        least = std::min(least, energy(world));
        rise = std::max(rise, energy(world) - least);
      }
      const Real t = world.time();
      const Vec3 fallen = before.center + t * before.velocity - Vec3{0, 0, 0.5 * test::kStandardGravity * t * t};
      EXPECT_LE(norm(whole(world).spin - before.spin), kRounding * size) << suite << ' ' << i;
      EXPECT_LE(rise, 1e-9 * kinetic) << suite << ' ' << i;  // of free turns: docs/step.md
      EXPECT_LE(norm(whole(world).center - fallen), 1e-9) << suite << ' ' << i;
    }
  }
}

TEST(Meetings, TwoThatTurnQuicklyAgainstEachOtherFallAndDoNotHang) {
  // In flight, but not alone: what they fall towards is within their reach. They turn by two radians a step.
  for (const char* suite : {"exact", "sequential"}) {
    World world = world_with(suite, test::surface(0.8, 0), {0, 0, -test::kStandardGravity});
    test::add_floor(world);
    BodyDef cone = test::body(Shape::cone(0.024, 0.048), {0, 0, 0.6}, {0, 0, -4});
    BodyDef cylinder = test::body(Shape::cylinder(0.015, 0.015), {0.03, 0.005, 0.605}, {-0.5, 0, -4});
    cone.angular_velocity = {29, -38, 39};
    cylinder.angular_velocity = {-29, 38, 39};
    const BodyHandle a = world.add_body(cone), b = world.add_body(cylinder);
    test::run(world, 0.3, 1.0 / 30);
    // From 0.6 m at 4 m/s the floor is 0.13 s away.
    EXPECT_LE(world.state(a).position.z, 0.1) << suite;
    EXPECT_LE(world.state(b).position.z, 0.1) << suite;
  }
}

TEST(Meetings, WhoStandsOnTheFloorIsNotTakenAlongBeforeItIsStruck) {
  // Until the collision stage has bounced it, and friction has had a say, the box stays where it is.
  for (const Real gap : {0.3, 0.4, 0.5}) {
    World world = world_with("exact", test::surface(0.5, 0), {0, 0, -test::kStandardGravity});
    test::add_floor(world);
    const BodyHandle box = world.add_body(test::body(Shape::box({0.2, 0.2, 0.2}), {0, 0, 0.1}));
    world.add_body(test::body(Shape::sphere(0.1), {-0.2 - gap, 0, 0.1}, {60, 0, 0}));
    world.step(1.0 / 60);
    EXPECT_LE(norm(world.state(box).position - Vec3{0, 0, 0.1}), 1e-6) << gap;
  }
}

TEST(Meetings, WhoFreezesInTheStepInWhichItIsHitStaysWhereItIs) {
  int frozen_first = 0;
  for (int i = 0; i < 40; ++i) {
    WorldDef def;
    def.suite = "exact";
    def.options = Options(find_suite("exact")->options);
    ASSERT_EQ(def.options.set("freezing", true), "");
    ASSERT_EQ(def.options.set("c_f", 2.0), "");
    World world(def);
    test::add_floor(world);
    const BodyHandle box = world.add_body(test::body(Shape::box({0.5, 0.5, 0.5}), {0, 0, 0.25}));
    world.add_body(test::body(Shape::sphere(0.1), {-1 - 0.1 * i, 0, 0.3}, {60, 0, 0}));
    for (int step = 0; step < 6; ++step) {
      const Vec3 before = world.state(box).position;
      world.step(1.0 / 60);
      if (!world.is_frozen(box)) continue;
      EXPECT_EQ(world.state(box).position, before) << i << ' ' << step;
      ++frozen_first;
      break;
    }
  }
  EXPECT_GT(frozen_first, 20);  // else nothing was tried
}

TEST(Meetings, TwoThatRubInFlightGoAsFarAsTheirForcesAndFrictionSay) {
  // Pressed together, one of them drawn along the other by 0.4 of what would make both go alike.
  constexpr Real kForce = 20, kPress = 16, kFriction = 0.5, kMass = 2, kDt = 1.0 / 60;
  World world = world_with("exact", test::surface(kFriction, 0), {});
  BodyDef def = test::body(Shape::box({1, 1, 0.1}), {0, 0, 0.05});
  def.mass = kMass;
  def.force = {kForce, 0, -kPress};
  const BodyHandle upper = world.add_body(def);
  def.pose.position = {0, 0, -0.05};
  def.force = {0, 0, kPress};
  const BodyHandle lower = world.add_body(def);
  // One step: after that friction has turned the two, but not their forces.
  ASSERT_TRUE(world.step(kDt).finite);
  const Real friction = kFriction * kPress;
  EXPECT_NEAR(world.state(upper).position.x, 0.5 * kDt * kDt * (kForce - friction) / kMass, 1e-12);
  EXPECT_NEAR(world.state(lower).position.x, 0.5 * kDt * kDt * friction / kMass, 1e-12);
}

TEST(Meetings, AWallBesideThemStopsThoseWhomTheirMeetingLeadsThere) {
  // A light ball goes along a wall; a heavy one strikes it from the side and takes it there.
  for (const Real speed : {2.0, 20.0, 80.0}) {
    World world = world_with("exact", test::surface(0, 0.5), {});
    test::add_fixed_box(world, {0.01, 20, 20}, {0.06, 0, 0});
    BodyDef light = test::body(Shape::sphere(0.04), {0, 0, 0}, {0, 1, 0});
    BodyDef heavy = test::body(Shape::sphere(0.04), {-0.0801 - speed / 120, 0.01, 0}, {speed, 1, 0});
    light.mass = 0.01;
    heavy.mass = 10;
    const BodyHandle balls[] = {world.add_body(light), world.add_body(heavy)};
    for (int step = 0; step < 30; ++step) {
      ASSERT_TRUE(world.step(1.0 / 60).finite);
      for (const BodyHandle ball : balls)
        EXPECT_LE(world.state(ball).position.x, 0.055 - 0.04 + 1e-3) << speed << ' ' << step;
    }
  }
}

}  // namespace
}  // namespace carom
