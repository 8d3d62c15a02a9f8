// What holds for every pair of kinds: the order of the two does not matter, nor where in the world they are.
#include <gtest/gtest.h>

#include <set>

#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;
using test::Thing;

constexpr Real kMargin = 0.3;

struct Case {
  Thing a, b;
};

class AnyPair : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  /// Shapes about as far apart as they are large. Boxes whose best axes nearly tie are left out: there the order
  /// decides which face is clipped against which, on purpose.
  Case next() {
    for (;;) {
      const auto [kind_a, kind_b] = GetParam();
      const Case c{{test::random_shape(random_, kind_a), random_.pose(0.6)},
                   {test::random_shape(random_, kind_b), random_.pose(0.6)}};
      if (kind_a != 1 || kind_b != 1) return c;
      const auto separations = test::axis_separations(test::BoxAxes(c.a), test::BoxAxes(c.b));
      if (separations[0] - separations[1] > 1e-3) return c;
    }
  }
  Random random_{42};
};

/// The same points in any order. Sizes are up to 3, and GJK's stop leaves 1e-14 over the distance.
void expect_same_points(const Manifold& m, const Manifold& n, const Pose& motion) {
  ASSERT_EQ(m.count, n.count);
  for (const ManifoldPoint& p : test::points(m)) {
    Real nearest = 1e300;
    for (const ManifoldPoint& q : test::points(n))
      nearest = std::min(nearest, norm(transform(motion, p.point) - q.point) + std::abs(p.gap - q.gap));
    EXPECT_LE(nearest, 1e-7);
  }
}

TEST_P(AnyPair, SwappingFlipsTheNormalAndKeepsPointsAndGaps) {
  int touching = 0;
  for (int i = 0; i < 3000; ++i) {
    const Case c = next();
    const Manifold forth = test::contacts(c.a, c.b, kMargin), back = test::contacts(c.b, c.a, kMargin);
    expect_same_points(forth, back, {});
    if (HasFailure()) FAIL() << "case " << i;
    if (forth.count == 0) continue;
    ++touching;
    ASSERT_LE(norm(forth.normal + back.normal), 1e-7) << i;
  }
  EXPECT_GT(touching, 500);
}

TEST_P(AnyPair, MovingBothMovesThePointsAndKeepsFeaturesAndGaps) {
  for (int i = 0; i < 3000; ++i) {
    const Case c = next();
    const Pose motion = random_.pose(2);
    const Manifold here = test::contacts(c.a, c.b, kMargin);
    const Manifold there = test::contacts(c.a.moved(motion), c.b.moved(motion), kMargin);
    expect_same_points(here, there, motion);
    if (HasFailure()) FAIL() << "case " << i;
    if (here.count == 0) continue;
    ASSERT_LE(norm(rotate(motion.orientation, here.normal) - there.normal), 1e-7) << i;
    for (const ManifoldPoint& p : test::points(here)) {
      const auto all = test::points(there);
      const auto same = std::find_if(all.begin(), all.end(), [&](const auto& q) { return q.feature == p.feature; });
      ASSERT_NE(same, all.end()) << i;
      ASSERT_LE(norm(transform(motion, p.point) - same->point), 1e-7) << i;
    }
  }
}

TEST_P(AnyPair, GapsAreWithinTheMarginAndFeaturesUnique) {
  for (int i = 0; i < 3000; ++i) {
    const Case c = next();
    const Manifold m = test::contacts(c.a, c.b, kMargin);
    std::set<std::uint16_t> features;
    for (const ManifoldPoint& p : test::points(m)) {
      ASSERT_LE(p.gap, kMargin) << i;
      features.insert(p.feature);
    }
    ASSERT_EQ(static_cast<int>(features.size()), m.count) << i;
    if (m.count > 0) {
      ASSERT_NEAR(norm(m.normal), 1, 1e-9) << i;
    }
  }
}

TEST_P(AnyPair, SmallMotionChangesGapsBySoLittle) {
  constexpr Real kMotion = 1e-6;
  for (int i = 0; i < 3000; ++i) {
    const Case c = next();
    const Manifold before = test::contacts(c.a, c.b, kMargin);
    const Thing moved = c.b.moved({kMotion * random_.unit(), {}});
    const Manifold after = test::contacts(c.a, moved, kMargin + 2 * kMotion, before.axis);
    if (before.count == 0) continue;
    ASSERT_GT(after.count, 0) << i;
    // A gap along the normal changes by no more than the motion; normals of round shapes turn by motion over distance.
    ASSERT_NEAR(test::least_gap(after), test::least_gap(before), 2 * kMotion) << i;
  }
}

std::vector<std::tuple<int, int>> all_pairs() {
  constexpr int kConvexKinds = 8, kPlane = 3;
  std::vector<std::tuple<int, int>> pairs;
  for (int a = 0; a < kConvexKinds; ++a)
    for (int b = a; b < kConvexKinds; ++b)
      if (a != kPlane || b != kPlane) pairs.emplace_back(a, b);
  return pairs;
}

std::string pair_name(const testing::TestParamInfo<std::tuple<int, int>>& info) {
  const auto [a, b] = info.param;
  return std::string(kKindNames[static_cast<std::size_t>(a)]) + "_" +
         std::string(kKindNames[static_cast<std::size_t>(b)]);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyPair, testing::ValuesIn(all_pairs()), pair_name);

TEST(Planes, NeverTouchEachOther) {
  const Thing up{Shape::plane({0, 0, 1}, 0), {}}, down{Shape::plane({0, 0, -1}, 5), {}};
  EXPECT_EQ(test::contacts(up, down, 100).count, 0);
}

}  // namespace
}  // namespace carom
