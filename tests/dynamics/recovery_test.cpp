// What a world refuses, and how it goes on after a state overflowed.
#include <gtest/gtest.h>

#include <limits>

#include "carom/base/error.h"
#include "dynamics/scenery.h"

namespace carom {
namespace {

TEST(World, RefusesAnInertiaThatIsNotANumberOrNotSymmetric) {
  World world;
  BodyDef def = test::cube({});
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    for (int i = 0; i < 3; ++i) {
      def.inertia = Mat3::identity();
      (*def.inertia)(i, i) = bad;
      EXPECT_THROW(world.add_body(def), Error) << i << bad;
      def.inertia = Mat3::identity();
      (*def.inertia)(0, i) = bad;
      EXPECT_THROW(world.add_body(def), Error) << i << bad;
    }
  }
  def.inertia = Mat3::identity();
  (*def.inertia)(0, 1) = 0.5;
  EXPECT_THROW(world.add_body(def), Error);
}

TEST(World, RefusedStateChangesNothing) {
  World world;
  const BodyHandle body = world.add_body(test::cube({0, 0, 5}));
  EXPECT_THROW(world.set_state(body, {{1, 2, 3}, {0, 0, 0, 0}, {}, {}}), Error);
  EXPECT_EQ(world.state(body).position, (Vec3{0, 0, 5}));
}

}  // namespace
}  // namespace carom
namespace carom {
namespace {
TEST(World, RecoversOnceAStateThatOverflowedIsMended) {
  World world;
  test::add_floor(world);
  const BodyHandle body = world.add_body(test::cube({0, 0, 0.5}));
  test::run(world, 0.5, 1.0 / 60);
  const BodyState good = world.state(body);
  world.set_velocity(body, {1e308, 1e308, -1e308}, {});
  EXPECT_FALSE(world.step(1.0 / 60).finite);
  world.set_state(body, good);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(world.step(1.0 / 60).finite) << i;
}

}  // namespace
}  // namespace carom
