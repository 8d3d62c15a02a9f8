// Small worlds for the tests of the step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "carom/dynamics/world.h"
#include "support/random.h"

namespace carom::test {

/// Whether the suite takes an option: those of the fixed step's parts are not for every stepper.
inline bool has_option(const SuiteInfo& suite, std::string_view name) {
  return std::any_of(suite.options.begin(), suite.options.end(),
                     [&](const OptionSpec& spec) { return spec.name == name; });
}

inline constexpr Real kStandardGravity = 9.81;

inline WorldDef without_gravity() {
  WorldDef def;
  def.gravity = {};
  return def;
}

/// The surface properties of everything that names no other.
inline Material surface(Real friction, Real restitution = 0) { return {friction, friction, restitution}; }

inline BodyDef body(const ShapePtr& shape, const Vec3& at, const Vec3& velocity = {}) {
  BodyDef def;
  def.shape = shape;
  def.pose.position = at;
  def.velocity = velocity;
  return def;
}

inline BodyDef cube(const Vec3& at, const Vec3& velocity = {}) { return body(Shape::box({1, 1, 1}), at, velocity); }

/// The half space under z = 0, or under another plane through the origin.
inline BodyHandle add_floor(World& world, const Vec3& normal = {0, 0, 1}) {
  BodyDef def = body(Shape::plane(normal, 0), {});
  def.type = BodyType::Fixed;
  return world.add_body(def);
}

inline BodyHandle add_fixed_box(World& world, const Vec3& size, const Vec3& at) {
  BodyDef def = body(Shape::box(size), at);
  def.type = BodyType::Fixed;
  return world.add_body(def);
}

inline void run(World& world, Real seconds, Real dt) {
  const int steps = static_cast<int>(std::lround(seconds / dt));
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(world.step(dt).finite);
}

/// The lowest point of a box body.
inline Real lowest(const World& world, BodyHandle body) {
  const Vec3 half = std::get<Box>(world.shape(body)->geometry()).half_size;
  const Pose pose = world.shape_pose(body);
  Real low = 1e300;
  for (const Real x : {-half.x, half.x})
    for (const Real y : {-half.y, half.y})
      for (const Real z : {-half.z, half.z}) low = std::min(low, transform(pose, {x, y, z}).z);
  return low;
}

}  // namespace carom::test
