// Spheres, capsules and planes in poses where every point is known, and capsules against a search.
#include <gtest/gtest.h>

#include <cmath>

#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;
using test::Thing;

constexpr Real kRoundOff = 1e-14;

Thing sphere(Real radius, const Vec3& at) { return {Shape::sphere(radius), {at, {}}}; }
Thing box(const Vec3& size, const Vec3& at = {}) { return {Shape::box(size), {at, {}}}; }
/// Lying along x.
Thing lying(Real radius, Real length, const Vec3& at) {
  return {Shape::capsule(radius, length), {at, test::turn({0, 1, 0}, 90)}};
}
Thing standing(Real radius, Real length, const Vec3& at) { return {Shape::capsule(radius, length), {at, {}}}; }
Thing floor() { return {Shape::plane({0, 0, 1}, 0), {}}; }

void expect_contact(const Manifold& m, const Vec3& normal, const Vec3& point, Real gap) {
  EXPECT_LE(norm(m.normal - normal), kRoundOff);
  Real nearest = 1e300;
  for (const ManifoldPoint& p : test::points(m))
    nearest = std::min(nearest, norm(p.point - point) + std::abs(p.gap - gap));
  EXPECT_LE(nearest, kRoundOff);
}

TEST(Spheres, TouchOnTheLineOfCentres) {
  const Manifold m = test::contacts(sphere(1, {}), sphere(0.5, {3, 4, 0}), 4);
  EXPECT_EQ(m.count, 1);
  expect_contact(m, {0.6, 0.8, 0}, Vec3{0.6, 0.8, 0} * 2.75, 3.5);  // half way between 1 and 4.5
  EXPECT_EQ(test::contacts(sphere(1, {}), sphere(0.5, {3, 4, 0}), 3.4).count, 0);
}

TEST(Spheres, OverlapByRadiiLessDistanceEvenAtTheSameCentre) {
  EXPECT_NEAR(test::contacts(sphere(1, {}), sphere(1, {0, 0, 1.5}), 0).points[0].gap, -0.5, kRoundOff);
  const Manifold same = test::contacts(sphere(1, {}), sphere(0.5, {}), 0);
  ASSERT_EQ(same.count, 1);
  EXPECT_EQ(same.points[0].gap, -1.5);
  EXPECT_NEAR(norm(same.normal), 1, kRoundOff);
}

TEST(SphereBox, TouchesFaceEdgeAndCorner) {
  const Thing cube = box({2, 2, 2});
  expect_contact(test::contacts(cube, sphere(0.5, {0.3, 0.2, 1.6}), 0.2), {0, 0, 1}, {0.3, 0.2, 1.05}, 0.1);
  expect_contact(test::contacts(cube, sphere(4.5, {4, 0.1, 5}), 1), {0.6, 0, 0.8},
                 Vec3{1, 0.1, 1} + 0.25 * Vec3{0.6, 0, 0.8}, 0.5);
  expect_contact(test::contacts(cube, sphere(2.5, {2, 3, 3}), 1), Vec3{1, 2, 2} / 3,
                 Vec3{1, 1, 1} + 0.25 * Vec3{1, 2, 2} / 3, 0.5);
}

TEST(SphereBox, CentreInsideGoesOutThroughTheNearestFace) {
  // 0.2 under the face x = 1: out by 0.2 and the radius.
  const Manifold m = test::contacts(box({2, 2, 2}), sphere(0.5, {0.8, 0.3, -0.4}), 0);
  ASSERT_EQ(m.count, 1);
  expect_contact(m, {1, 0, 0}, {0.8 + 0.5 * (0.2 - 0.5), 0.3, -0.4}, -0.7);
}

TEST(SphereBox, DepthIsContinuousAsTheCentreGoesThroughAFace) {
  const auto gap = [](Real z) { return test::contacts(box({2, 2, 2}), sphere(0.5, {0, 0, z}), 1).points[0].gap; };
  EXPECT_NEAR(gap(1 + 1e-9), gap(1 - 1e-9), 4e-9);
  EXPECT_NEAR(gap(1.2), -0.3, kRoundOff);
  EXPECT_NEAR(gap(0.8), -0.7, kRoundOff);
}

