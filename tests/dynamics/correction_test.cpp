// Four ways to deal with bodies that overlap (Lembcke 2006, section 3.2.4).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"
#include "dynamics/scenery.h"

namespace carom::test {
namespace {

constexpr Real kDt = 1.0 / 60;

WorldDef correcting(const std::string& suite, const std::string& correction, bool gravity = true) {
  WorldDef def;
  def.suite = suite;
  if (!gravity) def.gravity = {};
  def.options = Options(find_suite(suite)->options);
  EXPECT_EQ(def.options.set("correction", correction), "");
  return def;
}

struct Outcome {
  Real rose = 0;     // m, of a cube's centre
  Real fastest = 0;  // m/s
  Real depth = 0;    // m, in the end
};

/// A cube that sits 5 cm deep in the floor, for two seconds.
Outcome sunken_cube(const std::string& suite, const std::string& correction, bool gravity) {
  World world(correcting(suite, correction, gravity));
  add_floor(world);
  const BodyHandle body = world.add_body(cube({0, 0, 0.45}));
  Outcome out;
  for (int i = 0; i < 120; ++i) {
    EXPECT_TRUE(world.step(kDt).finite);
    out.rose = std::max(out.rose, world.state(body).position.z - 0.45);
    out.fastest = std::max(out.fastest, norm(world.state(body).velocity));
  }
  out.depth = -lowest(world, body);
  return out;
}

/// All suites of the fixed step but the one whose springs push by themselves, whatever the correction.
std::vector<std::string> suites() {
  std::vector<std::string> names;
  for (const SuiteInfo& suite : suite_registry())
    if (suite.name != "penalty" && has_option(suite, "correction")) names.push_back(suite.name);
  return names;
}

/// Overlaps of up to two envelopes of 0.1 mm stay, and those of a hair more.
constexpr Real kLeft = 3e-4;

TEST(Correction, SplitAndDirectBringASunkenCubeUpWithoutAnySpeed) {
  for (const std::string& suite : suites()) {
    for (const char* way : {"split", "direct"}) {
      // Under gravity the split velocity lifts only what something pays for, so a cube at rest may stay where it is.
      const bool gravity = std::string(way) == "direct";
      EXPECT_LE(sunken_cube(suite, way, gravity).depth, kLeft) << suite << " " << way;
      const Outcome out = sunken_cube(suite, way, true);
      EXPECT_LE(out.depth, 0.05 + 1e-6) << suite << " " << way;
      EXPECT_LE(out.rose, 0.05 + kLeft) << suite << " " << way;
      EXPECT_LE(out.fastest, 1e-6) << suite << " " << way;
    }
  }
}

TEST(Correction, BiasBringsItUpWithASpeedThatItKeepsSoThatItGainsEnergy) {
  for (const std::string& suite : suites()) {
    const Outcome out = sunken_cube(suite, "bias", true);
    EXPECT_LE(out.depth, kLeft) << suite;
    // A fifth of the depth in a step.
    EXPECT_NEAR(out.fastest, 0.2 * 0.05 / kDt, 0.02) << suite;
    // Without gravity to bring it back it flies off.
    EXPECT_GT(sunken_cube(suite, "bias", false).rose, 0.5) << suite;
    EXPECT_LE(sunken_cube(suite, "split", false).rose, 0.05 + kLeft) << suite;
    EXPECT_LE(sunken_cube(suite, "direct", false).rose, 0.05 + kLeft) << suite;
  }
}

TEST(Correction, WithNoneAnOverlapStaysAndGetsNoDeeper) {
  for (const std::string& suite : suites()) {
    const Outcome out = sunken_cube(suite, "none", true);
    EXPECT_NEAR(out.depth, 0.05, 1e-6) << suite;
    EXPECT_LE(out.fastest, 1e-6) << suite;
  }
}

TEST(Correction, WhateverItIsBodiesDoNotPassThroughWhatTheyHit) {
  for (const char* way : {"split", "bias", "direct", "none"}) {
    World world(correcting("sequential", way));
    world.set_default_material(surface(0.3, 0.5));
    add_fixed_box(world, {4, 4, 0.2}, {0, 0, -0.1});
    const BodyHandle slow = world.add_body(cube({1, 0, 2}));
    const BodyHandle fast = world.add_body(body(Shape::sphere(0.2), {-1, 0, 5}, {0, 0, -200}));
    run(world, 0.2, kDt);
    EXPECT_GT(world.state(fast).position.z, 0.19) << way;
    run(world, 1, kDt);
    EXPECT_GT(lowest(world, slow), -0.01) << way;
  }
}

TEST(Correction, DirectTurnsATiltedCubeOutOfTheFloorInFewSteps) {
  World world(correcting("sequential", "direct", false));
  add_floor(world);
  BodyDef def = cube({0, 0, 0.45});
  def.pose.orientation = {std::cos(0.05), std::sin(0.05), 0, 0};
  const BodyHandle body = world.add_body(def);
  const Real before = -lowest(world, body);
  run(world, 10 * kDt, kDt);
  // Four passes of a fifth leave 0.8⁴ of it in a step.
  EXPECT_LE(-lowest(world, body), kLeft);
  EXPECT_GT(before, 0.09);
  EXPECT_LE(norm(world.state(body).velocity) + norm(world.state(body).angular_velocity), 1e-9);
}

TEST(Correction, DirectPushesTwoBodiesApartByTheirMassesAndKeepsTheirCentre) {
  World world(correcting("sequential", "direct", false));
  BodyDef light = cube({0, 0, 0}), heavy = cube({0.9, 0, 0});
  light.mass = 1;
  heavy.mass = 3;
  const BodyHandle a = world.add_body(light), b = world.add_body(heavy);
  run(world, 1, kDt);
  const Real moved = -world.state(a).position.x, other = world.state(b).position.x - 0.9;
  EXPECT_NEAR(moved + other, 0.1, kLeft);
  EXPECT_NEAR(moved, 3 * other, 1e-6);
}

TEST(Correction, AStackStandsWithEveryWay) {
  for (const std::string& suite : suites()) {
    for (const char* way : {"split", "bias", "direct", "none"}) {
      World world(correcting(suite, way));
      world.set_default_material(surface(0.5));
      add_floor(world);
      for (int i = 0; i < 4; ++i) world.add_body(cube({0, 0, 0.5 + i}));
      run(world, 2, kDt);
      const Vec3 top = world.state(world.bodies().back()).position;
      EXPECT_NEAR(top.z, 3.5, 2e-3) << suite << " " << way;
      EXPECT_NEAR(top.x, 0, 1e-3) << suite << " " << way;
    }
  }
}

TEST(Correction, DirectGivesTheSameBitsOnAnyNumberOfThreadsAndAfterARestore) {
  const auto heap = [](int threads) {
    WorldDef def = correcting("sequential", "direct");
    def.threads = threads;
    World world(def);
    add_floor(world);
    Random random(3);
    for (int i = 0; i < 60; ++i)
      world.add_body(body(i % 2 == 0 ? Shape::sphere(0.4) : Shape::box({0.8, 0.6, 0.7}),
                          {random.uniform(-1, 1), random.uniform(-1, 1), 0.3 + 0.4 * i}));
    return world;
  };
  World one = heap(1), two = heap(2), later = heap(1);
  run(one, 0.5, kDt);
  ASSERT_EQ(later.restore(one.save()), "");
  run(two, 0.5, kDt);
  EXPECT_EQ(one.state_hash(), two.state_hash());
  run(one, 0.5, kDt);
  run(two, 0.5, kDt);
  run(later, 0.5, kDt);
  EXPECT_EQ(one.state_hash(), two.state_hash());
  EXPECT_EQ(one.state_hash(), later.state_hash());
}

}  // namespace
}  // namespace carom::test
