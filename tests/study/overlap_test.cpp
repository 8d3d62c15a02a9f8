// Every depth here has a closed form; the tolerance is round-off at unit size unless it says otherwise.
#include "study/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom {
namespace {

constexpr Real kRoundOff = 1e-13;

Quat turn(const Vec3& axis, Real degrees) {
  const Real half = degrees * std::numbers::pi / 360;
  const Vec3 v = std::sin(half) * normalized(axis);
  return {std::cos(half), v.x, v.y, v.z};
}

/// Both ways round: the depth does not depend on the order.
Real depth(const ShapePtr& a, const Pose& pose_a, const ShapePtr& b, const Pose& pose_b) {
  const PlacedShape placed_a(*a, pose_a), placed_b(*b, pose_b);
  const Real forth = overlap_depth(placed_a, placed_b), back = overlap_depth(placed_b, placed_a);
  EXPECT_NEAR(std::max(forth, 0.0), std::max(back, 0.0), kRoundOff);
  return forth;
}

TEST(Overlap, AlignedBoxesOverlapByTheirLeastProjection) {
  const auto cube = Shape::box({1, 1, 1});
  EXPECT_NEAR(depth(cube, {}, cube, {{0.2, 0.3, 0.9}, {}}), 0.1, kRoundOff);
  EXPECT_LE(depth(cube, {}, cube, {{0, 0, 1.001}, {}}), 0);
  EXPECT_NEAR(depth(cube, {}, Shape::box({10, 10, 0.2}), {{3, 0, 0}, {}}), 0.6, kRoundOff);
}

TEST(Overlap, CornerOfATurnedCubeReachesByHalfItsDiagonal) {
  // Turned by 45° about x and then by atan(1/√2) about y, a cube stands on its corner.
  const Quat on_corner = turn({0, 1, 0}, std::atan(std::sqrt(0.5)) * 180 / std::numbers::pi) * turn({1, 0, 0}, 45);
  const auto cube = Shape::box({1, 1, 1}), floor = Shape::box({20, 20, 2});
  EXPECT_NEAR(depth(cube, {{0, 0, 0.8}, on_corner}, floor, {{0, 0, -1}, {}}), std::sqrt(0.75) - 0.8, kRoundOff);
}

TEST(Overlap, CrossedEdgesAreFoundByTheirProduct) {
  // Two square bars, each turned by 45° about its own axis, lie across each other: their edges meet at right angles.
  const auto bar_x = Shape::box({10, 1, 1}), bar_y = Shape::box({1, 10, 1});
  const Real half_diagonal = std::sqrt(0.5);
  EXPECT_NEAR(depth(bar_x, {{}, turn({1, 0, 0}, 45)}, bar_y, {{0, 0, 1.4}, turn({0, 1, 0}, 45)}),
              2 * half_diagonal - 1.4, kRoundOff);
  EXPECT_LE(depth(bar_x, {{}, turn({1, 0, 0}, 45)}, bar_y, {{0, 0, 1.42}, turn({0, 1, 0}, 45)}), 0);
}

TEST(Overlap, BoxDepthDoesNotDependOnTheFrame) {
  const auto a = Shape::box({1, 0.6, 0.8}), b = Shape::box({0.5, 0.9, 1.2});
  const Pose pose_a{{0.1, 0.2, 0.3}, turn({1, 2, 3}, 25)}, pose_b{{0.6, 0.5, 0.7}, turn({3, -1, 1}, 70)};
  const Quat q = turn({1, -1, 2}, 130);
  const auto moved = [&](const Pose& pose) {
    return Pose{rotate(q, pose.position) + Vec3{3, -4, 5}, q * pose.orientation};
  };
  const Real reference = depth(a, pose_a, b, pose_b);
  ASSERT_GT(reference, 0);
  EXPECT_NEAR(depth(a, moved(pose_a), b, moved(pose_b)), reference, 1e-12);
}

TEST(Overlap, MovingApartByTheDepthIsEnoughAndByLessIsNot) {
  // The depth is the shortest separating translation: for directions all over the sphere, less than it never separates.
  const auto a = Shape::box({1, 0.7, 0.4}), b = Shape::box({0.8, 0.8, 0.5});
  const Pose pose_a{{}, turn({1, 0, 2}, 33)}, pose_b{{0.3, 0.2, 0.3}, turn({0, 1, 1}, 50)};
  const Real d = depth(a, pose_a, b, pose_b);
  ASSERT_GT(d, 0);
  Real least = 1e9;
  for (int i = 0; i < 20000; ++i) {
    const Real z = 1 - (2 * i + 1) / 20000.0, phi = i * std::numbers::pi * (3 - std::sqrt(5.0)),
               r = std::sqrt(1 - z * z);
    const Vec3 n{r * std::cos(phi), r * std::sin(phi), z};
    const Pose almost{pose_b.position + (d - 1e-9) * n, pose_b.orientation};
    EXPECT_GT(overlap_depth(PlacedShape(*a, pose_a), PlacedShape(*b, almost)), 0);
    const Pose further{pose_b.position + 1.02 * d * n, pose_b.orientation};
    least = std::min(least, overlap_depth(PlacedShape(*a, pose_a), PlacedShape(*b, further)));
  }
  // 20000 directions are 1.4° apart: the nearest to the best one is short by less than 0.03 %.
  EXPECT_LE(least, 0);
}

TEST(Overlap, SpheresOverlapByTheSumOfRadiiLessTheDistance) {
  EXPECT_NEAR(depth(Shape::sphere(0.5), {}, Shape::sphere(0.3), {{0.3, 0.4, 0}, {}}), 0.3, kRoundOff);
  EXPECT_LE(depth(Shape::sphere(0.5), {}, Shape::sphere(0.3), {{0.6, 0.6, 0}, {}}), 0);
}

TEST(Overlap, SphereMeetsFaceEdgeCornerAndInsideOfABox) {
  const auto box = Shape::box({2, 2, 2}), ball = Shape::sphere(0.5);
  EXPECT_NEAR(depth(box, {}, ball, {{0.2, 0, 1.4}, {}}), 0.1, kRoundOff);
  EXPECT_NEAR(depth(box, {}, ball, {{1.3, 0, 1.3}, {}}), 0.5 - 0.3 * std::sqrt(2.0), kRoundOff);
  EXPECT_NEAR(depth(box, {}, ball, {{1.2, 1.2, 1.2}, {}}), 0.5 - 0.2 * std::sqrt(3.0), kRoundOff);
  EXPECT_LE(depth(box, {}, ball, {{1.3, 1.3, 1.3}, {}}), 0);
  EXPECT_NEAR(depth(box, {}, ball, {{0, 0.8, 0.1}, {}}), 0.7, kRoundOff);
  const Quat q = turn({0, 0, 1}, 30);
  EXPECT_NEAR(depth(box, {{}, q}, ball, {rotate(q, {1.4, 0, 0}), {}}), 0.1, kRoundOff);
}

TEST(Overlap, CapsuleMeetsABoxAlongItsSideAndWithItsCap) {
  const auto box = Shape::box({2, 2, 2}), capsule = Shape::capsule(0.25, 2);
  const Quat lying = turn({0, 1, 0}, 90);
  EXPECT_NEAR(depth(box, {}, capsule, {{0, 0, 1.2}, lying}), 0.05, kRoundOff);
  EXPECT_NEAR(depth(box, {}, capsule, {{0, 0, 2.2}, {}}), 0.05, kRoundOff);
  // Its core passes through the box's edge at 45°: out along that diagonal by what is left plus the radius.
  EXPECT_NEAR(depth(box, {}, capsule, {{0.9, 0, 0.9}, turn({0, 1, 0}, 135)}), 0.25 + 0.1 * std::sqrt(2.0), kRoundOff);
  EXPECT_LE(depth(box, {}, capsule, {{1.3, 0, 1.3}, turn({0, 1, 0}, 135)}), 0);
}

TEST(Overlap, CapsulesMeetByTheDistanceOfTheirCores) {
  const auto capsule = Shape::capsule(0.25, 2);
  const Quat lying = turn({0, 1, 0}, 90);
  EXPECT_NEAR(depth(capsule, {}, capsule, {{0, 0.4, 0.3}, lying}), 0.1, kRoundOff);
  EXPECT_NEAR(depth(capsule, {}, capsule, {{0.3, 0.3, 0.2}, {}}), 0.5 - 0.3 * std::sqrt(2.0), kRoundOff);
  EXPECT_NEAR(depth(capsule, {}, capsule, {{0, 0, 2.4}, {}}), 0.1, kRoundOff);
  EXPECT_NEAR(depth(capsule, {}, Shape::sphere(0.5), {{0.6, 0, 0.9}, {}}), 0.15, kRoundOff);
}

TEST(Overlap, PlaneHoldsEverythingBelowIt) {
  const auto plane = Shape::plane({0, 0, 2}, 1);
  EXPECT_NEAR(depth(plane, {}, Shape::sphere(0.5), {{9, 9, 1.4}, {}}), 0.1, kRoundOff);
  EXPECT_NEAR(depth(plane, {}, Shape::box({1, 1, 1}), {{0, 0, 1.6}, turn({1, 0, 0}, 45)}), std::sqrt(0.5) - 0.6,
              kRoundOff);
  EXPECT_NEAR(depth(plane, {}, Shape::capsule(0.25, 2), {{0, 0, 2.2}, {}}), 0.05, kRoundOff);
  EXPECT_NEAR(depth(plane, {}, Shape::sphere(0.5), {{0, 0, -9}, {}}), 10.5, kRoundOff);
  EXPECT_LE(depth(plane, {}, plane, {}), 0);
}

TEST(Overlap, APathEntersAWallOnlyIfItReachesItsInside) {
  const auto slab = Shape::box({0.1, 4, 4}), ground = Shape::plane({0, 0, 1}, 0);
  const PlacedShape wall(*slab, {}), plane(*ground, {});
  EXPECT_TRUE(path_enters({-1, 0, 0}, {1, 0, 0}, wall));
  EXPECT_FALSE(path_enters({-1, 0, 0}, {-0.06, 0, 0}, wall));
  EXPECT_FALSE(path_enters({-1, 2.1, 0}, {1, 2.1, 0}, wall));
  EXPECT_TRUE(path_enters({0.01, 0, 0}, {0.01, 0, 0}, wall));
  EXPECT_TRUE(path_enters({0, 0, 1}, {0, 0, -1}, plane));
  EXPECT_FALSE(path_enters({0, 0, 1}, {0, 0, 0.5}, plane));
}

}  // namespace
}  // namespace carom
