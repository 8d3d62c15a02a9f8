// Distances by GJK against closed forms, and against what any distance must satisfy.
#include "geometry/gjk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random.h"

namespace carom {
namespace {

using test::Random;

struct BoxAt {
  Vec3 half;
  Pose pose;

  Support support() const {
    return [*this](const Vec3& direction) {
      const Vec3 d = rotate(conjugate(pose.orientation), direction);
      return transform(pose, {std::copysign(half.x, d.x), std::copysign(half.y, d.y), std::copysign(half.z, d.z)});
    };
  }
  Vec3 axis(int i) const { return to_matrix(pose.orientation).column(i); }
  Real reach(const Vec3& n) const {
    return half.x * std::abs(dot(n, axis(0))) + half.y * std::abs(dot(n, axis(1))) + half.z * std::abs(dot(n, axis(2)));
  }
  /// How far a world point lies outside.
  Real outside(const Vec3& p) const {
    const Vec3 l = rotate(conjugate(pose.orientation), p - pose.position);
    return std::max({std::abs(l.x) - half.x, std::abs(l.y) - half.y, std::abs(l.z) - half.z});
  }
};

ClosestPoints gjk(const BoxAt& a, const BoxAt& b) {
  return closest_points(a.support(), b.support(), b.pose.position - a.pose.position);
}

Support ball(const Vec3& center, Real radius) {
  return [=](const Vec3& d) { return center + radius * normalized(d); };
}

BoxAt random_box(Random& random, Real spread) {
  return {{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)}, random.pose(spread)};
}

BoxAt moved(const Pose& by, const BoxAt& box) { return {box.half, test::compose(by, box.pose)}; }

TEST(Gjk, BallsAreApartByTheDistanceOfCentresLessRadii) {
  // Curved sets are approached by corners of the Minkowski difference only; the stop at 1e-14 of the squared size
  // allows an error of 1e-14/(2·distance), and 64 rounds get there for gaps that are not tiny.
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 ca = random.vector(3), cb = random.vector(3);
    const Real ra = random.uniform(0.1, 1), rb = random.uniform(0.1, 1);
    const Real expected = norm(cb - ca) - ra - rb;
    if (expected < 0.05) continue;
    const ClosestPoints got = closest_points(ball(ca, ra), ball(cb, rb), cb - ca);
    ASSERT_TRUE(got.separated);
    ASSERT_NEAR(got.distance, expected, 1e-8) << i;
  }
}

TEST(Gjk, PointsAreApartByTheirDistance) {
  const ClosestPoints got = closest_points(ball({1, 2, 3}, 0), ball({1, 5, 7}, 0), {1, 0, 0});
  EXPECT_TRUE(got.separated);
  EXPECT_DOUBLE_EQ(got.distance, 5);
  EXPECT_EQ(got.on_a, (Vec3{1, 2, 3}));
  EXPECT_EQ(got.on_b, (Vec3{1, 5, 7}));
}

TEST(Gjk, AlignedBoxesInFaceEdgeAndVertexRegions) {
  const BoxAt a{{1, 1, 1}, {}};
  const auto distance = [&](const Vec3& at) { return gjk(a, {{0.5, 0.5, 0.5}, {at, {}}}).distance; };
  EXPECT_NEAR(distance({0.2, -0.3, 4}), 2.5, 1e-14);
  EXPECT_NEAR(distance({4.5, 0, 5.5}), 5, 1e-14);    // edges: 3 and 4
  EXPECT_NEAR(distance({2.5, 3.5, 3.5}), 3, 1e-14);  // vertices: 1, 2, 2
  EXPECT_NEAR(distance({-2.5, -3.5, 3.5}), 3, 1e-14);
}

TEST(Gjk, CornerOverFaceAndEdgeAcrossEdge) {
  const BoxAt a{{1, 1, 1}, {}};
  // A cube of half size 1 on its corner, √3 from centre to corner.
  const Quat on_corner =
      test::turn({0, 1, 0}, std::atan(std::sqrt(0.5)) * 180 / std::numbers::pi) * test::turn({1, 0, 0}, 45);
  EXPECT_NEAR(gjk(a, {{1, 1, 1}, {{0.3, 0.2, 4}, on_corner}}).distance, 3 - std::sqrt(3.0), 1e-14);
  // Both lying on an edge, the edges crossing at right angles.
  const BoxAt below{{1, 1, 1}, {{}, test::turn({1, 0, 0}, 45)}},
      above{{1, 1, 1}, {{0, 0, 4}, test::turn({0, 1, 0}, 45)}};
  const ClosestPoints got = gjk(below, above);
  EXPECT_NEAR(got.distance, 4 - 2 * std::sqrt(2.0), 1e-14);
  EXPECT_LE(norm(got.on_a - Vec3{0, 0, std::sqrt(2.0)}), 1e-14);
}

