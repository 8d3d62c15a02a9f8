// The step that is cut at times of impact, and stops of what is too fast for contacts.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/suites_scenery.h"

namespace carom {
namespace {

using test::body;

constexpr Real kStep = 1.0 / 60;

WorldDef to_impacts(const Vec3& gravity, double most_stops = 1000) {
  WorldDef def;
  def.gravity = gravity;
  def.options = Options(find_suite(kDefaultSuite)->options);
  EXPECT_EQ(def.options.set("step", std::string("toi")), "");
  EXPECT_EQ(def.options.set("most_stops", most_stops), "");
  return def;
}

TEST(ToiStep, IsCutWhereBodiesMeetAndBouncesThere) {
  World world(to_impacts({}));
  world.set_default_material(test::surface(0, 0.5));
  const BodyHandle plate = test::add_fixed_box(world, {0.01, 1, 1}, {0.005, 0, 0});
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.005), {-1, 0.1, 0.2}, {300, 0, 0}));
  const StepReport report = world.step(kStep);
  ASSERT_EQ(report.stops, 1);
  ASSERT_EQ(world.stops().size(), 1u);
  const ImpactStop stop = world.stops()[0];
  EXPECT_TRUE((stop.a == ball && stop.b == plate) || (stop.a == plate && stop.b == ball));
  EXPECT_NEAR(stop.time, 0.995 / 300, 1e-8 / 300 + 1e-16);  // the tolerance is a hundredth of the envelope of 1e-6 m
  EXPECT_NEAR(world.state(ball).velocity.x, -150, 1e-9);
  // What is left of the step is spent on the way back.
  EXPECT_NEAR(world.state(ball).position.x, -0.005 - 150 * (kStep - stop.time), 1e-7);
  EXPECT_DOUBLE_EQ(world.time(), kStep);
}

TEST(ToiStep, IsCutWhereTheOtherEdgeOfARockingBlockMeetsTheFloor) {
  // G. W. Housner 1963: of its speed a block keeps 1 − (3/2) sin² α, tan α its width by its height.
  for (const Real width : {0.2, 0.3, 0.5}) {
    World world(to_impacts({0, 0, -9.81}));
    world.set_default_material(test::surface(2));
    const BodyHandle floor = test::add_floor(world);
    const Quat tipped{std::cos(0.025), 0, std::sin(0.025), 0};
    BodyDef def = body(Shape::box({width, 0.3, 1}), -rotate(tipped, Vec3{0.5 * width, 0, -0.5}));
    def.pose.orientation = tipped;
    const BodyHandle block = world.add_body(def);
    constexpr Real kFine = 1.0 / 240;
    Real before = 0, after = 0;
    for (int i = 0; i < 240 && world.stops().empty(); ++i) {
      before = world.state(block).angular_velocity.y;
      world.step(kFine);
      after = world.state(block).angular_velocity.y;
    }
    ASSERT_EQ(world.stops().size(), 1u) << width;
    EXPECT_TRUE(world.stops()[0].a == floor && world.stops()[0].b == block) << width;
    const Real sine2 = width * width / (width * width + 1);
    // Before the impact and after it the weight acts within the step: 3g/(4R) sin α dt is up to 2 % of the speed.
    EXPECT_NEAR(after / before, 1 - 1.5 * sine2, 0.04) << width;
    EXPECT_LT(after, 0) << width;
  }
}

TEST(ToiStep, AnElasticBallComesBackToItsHeight) {
  World world(to_impacts({0, 0, -9.81}));
  world.set_default_material(test::surface(0.5, 1));
  test::add_floor(world);
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.1), {0, 0, 1.1}));
  const Real before = world.kinetic_energy() + world.potential_energy();
  std::int64_t stops = 0;
  for (int i = 0; i < 600; ++i) stops += world.step(kStep).stops;
  EXPECT_EQ(stops, 11);  // every 2 √(2h/g) = 0.903 s
  // Each bounce acts up to the tolerance (2e-7 m) above the floor.
  EXPECT_NEAR((world.kinetic_energy() + world.potential_energy()) / before, 1, 1e-5);
  EXPECT_NEAR(world.state(ball).position.x, 0, 1e-12);
}

TEST(ToiStep, WithoutImpactsIsTheFixedStepBitForBit) {
  World cut(to_impacts({0, 0, -9.81})), fixed;
  for (World* world : {&cut, &fixed}) {
    BodyDef brick = body(Shape::box({1, 0.5, 0.2}), {0, 0, 3}, {1, 2, 3});
    brick.angular_velocity = {3, -2, 5};
    world->add_body(brick);
  }
  for (int i = 0; i < 30; ++i) {
    cut.step(kStep);
    fixed.step(kStep);
    ASSERT_EQ(cut.state_hash(), fixed.state_hash()) << i;
  }
}

TEST(ToiStep, TooManyImpactsAreReportedAndTheStepIsFinished) {
  World world(to_impacts({}, 3));
  world.set_default_material(test::surface(0, 1));
  for (const Real x : {-1.0, 1.0}) test::add_fixed_box(world, {1, 4, 4}, {x, 0, 0});
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.1), {0, 0, 0}, {1000, 0, 0}));
  const StepReport report = world.step(kStep);
  EXPECT_EQ(report.stops, 3);
  EXPECT_TRUE(report.stops_limited);
  EXPECT_DOUBLE_EQ(world.time(), kStep);
  EXPECT_LE(std::abs(world.state(ball).position.x), 0.4 + 1e-6);
}

