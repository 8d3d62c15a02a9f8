// Contact points of two boxes for the real-time step, in random poses, with the signed distance and separating axes as
// references.
#include "fast/box_pair.h"

#include <gtest/gtest.h>

#include <set>

#include "collision/placing.h"
#include "geometry/distance.h"

namespace carom {
namespace {

using test::BoxAxes;
using test::Random;
using test::Thing;

struct Case {
  Thing a, b;
  Real smallest() const {
    const Vec3 &p = BoxAxes(a).half, &q = BoxAxes(b).half;
    return std::min({p.x, p.y, p.z, q.x, q.y, q.z});
  }
  Real distance() const { return signed_distance(a.placed(), b.placed()).distance; }
};

/// Boxes that are apart, or overlap, by something from −0.4 to 0.3 along a random direction, and off the line of
/// centres, so that faces, edges and corners all come up. A third of them have their axes in line, nearly or quite.
Case near_boxes(Random& random) {
  Thing a{test::random_box_shape(random), random.pose(1)}, b{test::random_box_shape(random), random.pose(1)};
  if (random.integer(0, 2) == 0) {
    b.pose.orientation = a.pose.orientation;
    if (random.coin()) b.pose.orientation = test::turn(random.unit(), random.scale(1e-6, 3)) * b.pose.orientation;
  }
  const BoxAxes box_a(a), box_b(b);
  const Vec3 n = random.coin() ? random.unit() : box_a.rotation.column(random.integer(0, 2));
  b.pose.position = a.pose.position + (box_a.reach(n) + box_b.reach(n) + random.uniform(-0.4, 0.3)) * n;
  const Vec3 side = random.vector(0.7);
  b.pose.position += side - dot(side, n) * n;
  return {a, b};
}

constexpr int kCases = 20000;
constexpr Real kRounding = 1e-9;

struct Found {
  Manifold manifold;
  Real known = 0;
};
Found find(const Case& c, Real known, std::uint8_t axis = 0) {
  Found found;
  found.manifold.axis = axis;
  found.known = fast::find_box_points(c.a.placed(), c.b.placed(), known, found.manifold);
  return found;
}

TEST(FastBoxes, NearerThanAskedForHaveAPoint) {
  Random random(1);
  int near = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Real known = random.uniform(0, 0.2);
    if (c.distance() > known - kRounding) continue;
    ++near;
    ASSERT_GT(find(c, known).manifold.count, 0) << i;
  }
  EXPECT_GT(near, kCases / 3);
}

TEST(FastBoxes, NothingIsNearerThanWhatTheSearchSays) {
  // It may know more than it was asked for: then there is nothing up to there.
  Random random(2);
  int farther = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Real known = random.uniform(0, 0.1);
    const Found found = find(c, known);
    ASSERT_GE(found.known, known) << i;
    if (found.known == known) continue;
    ++farther;
    ASSERT_EQ(found.manifold.count, 0) << i;
    ASSERT_GE(c.distance(), found.known - kRounding) << i;
  }
  EXPECT_GT(farther, kCases / 10);
}

TEST(FastBoxes, NoGapIsLessThanTheDistance) {
  // Every gap is measured along one normal between points of both boxes.
  Random random(3);
  int apart = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Real distance = c.distance();
    if (distance <= 0) continue;
    const Found found = find(c, random.uniform(0, 0.3));
    if (found.manifold.count == 0) continue;
    ++apart;
    ASSERT_GE(test::least_gap(found.manifold), distance - kRounding) << i;
  }
  EXPECT_GT(apart, kCases / 10);
}

TEST(FastBoxes, TheLeastGapIsNotMuchMoreThanTheDistance) {
  // A separation along a face is at most the distance, and a face whose points are farther off than that by a twentieth
  // of the smallest half size is not taken. A face that stands for an edge may be off by the angle between them, whose
  // cosine is at least 0.9.
  Random random(4);
  int count = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Real distance = c.distance();
    if (distance <= 1e-3) continue;
    const Found found = find(c, 0.3);
    if (found.manifold.count == 0) continue;
    ++count;
    ASSERT_LE(test::least_gap(found.manifold), distance / 0.9 + 0.051 * c.smallest()) << i << ", distance " << distance;
  }
  EXPECT_GT(count, kCases / 20);
}

TEST(FastBoxes, OverlapIsUndoneAlongTheNormalNotMuchFartherThanNeeded) {
  // An axis is kept where another is no better than a thousandth of the smallest half size; a face is taken for edges
  // that are better by a hundredth, or that look nearly its way, if it pushes no more than half as far again and a
  // twentieth of the smallest half size.
  Random random(5);
  int overlapping = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Real best = test::axis_separations(BoxAxes(c.a), BoxAxes(c.b)).front();
    if (best > -1e-3) continue;
    ++overlapping;
    const Manifold m = find(c, 0.1).manifold;
    ASSERT_GT(m.count, 0) << i;
    ASSERT_LE(test::least_gap(m), 0) << i;
    ASSERT_GE(test::least_gap(m), 1.5 * best - 0.051 * c.smallest()) << i;
  }
  EXPECT_GT(overlapping, kCases / 10);
}