TEST(SphereCapsule, TouchesSideAndCap) {
  const Thing capsule = standing(0.5, 2, {});
  expect_contact(test::contacts(capsule, sphere(1, {2, 0, 0.7}), 1), {1, 0, 0}, {0.75, 0, 0.7}, 0.5);
  expect_contact(test::contacts(capsule, sphere(1, {0, 3, 5}), 5), {0, 0.6, 0.8},
                 Vec3{0, 0, 1} + 2.25 * Vec3{0, 0.6, 0.8}, 3.5);
}

TEST(Capsules, SideBySideTouchInTheEndsOfTheirOverlap) {
  const Manifold m = test::contacts(lying(0.5, 4, {}), lying(0.5, 4, {1, 0, 1.1}), 0.2);
  EXPECT_EQ(m.count, 2);
  expect_contact(m, {0, 0, 1}, {-1, 0, 0.55}, 0.1);
  expect_contact(m, {0, 0, 1}, {2, 0, 0.55}, 0.1);
}

TEST(Capsules, CrossedTouchInOnePoint) {
  const Thing along_y{Shape::capsule(0.25, 2), {{0.3, 0, 0.8}, test::turn({1, 0, 0}, 90)}};
  const Manifold m = test::contacts(lying(0.5, 2, {}), along_y, 0.1);
  EXPECT_EQ(m.count, 1);
  expect_contact(m, {0, 0, 1}, {0.3, 0, 0.525}, 0.05);
}

TEST(Capsules, EndToEndTouchInOnePoint) {
  const Manifold m = test::contacts(lying(0.5, 2, {}), lying(0.5, 2, {3.1, 0, 0}), 0.2);
  EXPECT_EQ(m.count, 1);
  expect_contact(m, {1, 0, 0}, {1.55, 0, 0}, 0.1);
}

TEST(Capsules, OnTheSameAxisStillHaveANormalAcross) {
  const Manifold m = test::contacts(lying(0.5, 2, {}), lying(0.5, 2, {0.5, 0, 0}), 0.2);
  ASSERT_GT(m.count, 0);
  EXPECT_NEAR(norm(m.normal), 1, kRoundOff);
  EXPECT_NEAR(m.normal.x, 0, kRoundOff);
  EXPECT_NEAR(test::least_gap(m), -1, kRoundOff);
}

TEST(CapsuleBox, LyingOnAFaceTouchesInBothEnds) {
  const Manifold m = test::contacts(box({10, 10, 2}, {0, 0, -1}), lying(0.5, 2, {1, 1, 0.45}), 0.1);
  EXPECT_EQ(m.count, 2);
  expect_contact(m, {0, 0, 1}, {0, 1, -0.025}, -0.05);
  expect_contact(m, {0, 0, 1}, {2, 1, -0.025}, -0.05);
}

TEST(CapsuleBox, LongerThanTheFaceTouchesAtItsEdges) {
  const Manifold m = test::contacts(box({1, 1, 1}), lying(0.25, 6, {1, 0, 0.76}), 0.1);
  EXPECT_EQ(m.count, 2);
  expect_contact(m, {0, 0, 1}, {-0.5, 0, 0.505}, 0.01);
  expect_contact(m, {0, 0, 1}, {0.5, 0, 0.505}, 0.01);
}

TEST(CapsuleBox, StandingTouchesInOnePoint) {
  const Manifold m = test::contacts(box({10, 10, 2}, {0, 0, -1}), standing(0.5, 2, {1, 1, 1.51}), 0.1);
  EXPECT_EQ(m.count, 1);
  expect_contact(m, {0, 0, 1}, {1, 1, 0.005}, 0.01);
}

TEST(CapsuleBox, AxisThroughTheBoxGoesOutTheShortWay) {
  // The axis lies 0.1 under the top: out by 0.1 and the radius.
  const Manifold m = test::contacts(box({2, 2, 2}), lying(0.25, 1, {0, 0, 0.9}), 0);
  ASSERT_GT(m.count, 0);
  EXPECT_LE(norm(m.normal - Vec3{0, 0, 1}), 1e-12);
  EXPECT_NEAR(test::least_gap(m), -0.35, kRoundOff);
}

