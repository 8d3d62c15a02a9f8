// The world's interface: what is owned, named, refused and reported.
#include "carom/dynamics/world.h"

#include <gtest/gtest.h>

#include <limits>

#include "carom/base/error.h"
#include "dynamics/scenery.h"

namespace carom {
namespace {

using test::cube;

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN(), kInfinity = std::numeric_limits<Real>::infinity();

TEST(World, BodiesComeInTheOrderInWhichTheyWereAdded) {
  World world;
  std::vector<BodyHandle> added;
  added.reserve(6);
  for (int i = 0; i < 5; ++i) added.push_back(world.add_body(cube({3.0 * i, 0, 0})));
  EXPECT_EQ(world.bodies(), added);
  world.remove_body(added[1]);
  added.erase(added.begin() + 1);
  EXPECT_EQ(world.bodies(), added);
  added.push_back(world.add_body(cube({0, 9, 0})));  // takes the free slot, yet comes last
  EXPECT_EQ(world.bodies(), added);
  EXPECT_EQ(world.body_count(), 5U);
}

TEST(World, StaleHandlesAreRefusedEvenWhenTheSlotIsTakenAgain) {
  World world;
  const BodyHandle old = world.add_body(cube({}));
  world.remove_body(old);
  const BodyHandle fresh = world.add_body(cube({}));
  EXPECT_EQ(fresh.index, old.index);
  EXPECT_NE(fresh, old);
  EXPECT_FALSE(world.contains(old));
  EXPECT_TRUE(world.contains(fresh));
  EXPECT_THROW(world.state(old), Error);
  EXPECT_THROW(world.remove_body(old), Error);
  EXPECT_THROW(world.set_velocity(old, {}, {}), Error);
  EXPECT_THROW(world.set_force(old, {}), Error);
  EXPECT_THROW(world.shape_pose(old), Error);
  EXPECT_NO_THROW(world.state(fresh));
}

TEST(World, NullAndForeignHandlesAreRefused) {
  World world;
  EXPECT_FALSE(world.contains({}));
  EXPECT_THROW(world.state({}), Error);
  EXPECT_FALSE(world.contains({7, 0}));
  EXPECT_THROW(world.state({7, 0}), Error);
}

TEST(World, KeepsWhatABodyWasMadeFrom) {
  World world;
  BodyDef def = cube({1, 2, 3}, {4, 5, 6});
  def.name = "die";
  def.mass = 2;
  def.angular_velocity = {0.1, 0.2, 0.3};
  const BodyHandle body = world.add_body(def);
  EXPECT_EQ(world.name(body), "die");
  EXPECT_EQ(world.type(body), BodyType::Dynamic);
  EXPECT_EQ(world.shape(body), def.shape);
  EXPECT_EQ(world.state(body).position, def.pose.position);
  EXPECT_EQ(world.state(body).velocity, def.velocity);
  EXPECT_EQ(world.state(body).angular_velocity, def.angular_velocity);
  EXPECT_DOUBLE_EQ(world.mass(body), 2);
  EXPECT_DOUBLE_EQ(world.inertia(body)(0, 0), 2.0 / 6);
}

TEST(World, MassComesFromTheDensityUnlessGiven) {
  World world;
  EXPECT_DOUBLE_EQ(world.mass(world.add_body(cube({}))), 1000);
  BodyDef def = cube({});
  def.density = 300;
  EXPECT_DOUBLE_EQ(world.mass(world.add_body(def)), 300);
  def.inertia = Mat3::diagonal({1, 2, 2.5});
  EXPECT_DOUBLE_EQ(world.inertia(world.add_body(def))(2, 2), 2.5);
  EXPECT_EQ(world.mass(test::add_floor(world)), kInfinity);
}

TEST(World, InertiaTurnsWithTheBody) {
  World world;
  BodyDef def = test::body(Shape::box({1, 2, 3}), {});
  def.pose.orientation = test::turn({0, 0, 1}, 90);
  const Mat3 upright = world.inertia(world.add_body(test::body(def.shape, {})));
  const Mat3 turned = world.inertia(world.add_body(def));
  EXPECT_NEAR(turned(0, 0), upright(1, 1), 1e-12 * upright(1, 1));
  EXPECT_NEAR(turned(1, 1), upright(0, 0), 1e-12 * upright(1, 1));
  EXPECT_NEAR(turned(0, 1), 0, 1e-12 * upright(1, 1));
}

TEST(World, CentreOfMassOffTheShapesFrame) {
  World world(test::without_gravity());
  BodyDef def = cube({1, 0, 0});
  def.pose.orientation = test::turn({0, 0, 1}, 90);
  def.center_of_mass = Vec3{0.25, 0, 0};
  def.angular_velocity = {0, 0, 1};
  const BodyHandle body = world.add_body(def);
  EXPECT_LE(norm(world.state(body).position - Vec3{1, 0.25, 0}), 1e-15);
  EXPECT_LE(norm(world.shape_pose(body).position - Vec3{1, 0, 0}), 1e-15);
  test::run(world, 1, 0.01);
  // It turns about its centre of mass, and the frame goes round.
  EXPECT_LE(norm(world.state(body).position - Vec3{1, 0.25, 0}), 1e-13);
  EXPECT_NEAR(norm(world.shape_pose(body).position - Vec3{1, 0.25, 0}), 0.25, 1e-13);
}

TEST(World, RefusesBadBodies) {
  World world;
  EXPECT_THROW(world.add_body({}), Error);
  int tried = 0;
  const auto refuses = [&](auto&& spoil) {
    BodyDef def = cube({});
    spoil(def);
    EXPECT_THROW(world.add_body(def), Error) << "the one after " << tried << " others";
    ++tried;
  };
  for (const Real bad : {kNan, kInfinity}) {
    refuses([&](BodyDef& d) { d.pose.position.x = bad; });
    refuses([&](BodyDef& d) { d.velocity.y = bad; });
    refuses([&](BodyDef& d) { d.angular_velocity.z = bad; });
    refuses([&](BodyDef& d) { d.force.x = bad; });
    refuses([&](BodyDef& d) { d.torque.x = bad; });
    refuses([&](BodyDef& d) { d.pose.orientation.w = bad; });
    refuses([&](BodyDef& d) { d.center_of_mass = Vec3{bad, 0, 0}; });
  }
  for (const Real bad : {0.0, -1.0, kNan, kInfinity}) {
    refuses([&](BodyDef& d) { d.mass = bad; });
    refuses([&](BodyDef& d) { d.density = bad; });
  }
  for (const Real bad : {0.0, -1.0}) refuses([&](BodyDef& d) { d.inertia = Mat3::diagonal({1, 1, bad}); });
  refuses([](BodyDef& d) { d.pose.orientation = {0, 0, 0, 0}; });
  refuses([](BodyDef& d) { d.material = {3, 0}; });
  refuses([](BodyDef& d) { d.shape = Shape::plane({0, 0, 1}, 0); });  // a plane that moves
  EXPECT_EQ(world.body_count(), 0U);
}

TEST(World, RefusesBadSettings) {
  const auto refuses = [](auto&& spoil) {
    WorldDef def;
    spoil(def);
    EXPECT_THROW(World{def}, Error);
  };
  refuses([](WorldDef& d) { d.suite = "no such suite"; });
  refuses([](WorldDef& d) { d.threads = 0; });
  refuses([](WorldDef& d) { d.gravity.z = kNan; });
}

TEST(World, RefusesBadStepsForcesVelocitiesAndStates) {
  World world;
  const BodyHandle floor = test::add_floor(world), body = world.add_body(cube({0, 0, 5}));
  for (const Real dt : {0.0, -0.01, kNan, kInfinity}) EXPECT_THROW(world.step(dt), Error) << dt;
  EXPECT_THROW(world.set_force(body, {kNan, 0, 0}), Error);
  EXPECT_THROW(world.set_force(body, {}, {0, kInfinity, 0}), Error);
  EXPECT_THROW(world.set_velocity(body, {kNan, 0, 0}, {}), Error);
  EXPECT_THROW(world.set_state(body, {{kNan, 0, 0}, {}, {}, {}}), Error);
  EXPECT_THROW(world.set_state(body, {{0, 0, 5}, {0, 0, 0, 0}, {}, {}}), Error);
  EXPECT_THROW(world.set_force(floor, {1, 0, 0}), Error);
  EXPECT_THROW(world.set_velocity(floor, {1, 0, 0}, {}), Error);
  EXPECT_THROW(world.inertia(floor), Error);
  EXPECT_EQ(world.state(body).position, (Vec3{0, 0, 5}));
  EXPECT_EQ(world.time(), 0);
}

TEST(World, StateThatOverflowsIsReportedAndNotTaken) {
  World world(test::without_gravity());
  const BodyHandle body = world.add_body(cube({1, 2, 3}, {1e308, 0, 0}));
  const std::uint64_t before = world.state_hash();
  EXPECT_FALSE(world.step(1000).finite);
  EXPECT_EQ(world.state(body).position, (Vec3{1, 2, 3}));
  EXPECT_EQ(world.time(), 0);
  EXPECT_EQ(world.state_hash(), before);
}

TEST(World, SetStateMovesABody) {
  World world(test::without_gravity());
  const BodyHandle body = world.add_body(cube({}));
  world.set_state(body, {{1, 2, 3}, {2, 0, 0, 0}, {1, 0, 0}, {}});  // the quaternion is normalised
  EXPECT_EQ(world.state(body).orientation, Quat{});
  world.step(0.5);
  EXPECT_LE(norm(world.state(body).position - Vec3{1.5, 2, 3}), 1e-15);
  EXPECT_EQ(world.time(), 0.5);
}

TEST(World, FixedBodyThatIsPutElsewhereIsFeltThere) {
  World world;
  const BodyHandle floor = test::add_fixed_box(world, {2, 2, 1}, {50, 0, -0.5});
  const BodyHandle body = world.add_body(cube({0, 0, 0.5}));
  world.set_state(floor, {{0, 0, -0.5}, {}, {}, {}});
  test::run(world, 1, 1.0 / 60);
  EXPECT_NEAR(world.state(body).position.z, 0.5, 1e-3);
}

TEST(World, StateHashSeesTimePosesAndVelocities) {
  const auto hash = [](const Vec3& at, const Vec3& velocity) {
    World world;
    world.add_body(cube(at, velocity));
    return world.state_hash();
  };
  EXPECT_EQ(hash({}, {}), hash({}, {}));
  EXPECT_NE(hash({}, {}), hash({1e-16, 0, 0}, {}));
  EXPECT_NE(hash({}, {}), hash({}, {0, 1e-16, 0}));
  World world(test::without_gravity());
  world.add_body(cube({}));
  const std::uint64_t before = world.state_hash();
  world.step(0.1);
  EXPECT_NE(world.state_hash(), before);  // nothing moved, but time went on
}

TEST(World, CanBeMoved) {
  World first;
  const BodyHandle body = first.add_body(cube({1, 2, 3}));
  World second = std::move(first);
  EXPECT_EQ(second.state(body).position, (Vec3{1, 2, 3}));
  second.step(0.01);
}

}  // namespace
}  // namespace carom
