// Rest, sliding, reports and repeatability of the step.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "carom/base/error.h"
#include "dynamics/suites_scenery.h"

namespace carom {
namespace {

using test::add_cube_on_slope;
using test::cube;

constexpr Real kStep = 1.0 / 60;

TEST(Rest, ImpulsesCarryTheWeight) {
  World world;
  test::add_floor(world);
  BodyDef def = cube({0, 0, 0.5});
  def.mass = 3;
  world.add_body(def);
  test::run(world, 1, kStep);
  Vec3 sum;
  for (const ContactRecord& c : world.contacts()) sum += c.impulse + c.collision_impulse;
  EXPECT_EQ(world.contacts().size(), 4U);
  // The contact stage stops at changes of 1e-6 of g dt.
  EXPECT_LE(norm(sum - Vec3{0, 0, 3 * 9.81 * kStep}), 1e-6 * 3 * 9.81 * kStep);
}

TEST(Rest, BoxStaysWhereItWasPut) {
  World world;
  test::add_floor(world);
  const BodyHandle body = world.add_body(cube({0, 0, 0.5}));
  test::run(world, 5, kStep);
  EXPECT_LE(norm(world.state(body).position - Vec3{0, 0, 0.5}), 1e-6);
  EXPECT_LE(norm(world.state(body).velocity), 1e-6);
}

TEST(Rest, EveryShapeComesToRestOnTheFloor) {
  World world;
  world.set_default_material(test::surface(0.5));
  test::add_floor(world);
  BodyDef lying = test::body(Shape::capsule(0.3, 1), {5, 0, 1});
  lying.pose.orientation = test::turn({0, 1, 0}, 90);
  const BodyHandle bodies[] = {world.add_body(test::body(Shape::sphere(0.3), {0, 0, 1})),
                               world.add_body(test::body(Shape::box({0.6, 0.6, 0.6}), {3, 0, 1})),
                               world.add_body(lying)};
  test::run(world, 3, kStep);
  for (const BodyHandle body : bodies) {
    EXPECT_NEAR(world.state(body).position.z, 0.3, 1e-4);
    EXPECT_LE(norm(world.state(body).velocity), 1e-5);
  }
}

TEST(Rest, BouncyCubeOnASlopeStaysAtRest) {
  // The order of the stages: collisions see the velocities before gravity has acted, so restitution finds nothing.
  World world;
  world.set_default_material(test::surface(0.6, 0.9));
  const BodyHandle body = add_cube_on_slope(world, 20);
  const Vec3 before = world.state(body).position;
  test::run(world, 5, kStep);
  EXPECT_LE(norm(world.state(body).position - before), 1e-5);
}

TEST(Slope, CubeSticksBelowTheFrictionAngleAndSlidesAboveIt) {
  for (const Real degrees : {10.0, 25.0, 29.0}) {  // tan 30° = 0.577
    World world;
    world.set_default_material(test::surface(0.577));
    const BodyHandle body = add_cube_on_slope(world, degrees);
    const Vec3 before = world.state(body).position;
    test::run(world, 2, kStep);
    EXPECT_LE(norm(world.state(body).position - before), 1e-5) << degrees;
  }
  World world;
  world.set_default_material(test::surface(0.5));
  const BodyHandle body = add_cube_on_slope(world, 35);
  const Vec3 before = world.state(body).position;
  test::run(world, 1, kStep);
  // g (sin − mu cos) t²/2; the last bit is how the contact points lie within the envelope.
  const Real angle = 35 * std::numbers::pi / 180;
  const Real expected = 0.5 * 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(norm(world.state(body).position - before), expected, 0.005 * expected);
}

TEST(Slide, BlockStopsAfterVSquaredOverTwoMuG) {
  for (const Real dt : {1.0 / 60, 1.0 / 240}) {
    World world;
    world.set_default_material(test::surface(0.3));
    test::add_floor(world);
    const BodyHandle body = world.add_body(test::body(Shape::box({1, 1, 0.2}), {0, 0, 0.1}, {3, 0, 0}));
    test::run(world, 2, dt);
    const Real expected = 9 / (2 * 0.3 * 9.81);
    EXPECT_NEAR(world.state(body).position.x, expected, 0.005 * expected) << dt;
    EXPECT_LE(norm(world.state(body).velocity), 1e-6) << dt;
  }
}

TEST(Slide, BlockStopsWhereItShouldWhereverInTheStepThatIs) {
  // On a slope and at any angle to it. What is left is the tolerance of the contact stage.
  constexpr Real kSlope = 0.2, kMu = 0.7;
  const Real deceleration = test::kStandardGravity * (kMu - kSlope) / std::sqrt(1 + kSlope * kSlope);
  for (const Real steps : {1.5, 3.01, 7.3, 7.99, 20.5}) {
    World world;
    world.set_default_material(test::surface(kMu));
    test::add_floor(world, normalized(Vec3{-kSlope, 0, 1}));
    const Vec3 down = normalized(Vec3{-1, 0, -kSlope}), up = normalized(Vec3{-kSlope, 0, 1});
    const Real speed = deceleration * steps * kStep;
    BodyDef block = test::body(Shape::box({1, 1, 0.2}), 0.1 * up, speed * down);
    const Real half = 0.5 * std::atan(kSlope);
    block.pose.orientation = {std::cos(half), 0, -std::sin(half), 0};
    const BodyHandle body = world.add_body(block);
    test::run(world, 1, kStep);
    const Real distance = dot(world.state(body).position - 0.1 * up, down);
    EXPECT_NEAR(distance, speed * speed / (2 * deceleration), 1e-7 * distance) << steps;
  }
}

TEST(Slide, ALongBlockStopsWhereItShouldThoughItsCornersPullAgainstEachOther) {
  constexpr Real kMu = 0.1;
  const Real deceleration = test::kStandardGravity * kMu;
  for (const Real length : {0.5, 1.6, 3.0}) {
    for (const Real steps : {30.2, 40.5, 61.4, 100.7}) {
      WorldDef def;
      def.suite = "exact";
      World world(def);
      world.set_default_material(test::surface(kMu));
      test::add_floor(world);
      const Real speed = deceleration * steps * kStep;
      const BodyHandle body = world.add_body(test::body(Shape::box({0.2, length, 0.4}), {0, 0, 0.2}, {speed, 0, 0}));
      test::run(world, 1.1 * steps * kStep, kStep);
      const Real expected = speed * speed / (2 * deceleration);
      // A hundred steps, each solved to 1e-10.
      EXPECT_NEAR(world.state(body).position.x, expected, 1e-8 * expected) << length << " " << steps;
    }
  }
}

TEST(Slide, WithoutFrictionSpeedIsKept) {
  World world;
  world.set_default_material(test::surface(0));
  test::add_floor(world);
  const BodyHandle body = world.add_body(cube({0, 0, 0.5}, {2, 1, 0}));
  test::run(world, 2, kStep);
  EXPECT_NEAR(world.state(body).velocity.x, 2, 1e-9);
  EXPECT_NEAR(world.state(body).velocity.y, 1, 1e-9);
}

TEST(Materials, CombineByGeometricMeanAndLargerRestitution) {
  const Material a{0.2, 0.4, 0.1}, b{0.8, 0.9, 0.5}, c = combine(a, b);
  EXPECT_DOUBLE_EQ(c.friction, 0.4);
  EXPECT_DOUBLE_EQ(c.static_friction, 0.6);
  EXPECT_DOUBLE_EQ(c.restitution, 0.5);
  EXPECT_DOUBLE_EQ(combine(b, a).friction, c.friction);
  EXPECT_EQ(combine(a, {0, 0, 0}).friction, 0);
}

/// What the contact of a cube on a floor says of its surfaces.
ContactPoint contact_between(World& world, MaterialHandle floor, MaterialHandle body) {
  BodyDef plane = test::body(Shape::plane({0, 0, 1}, 0), {});
  plane.type = BodyType::Fixed;
  plane.material = floor;
  world.add_body(plane);
  BodyDef def = cube({0, 0, 0.5});
  def.material = body;
  world.add_body(def);
  ContactPoint seen;
  world.set_problem_observer([&](Stage stage, const ContactProblem& problem) {
    if (stage == Stage::Collisions && !problem.contacts.empty()) seen = problem.contacts[0];
  });
  world.step(kStep);
  return seen;
}

TEST(Materials, ContactUsesTheCombinationThePairOrTheDefault) {
  const Material ice{0.04, 0.09, 0.3}, rubber{1, 1, 0.8}, special{0.25, 0.5, 0.125};
  {
    World world;
    const ContactPoint c = contact_between(world, world.add_material(ice), world.add_material(rubber));
    EXPECT_DOUBLE_EQ(c.mu, 0.2);
    EXPECT_DOUBLE_EQ(c.mu_static, 0.3);
    EXPECT_DOUBLE_EQ(c.restitution, 0.8);
  }
  for (const bool swapped : {false, true}) {
    World world;
    const MaterialHandle a = world.add_material(ice), b = world.add_material(rubber);
    world.set_pair(swapped ? b : a, swapped ? a : b, rubber);
    world.set_pair(a, b, special);  // the last word counts
    const ContactPoint c = contact_between(world, a, b);
    EXPECT_EQ(c.mu, 0.25);
    EXPECT_EQ(c.mu_static, 0.5);
    EXPECT_EQ(c.restitution, 0.125);
  }
  {
    World world;
    world.set_default_material(special);
    EXPECT_DOUBLE_EQ(contact_between(world, {}, {}).mu, 0.25);
  }
  {
    World world;
    const MaterialHandle a = world.add_material(ice);
    world.set_pair(a, {}, special);  // null is the default material
    EXPECT_EQ(contact_between(world, a, {}).mu, 0.25);
  }
}

TEST(Materials, BadOnesAreRefused) {
  World world;
  const MaterialHandle good = world.add_material({0.5, 0.6, 0.7});
  for (const Material& bad : {Material{-0.1, 0.5, 0}, Material{0.5, 0.4, 0}, Material{0.5, 0.5, 1.1},
                              Material{0.5, 0.5, -0.1}, Material{0.5, std::nan(""), 0}, Material{std::nan(""), 0.5, 0},
                              Material{0.5, 0.5, std::nan("")}, Material{0.5, HUGE_VAL, 0}}) {
    EXPECT_THROW(world.add_material(bad), Error);
    EXPECT_THROW(world.set_default_material(bad), Error);
    EXPECT_THROW(world.set_pair(good, good, bad), Error);
  }
  EXPECT_THROW(world.set_pair(good, {9, 0}, {}), Error);
}

TEST(Rest, PebbleThatRocksFasterThanStepsFollowStaysOnTheFloor) {
  for (const std::string suite : {"exact", "schmidl"}) {
    for (const Real dt : {1.0 / 30, 1.0 / 60}) {
      WorldDef def;
      def.suite = suite;
      World world(def);
      world.set_default_material({});
      test::add_floor(world);
      BodyDef pebble = test::body(Shape::ellipsoid({0.01, 0.01, 0.003}), {0, 0, 0.05});
      pebble.pose.orientation = test::turn({1, 0, 0}, 30);
      const BodyHandle handle = world.add_body(pebble);
      test::run(world, 3, dt);
      EXPECT_NEAR(world.state(handle).position.z, 0.003, 1e-4) << suite << " " << dt;
    }
  }
}

TEST(Rest, PlateThatTumblesByRadiansAStepFallsFlat) {
  // It would meet the floor with one corner after the other within a step, and is let come nowhere by that.
  World world;
  world.set_default_material(test::surface(0.3, 0.2));
  test::add_fixed_box(world, {0.54, 0.54, 0.06}, {0, 0, -0.03});
  BodyDef plate = test::body(Shape::box({0.107, 0.0585, 0.0058}), {0.102, 0.109, 0.523});
  plate.pose.orientation = {0.5879062, -0.0506873, 0.8021279, -0.0915852};
  const BodyHandle handle = world.add_body(plate);
  test::run(world, 2, 1.0 / 30);
  EXPECT_NEAR(world.state(handle).position.z, 0.0029, 1e-5);
  EXPECT_LE(norm(world.state(handle).velocity), 1e-6);
}

TEST(StaticFriction, HoldsABlockInEverySuiteUntilItSlips) {
  constexpr Real kDynamic = 0.15, kDegrees = 15, kSeconds = 1;
  const Real angle = kDegrees * std::numbers::pi / 180, slope = std::tan(angle), weight = 9.81 * std::cos(angle);
  const Vec3 normal{std::sin(angle), 0, std::cos(angle)}, downhill{std::cos(angle), 0, -std::sin(angle)};
  const auto way = [&](const std::string& suite, Real mu_static, Real speed) {
    const bool has_cone = suite != "fast";  // its cone is the exact one
    World world = has_cone ? test::world_with(suite, {{"cone", std::string("exact")}}) : test::world_with(suite);
    world.set_default_material({.friction = kDynamic, .static_friction = mu_static});
    test::add_floor(world, normal);
    BodyDef block = test::body(Shape::box({1, 0.5, 0.2}), 0.1 * normal, speed * downhill);
    block.pose.orientation = test::turn({0, 1, 0}, kDegrees);
    const BodyHandle handle = world.add_body(block);
    test::run(world, kSeconds, kStep);
    return dot(world.state(handle).position - block.pose.position, downhill);
  };
  const Real slide = 0.5 * weight * (slope - kDynamic) * kSeconds * kSeconds;
  for (const SuiteInfo& suite : suite_registry()) {
    if (suite.event_driven || suite.name == "lcp" || suite.name == "penalty") continue;  // a pyramid; soft
    EXPECT_LE(std::abs(way(suite.name, 1.05 * slope, 0)), 1e-6) << suite.name;
    // In the step in which it starts friction is still the static one.
    const Real held = weight * (0.9 * slope - kDynamic) * kStep * kSeconds;
    EXPECT_NEAR(way(suite.name, 0.9 * slope, 0), slide - held, 0.01 * slide) << suite.name;
    // What slides already is not held by it.
    EXPECT_NEAR(way(suite.name, 1.05 * slope, 0.5), 0.5 * kSeconds + slide, 0.01 * slide) << suite.name;
  }
}

}  // namespace
}  // namespace carom