TEST(CapsuleBox, GapIsTheLeastDistanceOfTheAxisLessTheRadius) {
  // The distance from a point of the axis to the box is convex along the axis: a ternary search finds the least.
  Random random(1);
  int compared = 0;
  for (int i = 0; i < 5000; ++i) {
    const Thing b{test::random_box_shape(random), random.pose(1)};
    const Thing c{Shape::capsule(random.uniform(0.05, 0.5), random.uniform(0, 2)), random.pose(1.5)};
    const auto& capsule = std::get<Capsule>(c.shape->geometry());
    const Vec3 half = std::get<Box>(b.shape->geometry()).half_size;
    const auto distance = [&](Real s) {
      const Vec3 p = rotate(conjugate(b.pose.orientation), transform(c.pose, {0, 0, s}) - b.pose.position);
      return std::hypot(std::max(std::abs(p.x) - half.x, 0.0), std::max(std::abs(p.y) - half.y, 0.0),
                        std::max(std::abs(p.z) - half.z, 0.0));
    };
    Real low = -capsule.half_length, high = capsule.half_length;
    for (int k = 0; k < 150; ++k) {
      const Real third = (high - low) / 3;
      if (distance(low + third) <= distance(high - third)) {
        high -= third;
      } else {
        low += third;
      }
    }
    const Real expected = distance(0.5 * (low + high)) - capsule.radius;
    if (expected < -capsule.radius + 1e-6) continue;  // the axis is inside
    const Manifold m = test::contacts(b, c, 0.5);
    if (expected > 0.5) {
      EXPECT_EQ(m.count, 0) << i;
      continue;
    }
    ++compared;
    ASSERT_GT(m.count, 0) << i;
    // The search knows a flat minimum's place to 1e-8, its value far better; GJK stops at 1e-14 over the distance.
    ASSERT_NEAR(test::least_gap(m), expected, 1e-8) << i;
  }
  EXPECT_GT(compared, 1000);
}

TEST(PlaneWith, SphereTouchesInItsLowestPoint) {
  expect_contact(test::contacts(floor(), sphere(0.5, {1, 2, 0.6}), 0.2), {0, 0, 1}, {1, 2, 0.05}, 0.1);
  EXPECT_EQ(test::contacts(floor(), sphere(0.5, {1, 2, 0.8}), 0.2).count, 0);
}

TEST(PlaneWith, CapsuleTouchesInTheEndsWithinTheMargin) {
  EXPECT_EQ(test::contacts(floor(), lying(0.5, 2, {0, 0, 0.5}), 0.1).count, 2);
  EXPECT_EQ(test::contacts(floor(), standing(0.5, 2, {0, 0, 1.5}), 0.1).count, 1);
  expect_contact(test::contacts(floor(), lying(0.5, 2, {0, 0, 0.4}), 0.1), {0, 0, 1}, {1, 0, -0.05}, -0.1);
}

TEST(PlaneWith, BoxTouchesInTheCornersWithinTheMargin) {
  const Manifold flat = test::contacts(floor(), box({2, 4, 6}, {0, 0, 2.9}), 0.1);
  EXPECT_EQ(flat.count, 4);
  for (const Real x : {-1.0, 1.0})
    for (const Real y : {-2.0, 2.0}) expect_contact(flat, {0, 0, 1}, {x, y, -0.05}, -0.1);
  const Thing tilted{Shape::box({1, 1, 1}), {{0, 0, std::sqrt(0.5)}, test::turn({1, 0, 0}, 45)}};
  EXPECT_EQ(test::contacts(floor(), tilted, 0.1).count, 2);
  EXPECT_EQ(test::contacts(floor(), box({1, 1, 1}, {0, 0, -5}), 0.1).count, 8);  // wholly behind it
}

TEST(PlaneWith, PoseMovesThePlane) {
  // The plane's own offset and its pose add up: z = 1 turned onto x = 1, moved by 2.
  const Thing wall{Shape::plane({0, 0, 1}, 1), {{2, 0, 0}, test::turn({0, 1, 0}, 90)}};
  expect_contact(test::contacts(wall, sphere(0.5, {3.6, 0, 0}), 0.2), {1, 0, 0}, {3.05, 0, 0}, 0.1);
}

}  // namespace
}  // namespace carom
