// Energy that a step could add by itself: by moving bodies out of each other's way, and by stopping them on theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/scenery.h"

namespace carom {
namespace {

constexpr Real kDt = 1.0 / 240;
/// Sums over a few bodies round by some units in the sixteenth digit.
constexpr Real kRounding = 1e-13;
/// Bodies at rest may be raised by a billionth of the envelope, itself a ten-thousandth of a body, in a step.
constexpr Real kHardly = 1e-10;

World world_with(const std::string& suite, Real friction, Real restitution) {
  WorldDef def;
  def.suite = suite;
  World world(def);
  world.set_default_material(test::surface(friction, restitution));
  return world;
}

Real energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

/// J: the largest rise above the lowest so far.
Real largest_rise(World& world, Real seconds) {
  Real least = energy(world), rise = 0;
  for (int i = 0; i < static_cast<int>(std::lround(seconds / kDt)); ++i) {
    EXPECT_TRUE(world.step(kDt).finite);
    rise = std::max(rise, energy(world) - least);
    least = std::min(least, energy(world));
  }
  return rise;
}

Vec3 momentum(const World& world) {
  Vec3 sum;
  for (const BodyHandle body : world.bodies()) sum += world.mass(body) * world.state(body).velocity;
  return sum;
}

Vec3 angular_momentum(const World& world) {
  Vec3 sum;
  for (const BodyHandle body : world.bodies()) {
    const BodyState s = world.state(body);
    sum += world.mass(body) * cross(s.position, s.velocity) + world.inertia(body) * s.angular_velocity;
  }
  return sum;
}

TEST(EnergyGuard, ThrownBodiesNeverBounceHigherThanEnergyLets) {
  const ShapePtr shapes[] = {Shape::capsule(0.05, 1), Shape::box({0.1, 0.1, 1}), Shape::box({1, 1, 0.1}),
                             Shape::cylinder(0.5, 0.1)};
  for (const char* suite : {"exact", "schmidl"}) {
    for (int i = 0; i < 16; ++i) {
      World world = world_with(suite, i % 2 == 0 ? 0.5 : 0.2, i % 3 == 0 ? 1 : 0.9);
      test::add_floor(world);
      BodyDef thrown = test::body(shapes[i % 4], {0, 0, 1.5}, {0.3 * i - 2, 1, 0});
      thrown.pose.orientation = test::turn(normalized(Vec3{1, 0.2 * i, -0.5}), 23 * i);
      thrown.angular_velocity = {4 - 0.5 * i, 3, 0.7 * i - 5};
      world.add_body(thrown);
      const Real start = energy(world);
      EXPECT_LE(largest_rise(world, 2), 1e-6 * start) << suite << " " << i;
    }
  }
}

TEST(EnergyGuard, APinIsPushedAsideByAFastBallAtTheBallsExpense) {
  for (const char* suite : {"exact", "schmidl"}) {
    World world = world_with(suite, 0.3, 0.5);
    test::add_floor(world);
    world.add_body(test::body(Shape::box({0.1, 0.1, 0.4}), {0, 0, 0.2}));
    // It meets the pin's lower half, off its middle, so that the pin has to tilt and to rise.
    world.add_body(test::body(Shape::sphere(0.11), {-1.003, 0.02, 0.11}, {9.3, 0, 0}));
    const Real start = energy(world);
    // What is left is the pin's turning in flight, which keeps the angular momentum and not quite the energy.
    EXPECT_LE(largest_rise(world, 0.5), 1e-7 * start) << suite;
  }
}

/// Slabs that tumble towards each other.
World tumbling_slabs(const std::string& suite, bool guard) {
  WorldDef def;
  def.suite = suite;
  def.gravity = {};
  def.options = Options(find_suite(suite)->options);
  EXPECT_EQ(def.options.set("energy_guard", guard), "");
  World world(def);
  world.set_default_material(test::surface(0.3, 0.5));
  BodyDef one = test::body(Shape::box({0.1, 0.15, 0.4}), {-0.2, 0, 0.03}, {2.5, 0, 0});
  one.angular_velocity = {20, 30, -10};
  BodyDef other = test::body(Shape::box({0.1, 0.15, 0.4}), {0.2, 0.05, 0}, {-2, 0.1, 0});
  other.angular_velocity = {-25, 15, 20};
  // Two that meet alone gain nothing (dynamics/meetings.h).
  BodyDef third = test::body(Shape::box({0.1, 0.15, 0.4}), {0.02, 0.3, -0.05}, {0.1, -2.5, 0});
  third.angular_velocity = {10, -20, 25};
  world.add_body(one);
  world.add_body(other);
  world.add_body(third);
  return world;
}

TEST(EnergyGuard, WhatBodiesInFlightGainIsTakenFromTheirMotionAgainstEachOtherAndTheirSpinIsKept) {
  Real most_taken = 0, most_turned = 0;
  World world = tumbling_slabs("exact", true);
  for (int i = 0; i < 60; ++i) {
    // Two worlds of the same poses and velocities, which differ by the guard alone: they move alike.
    const Real before = energy(world);
    const Vec3 spin = angular_momentum(world);
    World guarded = tumbling_slabs("exact", true), free = tumbling_slabs("exact", false);
    for (World* copy : {&guarded, &free}) {
      for (std::size_t k = 0; k < 3; ++k) copy->set_state(copy->bodies()[k], world.state(world.bodies()[k]));
      copy->step(kDt);
    }
    EXPECT_LE(norm(momentum(guarded) - momentum(free)), kRounding * norm(momentum(free))) << i;
    EXPECT_LE(norm(angular_momentum(guarded) - spin), kRounding * norm(spin)) << i;
    // Single bodies that turn in flight are not guarded.
    EXPECT_LE(energy(guarded), std::max(before, energy(free)) * (1 + kRounding)) << i;
    most_turned = std::max(most_turned, norm(angular_momentum(free) - spin));
    most_taken = std::max(most_taken, energy(free) - energy(guarded));
    world.step(kDt);
  }
  // Else nothing was tried.
  EXPECT_GT(most_taken, 1e-4 * energy(world));
  EXPECT_GT(most_turned, 1e-4 * norm(angular_momentum(world)));
}

TEST(EnergyGuard, AColumnOfBallsThatFallsOntoAPegIsNotGivenTheWorkOfAFallThatWasCutShort) {
  for (const char* suite : {"exact", "schmidl"}) {
    World world = world_with(suite, 0.15, 0.25);
    test::add_floor(world);
    BodyDef peg = test::body(Shape::sphere(0.03), {0, 0, 0.5});
    peg.type = BodyType::Fixed;
    world.add_body(peg);
    for (int i = 0; i < 6; ++i)
      world.add_body(
          test::body(Shape::sphere(0.02), {0.004 * (i % 3 - 1), 0.003 * (i % 2), 0.7 + 0.041 * i}, {0, 0, -1}));
    const Real start = energy(world);
    EXPECT_LE(largest_rise(world, 1), kHardly * start) << suite;
  }
}

TEST(EnergyGuard, BallsPouredIntoABinComeDownToRestAndGainNothing) {
  for (const char* suite : {"exact", "schmidl"}) {
    World world = world_with(suite, 0.15, 0.25);
    test::add_floor(world);
    for (const Real side : {-1.0, 1.0}) {
      test::add_fixed_box(world, {0.1, 0.4, 2}, {side * 0.12, 0, 1});
      test::add_fixed_box(world, {0.4, 0.1, 2}, {0, side * 0.073, 1});
    }
    Real fallen = 0;  // m: how high they are at first, less what they are in the end
    for (int i = 0; i < 10; ++i) {
      const Real height = 0.05 + 0.05 * i;
      world.add_body(test::body(Shape::sphere(0.02), {0.03 * (i % 3 - 1), 0.002 * (i % 2), height}));
      fallen += height / 10;
    }
    const Real start = energy(world);
    EXPECT_LE(largest_rise(world, 2), kHardly * start) << suite;
    for (const BodyHandle body : world.bodies())
      if (world.type(body) == BodyType::Dynamic) fallen -= world.state(body).position.z / 10;
    // Three lie side by side: ten in a loose heap are lower than four layers, and nothing is left hanging above.
    EXPECT_GT(fallen, 0.275 - 0.08) << suite;
    EXPECT_LE(world.kinetic_energy(), 1e-8 * start) << suite;
  }
}

TEST(EnergyGuard, WhatNothingPaysForIsNotLifted) {
  // A slab at rest, half sunk in the floor, under one that is: neither has a speed to be lifted by.
  for (const char* suite : {"exact", "schmidl"}) {
    World world = world_with(suite, 0.5, 0);
    test::add_floor(world);
    world.add_body(test::body(Shape::box({1, 1, 0.2}), {0, 0, 0.09}));
    world.add_body(test::body(Shape::box({1, 1, 0.2}), {0.1, 0, 0.285}));
    const Real start = energy(world);
    EXPECT_LE(largest_rise(world, 1), kHardly * start) << suite;
  }
}

/// How far the change of any body's velocity in the last step is from forces and the impulses of the records, as a
/// share of `unit`.
Real worst_imbalance(const World& world, const std::vector<Vec3>& before, Real unit) {
  std::vector<Vec3> expected = before;
  const std::vector<BodyHandle> bodies = world.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    expected[i] += kDt * world.gravity();
    for (const ContactRecord& c : world.contacts()) {
      const Vec3 impulse = c.impulse + c.collision_impulse;
      if (c.a == bodies[i]) expected[i] -= impulse / world.mass(bodies[i]);
      if (c.b == bodies[i]) expected[i] += impulse / world.mass(bodies[i]);
    }
  }
  Real worst = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (world.type(bodies[i]) == BodyType::Dynamic)
      worst = std::max(worst, norm(world.state(bodies[i]).velocity - expected[i]) / unit);
  return worst;
}

/// Expects every body's momentum to balance in each step, and some of it to be the guard's. Returns the records of
/// that.
int expect_balance(World world, Real seconds) {
  int guarded = 0;
  for (int i = 0; i < static_cast<int>(std::lround(seconds / kDt)); ++i) {
    std::vector<Vec3> before;
    for (const BodyHandle body : world.bodies()) before.push_back(world.state(body).velocity);
    const StepReport report = world.step(kDt);
    Real fastest = 0;
    for (const Vec3& v : before) fastest = std::max(fastest, norm(v));
    // What is below 1e-10 of a step of gravity is not listed; the rest is rounding.
    EXPECT_LE(worst_imbalance(world, before, std::max(norm(world.gravity()) * kDt, 1e-3 * fastest)), 2e-10) << i;
    std::set<std::uint64_t> ids;
    std::int64_t contacts = 0;
    for (const ContactRecord& c : world.contacts()) {
      EXPECT_TRUE(ids.insert(c.id).second) << "two records of one name at step " << i;
      contacts += c.mode == ContactMode::Guard ? 0 : 1;
    }
    EXPECT_EQ(report.contacts, contacts) << "what the guard takes is no contact";
    guarded += static_cast<int>(ids.size()) - static_cast<int>(contacts);
  }
  return guarded;
}

TEST(EnergyGuard, WhatItTakesFromBodiesThatAreHeldIsInTheRecords) {
  World world = world_with("exact", 0.5, 0);
  test::add_floor(world);
  BodyDef egg = test::body(Shape::ellipsoid({0.3, 0.2, 0.1}), {0, 0, 0.25});
  egg.angular_velocity = {3, 2, 1};
  world.add_body(egg);
  world.add_body(test::body(Shape::ellipsoid({0.1, 0.1, 0.3}), {0.1, 0.05, 0.7}));
  EXPECT_GT(expect_balance(std::move(world), 1), 0);
}

TEST(EnergyGuard, WhatItTakesFromBodiesInFlightIsInTheRecords) {
  EXPECT_GT(expect_balance(tumbling_slabs("exact", true), 0.25), 0);
}

}  // namespace
}  // namespace carom
