// Times of impact against closed forms and against dense sampling of the motions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "collision/placing.h"
#include "collision/time_of_impact.h"
#include "geometry/bounds.h"
#include "geometry/distance.h"
#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {
namespace {

using test::Random;

Motion motion(const ShapePtr& shape, const Vec3& at, const Vec3& velocity = {}, const Vec3& spin = {}) {
  Motion m;
  m.geometry = &shape->geometry();
  m.position = at;
  m.radius = bounding_radius(shape->geometry());
  m.velocity = velocity;
  m.angular_velocity = spin;
  return m;
}

/// The first zero of a function that starts above zero, found by small steps and bisection.
Real first_zero(const std::function<Real(Real)>& f, Real end, int steps) {
  for (int i = 1; i <= steps; ++i) {
    Real low = end * (i - 1) / steps, high = end * i / steps;
    if (f(high) > 0) continue;
    for (int k = 0; k < 100; ++k) (f(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    return high;
  }
  return end;
}

Real distance_at(const Motion& a, const Motion& b, Real time) {
  return signed_distance(a.placed(time), b.placed(time)).distance;
}

TEST(TimeOfImpact, AFallingSphereMeetsOneBelowOnTheParabola) {
  const ShapePtr ball = Shape::sphere(0.5);
  const Motion below = motion(ball, {});
  Motion above = motion(ball, {0.3, 0, 3}, {0.2, 0.1, 1});
  above.acceleration = {0, 0, -9.81};
  const auto gap = [](Real t) { return norm(Vec3{0.3 + 0.2 * t, 0.1 * t, 3 + t - 4.905 * t * t}) - 1; };
  const Real expected = first_zero([&](Real t) { return gap(t) - 1e-9; }, 2, 1000);
  const Impact impact = time_of_impact(below, above, {0, 2, 0, 1e-9});
  ASSERT_TRUE(impact.found);
  EXPECT_FALSE(impact.at_start);
  EXPECT_GE(impact.time, expected - 1e-15);
  EXPECT_LE(impact.time, expected + 1e-9);  // half the tolerance at a closing speed above 1 m/s
  EXPECT_GT(impact.approach, 1);
  EXPECT_LE(impact.distance_queries, 12);
}

TEST(TimeOfImpact, AStraightFallNeedsTwoDistanceQueries) {
  const ShapePtr ball = Shape::sphere(0.1), floor = Shape::plane({0, 0, 1}, 0);
  Motion falling = motion(ball, {0, 0, 2.1});
  falling.acceleration = {0, 0, -9.81};
  const Impact impact = time_of_impact(motion(floor, {}), falling, {0, 10, 0, 1e-10});
  ASSERT_TRUE(impact.found);
  EXPECT_NEAR(impact.time, std::sqrt(4 / 9.81), 1e-10);
  EXPECT_EQ(impact.distance_queries, 2);
}

TEST(TimeOfImpact, AThrownBallComesBackAfterItsApex) {
  // The start is slow and the way long: a bound by speed alone would stop at the apex.
  const ShapePtr ball = Shape::sphere(0.1), floor = Shape::plane({0, 0, 1}, 0);
  Motion thrown = motion(ball, {0, 0, 0.2}, {0, 0, 20});
  thrown.acceleration = {0, 0, -9.81};
  const Impact impact = time_of_impact(motion(floor, {}), thrown, {0, 10, 0, 1e-9});
  ASSERT_TRUE(impact.found);
  EXPECT_NEAR(impact.time, (20 + std::sqrt(400 + 2 * 9.81 * 0.1)) / 9.81, 1e-9);
}

TEST(TimeOfImpact, ASpinningBoxMeetsThePlaneWithItsLowestCorner) {
  const ShapePtr box = Shape::box({1, 0.5, 0.3}), floor = Shape::plane({0, 0, 1}, 0);
  for (const Real spin : {0.1, 1.0, 7.0, 100.0, -30.0}) {
    Motion falling = motion(box, {0, 0, 3}, {1, 0, -0.5}, {0, spin, 0});
    falling.acceleration = {0, 0, -9.81};
    const auto gap = [&](Real t) {
      const Real angle = spin * t;
      return 3 - 0.5 * t - 4.905 * t * t - 0.5 * std::abs(std::sin(angle)) - 0.15 * std::abs(std::cos(angle));
    };
    const Real expected = first_zero([&](Real t) { return gap(t) - 1e-9; }, 1, 100000);
    const Impact impact = time_of_impact(motion(floor, {}), falling, {0, 1, 0, 1e-9});
    ASSERT_TRUE(impact.found) << spin;
    EXPECT_NEAR(impact.time, expected, 1e-9) << spin;
    EXPECT_LE(gap(impact.time), 1e-9 + 1e-14);
    EXPECT_GE(gap(impact.time), 0.5e-9 - 1e-14);
  }
}

TEST(TimeOfImpact, TheTipOfARodMeetsAWallBesideIt) {
  // It stands upright at 0.3 m from the wall and turns about its middle: tip at half a metre, sin θ = 0.3/0.5.
  const ShapePtr rod = Shape::box({1e-4, 1e-4, 1}), wall = Shape::box({0.1, 4, 4});
  const Motion turning = motion(rod, {}, {}, {0, 2, 0});
  const Impact impact = time_of_impact(turning, motion(wall, {0.35, 0, 0}), {0, 2, 0, 1e-9});
  ASSERT_TRUE(impact.found);
  const Real tip = std::sqrt(0.25 + 0.25e-8);
  EXPECT_NEAR(impact.time, (std::asin(0.3 / tip) - std::asin(0.5e-4 / tip)) / 2, 2e-9);
  EXPECT_NEAR(norm(impact.normal - Vec3{1, 0, 0}), 0, 1e-6);
}

TEST(TimeOfImpact, AnEccentricBodyTurnsAboutItsOwnCentre) {
  // The ball sits at the end of an arm of 2 m, about the origin: it comes down on the plane like a pendulum.
  const ShapePtr ball = Shape::sphere(0.1), floor = Shape::plane({0, 0, 1}, 0);
  Motion arm = motion(ball, {0, 0, 1}, {}, {0, 1, 0});
  arm.center_local = {-2, 0, 0};
  arm.radius = 2.1;
  const Impact impact = time_of_impact(motion(floor, {}), arm, {0, 2, 0, 1e-10});
  ASSERT_TRUE(impact.found);
  EXPECT_NEAR(impact.time, std::asin(0.9 / 2), 1e-9);
}

TEST(TimeOfImpact, GrazingPassesAreTold) {
  const ShapePtr ball = Shape::sphere(1);
  for (const Real past : {1e-3, 1e-6, 1e-8}) {
    const Motion still = motion(ball, {});
    const Motion miss = motion(ball, {-50, 2 + past, 0}, {100, 0, 0}),
                 hit = motion(ball, {-50, 2 - past, 0}, {100, 0, 0});
    EXPECT_FALSE(time_of_impact(still, miss, {0, 1, 0, 0.1 * past}).found) << past;
    const Impact impact = time_of_impact(still, hit, {0, 1, 0, 0.1 * past});
    ASSERT_TRUE(impact.found) << past;
    EXPECT_LE(impact.distance, 0.1 * past * (1 + 1e-6));
    EXPECT_GT(impact.distance, 0);
  }
}

TEST(TimeOfImpact, AThinPlateAtTenKilometresASecondIsNotMissed) {
  for (const Real thickness : {1e-2, 1e-4, 1e-6}) {
    const ShapePtr plate = Shape::box({thickness, 1, 1});
    for (const ShapePtr& bullet : {Shape::sphere(5e-3), Shape::box({0.01, 0.002, 0.004}), Shape::capsule(1e-3, 0.02)}) {
      for (const Real side : {-1.0, 1.0}) {
        const Motion still = motion(plate, {});
        Motion flying = motion(bullet, {side * 100, 0.1, 0.2}, {-side * 1e4, 0, 0}, {3, 500, -20});
        const Impact forth = time_of_impact(still, flying, {0, 1, 0, 1e-9});
        const Impact back = time_of_impact(flying, still, {0, 1, 0, 1e-9});
        ASSERT_TRUE(forth.found && back.found);
        EXPECT_NEAR(forth.time, back.time, 2e-13);
        EXPECT_LE(forth.distance, 1e-9 + 1e-12);
        EXPECT_GT(forth.distance, 0);
        EXPECT_NEAR(forth.normal.x, side, 1e-9);
        EXPECT_NEAR(forth.approach, 1e4, 20);  // the spin adds ω R
      }
    }
  }
}

TEST(TimeOfImpact, WhatTouchesAtTheStartIsSaidWithItsApproach) {
  const ShapePtr cube = Shape::box({1, 1, 1});
  const Motion still = motion(cube, {});
  for (const Real gap : {5e-7, 0.0, -0.1}) {
    const Motion coming = motion(cube, {0, 0, 1 + gap}, {0, 0, -2}), leaving = motion(cube, {0, 0, 1 + gap}, {0, 0, 3});
    const Impact near = time_of_impact(still, coming, {0, 1, 0, 1e-6}),
                 away = time_of_impact(still, leaving, {0, 1, 0, 1e-6});
    EXPECT_TRUE(near.found && near.at_start && away.found && away.at_start);
    EXPECT_EQ(near.time, 0);
    EXPECT_NEAR(near.distance, gap, 1e-12);
    EXPECT_NEAR(near.approach, 2, 1e-9);
    EXPECT_NEAR(away.approach, -3, 1e-9);
  }
}

TEST(TimeOfImpact, AnOverlapIsFollowedDownToAGivenDepth) {
  const ShapePtr cube = Shape::box({1, 1, 1});
  const Impact impact = time_of_impact(motion(cube, {}), motion(cube, {0.1, 0, 0.99}, {0, 0, -2}), {0, 1, -0.05, 1e-6});
  ASSERT_TRUE(impact.found);
  EXPECT_FALSE(impact.at_start);
  EXPECT_NEAR(impact.time, 0.02, 1e-6);
  EXPECT_FALSE(time_of_impact(motion(cube, {}), motion(cube, {0.1, 0, 0.99}, {0, 0, 2}), {0, 1, -0.05, 1e-6}).found);
}

TEST(TimeOfImpact, TwoSpinningRodsMeetAfterManyTurns) {
  // Side by side, turning in one plane like the beaters of a mixer, drawing near slowly.
  const ShapePtr rod = Shape::box({1, 0.02, 0.02});
  const Motion left = motion(rod, {}, {}, {0, 0, 40});
  const Motion right = motion(rod, {1.5, 0, 0}, {-0.2, 0, 0}, {0, 0, -40});
  const Impact impact = time_of_impact(left, right, {0, 6, 0, 1e-8});
  ASSERT_TRUE(impact.found);
  EXPECT_FALSE(impact.limited);
  const Real sampled = first_zero([&](Real t) { return distance_at(left, right, t) - 1e-8; }, 6, 60000);
  EXPECT_NEAR(impact.time, sampled, 1e-8);
}

// ---- Random motions ----

ShapePtr any_shape(Random& random, Real size) {
  const auto width = [&] { return size * random.scale(0.01, 1); };
  switch (random.integer(0, 6)) {
    case 0:
      return Shape::sphere(0.5 * width());
    case 1:
      return Shape::box({width(), width(), width()});
    case 2:
      return Shape::capsule(0.5 * width(), width());
    case 3:
      return Shape::cylinder(0.5 * width(), width());
    case 4:
      return Shape::cone(0.5 * width(), width());
    case 5:
      return Shape::ellipsoid({0.5 * width(), 0.5 * width(), 0.5 * width()});
    default: {
      std::vector<Vec3> points;
      for (int i = 0; i < 12; ++i) points.push_back(random.vector(0.5 * size));
      return Shape::hull(points);
    }
  }
}

Motion any_motion(Random& random, const ShapePtr& shape, Real size) {
  Motion m = motion(shape, random.vector(2 * size), random.vector(4 * size), random.vector(random.scale(0.01, 20)));
  m.orientation = random.rotation();
  m.acceleration = random.vector(4 * size);
  if (random.coin()) {
    m.center_local = random.vector(0.2 * size);
    m.radius += norm(m.center_local);
  }
  return m;
}

/// Sends b past a at some time, nearer than they are large.
void aim(Random& random, const Motion& a, Motion& b) {
  const Real when = random.uniform(0.1, 1);
  const Vec3 miss = random.vector(0.4 * (a.radius + b.radius));
  b.velocity += (a.center(when) + miss - b.center(when)) / when;
}

/// Before its time no sample is nearer than promised, and at its time they are as near as promised.
void expect_first(const Motion& a, const Motion& b, const ImpactQuery& query, const Impact& impact, int samples) {
  const Real rounding = 1e-12 * (norm(a.position) + norm(b.position) + a.radius + b.radius);
  for (int i = 0; i < samples; ++i) {
    const Real time = query.from + (impact.time - query.from) * i / samples;
    if (impact.at_start) break;
    ASSERT_GE(distance_at(a, b, time), query.level + 0.5 * query.tolerance - rounding) << "sample " << i;
  }
  if (!impact.found) return;
  EXPECT_FALSE(impact.limited);
  EXPECT_LE(distance_at(a, b, impact.time), query.level + query.tolerance + rounding);
  EXPECT_NEAR(norm(impact.normal), 1, 1e-9);
}

TEST(TimeOfImpact, RandomMotionsAreNeitherMissedNorLate) {
  Random random(11);
  int found = 0, queries = 0, steps = 0;
  constexpr int kCases = 20000;
  for (int i = 0; i < kCases; ++i) {
    const Real size = random.scale(1e-3, 1e3);
    const ShapePtr shape_a = any_shape(random, size), shape_b = any_shape(random, size);
    Motion a = any_motion(random, shape_a, size), b = any_motion(random, shape_b, size);
    aim(random, a, b);
    const ImpactQuery query{0, 1, 0, 1e-6 * size};
    const Impact impact = time_of_impact(a, b, query);
    expect_first(a, b, query, impact, 20);
    if (HasFailure()) FAIL() << "case " << i;
    found += impact.found && !impact.at_start;
    queries += impact.distance_queries;
    steps += impact.axis_steps;
  }
  RecordProperty("found", found);
  RecordProperty("distance_queries_in_100", 100 * queries / kCases);
  RecordProperty("axis_steps_in_100", 100 * steps / kCases);
  EXPECT_GT(found, kCases / 4);
  EXPECT_LE(queries, 8 * kCases);
}

TEST(TimeOfImpact, OrderAndPlaceDoNotMatter) {
  Random random(12);
  for (int i = 0; i < 2000; ++i) {
    const ShapePtr shape_a = any_shape(random, 1), shape_b = any_shape(random, 1);
    Motion a = any_motion(random, shape_a, 1), b = any_motion(random, shape_b, 1);
    aim(random, a, b);
    const ImpactQuery query{0, 1, 0, 1e-7};
    const Impact forth = time_of_impact(a, b, query), back = time_of_impact(b, a, query);
    ASSERT_EQ(forth.found, back.found) << i;
    if (!forth.found || forth.at_start || forth.approach < 1e-2) continue;
    EXPECT_NEAR(forth.time, back.time, 1e-7 / forth.approach) << i;
  }
}

TEST(TimeOfImpact, OfACompoundIsTheFirstOfItsParts) {
  Random random(14);
  for (int i = 0; i < 500; ++i) {
    const ShapePtr part_a = any_shape(random, 0.5), part_b = any_shape(random, 0.5), other = any_shape(random, 1);
    const ShapePtr both = Shape::compound({{part_a, random.pose(0.5), {}}, {part_b, random.pose(0.5), {}}});
    Motion a = any_motion(random, both, 1), b = any_motion(random, other, 1);
    aim(random, a, b);
    const ImpactQuery query{0, 1, 0, 1e-7};
    const auto& parts = *std::get<Compound>(both->geometry()).parts;
    Real first = 1;
    bool found = false;
    for (const CompoundPart& part : parts) {
      // The part alone, about the same centre.
      Motion alone = a;
      alone.geometry = &part.shape->geometry();
      alone.orientation = a.orientation * part.pose.orientation;
      alone.center_local = rotate(conjugate(part.pose.orientation), a.center_local - part.pose.position);
      const Impact impact = time_of_impact(alone, b, query);
      found = found || impact.found;
      first = std::min(first, impact.time);
    }
    const Impact impact = time_of_impact(a, b, query);
    ASSERT_EQ(impact.found, found) << i;
    EXPECT_NEAR(impact.time, first, query.tolerance / std::max(impact.approach, 1e-3)) << i;
  }
}

// ---- Tumbling ----

TEST(TimeOfImpact, ATumblingBodyIsNeverMetLaterThanItCanBe) {
  // A body with three different moments turns freely; its orientation is integrated in small steps (midpoint rule).
  Random random(13);
  const ShapePtr brick = Shape::box({1, 0.5, 0.2}), floor = Shape::plane({0, 0, 1}, 0);
  const Mat3 inertia = brick->mass_properties(1).inertia;
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    Motion body = motion(brick, {0, 0, random.uniform(0.6, 1)}, {0, 0, -random.uniform(0.1, 3)}, random.vector(6));
    body.orientation = random.rotation();
    const Mat3 start = to_matrix(body.orientation);
    body.tumble = most_tumble(inertia, transposed_times(start, body.angular_velocity));
    const Impact impact = time_of_impact(motion(floor, {}), body, {0, 0.5, 0, 1e-6});

    const Vec3 momentum = rotated(start, inertia) * body.angular_velocity;
    Quat q = body.orientation;
    constexpr int kSteps = 2000;
    Real hit = 1;
    for (int k = 0; k < kSteps && hit == 1; ++k) {
      const Real dt = 0.5 / kSteps, time = dt * (k + 1);
      const auto spin = [&](const Quat& at) { return inverse(rotated(to_matrix(at), inertia)) * momentum; };
      q = normalized(rotation(dt * spin(rotation(0.5 * dt * spin(q)) * q)) * q);
      const Placed placed{&brick->geometry(), body.center(time), to_matrix(q)};
      if (signed_distance({&floor->geometry(), {}, Mat3::identity()}, placed).distance <= 0) hit = time;
    }
    if (hit == 1) continue;
    ++found;
    ASSERT_TRUE(impact.found) << i;
    EXPECT_LE(impact.time, hit) << i;
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace carom
