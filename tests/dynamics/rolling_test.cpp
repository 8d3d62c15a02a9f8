// Bodies with curved surfaces on a floor: what rolls, rocks, leans and stands, against closed forms.
//
// Where a number can be written down the tolerance is what the step of 1/240 s leaves, an order below what a wrong
// contact (a facet, a missing point, a point that jumps) would give.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dynamics/scenery.h"
#include "support/slow_build.h"

namespace carom {
namespace {

using test::kStandardGravity;
using test::turn;

constexpr Real kStep = 1.0 / 240;
constexpr Real kDegree = std::numbers::pi / 180;

World rough_floor(Real friction = 1) {
  World world;
  world.set_default_material(test::surface(friction));
  test::add_floor(world);
  return world;
}

Real energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

/// The z axis of the body's shape.
Vec3 axis_of(const World& world, BodyHandle body) { return rotate(world.state(body).orientation, {0, 0, 1}); }

TEST(Rolling, CylinderRollsStraightOnWithoutLosingSpeed) {
  World world = rough_floor();
  BodyDef def = test::body(Shape::cylinder(0.3, 1), {0, 0, 0.3}, {2, 0, 0});
  def.pose.orientation = turn({1, 0, 0}, 90);
  def.angular_velocity = {0, 2 / 0.3, 0};
  const BodyHandle cylinder = world.add_body(def);
  const Real before = energy(world);
  test::run(world, 3, kStep);
  const BodyState s = world.state(cylinder);
  EXPECT_LE(norm(s.velocity - Vec3{2, 0, 0}), 1e-6);
  EXPECT_LE(norm(s.angular_velocity - Vec3{0, 2 / 0.3, 0}), 1e-5);
  EXPECT_LE(norm(s.position - Vec3{6, 0, 0.3}), 1e-4);
  EXPECT_LE(energy(world), before * (1 + 1e-9));
}

TEST(Rolling, SlidingCylinderEndsUpRollingAtTwoThirdsOfItsSpeed) {
  // v falls by μ g t, ω r grows by 2 μ g t, until they are equal.
  World world = rough_floor(0.2);
  BodyDef def = test::body(Shape::cylinder(0.3, 1), {0, 0, 0.3}, {3, 0, 0});
  def.pose.orientation = turn({1, 0, 0}, 90);
  const BodyHandle cylinder = world.add_body(def);
  test::run(world, 2, kStep);
  EXPECT_NEAR(world.state(cylinder).velocity.x, 2, 1e-3);
  EXPECT_NEAR(world.state(cylinder).angular_velocity.y, 2 / 0.3, 1e-2);
}

TEST(Rolling, CylinderRollsDownASlopeWithTwoThirdsOfTheAcceleration) {
  World world;
  world.set_default_material(test::surface(1));
  const Real angle = 20 * kDegree;
  test::add_floor(world, {std::sin(angle), 0, std::cos(angle)});
  BodyDef def = test::body(Shape::cylinder(0.3, 1), 0.3 * Vec3{std::sin(angle), 0, std::cos(angle)});
  def.pose.orientation = turn({1, 0, 0}, 90);
  const BodyHandle cylinder = world.add_body(def);
  test::run(world, 1, kStep);
  const Real expected = 2.0 / 3 * kStandardGravity * std::sin(angle);
  EXPECT_NEAR(norm(world.state(cylinder).velocity), expected, 2e-3 * expected);
}

TEST(Rolling, CoinOnItsEdgeRollsOnUprightWhenFast) {
  // Upright rolling is stable above √(g r/3), here 1 m/s.
  World world = rough_floor();
  BodyDef def = test::body(Shape::cylinder(0.3, 0.02), {0, 0, 0.3}, {4, 0, 0});
  def.pose.orientation = turn({1, 0, 0}, 90);
  def.angular_velocity = {0, 4 / 0.3, 0};
  const BodyHandle coin = world.add_body(def);
  const Real before = energy(world);
  test::run(world, 2, kStep);
  EXPECT_LE(norm(world.state(coin).velocity - Vec3{4, 0, 0}), 1e-3);
  EXPECT_LE(std::abs(axis_of(world, coin).z), 1e-3);
  EXPECT_LE(energy(world), before * (1 + 1e-9));
}

TEST(Rolling, LeaningCoinRollsRoundItsCentreAtTheSteadyRate) {
  // A disc at an angle α to the floor whose centre stays at rest goes round with Ω² = 4 g / (r sin α): its angular
  // velocity lies along the diameter through the contact, ω = Ω sin α (K. Easwar et al., "Speeding to a stop", 2002).
  const Real r = 0.3, alpha = 30 * kDegree;
  const Real omega = std::sqrt(4 * kStandardGravity / (r * std::sin(alpha)));
  World world = rough_floor();
  // Thin, so that the formula for a disc holds; tilted about x, the lowest point towards −y.
  BodyDef def = test::body(Shape::cylinder(r, 0.002), {0, 0, r * std::sin(alpha) + 0.001 * std::cos(alpha)});
  def.pose.orientation = turn({1, 0, 0}, 30);
  def.angular_velocity = omega * std::sin(alpha) * Vec3{0, std::cos(alpha), std::sin(alpha)};
  const BodyHandle coin = world.add_body(def);
  const Real before = energy(world);
  Real turned = 0, last = -90 * kDegree;
  for (int i = 0; i < 960; ++i) {
    ASSERT_TRUE(world.step(1.0 / 960).finite);
    const Vec3 axis = axis_of(world, coin);
    // The axis leans towards the far side of the lowest point.
    const Real now = std::atan2(axis.y, axis.x);
    turned += std::remainder(now - last, 2 * std::numbers::pi);
    last = now;
    ASSERT_NEAR(std::acos(axis.z), alpha, 0.06) << i;
  }
  EXPECT_NEAR(std::abs(turned), omega, 0.03 * omega);
  EXPECT_LE(energy(world), before * (1 + 1e-3));
}

TEST(Rolling, ConeOnItsSideRollsRoundItsApex) {
  // The contact line is at rest: ω lies along it, and the centre of mass, 3/4 of the height from the apex, goes round
  // the vertical through the apex with Ω = ω tan α.
  const Real r = 0.3, height = 0.6, slope = std::hypot(r, height), sine = r / slope, cosine = height / slope;
  World world = rough_floor(0.4);
  BodyDef def = test::body(Shape::cone(r, height), {-height / 2 * cosine, 0, height / 2 * sine});
  def.pose.orientation = turn({0, 1, 0}, 90 + std::atan2(r, height) / kDegree);
  const Real omega = 2;  // slow enough to stay down
  def.angular_velocity = {-omega, 0, 0};
  // Velocity of the centre of mass: ω × its place above the line.
  const Vec3 center{-0.75 * height * cosine, 0, 0.75 * height * sine};
  def.velocity = cross(def.angular_velocity, center);
  const BodyHandle cone = world.add_body(def);
  test::run(world, 2, kStep);
  const Pose pose = world.shape_pose(cone);
  const Vec3 apex = transform(pose, {0, 0, height / 2});
  EXPECT_LE(norm(apex), 0.01);
  const Vec3 axis = axis_of(world, cone);
  EXPECT_NEAR(axis.z, -sine, 5e-3);
  // It has gone round by Ω t, the sense given by the velocity at the start.
  const Real expected = omega * sine / cosine * 2;
  const Real went = std::acos(std::clamp(axis.x / std::hypot(axis.x, axis.y), -1.0, 1.0));
  EXPECT_NEAR(went, expected, 0.02 * expected);
}

TEST(Leaning, ConeFallsBackOrOverAtTheAngleOfItsCentreOfMass) {
  // On its rim a cone balances where the centre of mass, H/4 above the base, is over the rim: tan θ = r / (H/4).
  const Real r = 0.3, height = 0.8, balance = std::atan2(r, height / 4) / kDegree;
  for (const Real off : {-2.0, 2.0}) {
    World world = rough_floor();
    const Real theta = (balance + off) * kDegree;
    // Tilted about x by θ the lowest point of the rim is below the centre by h/2 cos θ + r sin θ.
    BodyDef def = test::body(Shape::cone(r, height), {0, 0, height / 2 * std::cos(theta) + r * std::sin(theta)});
    def.pose.orientation = turn({1, 0, 0}, balance + off);
    const BodyHandle cone = world.add_body(def);
    test::run(world, 4, kStep);
    const Real up = axis_of(world, cone).z;
    if (off < 0) {
      EXPECT_NEAR(up, 1, 1e-3);
    } else {
      EXPECT_NEAR(up, -r / std::hypot(r, height), 1e-2);  // on its side
    }
  }
}

TEST(Rocking, EllipsoidHasThePeriodOfItsCurvature) {
  // Rolling on a surface of radius of curvature ρ = a²/c with the centre of mass c above the floor:
  // T = 2π √((I + m c²) / (m g (ρ − c))), I = m (a² + c²)/5.
  const Real a = 0.5, c = 0.3, rho = a * a / c;
  const Real period = 2 * std::numbers::pi * std::sqrt(((a * a + c * c) / 5 + c * c) / (kStandardGravity * (rho - c)));
  const Real tilt = 2 * kDegree;
  World world = rough_floor();
  BodyDef def = test::body(Shape::ellipsoid({a, 0.4, c}), {});
  def.pose.position.z = std::hypot(a * std::sin(tilt), c * std::cos(tilt));
  def.pose.orientation = turn({0, 1, 0}, 2);
  const BodyHandle ellipsoid = world.add_body(def);
  const Real before = energy(world);
  int crossings = 0;
  Real first = 0, last = 0, angle = tilt;
  for (int i = 1; crossings < 9 && i < 4000; ++i) {
    ASSERT_TRUE(world.step(kStep).finite);
    const Real now = std::asin(axis_of(world, ellipsoid).x);
    if (now * angle < 0) {
      const Real at = kStep * (i - now / (now - angle));
      if (crossings++ == 0) first = at;
      last = at;
    }
    angle = now;
  }
  ASSERT_EQ(crossings, 9);
  EXPECT_NEAR((last - first) / 4, period, 5e-3 * period);
  EXPECT_LE(energy(world), before * (1 + 1e-6));
}

TEST(Standing, CylinderAndConeStayWhereTheyAre) {
  for (const bool on_box : {false, true}) {
    World world;
    world.set_default_material(test::surface(0.5));
    if (on_box) {
      test::add_fixed_box(world, {10, 10, 1}, {0, 0, -0.5});
    } else {
      test::add_floor(world);
    }
    const BodyHandle cylinder = world.add_body(test::body(Shape::cylinder(0.2, 1), {0.1, 0.2, 0.5}));
    const BodyHandle coin = world.add_body(test::body(Shape::cylinder(0.2, 0.02), {1.1, 0.2, 0.01}));
    const BodyHandle cone = world.add_body(test::body(Shape::cone(0.3, 1), {2.1, 0.2, 0.5}));
    const std::array bodies = {cylinder, coin, cone};
    std::array<BodyState, 3> before;
    for (std::size_t i = 0; i < 3; ++i) before[i] = world.state(bodies[i]);
    test::run(world, 10, 1.0 / 60);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(norm(world.state(bodies[i]).position - before[i].position), 1e-6) << i;
      EXPECT_GE(axis_of(world, bodies[i]).z, 1 - 1e-10) << i;
    }
  }
}

TEST(Standing, CylinderOnASlopeHoldsUntilItsCentreOfMassPassesTheRim) {
  // tan θ = 2 r / height: 26.6° for this one. Friction is more than enough.
  for (const Real degrees : {25.5, 27.5}) {
    World world;
    world.set_default_material(test::surface(2));
    const Vec3 normal{std::sin(degrees * kDegree), 0, std::cos(degrees * kDegree)};
    test::add_floor(world, normal);
    BodyDef def = test::body(Shape::cylinder(0.25, 1), 0.5 * normal);
    def.pose.orientation = turn({0, 1, 0}, degrees) * turn({0, 0, 1}, 33);
    const BodyHandle cylinder = world.add_body(def);
    test::run(world, 3, kStep);
    const Real cosine = dot(axis_of(world, cylinder), normal);
    if (degrees < 26.6) {
      EXPECT_GE(cosine, 1 - 1e-4);
    } else {
      EXPECT_LE(cosine, 0.9);
    }
  }
}

TEST(Standing, TablesMadeOfPartsStandOnEachOtherAndCarryALoad) {
  std::vector<CompoundPart> parts = {{Shape::box({2, 1, 0.1}), {{0, 0, 1.05}, {}}, {}}};
  for (const Real x : {-0.9, 0.9})
    for (const Real y : {-0.4, 0.4}) parts.push_back({Shape::cylinder(0.1, 1), {{x, y, 0.5}, {}}, {}});
  const ShapePtr table = Shape::compound(std::move(parts));
  World world = rough_floor(0.5);
  // Dropped a little, one onto the other: 1.1 high each.
  const BodyHandle lower = world.add_body(test::body(table, {0, 0, 0.05}));
  const BodyHandle upper = world.add_body(test::body(table, {0.05, 0.02, 1.25}));
  const BodyHandle load = world.add_body(test::body(Shape::box({0.5, 0.5, 0.5}), {0, 0, 2.6}));
  test::run(world, 3, 1.0 / 60);
  EXPECT_NEAR(world.shape_pose(lower).position.z, 0, 1e-4);
  EXPECT_NEAR(world.shape_pose(upper).position.z, 1.1, 2e-4);
  EXPECT_NEAR(world.shape_pose(load).position.z, 2.45, 3e-4);
  EXPECT_LE(world.kinetic_energy(), 1e-6);
}

TEST(Standing, StackOfHullCubesIsAsStillAsOneOfBoxes) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  std::vector<Vec3> corners;
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.5, 0.5})
      for (const Real z : {-0.5, 0.5}) corners.push_back({x, y, z});
  Real sag[2] = {}, drift[2] = {};
  const ShapePtr shapes[] = {Shape::box({1, 1, 1}), Shape::hull(corners)};
  for (std::size_t k = 0; k < 2; ++k) {
    World world;
    world.set_default_material(test::surface(0.5));
    test::add_floor(world);
    std::vector<BodyHandle> bodies;
    bodies.reserve(10);
    for (int i = 0; i < 10; ++i) bodies.push_back(world.add_body(test::body(shapes[k], {0, 0, 0.5 + i})));
    test::run(world, 10, 1.0 / 60);
    for (int i = 0; i < 10; ++i) {
      const Vec3 p = world.state(bodies[static_cast<std::size_t>(i)]).position;
      sag[k] = std::max(sag[k], 0.5 + i - p.z);
      drift[k] = std::max(drift[k], std::hypot(p.x, p.y));
    }
  }
  EXPECT_LE(sag[1], 2 * sag[0] + 1e-4);
  EXPECT_LE(drift[1], 2 * drift[0] + 1e-5);
}

}  // namespace
}  // namespace carom
