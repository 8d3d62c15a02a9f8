// Overlaps of cylinders, cones, ellipsoids, hulls and compounds: closed forms, and the same shapes made another way.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "study/overlap.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;
using test::turn;

constexpr Real kFlat = 1e-11;  // flat sides: the bracket closes to 1e-12 of the size
constexpr Real kRound = 2e-9;  // round ones

Real depth(const ShapePtr& a, const Pose& pose_a, const ShapePtr& b, const Pose& pose_b, Real tolerance = kRound) {
  const PlacedShape placed_a(*a, pose_a), placed_b(*b, pose_b);
  const Real forth = overlap_depth(placed_a, placed_b), back = overlap_depth(placed_b, placed_a);
  EXPECT_NEAR(std::max(forth, 0.0), std::max(back, 0.0), tolerance);
  return forth;
}

ShapePtr box_hull(const Vec3& size) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.push_back(
        0.5 * Vec3{(i & 1) != 0 ? size.x : -size.x, (i & 2) != 0 ? size.y : -size.y, (i & 4) != 0 ? size.z : -size.z});
  return Shape::hull(points);
}

TEST(Overlap, HullsOfBoxesOverlapAsTheBoxesDo) {
  Random random(1);
  int overlaps = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a{random.uniform(0.2, 2), random.uniform(0.2, 2), random.uniform(0.2, 2)};
    const Vec3 b{random.uniform(0.2, 2), random.uniform(0.2, 2), random.uniform(0.2, 2)};
    const Pose pose_a = random.pose(0.7), pose_b = random.pose(0.7);
    const Real exact = overlap_depth({*Shape::box(a), pose_a}, {*Shape::box(b), pose_b});
    const Real found = depth(box_hull(a), pose_a, box_hull(b), pose_b, kFlat);
    const Real mixed = depth(Shape::box(a), pose_a, box_hull(b), pose_b, kFlat);
    ASSERT_EQ(exact > 0, found > 0) << i;
    if (exact <= 0) continue;
    ++overlaps;
    ASSERT_NEAR(found, exact, kFlat);
    ASSERT_NEAR(mixed, exact, kFlat);
  }
  EXPECT_GT(overlaps, 300);
}

TEST(Overlap, EllipsoidsWithEqualRadiiAreSpheres) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Real r = random.uniform(0.2, 1), s = random.uniform(0.2, 1);
    const Pose pose_a = random.pose(0.5), pose_b = random.pose(0.5);
    const Real exact = r + s - norm(pose_b.position - pose_a.position);
    const Real found = depth(Shape::ellipsoid({r, r, r}), pose_a, Shape::ellipsoid({s, s, s}), pose_b);
    ASSERT_EQ(exact > 0, found > 0);
    if (exact > 0) {
      ASSERT_NEAR(found, exact, kRound);
    }
  }
}

TEST(Overlap, RoundShapesStandInAPlaneByTheirReach) {
  const auto plane = Shape::plane({0, 0, 1}, 0);
  const Pose high{{0, 0, 0.4}, {}}, lying{{0, 0, 0.4}, turn({0, 1, 0}, 90)};
  EXPECT_NEAR(depth(plane, {}, Shape::cylinder(0.5, 1), high), 0.1, 1e-15);
  EXPECT_NEAR(depth(plane, {}, Shape::cylinder(0.5, 1), lying), 0.1, 1e-15);
  EXPECT_NEAR(depth(plane, {}, Shape::cone(0.5, 1), high), 0.1, 1e-15);
  EXPECT_NEAR(depth(plane, {}, Shape::cone(0.5, 1), {{0, 0, 0.4}, turn({1, 0, 0}, 180)}), 0.1, 1e-15);
  EXPECT_NEAR(depth(plane, {}, Shape::ellipsoid({1, 2, 0.5}), high), 0.1, 1e-15);
  EXPECT_LE(depth(plane, {}, Shape::ellipsoid({1, 2, 0.3}), high), 0);
}

