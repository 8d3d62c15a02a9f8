// What the tests of suites share: worlds with a suite and its options, and what is asked of most of them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/scenery.h"

namespace carom::test {

using Settings = std::vector<std::pair<std::string, OptionValue>>;

inline World world_with(const std::string& suite, const Settings& settings = {}, int threads = 1) {
  WorldDef def;
  def.suite = suite;
  def.threads = threads;
  def.options = Options(find_suite(suite)->options);
  for (const auto& [key, value] : settings) EXPECT_EQ(def.options.set(key, value), "");
  return World(def);
}

/// A cube that lies on a slope through the origin; downhill is towards +x.
inline BodyHandle add_cube_on_slope(World& world, Real degrees) {
  const Real angle = degrees * std::numbers::pi / 180;
  const Vec3 normal{std::sin(angle), 0, std::cos(angle)};
  add_floor(world, normal);
  BodyDef def = cube(0.5 * normal);
  def.pose.orientation = turn({0, 1, 0}, degrees);
  return world.add_body(def);
}

/// How far a cube on a slope has come after some seconds.
inline Real way_down_a_slope(World world, Real degrees, Real seconds, Real dt) {
  const BodyHandle body = add_cube_on_slope(world, degrees);
  const Vec3 before = world.state(body).position;
  run(world, seconds, dt);
  return norm(world.state(body).position - before);
}

/// Below the friction angle of 26.57° a cube stays, above it slides as Coulomb's law says.
inline void expect_cube_holds_and_slides(const std::string& suite, Real most_creep, Real dt) {
  const auto way = [&](Real degrees, Real seconds) {
    World world = world_with(suite);
    world.set_default_material(surface(0.5));
    return way_down_a_slope(std::move(world), degrees, seconds, dt);
  };
  for (const Real degrees : {10.0, 26.0}) EXPECT_LE(way(degrees, 2), most_creep) << degrees;
  const Real angle = 35 * std::numbers::pi / 180;
  const Real expected = 0.5 * 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(way(35, 1), expected, 0.005 * expected);
}

/// Cubes of 1 m put on each other on a floor; from the lowest to the highest.
inline std::vector<BodyHandle> add_tower(World& world, int cubes) {
  add_floor(world);
  std::vector<BodyHandle> bodies;
  for (int i = 0; i < cubes; ++i) bodies.push_back(world.add_body(cube({0, 0, 0.5 + i})));
  return bodies;
}

/// A heap of balls and boxes in free fall onto a floor.
inline World falling_heap(const std::string& suite, int threads) {
  World world = world_with(suite, {}, threads);
  world.set_default_material(surface(0.4, 0.2));
  add_floor(world);
  Random random(11);
  for (int i = 0; i < 40; ++i) {
    const ShapePtr shapes[] = {Shape::sphere(0.25), Shape::box({0.5, 0.4, 0.6})};
    BodyDef def = body(shapes[i % 2], {random.uniform(-1, 1), random.uniform(-1, 1), 0.5 + 0.4 * i}, random.vector(1));
    def.pose.orientation = random.rotation();
    world.add_body(def);
  }
  return world;
}

}  // namespace carom::test