TEST(ToiStep, ARestingCubeNeedsNoStops) {
  World world(to_impacts({0, 0, -9.81}));
  test::add_floor(world);
  const BodyHandle cube = world.add_body(test::cube({0, 0, 0.5}));
  for (int i = 0; i < 60; ++i) EXPECT_EQ(world.step(kStep).stops, 0);
  EXPECT_NEAR(world.state(cube).position.z, 0.5, 1e-4);
}

TEST(ToiStep, GoesOnBitForBitFromASavedState) {
  const auto make = [] {
    World world(to_impacts({0, 0, -9.81}));
    world.set_default_material(test::surface(0.3, 0.5));
    test::add_floor(world);
    test::Random random(3);
    for (int i = 0; i < 12; ++i) {
      BodyDef def = body(i % 2 == 0 ? Shape::sphere(0.2) : Shape::box({0.3, 0.4, 0.5}),
                         {random.uniform(-1, 1), random.uniform(-1, 1), 0.5 + 0.7 * i}, random.vector(3));
      def.pose.orientation = random.rotation();
      world.add_body(def);
    }
    return world;
  };
  World straight = make(), other = make();
  for (int i = 0; i < 40; ++i) straight.step(kStep);
  ASSERT_EQ(other.restore(straight.save()), "");
  std::int64_t stops = 0;
  for (int i = 0; i < 40; ++i) {
    stops += straight.step(kStep).stops;
    other.step(kStep);
    ASSERT_EQ(straight.state_hash(), other.state_hash()) << i;
  }
  EXPECT_GT(stops, 0);
}

// ---- Stops of the fixed step ----

TEST(Stops, NothingFastPassesThroughAThinPlate) {
  for (const Real speed : {100.0, 1e3, 1e4}) {
    World world(test::without_gravity());
    world.set_default_material(test::surface(0, 0.5));
    test::add_fixed_box(world, {0.001, 2, 2}, {0, 0, 0});
    const BodyHandle ball = world.add_body(body(Shape::sphere(0.01), {-0.3 * speed * kStep, 0.1, 0.2}, {speed, 0, 0}));
    world.step(kStep);
    EXPECT_NEAR(world.state(ball).position.x, -0.0105, 1e-5) << speed;
    EXPECT_NEAR(world.state(ball).velocity.x, speed, 1e-9 * speed) << "a stop must not change the velocity";
    world.step(kStep);
    EXPECT_NEAR(world.state(ball).velocity.x, -0.5 * speed, 1e-9 * speed);
  }
}

TEST(Stops, ABodyThatPassesByASmallOneIsNotHeld) {
  // The plane of the small box's face would be in the way, the box itself is not.
  World world(test::without_gravity());
  test::add_fixed_box(world, {0.1, 0.1, 0.1}, {0, 0, 0});
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.05), {-1, 0.2, 0}, {120, 0, 0}));
  world.step(kStep);
  EXPECT_NEAR(world.state(ball).position.x, 1, 1e-9);
  EXPECT_NEAR(world.state(ball).position.y, 0.2, 1e-9);
}

TEST(Stops, AFastKinematicBodyCarriesWhatItRunsInto) {
  World world(test::without_gravity());
  BodyDef ram = body(Shape::box({0.2, 1, 1}), {-1, 0, 0}, {120, 0, 0});
  ram.type = BodyType::Kinematic;
  world.add_body(ram);
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.1), {0, 0, 0}));
  world.step(kStep);
  EXPECT_NEAR(world.state(ball).position.x, 1.2, 1e-3);  // in front of the ram's face at 1.1 m
}

TEST(Stops, TwoFastBodiesStopAtEachOther) {
  World world(test::without_gravity());
  world.set_default_material(test::surface(0, 1));
  const BodyHandle left = world.add_body(body(Shape::sphere(0.1), {-1, 0, 0}, {300, 0, 0}));
  const BodyHandle right = world.add_body(body(Shape::sphere(0.1), {1, 0, 0}, {-300, 0, 0}));
  world.step(kStep);
  EXPECT_NEAR(world.state(left).position.x, -0.1, 1e-4);
  EXPECT_NEAR(world.state(right).position.x, 0.1, 1e-4);
  world.step(kStep);
  EXPECT_NEAR(world.state(left).velocity.x, -300, 1e-6);
  EXPECT_NEAR(world.state(right).velocity.x, 300, 1e-6);
}

TEST(ToiStep, ConeThatBouncesInsideTheFloorDoesNotFlyThroughIt) {
  World world = test::world_with("bender");
  world.set_default_material(test::surface(1.125, 0.22));
  test::add_floor(world);
  BodyDef cone = test::body(Shape::cone(0.0575, 0.0959), {-0.0435, 0.0831, 0.1666});
  cone.angular_velocity = {-0.43, 0.735, 0.51};
  const BodyHandle handle = world.add_body(cone);
  test::run(world, 2, 1.0 / 60);
  EXPECT_NEAR(world.state(handle).position.z, 0.0959 / 4, 1e-3);  // on its base
}

}  // namespace
}  // namespace carom
