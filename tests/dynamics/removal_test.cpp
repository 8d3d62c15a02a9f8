// Bodies that are removed, and bodies that take their place.
#include <gtest/gtest.h>

#include <vector>

#include "carom/dynamics/world.h"

namespace carom {
namespace {

BodyHandle add_ground(World& world) {
  BodyDef ground;
  ground.type = BodyType::Fixed;
  ground.shape = Shape::plane({0, 0, 1}, 0);
  return world.add_body(ground);
}

BodyHandle add_cube(World& world, const Vec3& position) {
  BodyDef cube;
  cube.shape = Shape::box({1, 1, 1});
  cube.pose.position = position;
  return world.add_body(cube);
}

TEST(Removal, StepsGoOnWhenMostBodiesInContactAreGone) {
  World world;
  add_ground(world);
  std::vector<BodyHandle> cubes;
  for (int i = 0; i < 20; ++i) cubes.push_back(add_cube(world, {2.0 * i, 0, 0.5}));
  for (int i = 0; i < 5; ++i) world.step(1.0 / 60);
  for (std::size_t i = 1; i < cubes.size(); ++i) world.remove_body(cubes[i]);
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(world.step(1.0 / 60).finite);
  // At rest before and after: nothing that the others did may reach it.
  EXPECT_NEAR(world.state(cubes[0]).position.z, 0.5, 1e-6);
}

TEST(Removal, CubeFallsWhenItsSupportIsRemoved) {
  World world;
  add_ground(world);
  const BodyHandle lower = add_cube(world, {0, 0, 0.5});
  const BodyHandle upper = add_cube(world, {0, 0, 1.5});
  for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
  world.remove_body(lower);
  for (int i = 0; i < 120; ++i) world.step(1.0 / 60);
  // It comes to rest on the ground, within the contact tolerance of 1e-4 of its size.
  EXPECT_NEAR(world.state(upper).position.z, 0.5, 3e-4);
}

TEST(Removal, ANewBodyInTheSlotInheritsNoImpulses) {
  World world;
  add_ground(world);
  const BodyHandle heavy = add_cube(world, {0, 0, 0.5});
  for (int i = 0; i < 10; ++i) world.step(1.0 / 60);
  world.remove_body(heavy);
  BodyDef light;
  light.shape = Shape::box({1, 1, 1});
  light.pose.position = {0, 0, 0.5};
  light.density = 1;
  const BodyHandle cube = world.add_body(light);
  world.step(1.0 / 60);
  // A thousand times the weight as a warm start would throw it off the ground if it were not solved away.
  EXPECT_NEAR(world.state(cube).velocity.z, 0, 1e-6);
  EXPECT_NEAR(world.state(cube).position.z, 0.5, 1e-6);
}

}  // namespace
}  // namespace carom
