// What a world refuses, and how it goes on after a state overflowed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "carom/base/error.h"
#include "dynamics/suites_scenery.h"

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

TEST(World, WhoIsSqueezedBetweenBodiesThatDoNotYieldOverlapsAndStaysNearby) {
  // A press closes on a cube in front of a wall, and goes on for 0.2 m.
  for (const std::string suite : {"exact", "schmidl"}) {
    SCOPED_TRACE(suite);
    WorldDef def;
    def.suite = suite;
    World world(def);
    world.set_default_material(test::surface(0.4));
    test::add_floor(world);
    test::add_fixed_box(world, {0.2, 2, 2}, {0.61, 0, 1});
    BodyDef press = test::body(Shape::box({0.2, 2, 1}), {-0.66, 0, 0.6}, {0.2, 0, 0});
    press.type = BodyType::Kinematic;
    world.add_body(press);
    const BodyHandle squeezed = world.add_body(test::cube({0, 0, 0.5}));
    for (int i = 0; i < 78; ++i) {
      ASSERT_TRUE(world.step(1.0 / 60).finite);
      const Vec3 off = world.state(squeezed).position - Vec3{0, 0, 0.5};
      ASSERT_LT(norm(off), 0.5) << i;
    }
  }
}

TEST(World, NobodyIsThrownByAPressThatClosesOnTheFloor) {
  // No motion obeys floor and press at once. Who slips out sideways falls at most from where the press began; before
  // that nothing is faster than a lever of ten makes of the press.
  const Real press_speed = 0.4, most = 10 * press_speed + std::sqrt(2 * 9.81 * 2);
  for (const ShapePtr& shape : {Shape::box({1, 1, 1}), Shape::sphere(0.5), Shape::cylinder(0.5, 1)}) {
    for (const Real dt : {1.0 / 60, 1.0 / 240}) {
      World world = test::world_with("sequential");
      world.set_default_material(test::surface(0.5, 0.2));
      test::add_floor(world);
      BodyDef press = test::body(Shape::box({4, 4, 0.5}), {0.1, 0.2, 2.5}, {0, 0, -press_speed});
      press.type = BodyType::Kinematic;
      world.add_body(press);
      const BodyHandle lower = world.add_body(test::body(shape, {0, 0, 0.5}));
      const BodyHandle upper = world.add_body(test::body(shape, {0.03, 0.02, 1.501}));
      for (int i = 0; i < static_cast<int>(std::lround(3 / dt)); ++i) {
        ASSERT_TRUE(world.step(dt).finite);
        for (const BodyHandle body : {lower, upper})
          ASSERT_LE(norm(world.state(body).velocity), most) << dt << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace carom
