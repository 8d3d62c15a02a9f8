// Two boxes in random poses: what must hold of any manifold, with separating axes and the signed distance as
// references. The axes are independent of the code under test; where corners and edges are apart it asks for the signed
// distance itself, which has tests of its own.
#include <gtest/gtest.h>

#include <set>

#include "collision/placing.h"
#include "geometry/distance.h"

namespace carom {
namespace {

using test::BoxAxes;
using test::Random;
using test::Thing;

constexpr Real kMargin = 0.1;

struct Case {
  Thing a, b;
};

/// Boxes near enough to touch: b is put where it is apart from a by something from −0.4 to 0.2 along a random
/// direction.
Case near_boxes(Random& random) {
  Thing a{test::random_box_shape(random), random.pose(1)}, b{test::random_box_shape(random), random.pose(1)};
  const Vec3 n = random.unit();
  const BoxAxes box_a(a), box_b(b);
  b.pose.position = a.pose.position + (box_a.reach(n) + box_b.reach(n) + random.uniform(-0.4, 0.2)) * n;
  // Off the line of centres, so that faces, edges and vertices all come up.
  const Vec3 side = random.vector(0.7);
  b.pose.position += side - dot(side, n) * n;
  return {a, b};
}

TEST(RandomBoxes, ApartBeyondTheMarginHaveNoContacts) {
  Random random(1);
  int apart = 0;
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    if (signed_distance(c.a.placed(), c.b.placed()).distance < kMargin + 1e-9) continue;
    ++apart;
    ASSERT_EQ(test::contacts(c.a, c.b, kMargin).count, 0) << i;
  }
  EXPECT_GT(apart, 1000);
}

TEST(RandomBoxes, CloserThanTheMarginHaveContactsNoNearerThanTheBoxes) {
  Random random(2);
  int near = 0;
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    const Real distance = signed_distance(c.a.placed(), c.b.placed()).distance;
    if (distance <= 0 || distance > kMargin - 1e-9) continue;
    ++near;
    const Manifold m = test::contacts(c.a, c.b, kMargin);
    ASSERT_GT(m.count, 0) << i;
    // A gap is measured along one normal between points of both boxes, so it is never less than the distance.
    ASSERT_GE(test::least_gap(m), distance - 1e-9) << i;
  }
  EXPECT_GT(near, 1000);
}

TEST(RandomBoxes, OverlappingHaveAContactThatSaysSo) {
  Random random(3);
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    const Real best = test::axis_separations(BoxAxes(c.a), BoxAxes(c.b)).front();
    if (best > -1e-3) continue;
    ++overlapping;
    const Manifold m = test::contacts(c.a, c.b, kMargin);
    ASSERT_GT(m.count, 0) << i;
    ASSERT_LT(test::least_gap(m), 0) << i << " overlap " << best;
  }
  EXPECT_GT(overlapping, 3000);
}

TEST(RandomBoxes, OverlapIsUndoneAlongTheNormalNotMuchFartherThanNeeded) {
  Random random(4);
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    const BoxAxes a(c.a), b(c.b);
    const Real best = test::axis_separations(a, b).front();
    if (best > -1e-3) continue;
    const Manifold m = test::contacts(c.a, c.b, kMargin);
    // An edge axis may give way to a face that looks almost the same way and overlaps by up to half as much again, plus
    // a twentieth of the smallest half size.
    const Real smallest = std::min({a.half.x, a.half.y, a.half.z, b.half.x, b.half.y, b.half.z});
    ASSERT_LE(test::least_gap(m), 0) << i;
    ASSERT_GE(test::least_gap(m), 1.5 * best - 0.051 * smallest) << i;
  }
}

TEST(RandomBoxes, PointsLieBetweenTheSurfaces) {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    const Manifold m = test::contacts(c.a, c.b, kMargin);
    if (m.count == 0) continue;
    // Edges that are nearly parallel have a cross product of few digits; contact problems ask for 1e-9.
    ASSERT_NEAR(norm(m.normal), 1, 1e-9) << i;
    for (const ManifoldPoint& p : test::points(m)) {
      ASSERT_LE(p.gap, kMargin) << i;
      // Half a gap back along the normal lies a point of a, half a gap on one of b: at most an overlap outside each
      // other's reach along the normal.
      const BoxAxes a(c.a), b(c.b);
      const Vec3 on_a = p.point - 0.5 * p.gap * m.normal, on_b = p.point + 0.5 * p.gap * m.normal;
      for (int k = 0; k < 3; ++k) {
        ASSERT_LE(std::abs(dot(a.rotation.column(k), on_a - a.center)), a.half[k] + 2e-5 * a.half[k]) << i;
        ASSERT_LE(std::abs(dot(b.rotation.column(k), on_b - b.center)), b.half[k] + 2e-5 * b.half[k]) << i;
      }
    }
  }
}

TEST(RandomBoxes, FeaturesAreUniqueInAManifold) {
  Random random(6);
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    const Manifold m = test::contacts(c.a, c.b, kMargin);
    std::set<std::uint16_t> features;
    for (const ManifoldPoint& p : test::points(m)) features.insert(p.feature);
    ASSERT_EQ(static_cast<int>(features.size()), m.count) << i;
  }
}

TEST(RandomBoxes, SmallMotionKeepsAxisFeaturesAndNearlyTheGaps) {
  Random random(7);
  constexpr Real kMotion = 1e-9;
  for (int i = 0; i < 20000; ++i) {
    const Case c = near_boxes(random);
    const Manifold before = test::contacts(c.a, c.b, kMargin);
    if (before.count == 0) continue;
    const Pose motion{kMotion * random.unit(), normalized(Quat{1, kMotion, -kMotion, kMotion})};
    const Manifold after = test::contacts(c.a, c.b.moved(motion), kMargin, before.axis);
    ASSERT_EQ(after.axis, before.axis) << i;
    ASSERT_EQ(after.count, before.count) << i;
    for (int k = 0; k < before.count; ++k) {
      const ManifoldPoint &p = before.points[static_cast<std::size_t>(k)],
                          &q = after.points[static_cast<std::size_t>(k)];
      ASSERT_EQ(q.feature, p.feature) << i;
      ASSERT_NEAR(q.gap, p.gap, 100 * kMotion) << i;
    }
  }
}

}  // namespace
}  // namespace carom