TEST(FastBoxes, MovingApartAlongTheNormalSeparates) {
  // By as much as the deepest point says, and what a kept axis may be worse.
  Random random(6);
  for (int i = 0; i < kCases; ++i) {
    Case c = near_boxes(random);
    const Manifold m = find(c, 0.1).manifold;
    if (m.count == 0 || test::least_gap(m) > 0) continue;
    c.b.pose.position += (1.02 * c.smallest() * 0.05 - test::least_gap(m)) * m.normal;
    ASSERT_GE(test::axis_separations(BoxAxes(c.a), BoxAxes(c.b)).front(), -1e-9) << i;
  }
}

TEST(FastBoxes, NormalsAreUnitAndPointsLieOnBothBoxes) {
  Random random(7);
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Manifold m = find(c, 0.1).manifold;
    if (m.count == 0) continue;
    ASSERT_NEAR(norm(m.normal), 1, kRounding) << i;
    const BoxAxes a(c.a), b(c.b);
    for (const ManifoldPoint& p : test::points(m)) {
      const Vec3 on_a = p.point - 0.5 * p.gap * m.normal, on_b = p.point + 0.5 * p.gap * m.normal;
      for (int k = 0; k < 3; ++k) {
        ASSERT_LE(std::abs(dot(a.rotation.column(k), on_a - a.center)), a.half[k] * (1 + 2e-5)) << i;
        ASSERT_LE(std::abs(dot(b.rotation.column(k), on_b - b.center)), b.half[k] * (1 + 2e-5)) << i;
      }
    }
  }
}

TEST(FastBoxes, FeaturesAreUniqueInAManifold) {
  Random random(8);
  for (int i = 0; i < kCases; ++i) {
    const Manifold m = find(near_boxes(random), 0.1).manifold;
    std::set<std::uint16_t> features;
    for (const ManifoldPoint& p : test::points(m)) features.insert(p.feature);
    ASSERT_EQ(static_cast<int>(features.size()), m.count) << i;
  }
}

TEST(FastBoxes, TheOtherWayRoundIsTheSameContact) {
  // Which box is named first decides between axes that are equally good alone.
  Random random(9);
  int same = 0, count = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Manifold m = find(c, 0.1).manifold, back = find({c.b, c.a}, 0.1).manifold;
    ASSERT_EQ(m.count == 0, back.count == 0) << i;
    if (m.count == 0) continue;
    ++count;
    same += norm(m.normal + back.normal) < 1e-6 && std::abs(test::least_gap(m) - test::least_gap(back)) < 1e-6 ? 1 : 0;
  }
  EXPECT_GT(same, count * 9 / 10);
}

TEST(FastBoxes, CubeOnCubeTouchesInItsFourCorners) {
  for (const Real gap : {0.01, 0.0, -0.01}) {
    const Case c{{Shape::box({1, 1, 1}), {}}, {Shape::box({1, 1, 1}), {{0, 0, 1 + gap}, {}}}};
    const Manifold m = find(c, 0.02).manifold;
    EXPECT_EQ(m.count, 4);
    EXPECT_LE(norm(m.normal - Vec3{0, 0, 1}), 1e-14);
    for (const ManifoldPoint& p : test::points(m)) {
      EXPECT_NEAR(p.gap, gap, 1e-14);
      EXPECT_NEAR(std::abs(p.point.x), 0.5, 1e-14);
      EXPECT_NEAR(std::abs(p.point.y), 0.5, 1e-14);
    }
  }
}

TEST(FastBoxes, FromAfarFacesComeBeforeEdges) {
  // A cube tilted over another: the axis of its lowest edge is the better one by a little, but the face shows where the
  // cube will land.
  const Case c{{Shape::box({2, 2, 2}), {}},
               {Shape::box({1, 1, 1}), {{0, 0, 1.8}, test::turn({0, 0, 1}, 40) * test::turn({1, 0, 0}, 10)}}};
  const Manifold m = find(c, 0.3).manifold;
  EXPECT_LE(norm(m.normal - Vec3{0, 0, 1}), 1e-12);
  EXPECT_EQ(m.count, 4);
}

TEST(FastBoxes, SameCentreStillHasANormal) {
  const Case c{{Shape::box({1, 1, 1}), {}}, {Shape::box({1, 1, 1}), {}}};
  const Manifold m = find(c, 0.01).manifold;
  EXPECT_GT(m.count, 0);
  EXPECT_NEAR(norm(m.normal), 1, 1e-14);
  EXPECT_NEAR(test::least_gap(m), -1, 1e-14);
}

TEST(FastBoxes, SmallMotionKeepsTheAxisAndNearlyTheGaps) {
  Random random(10);
  constexpr Real kMotion = 1e-9;
  for (int i = 0; i < kCases; ++i) {
    const Case c = near_boxes(random);
    const Manifold before = find(c, 0.1).manifold;
    // Just inside what is asked for, a point may come and go.
    if (before.count == 0 || test::least_gap(before) > 0.1 - 1e-6) continue;
    const Pose motion{kMotion * random.unit(), normalized(Quat{1, kMotion, -kMotion, kMotion})};
    const Manifold after = find({c.a, c.b.moved(motion)}, 0.1, before.axis).manifold;
    ASSERT_EQ(after.axis, before.axis) << i;
    ASSERT_EQ(after.count, before.count) << i;
    // A side that cuts a face at a small angle multiplies the motion.
    for (std::size_t k = 0; k < static_cast<std::size_t>(before.count); ++k)
      ASSERT_NEAR(after.points[k].gap, before.points[k].gap, 1000 * kMotion) << i;
  }
}

}  // namespace
}  // namespace carom