TEST(Overlap, CylindersMeetFlatAndAcross) {
  const auto coin = Shape::cylinder(1, 0.2), rod = Shape::cylinder(0.5, 10);
  EXPECT_NEAR(depth(coin, {}, coin, {{0.3, 0, 0.15}, turn({0, 0, 1}, 20)}), 0.05, kRound);
  EXPECT_NEAR(depth(rod, {{}, turn({0, 1, 0}, 90)}, rod, {{0, 0, 0.9}, turn({1, 0, 0}, 90)}), 0.1, kRound);
  EXPECT_LE(depth(rod, {{}, turn({0, 1, 0}, 90)}, rod, {{0, 0, 1.0001}, turn({1, 0, 0}, 90)}), 0);
}

TEST(Overlap, ASphereMeetsTheSideOfACone) {
  // The side stands 3 : 4 : 5; a point at distance t from it along its normal, with the sphere around it.
  const auto cone = Shape::cone(3, 4), ball = Shape::sphere(0.5);
  const Vec3 middle{1.5, 0, 0}, outward{0.8, 0, 0.6};
  for (const Real t : {0.3, 0.1, 0.0, -0.2})
    EXPECT_NEAR(depth(cone, {}, ball, {middle + t * outward, {}}), 0.5 - t, kRound);
  EXPECT_LE(depth(cone, {}, ball, {middle + 0.5001 * outward, {}}), 0);
}

TEST(Overlap, OfACompoundIsThatOfItsDeepestPart) {
  const auto ball = Shape::sphere(0.5);
  const auto pair = Shape::compound({{ball, {{1, 0, 0}, {}}, {}}, {Shape::box({1, 1, 1}), {{-1, 0, 0}, {}}, {}}});
  const Pose standing{{0, 0, 5}, turn({0, 1, 0}, -90)};  // the ball above, at z = 6
  EXPECT_NEAR(depth(pair, standing, ball, {{0, 0, 6.9}, {}}), 0.1, kRound);
  EXPECT_NEAR(depth(pair, standing, Shape::plane({0, 0, 1}, 3.6), {}), 0.1, kRound);
  EXPECT_NEAR(depth(pair, standing, pair, {{0, 0.9, 5}, standing.orientation}), 0.1, kRound);
  EXPECT_LE(depth(pair, standing, ball, {{0, 0, 5}, {}}), kRound) << "it touches both parts from between";
  const PlacedShape placed(*pair, standing);
  EXPECT_NEAR(placed.high.z, 6.5, 1e-14);
  EXPECT_NEAR(placed.low.z, 3.5, 1e-14);
}

TEST(Overlap, AwayFromTheAnswerLessNeverSeparates) {
  // Between any two kinds: moved apart by a little less than the depth in any direction, they still overlap.
  Random random(3);
  const ShapePtr shapes[] = {Shape::cylinder(0.5, 1.2), Shape::cone(0.6, 1),      Shape::ellipsoid({0.3, 0.6, 0.9}),
                             box_hull({1, 0.7, 0.5}),   Shape::capsule(0.3, 0.8), Shape::box({0.6, 0.9, 1.1})};
  for (const ShapePtr& a : shapes)
    for (const ShapePtr& b : shapes)
      for (int i = 0; i < 5; ++i) {
        const Pose pose_a = random.pose(0.3), pose_b = random.pose(0.3);
        const Real d = depth(a, pose_a, b, pose_b);
        if (d <= 1e-3) continue;
        for (int k = 0; k < 40; ++k) {
          const Pose almost{pose_b.position + (d - 1e-7) * random.unit(), pose_b.orientation};
          ASSERT_GT(overlap_depth({*a, pose_a}, {*b, almost}), 0);
        }
      }
}

TEST(Overlap, PathsEnterRoundWallsAndHulls) {
  const ShapePtr cylinder = Shape::cylinder(1, 2), hull = box_hull({2, 2, 2});
  for (const ShapePtr& wall : {cylinder, hull, Shape::compound({{hull, {}, {}}})}) {
    const PlacedShape placed(*wall, {});
    EXPECT_TRUE(path_enters({-3, 0, 0}, {3, 0, 0}, placed));
    EXPECT_TRUE(path_enters({-3, 0, 0}, {-0.9, 0, 0}, placed));
    EXPECT_FALSE(path_enters({-3, 0, 0}, {-1.1, 0, 0}, placed));
    EXPECT_FALSE(path_enters({-3, 0, 1.1}, {3, 0, 1.1}, placed));
  }
}

}  // namespace
}  // namespace carom
