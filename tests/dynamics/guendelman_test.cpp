// The suite after Guendelman, Bridson and Fedkiw: collisions at predicted positions, levels, shock propagation.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/suites_scenery.h"

namespace carom {
namespace {

using test::world_with;

constexpr Real kStep = 1.0 / 60;

World without_gravity() {
  WorldDef def = test::without_gravity();
  def.suite = "guendelman";
  return World(def);
}

TEST(Guendelman, BouncyCubeOnASlopeStaysAtRest) {
  World world = world_with("guendelman");
  world.set_default_material(test::surface(0.6, 0.9));
  EXPECT_LE(test::way_down_a_slope(std::move(world), 20, 5, kStep), 1e-6);
}

TEST(Guendelman, CubeHoldsBelowTheFrictionAngleAndSlidesAboveIt) {
  test::expect_cube_holds_and_slides("guendelman", 1e-6, kStep);
}

TEST(Guendelman, ImpulsesThatOnlyPushLetACubeCreep) {
  // As published: what one corner has too much is not taken back, and friction goes with what still approaches.
  World world = world_with("guendelman", {{"accumulate", false}});
  world.set_default_material(test::surface(0.5));
  EXPECT_GE(test::way_down_a_slope(std::move(world), 26, 2, kStep), 1e-3);
}

/// Kinetic energy, J, of a tower of 20 cubes after a second of few rounds.
Real unrest_of_a_tower(bool shock) {
  World world = world_with(
      "guendelman",
      {{"rounds", 2.0}, {"level_sweeps", 2.0}, {"iterations", 1.0}, {"warm_start", false}, {"shock", shock}});
  world.set_default_material(test::surface(0.5));
  test::add_tower(world, 20);
  Real largest = 0;
  for (int i = 0; i < 60; ++i) largest = std::max(largest, world.step(kStep).kinetic_energy);
  return largest;
}

TEST(Guendelman, ShockPropagationStopsWhatTheRoundsLeaveOver) {
  const Real without = unrest_of_a_tower(false), with = unrest_of_a_tower(true);
  EXPECT_GE(without, 1);  // 20 000 kg at 1 cm/s
  EXPECT_LE(with, 1e-6 * without);
}

TEST(Guendelman, TowerStandsAndItsTopStays) {
  World world = world_with("guendelman");
  world.set_default_material(test::surface(0.5));
  const std::vector<BodyHandle> tower = test::add_tower(world, 10);
  test::run(world, 3, kStep);
  EXPECT_LE(norm(world.state(tower.back()).position - Vec3{0, 0, 9.5}), 1e-4);
}

TEST(Guendelman, CollisionsAreFoundBeforeBodiesTouch) {
  // At 5 m/s and 1/60 s a ball 5 cm above the floor will overlap it at the end of the step: it bounces where it is.
  World world = without_gravity();
  world.set_default_material(test::surface(0, 1));
  test::add_floor(world);
  const BodyHandle ball = world.add_body(test::body(Shape::sphere(0.5), {0, 0, 0.55}, {0, 0, -5}));
  world.step(kStep);
  EXPECT_NEAR(world.state(ball).velocity.z, 5, 1e-12);
  EXPECT_NEAR(world.state(ball).position.z, 0.55 + 5 * kStep, 1e-12);
}

TEST(Guendelman, CollisionsAreLookedForAgain) {
  // Ball 0 hits ball 1, which then runs into ball 2 within the same step: seen only where collisions are looked for
  // again. All three are in a row and of equal mass, so the speed is handed on. Balls 1 and 2 are 0.15 mm apart: more
  // than what counts as touching, and near enough to be detected while they are at rest.
  World world = without_gravity();
  world.set_default_material(test::surface(0, 1));
  const BodyHandle first = world.add_body(test::body(Shape::sphere(0.5), {0, 0, 0}, {6, 0, 0}));
  world.add_body(test::body(Shape::sphere(0.5), {1.02, 0, 0}));
  const BodyHandle last = world.add_body(test::body(Shape::sphere(0.5), {2.02015, 0, 0}));
  world.step(kStep);
  EXPECT_NEAR(world.state(first).velocity.x, 0, 1e-12);
  EXPECT_NEAR(world.state(last).velocity.x, 6, 1e-12);
}

TEST(Guendelman, GivesTheSameBitsOnAnyNumberOfThreads) {
  World one = test::falling_heap("guendelman", 1), three = test::falling_heap("guendelman", 3);
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(one.step(kStep).finite);
    three.step(kStep);
    ASSERT_EQ(one.state_hash(), three.state_hash()) << i;
  }
}

}  // namespace
}  // namespace carom
