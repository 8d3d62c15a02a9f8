#include "geometry/segment.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace carom {
namespace {

using test::Random;

Real distance(const Segment& a, const Segment& b, const SegmentPair& pair) { return norm(a.at(pair.s) - b.at(pair.t)); }

/// The least distance by search: the distance from a point of `a` to `b` is convex in the point, so a ternary search
/// finds it to about 1e-8 in the parameter, which is 1e-16 in a distance that is flat there.
Real searched_distance(const Segment& a, const Segment& b) {
  const auto from = [&](Real s) {
    const Vec3 p = a.at(s);
    return norm(p - b.at(std::clamp(dot(p - b.center, b.direction), -b.half_length, b.half_length)));
  };
  Real low = -a.half_length, high = a.half_length;
  for (int i = 0; i < 200; ++i) {
    const Real third = (high - low) / 3;
    if (from(low + third) <= from(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return from(0.5 * (low + high));
}

Segment random_segment(Random& random) { return {random.vector(2), random.unit(), random.uniform(0, 2)}; }

TEST(Segments, ClosestPointsAreOnTheSegmentsAndAsNearAsASearchFinds) {
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    const Segment a = random_segment(random), b = random_segment(random);
    const SegmentPair pair = closest(a, b);
    ASSERT_LE(std::abs(pair.s), a.half_length);
    ASSERT_LE(std::abs(pair.t), b.half_length);
    // Where the segments nearly meet the search is good to its parameter only.
    ASSERT_NEAR(distance(a, b, pair), searched_distance(a, b), 1e-7) << i;
    ASSERT_LE(distance(a, b, pair), searched_distance(a, b) + 1e-14) << i;
  }
}

TEST(Segments, ParallelOnesAreAsNearAsASearchFinds) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const Segment a = random_segment(random);
    Segment b = random_segment(random);
    b.direction = random.coin() ? a.direction : -a.direction;
    const SegmentPair pair = closest(a, b);
    EXPECT_FALSE(pair.inside);
    ASSERT_NEAR(distance(a, b, pair), searched_distance(a, b), 1e-7) << i;
  }
}

TEST(Segments, NearlyParallelOnesAreAsNearAsASearchFinds) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Segment a = random_segment(random);
    Segment b = random_segment(random);
    b.direction = normalized(a.direction + random.scale(1e-9, 1e-3) * random.unit());
    const SegmentPair pair = closest(a, b);
    // Up to a sine of 1e-6 the lines count as parallel: over lengths of 4 that costs at most 4e-6, and in practice the
    // square of it over the distance.
    ASSERT_NEAR(distance(a, b, pair), searched_distance(a, b), 4e-6) << i;
  }
}

TEST(Segments, DistanceIsTheSameBothWaysRound) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const Segment a = random_segment(random), b = random_segment(random);
    ASSERT_NEAR(distance(a, b, closest(a, b)), distance(b, a, closest(b, a)), 1e-14);
  }
}

TEST(Segments, CrossingOnesMeetInsideWithACommonPerpendicular) {
  const Segment a{{0, 0, 0}, {1, 0, 0}, 1}, b{{0.25, 0.5, 2}, {0, 1, 0}, 1};
  const SegmentPair pair = closest(a, b);
  EXPECT_TRUE(pair.inside);
  EXPECT_DOUBLE_EQ(pair.s, 0.25);
  EXPECT_DOUBLE_EQ(pair.t, -0.5);
  EXPECT_DOUBLE_EQ(distance(a, b, pair), 2);
}

TEST(Segments, OnesThatPassBeyondTheirEndsAreNotInside) {
  const Segment a{{0, 0, 0}, {1, 0, 0}, 1}, b{{3, 0, 1}, {0, 1, 0}, 1};
  const SegmentPair pair = closest(a, b);
  EXPECT_FALSE(pair.inside);
  EXPECT_EQ(pair.s, 1);
  EXPECT_DOUBLE_EQ(distance(a, b, pair), std::sqrt(5.0));
}

TEST(Segments, PointsAreSegmentsToo) {
  const Segment a{{0, 0, 0}, {1, 0, 0}, 0}, b{{0, 3, 4}, {0, 0, 1}, 0};
  EXPECT_DOUBLE_EQ(distance(a, b, closest(a, b)), 5);
}

}  // namespace
}  // namespace carom
