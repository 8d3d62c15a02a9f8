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

/// A floor and a body that is thrown on it, all of which moves besides.
struct Throw {
  World world;
  BodyHandle body;
};

Throw throw_on(BodyType floor_type, const Vec3& drift, const std::string& suite, int which) {
  Throw t{world_with(suite, 0.4, 0.9), {}};
  BodyDef floor = test::body(Shape::box({20, 20, 1}), {0, 0, -0.5}, drift);
  floor.type = floor_type;
  t.world.add_body(floor);
  const ShapePtr shapes[] = {Shape::box({0.8, 0.4, 0.3}), Shape::cylinder(0.3, 0.6), Shape::capsule(0.2, 0.8),
                             Shape::cone(0.4, 0.7), Shape::ellipsoid({0.4, 0.3, 0.2})};
  test::Random random(static_cast<std::uint64_t>(which));
  BodyDef def = test::body(shapes[which % 5], {0, 0, 0.8}, drift + random.vector(3));
  def.pose.orientation = random.rotation();
  def.angular_velocity = random.vector(5);
  t.body = t.world.add_body(def);
  return t;
}

TEST(EnergyGuard, AFloorThatCouldMoveButDoesNotIsLikeAFixedOne) {
  for (const char* suite : {"exact", "schmidl", "sequential", "bender"}) {
    for (int i = 0; i < 10; ++i) {
      Throw fixed = throw_on(BodyType::Fixed, {}, suite, i), still = throw_on(BodyType::Kinematic, {}, suite, i);
      test::run(fixed.world, 2, 1.0 / 60);
      test::run(still.world, 2, 1.0 / 60);
      // A cut of the step may fall a rounding elsewhere, and a few bounces make that grow.
      EXPECT_LE(norm(fixed.world.state(fixed.body).position - still.world.state(still.body).position), 1e-10)
          << suite << " " << i;
    }
  }
}

TEST(EnergyGuard, NothingGainsOnALiftAsOneSeesItFromThere) {
  for (const char* suite : {"exact", "schmidl"}) {
    for (const Vec3& drift : {Vec3{0, 0, 1.7}, Vec3{0, 0, -3.1}, Vec3{2.3, -1, 0.7}}) {
      for (int i = 0; i < 20; ++i) {
        Throw t = throw_on(BodyType::Kinematic, drift, suite, i);
        Real time = 0;
        const auto seen = [&] {
          const BodyState s = t.world.state(t.body);
          const Real mass = t.world.mass(t.body), height = s.position.z - drift.z * time;
          return 0.5 * mass * squared_norm(s.velocity - drift) +
                 0.5 * dot(s.angular_velocity, t.world.inertia(t.body) * s.angular_velocity) +
                 mass * test::kStandardGravity * height;
        };
        const Real start = seen();
        Real least = start, rise = 0;
        for (int step = 0; step < 120; ++step) {
          t.world.step(1.0 / 60);
          time += 1.0 / 60;
          rise = std::max(rise, seen() - least);
          least = std::min(least, seen());
        }
        EXPECT_LE(rise, 1e-6 * start) << suite << " " << i << " " << drift.z;
      }
    }
  }
}

TEST(EnergyGuard, WhatLiftsAPushedSliderIsPaidForByThePushAlone) {
  // The program lifts a slider at the expense of its motion; without the guard, by no more than the push pays for.
  WorldDef def;
  def.suite = "schmidl";
  def.options = Options(find_suite(def.suite)->options);
  ASSERT_EQ(def.options.set("energy_guard", false), "");
  World world(def);
  world.set_default_material(test::surface(0.2));
  test::add_floor(world);
  BodyDef box = test::cube({0, 0, 0.5}, {3, 0, 0});
  box.mass = 2;
  box.force = {-5, 0, 0};
  const BodyHandle body = world.add_body(box);
  const auto with_push = [&] { return energy(world) - dot(box.force, world.state(body).position); };
  Real least = with_push();
  for (int i = 0; i < 60; ++i) {
    world.step(1.0 / 60);
    EXPECT_LE(with_push() - least, 1e-9) << i;  // J, of 9: that of the program's tolerance
    least = std::min(least, with_push());
  }
}

}  // namespace
}  // namespace carom
