// Two boxes in poses where every point is known. Unit cubes: tolerances are round-off.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "collision/placing.h"

namespace carom {
namespace {

using test::Thing;

constexpr Real kRoundOff = 1e-14;

Thing cube(const Vec3& at, const Quat& orientation = {}) { return {Shape::box({1, 1, 1}), {at, orientation}}; }

/// Standing on a corner: half the diagonal, √3/2, from centre to tip.
Quat on_corner() {
  return test::turn({0, 1, 0}, std::atan(std::sqrt(0.5)) * 180 / std::numbers::pi) * test::turn({1, 0, 0}, 45);
}

void expect_point(const Manifold& m, const Vec3& where, Real gap) {
  Real nearest = 1e300;
  for (const ManifoldPoint& p : test::points(m))
    nearest = std::min(nearest, norm(p.point - where) + std::abs(p.gap - gap));
  EXPECT_LE(nearest, kRoundOff) << "no point at " << where.x << " " << where.y << " " << where.z << " with gap " << gap;
}

TEST(Boxes, CubeOnCubeTouchesInItsFourCorners) {
  for (const Real gap : {0.01, 0.0, -0.01}) {
    const Manifold m = test::contacts(cube({}), cube({0, 0, 1 + gap}), 0.02);
    EXPECT_EQ(m.count, 4);
    EXPECT_LE(norm(m.normal - Vec3{0, 0, 1}), kRoundOff);
    for (const Real x : {-0.5, 0.5})
      for (const Real y : {-0.5, 0.5}) expect_point(m, {x, y, 0.5 + gap / 2}, gap);
  }
}

TEST(Boxes, CubeOnCubeTurnedByAnEighthTouchesInAnOctagon) {
  const Manifold m = test::contacts(cube({}), cube({0, 0, 1}, test::turn({0, 0, 1}, 45)), 0.02);
  EXPECT_EQ(m.count, 8);
  // Where x = 1/2 meets x + y = 1/√2.
  const Real s = std::sqrt(0.5) - 0.5;
  for (const Real a : {-0.5, 0.5}) {
    for (const Real b : {-s, s}) {
      expect_point(m, {a, b, 0.5}, 0);
      expect_point(m, {b, a, 0.5}, 0);
    }
  }
}

TEST(Boxes, OverhangIsCutAtTheEdgeBelow) {
  const Manifold m = test::contacts(cube({}), cube({0.25, 0, 1}), 0.02);
  EXPECT_EQ(m.count, 4);
  for (const Real x : {-0.25, 0.5})
    for (const Real y : {-0.5, 0.5}) expect_point(m, {x, y, 0.5}, 0);
}

TEST(Boxes, SmallOnLargeTouchesInTheSmallOnesCornersWhicheverIsNamedFirst) {
  const Thing floor{Shape::box({20, 20, 2}), {{0, 0, -1}, {}}}, small = cube({3, 4, 0.5}, test::turn({0, 0, 1}, 30));
  const Manifold up = test::contacts(floor, small, 0.01), down = test::contacts(small, floor, 0.01);
  EXPECT_EQ(up.count, 4);
  EXPECT_EQ(down.count, 4);
  for (const Real x : {-0.5, 0.5}) {
    for (const Real y : {-0.5, 0.5}) {
      const Vec3 corner = transform(small.pose, {x, y, -0.5});
      expect_point(up, corner, 0);
      expect_point(down, corner, 0);
    }
  }
}

TEST(Boxes, EdgeAcrossEdgeTouchesInOnePoint) {
  const Thing below = cube({}, test::turn({1, 0, 0}, 45));
  for (const Real gap : {0.01, -0.01}) {
    const Thing above = cube({0.1, 0.2, std::sqrt(2.0) + gap}, test::turn({0, 1, 0}, 45));
    const Manifold m = test::contacts(below, above, 0.02);
    EXPECT_EQ(m.count, 1);
    EXPECT_LE(norm(m.normal - Vec3{0, 0, 1}), kRoundOff);
    expect_point(m, {0.1, 0, std::sqrt(0.5) + gap / 2}, gap);
  }
}

TEST(Boxes, CornerOverFaceTouchesInTheCorner) {
  const Thing floor{Shape::box({20, 20, 2}), {{0, 0, -1}, {}}};
  for (const Real gap : {0.01, -0.01}) {
    const Manifold m = test::contacts(floor, cube({1, 2, std::sqrt(0.75) + gap}, on_corner()), 0.02);
    EXPECT_EQ(m.count, 1);
    EXPECT_LE(norm(m.normal - Vec3{0, 0, 1}), kRoundOff);
    expect_point(m, {1, 2, gap / 2}, gap);
  }
}

TEST(Boxes, WideMarginTakesInTheCornersThatMayTouchNext) {
  // From its corner a cube can tip onto any of the three neighbours, each 1/√3 higher.
  const Thing floor{Shape::box({20, 20, 2}), {{0, 0, -1}, {}}};
  const Manifold m = test::contacts(floor, cube({0, 0, std::sqrt(0.75)}, on_corner()), 0.6);
  EXPECT_GE(m.count, 4);
  int next = 0;
  for (const ManifoldPoint& p : test::points(m)) next += std::abs(p.gap - std::sqrt(1.0 / 3)) < kRoundOff ? 1 : 0;
  EXPECT_EQ(next, 3);
}

TEST(Boxes, EdgeOnFaceTouchesInTheEndsOfTheEdge) {
  const Thing floor{Shape::box({20, 20, 2}), {{0, 0, -1}, {}}};
  const Manifold m = test::contacts(floor, cube({0, 0, std::sqrt(0.5)}, test::turn({1, 0, 0}, 45)), 0.01);
  EXPECT_EQ(m.count, 2);
  expect_point(m, {0.5, 0, 0}, 0);
  expect_point(m, {-0.5, 0, 0}, 0);
}

TEST(Boxes, ApartDiagonallyMeetInOnePointAlongTheLeastDistance) {
  // Edge beside edge: 0.03 and 0.04 apart, so 0.05.
  const Manifold edges = test::contacts(cube({}), cube({1.03, 0, 1.04}), 0.1);
  ASSERT_EQ(edges.count, 1);
  EXPECT_NEAR(edges.points[0].gap, 0.05, kRoundOff);
  EXPECT_LE(norm(edges.normal - Vec3{0.6, 0, 0.8}), 1e-12);
  // Corner to corner: 0.01, 0.02 and 0.02, so 0.03.
  const Manifold corners = test::contacts(cube({}), cube({-1.01, 1.02, 1.02}), 0.1);
  ASSERT_EQ(corners.count, 1);
  EXPECT_NEAR(corners.points[0].gap, 0.03, kRoundOff);
  expect_point(corners, {-0.505, 0.51, 0.51}, corners.points[0].gap);
}

/// A card 0.1 thick, 2 wide and 1 high that leans against another at x = 0 with its upper inner edge.
Thing card(int side, Real degrees) {
  const Real lean = degrees * std::numbers::pi / 180;
  const Vec3 center{side * 0.5 * (0.1 * std::cos(lean) + std::sin(lean)), 0,
                    -0.5 * (std::cos(lean) - 0.1 * std::sin(lean))};
  return {Shape::box({0.1, 2, 1}), {center, test::turn({0, 1, 0}, -side * degrees)}};
}

TEST(Boxes, RidgesMeetAlongTheMiddleBetweenTheirFaces) {
  for (const Real degrees : {5.0, 25.0, 60.0}) {
    // Overlaps and gaps as the step leaves them, up or down and along the normal.
    for (const Vec3& off : {Vec3{}, Vec3{1e-6, 0, 0}, Vec3{-1e-6, 0, 0}, Vec3{0, 0, 1e-6}, Vec3{0, 0, -1e-6}}) {
      const Thing left = card(-1, degrees);
      Thing right = card(1, degrees);
      right.pose.position += off;
      const Manifold m = test::contacts(left, right, 0.01), back = test::contacts(right, left, 0.01);
      EXPECT_EQ(m.count, 2) << degrees;
      EXPECT_LE(norm(m.normal - Vec3{1, 0, 0}), 1e-12) << degrees;
      EXPECT_LE(norm(m.normal + back.normal), 1e-12) << degrees;
      expect_point(m, 0.5 * off + Vec3{0, 1, 0}, off.x);
      expect_point(m, 0.5 * off + Vec3{0, -1, 0}, off.x);
    }
  }
}

TEST(Boxes, ARidgeBesideAnEdgeMeetsTheFace) {
  // The right card is a hundredth lower: its edge touches the left one's face, not its edge.
  Thing right = card(1, 25);
  const Real lean = 25 * std::numbers::pi / 180;
  right.pose.position += 0.01 * Vec3{-std::sin(lean), 0, -std::cos(lean)};
  const Manifold m = test::contacts(card(-1, 25), right, 1e-3);
  EXPECT_EQ(m.count, 2);
  EXPECT_LE(norm(m.normal - Vec3{std::cos(lean), 0, -std::sin(lean)}), kRoundOff);
}

TEST(Boxes, SameCentreStillHasANormal) {
  const Manifold m = test::contacts(cube({}), cube({}), 0.01);
  EXPECT_GT(m.count, 0);
  EXPECT_NEAR(norm(m.normal), 1, kRoundOff);
  EXPECT_NEAR(test::least_gap(m), -1, kRoundOff);
}

TEST(Boxes, SlidingCubeKeepsItsNamesAndItsAxis) {
  // A cube that slides over another keeps its four features until a corner passes the edge below.
  Manifold before = test::contacts(cube({}), cube({0.1, 0.1, 1 - 1e-5}), 0.02);
  for (int i = 1; i < 50; ++i) {
    const Manifold now = test::contacts(cube({}), cube({0.1 + 0.005 * i, 0.1, 1 - 1e-5 * (i % 3)}), 0.02, before.axis);
    ASSERT_EQ(now.count, 4);
    EXPECT_EQ(now.axis, before.axis);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(now.points[k].feature, before.points[k].feature) << i;
    before = now;
  }
}

TEST(Boxes, NearlyAlignedEdgesDoNotDoubleTheirPoints) {
  // Rounding turns a resting cube by 1e-9 either way; eight points one day and four the next would break warm starts.
  for (const Real degrees : {0.0, 1e-7, -1e-7, 1e-5, -1e-5})
    EXPECT_EQ(test::contacts(cube({}), cube({0, 0, 1}, test::turn({0, 0, 1}, degrees)), 0.02).count, 4) << degrees;
}

}  // namespace
}  // namespace carom