TEST(Gjk, RandomBoxesHavePointsOnBothAndAPlaneBetween) {
  // The plane through the closest points, square to their difference, separates the boxes: a proof that the distance is
  // the least one. Its defect is bounded by 1e-14·size²/distance, the stopping rule.
  Random random(2);
  int separated = 0;
  for (int i = 0; i < 20000; ++i) {
    const BoxAt a = random_box(random, 1.5), b = random_box(random, 1.5);
    const ClosestPoints got = gjk(a, b);
    if (!got.separated) continue;
    ++separated;
    ASSERT_LE(a.outside(got.on_a), 1e-14) << i;
    ASSERT_LE(b.outside(got.on_b), 1e-14) << i;
    ASSERT_NEAR(norm(got.on_b - got.on_a), got.distance, 1e-15);
    const Vec3 n = (got.on_b - got.on_a) / got.distance;
    const Real gap = dot(n, b.pose.position - a.pose.position) - a.reach(n) - b.reach(n);
    ASSERT_NEAR(gap, got.distance, 1e-13 + 3e-13 / got.distance) << i;
  }
  EXPECT_GT(separated, 5000);
}

/// The largest separation over the fifteen axes of two boxes.
Real axis_separation(const BoxAt& a, const BoxAt& b) {
  Real best = -1e300;
  const Vec3 offset = b.pose.position - a.pose.position;
  const auto consider = [&](const Vec3& n) {
    if (norm(n) < 1e-6) return;
    const Vec3 unit = normalized(n);
    best = std::max(best, std::abs(dot(unit, offset)) - a.reach(unit) - b.reach(unit));
  };
  for (int i = 0; i < 3; ++i) {
    consider(a.axis(i));
    consider(b.axis(i));
    for (int j = 0; j < 3; ++j) consider(cross(a.axis(i), b.axis(j)));
  }
  return best;
}

TEST(Gjk, RandomBoxesAreNeverNearerThanTheirBestAxisSaysAndOftenAsFar) {
  Random random(3);
  int equal = 0, compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const BoxAt a = random_box(random, 1.5), b = random_box(random, 1.5);
    const ClosestPoints got = gjk(a, b);
    const Real separation = axis_separation(a, b);
    // The fifteen axes decide whether boxes overlap at all; leave out what rounding may decide.
    if (std::abs(separation) > 1e-6) {
      ASSERT_EQ(got.separated, separation > 0) << i << " " << separation;
    }
    if (!got.separated || separation < 1e-6) continue;
    ++compared;
    ASSERT_GE(got.distance, separation - 1e-9) << i;
    // Where the features are a face and a vertex, or two edges that cross, the axis is the direction of least distance.
    if (got.distance < separation + 1e-9) ++equal;
  }
  EXPECT_GT(compared, 5000);
  EXPECT_GT(equal, compared / 10);
}

TEST(Gjk, DistanceIsTheSameBothWaysRoundAndAfterARigidMotion) {
  Random random(4);
  for (int i = 0; i < 5000; ++i) {
    const BoxAt a = random_box(random, 1.5), b = random_box(random, 1.5);
    const Pose motion = random.pose(3);
    const Real distance = gjk(a, b).distance;
    if (distance < 1e-3) continue;
    ASSERT_NEAR(gjk(b, a).distance, distance, 1e-10) << i;
    ASSERT_NEAR(gjk(moved(motion, a), moved(motion, b)).distance, distance, 1e-10) << i;
  }
}

TEST(Gjk, AnyStartingDirectionGivesTheSameDistance) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const BoxAt a = random_box(random, 1.5), b = random_box(random, 1.5);
    const Real distance = gjk(a, b).distance;
    if (distance < 1e-3) continue;
    ASSERT_NEAR(closest_points(a.support(), b.support(), random.unit()).distance, distance, 1e-10) << i;
  }
}

TEST(Gjk, OverlappingSetsAreNotSeparated) {
  EXPECT_FALSE(closest_points(ball({}, 1), ball({0.5, 0.2, 0}, 1), {1, 0, 0}).separated);
  const BoxAt a{{1, 1, 1}, {}};
  EXPECT_FALSE(gjk(a, {{1, 1, 1}, {{0.5, 0.5, 0.5}, {}}}).separated);
  EXPECT_FALSE(gjk(a, a).separated);
  EXPECT_FALSE(gjk(a, {{0.1, 0.1, 0.1}, {{0.2, 0, 0}, test::turn({1, 2, 3}, 30)}}).separated);
}

}  // namespace
}  // namespace carom
