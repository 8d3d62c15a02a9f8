// Signed distances in positions whose answer is known.
#include "geometry/distance.h"

#include <gtest/gtest.h>

#include "carom/base/error.h"
#include "support/convex_pairs.h"

namespace carom {
namespace {

using test::ConvexPair;
using test::turn;

SurfacePair between(const Shape::Geometry& a, const Pose& pose_a, const Shape::Geometry& b, const Pose& pose_b) {
  const ConvexPair pair{a, b, pose_a, pose_b};
  const SurfacePair answer = signed_distance(pair.placed_a(), pair.placed_b());
  // Whatever the position: the points lie on the shapes, and a plane of that width lies between.
  EXPECT_LE(test::defect(pair, answer), 1e-13 * pair.larger() + pair.rounding());
  return answer;
}

void expect_near(const Vec3& got, const Vec3& expected, Real tolerance) {
  EXPECT_LE(norm(got - expected), tolerance) << got.x << " " << got.y << " " << got.z;
}

constexpr Real kTight = 1e-14;  // for sizes of about one: a few roundings

TEST(Distance, SpheresAndCapsulesBetweenTheirCores) {
  EXPECT_NEAR(between(Sphere{1}, {}, Sphere{0.5}, {{3, 4, 0}, {}}).distance, 3.5, kTight);
  EXPECT_NEAR(between(Sphere{1}, {}, Capsule{0.25, 2}, {{3, 0, 1}, {}}).distance, 1.75, kTight);
  // Crossing axes: out along the common normal, by both radii.
  const SurfacePair cross = between(Capsule{0.25, 2}, {}, Capsule{0.5, 2}, {{0, 0.1, 0.3}, turn({0, 1, 0}, 90)});
  EXPECT_NEAR(cross.distance, 0.1 - 0.75, kTight);
  expect_near(cross.normal, {0, 1, 0}, kTight);
}

TEST(Distance, CoincidingCentresHaveSomeNormalAndTheRightDepth) {
  EXPECT_NEAR(between(Sphere{1}, {}, Sphere{0.5}, {}).distance, -1.5, kTight);
  EXPECT_NEAR(between(Capsule{1, 2}, {}, Capsule{0.5, 3}, {}).distance, -1.5, kTight);
  EXPECT_NEAR(between(Box{{1, 2, 3}}, {}, Box{{1, 2, 3}}, {}).distance, -2, kTight);
  EXPECT_NEAR(between(Sphere{0.5}, {}, Box{{1, 2, 3}}, {}).distance, -1.5, kTight);
  EXPECT_NEAR(between(Cylinder{1, 3}, {}, Cylinder{1, 3}, {}).distance, -2, kTight);
  EXPECT_NEAR(between(Cylinder{3, 1}, {}, Cylinder{3, 1}, {}).distance, -2, kTight);
  EXPECT_NEAR(between(Ellipsoid{{1, 2, 3}}, {}, Ellipsoid{{1, 2, 3}}, {}).distance, -2, kTight);
  EXPECT_NEAR(between(Ellipsoid{{1, 1, 1}}, {}, Ellipsoid{{2, 2, 2}}, {}).distance, -3, kTight);
}

TEST(Distance, BoxesInFaceEdgeAndVertexRegions) {
  const Box a{{1, 1, 1}}, b{{0.5, 0.5, 0.5}};
  EXPECT_NEAR(between(a, {}, b, {{0.2, -0.3, 4}, {}}).distance, 2.5, kTight);
  EXPECT_NEAR(between(a, {}, b, {{4.5, 0, 5.5}, {}}).distance, 5, kTight);    // edges: 3 and 4
  EXPECT_NEAR(between(a, {}, b, {{2.5, 3.5, 3.5}, {}}).distance, 3, kTight);  // corners: 1, 2, 2
  const SurfacePair deep = between(a, {}, b, {{0.1, 1.2, 0.3}, {}});
  EXPECT_NEAR(deep.distance, -0.3, kTight);
  expect_near(deep.normal, {0, 1, 0}, kTight);
  // Lying on their edges, which cross at right angles.
  const Pose above{{0, 0, 4}, turn({0, 1, 0}, 45)};
  const SurfacePair edges = between(a, {{}, turn({1, 0, 0}, 45)}, a, above);
  EXPECT_NEAR(edges.distance, 4 - 2 * std::sqrt(2.0), kTight);
  expect_near(edges.on_a, {0, 0, std::sqrt(2.0)}, 4 * kTight);
}

TEST(Distance, ExactTouchHasTheNormalOfTheTouch) {
  const Box cube{{1, 1, 1}};
  const SurfacePair faces = between(cube, {}, cube, {{0.3, 0.4, 2}, {}});
  EXPECT_NEAR(faces.distance, 0, kTight);
  expect_near(faces.normal, {0, 0, 1}, kTight);
  const SurfacePair edges =
      between(cube, {{}, turn({1, 0, 0}, 45)}, cube, {{0, 0, 2 * std::sqrt(2.0)}, turn({0, 1, 0}, 45)});
  EXPECT_NEAR(edges.distance, 0, kTight);
  expect_near(edges.normal, {0, 0, 1}, 1e-9);
  EXPECT_NEAR(between(cube, {}, cube, {{2, 2, 2}, {}}).distance, 0, kTight);  // corner on corner: any normal between
  const SurfacePair ball = between(Ellipsoid{{1, 2, 3}}, {}, Sphere{0.5}, {{0, 2.5, 0}, {}});
  EXPECT_NEAR(ball.distance, 0, kTight);
  expect_near(ball.normal, {0, 1, 0}, 1e-9);
}

TEST(Distance, CylindersFlatOnEdgeAndOnTheirSide) {
  const Cylinder coin{0.5, 0.1};
  const Box table{{5, 5, 0.5}};
  const SurfacePair flat = between(table, {}, coin, {{1, 2, 0.5 + 0.1 + 0.01}, {}});
  EXPECT_NEAR(flat.distance, 0.01, kTight);
  expect_near(flat.normal, {0, 0, 1}, kTight);
  const SurfacePair side = between(table, {}, coin, {{1, 2, 1 - 0.01}, turn({1, 0, 0}, 90)});
  EXPECT_NEAR(side.distance, -0.01, kTight);
  expect_near(side.normal, {0, 0, 1}, kTight);
  // Tilted by 30°: on the rim, r cos 60° + h cos 30° below the centre.
  const Real reach = 0.5 * 0.5 + 0.1 * std::sqrt(3.0) / 2;
  const SurfacePair rim = between(table, {}, coin, {{1, 2, 0.5 + reach + 0.02}, turn({1, 0, 0}, 30)});
  EXPECT_NEAR(rim.distance, 0.02, kTight);
  expect_near(rim.normal, {0, 0, 1}, kTight);
}

TEST(Distance, ConesOnTheirBaseTheirSideAndTheirApex) {
  const Cone cone{0.3, 0.2};  // sides of length 0.5
  const Plane ground{{0, 0, 1}, 0};
  EXPECT_NEAR(between(ground, {}, cone, {{1, 1, 0.25}, {}}).distance, 0.05, kTight);
  EXPECT_NEAR(between(ground, {}, cone, {{1, 1, 0.25}, turn({1, 0, 0}, 180)}).distance, 0.05, kTight);
  // On its side: the axis lies over the base's centre at 0.3·0.4/0.5 = 0.24, over the apex at 0.
  const Real tilt = 90 + std::asin(0.6) * 180 / std::numbers::pi;
  EXPECT_NEAR(between(ground, {}, cone, {{1, 1, 0.12}, turn({0, 1, 0}, tilt)}).distance, 0, kTight);
  EXPECT_NEAR(between(Box{{3, 3, 1}}, {{0, 0, -1}, {}}, cone, {{1, 1, 0.12}, turn({0, 1, 0}, tilt)}).distance, 0,
              kTight);
}

TEST(Distance, EllipsoidsAlongTheirAxes) {
  const Ellipsoid e{{1, 2, 3}};
  EXPECT_NEAR(between(e, {}, e, {{2.5, 0, 0}, {}}).distance, 0.5, kTight);
  EXPECT_NEAR(between(e, {}, e, {{0, 0, 7}, {}}).distance, 1, kTight);
  const SurfacePair shallow = between(e, {}, e, {{0, 3.9, 0}, {}});
  EXPECT_NEAR(shallow.distance, -0.1, kTight);
  expect_near(shallow.normal, {0, 1, 0}, 1e-9);
}

TEST(Distance, PlanesTakeTheDeepestPoint) {
  const Plane slope{{0.6, 0, 0.8}, 1};
  EXPECT_NEAR(between(slope, {}, Box{{1, 1, 1}}, {{0, 0, 5}, {}}).distance, 4 - 1 - 1.4, kTight);
  const SurfacePair other = between(Sphere{2}, {{0, 0, 5}, {}}, slope, {});
  EXPECT_NEAR(other.distance, 1, kTight);
  expect_near(other.normal, {-0.6, 0, -0.8}, kTight);
  const Shape::Geometry geometry = slope;
  EXPECT_THROW(signed_distance({&geometry, {}, Mat3::identity()}, {&geometry, {}, Mat3::identity()}), Error);
}

TEST(Distance, AHintFromTheLastQueryChangesNothingButTheTime) {
  test::Random random(9);
  for (const auto& [kind_a, kind_b] : test::all_kind_pairs()) {
    for (int i = 0; i < 50; ++i) {
      ConvexPair pair = test::random_pair(kind_a, kind_b, i, random);
      DistanceHint hint;
      signed_distance(pair.placed_a(), pair.placed_b(), hint);
      pair.pose_b.position += 0.01 * pair.smaller() * random.unit();
      pair.pose_b.orientation = normalized(turn(random.unit(), 1) * pair.pose_b.orientation);
      const Real with = signed_distance(pair.placed_a(), pair.placed_b(), hint).distance;
      const Real without = signed_distance(pair.placed_a(), pair.placed_b()).distance;
      ASSERT_NEAR(with, without, 1e-9 * pair.larger()) << name_of(kind_a) << " " << name_of(kind_b) << " " << i;
    }
  }
}

}  // namespace
}  // namespace carom
