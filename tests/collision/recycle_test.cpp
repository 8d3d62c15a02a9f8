// Manifolds that follow their bodies: how exact, how often, and that nothing else changes.
#include "collision/recycle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "collision/detector.h"
#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;
using test::Thing;

constexpr Real kMargin = 0.01;

/// The pose after a rigid motion of the surface by about `motion`.
Thing nudged(Random& random, const Thing& thing, Real motion) {
  const Quat turn = test::turn(random.unit(), random.uniform(-1, 1) * motion * 57);
  return {thing.shape, {thing.pose.position + random.vector(motion), normalized(turn * thing.pose.orientation)}};
}

struct Followed {
  Manifold then, now;
  bool still = false;
};

/// Points found at first, then followed to where a and b are moved.
Followed follow(const Thing& a, const Thing& b, const Thing& a_moved, const Thing& b_moved) {
  Followed f;
  f.then = test::contacts(a, b, kMargin);
  f.now = f.then;
  std::vector<PointAnchor> anchors;
  const ContactReference reference = make_reference(f.then, a.placed(), b.placed(), kMargin, anchors);
  f.still = is_still(reference, a_moved.placed(), b_moved.placed(), kMargin);
  follow_bodies(reference, anchors, a_moved.placed(), b_moved.placed(), f.now);
  return f;
}

TEST(Recycle, WithoutMotionPointsStayToRounding) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Thing a{test::random_shape(random, random.integer(0, 2)), random.pose(0.1)};
    const Thing b{test::random_shape(random, random.integer(0, 2)), random.pose(0.6)};
    const Followed f = follow(a, b, a, b);
    EXPECT_TRUE(f.still);
    for (std::size_t k = 0; k < static_cast<std::size_t>(f.then.count); ++k) {
      EXPECT_NEAR(f.now.points[k].gap, f.then.points[k].gap, 1e-14);
      EXPECT_LT(norm(f.now.points[k].point - f.then.points[k].point), 1e-14);
      EXPECT_LT(norm(f.now.normal - f.then.normal), 1e-14);
    }
  }
}

TEST(Recycle, MovingTheWholePairChangesNothingBetweenThem) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Thing a{Shape::box({1, 1, 1}), {{0, 0, 0}, {}}}, b{Shape::box({1, 0.8, 1.2}), {{0.2, 0.1, 1.099}, {}}};
    const Pose by = random.pose(10);
    const Followed f = follow(a, b, a.moved(by), b.moved(by));
    EXPECT_TRUE(f.still);
    for (std::size_t k = 0; k < static_cast<std::size_t>(f.then.count); ++k) {
      EXPECT_NEAR(f.now.points[k].gap, f.then.points[k].gap, 1e-13);  // 10 m away: a hundred times the rounding
      EXPECT_LT(norm(f.now.points[k].point - transform(by, f.then.points[k].point)), 1e-13);
    }
  }
}

TEST(Recycle, GapsOfBoxesAreRightToTheSquareOfTheMotion) {
  // The largest error of a gap against a new search, over face contacts with a corner in them, for two motions.
  const auto worst = [](Real motion) {
    Random random(3);
    Real error = 0;
    for (int i = 0; i < 2000; ++i) {
      const Thing a{Shape::box({1, 1, 1}), random.pose(1)};
      // Corner down, edge down or flat over a face, at random.
      const Quat tilt = i % 3 == 0   ? random.rotation()
                        : i % 3 == 1 ? test::turn({1, 0, 0}, random.uniform(0, 90))
                                     : test::turn({0, 0, 1}, random.uniform(0, 90));
      Thing b{Shape::box({0.6, 0.5, 0.7}), {{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0}, tilt}};
      b.pose.position.z = 0.5 + test::BoxAxes(b).reach({0, 0, 1}) + random.uniform(-0.001, 0.001);
      b = {b.shape, test::compose(a.pose, b.pose)};
      const Thing a2 = nudged(random, a, motion), b2 = nudged(random, b, motion);
      const Followed f = follow(a, b, a2, b2);
      const Manifold again = test::contacts(a2, b2, 2 * kMargin, f.then.axis);
      if (again.axis != f.then.axis) continue;
      error = std::max(error, std::abs(test::least_gap(again) - test::least_gap(f.now)));
    }
    return error;
  };
  const Real coarse = worst(1e-4), fine = worst(1e-5);
  EXPECT_LT(coarse, 30 * 1e-8);  // a few motions of both bodies at levers of about one
  EXPECT_LT(fine, 30 * 1e-10);
}

TEST(Recycle, BallsOnFacesAndOnBallsAreExactHoweverTheySpin) {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    const Thing ball{Shape::sphere(0.3), {{0.1, -0.2, 0.7995}, random.rotation()}};
    const Thing other = i % 2 == 0 ? Thing{Shape::box({1, 1, 1}), {}} : Thing{Shape::sphere(0.5), {}};
    Thing spun = ball;
    spun.pose.orientation = random.rotation();
    if (i % 2 != 0) spun.pose.position = 0.8 * normalized(Vec3{0.1, -0.2, 0.7995});
    Thing start = spun;
    start.pose.orientation = ball.pose.orientation;
    spun.pose.position += random.vector(1e-5);
    const bool ball_first = random.coin();
    const Followed f = ball_first ? follow(start, other, spun, other) : follow(other, start, other, spun);
    EXPECT_TRUE(f.still);
    const Manifold again = ball_first ? test::contacts(spun, other, kMargin) : test::contacts(other, spun, kMargin);
    ASSERT_EQ(again.count, 1);
    EXPECT_NEAR(f.now.points[0].gap, again.points[0].gap, 1e-15);
    EXPECT_LT(norm(f.now.points[0].point - again.points[0].point), 1e-15);
    EXPECT_LT(norm(f.now.normal - again.normal), 1e-15);
  }
}

TEST(Recycle, MotionOrAWiderMarginAsksForANewSearch) {
  const Thing floor{Shape::box({10, 10, 1}), {{0, 0, -0.5}, {}}}, cube{Shape::box({1, 1, 1}), {{0, 0, 0.5}, {}}};
  const auto still = [&](const Vec3& shift, Real degrees, Real margin) {
    std::vector<PointAnchor> anchors;
    const Manifold m = test::contacts(floor, cube, kMargin);
    const ContactReference reference = make_reference(m, floor.placed(), cube.placed(), kMargin, anchors);
    const Thing moved{cube.shape, {cube.pose.position + shift, test::turn({0, 0, 1}, degrees)}};
    return is_still(reference, floor.placed(), moved.placed(), margin);
  };
  EXPECT_TRUE(still({}, 0, kMargin));
  EXPECT_TRUE(still({0.5 * kStill, 0, 0}, 0, 0.5 * kMargin));
  EXPECT_FALSE(still({kStill, 0, 0}, 0, kMargin));
  EXPECT_FALSE(still({}, 0.1, kMargin));
  EXPECT_FALSE(still({}, 0, 1.01 * kMargin));
}

TEST(Recycle, ARollingCylinderIsSearchedAnew) {
  const Thing floor{Shape::plane({0, 0, 1}, 0), {}};
  const Thing wheel{Shape::capsule(0.5, 1), {{0, 0, 0.5}, test::turn({1, 0, 0}, 90)}};
  std::vector<PointAnchor> anchors;
  const Manifold m = test::contacts(floor, wheel, kMargin);
  const ContactReference reference = make_reference(m, floor.placed(), wheel.placed(), kMargin, anchors);
  Thing rolled = wheel;
  rolled.pose.position.x += 1e-6;
  EXPECT_FALSE(is_still(reference, floor.placed(), rolled.placed(), kMargin));
}

TEST(Recycle, CoarseMarginsAreNeverSmallerAndHardlyLarger) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Real margin = random.scale(1e-9, 1e9), coarse = coarse_margin(margin);
    EXPECT_GE(coarse, margin);
    EXPECT_LE(coarse, 1.125 * margin);
    EXPECT_EQ(coarse_margin(coarse), coarse);
  }
  EXPECT_EQ(coarse_margin(0), 0);
}

/// Cubes stacked on a floor.
std::vector<Proxy> stack(std::vector<ShapePtr>& shapes, int cubes) {
  std::vector<Proxy> proxies;
  for (int i = 0; i <= cubes; ++i) {
    shapes.push_back(i == 0 ? Shape::box({10, 10, 1}) : Shape::box({1, 1, 1}));
    proxies.push_back({&shapes.back()->geometry(),
                       {0.01 * i, 0, i - 0.5},
                       Mat3::identity(),
                       {},
                       i == 0 ? 0 : 0.005,
                       true,
                       i > 0,
                       i > 0});
  }
  return proxies;
}

TEST(Recycle, WhatRestsIsReusedAndWhatMovesIsNot) {
  std::vector<ShapePtr> shapes;
  std::vector<Proxy> proxies = stack(shapes, 10);
  Detector detector;
  detector.detect(proxies, nullptr);
  EXPECT_EQ(detector.counts().manifolds, 10);
  EXPECT_EQ(detector.counts().reused, 0);
  proxies[10].position.x += 0.01;
  detector.detect(proxies, nullptr);
  EXPECT_EQ(detector.counts().reused, 9);
  detector.forget(3);
  detector.detect(proxies, nullptr);
  EXPECT_EQ(detector.counts().reused, 8);
}

TEST(Recycle, ARestoredDetectorGoesOnBitForBit) {
  Random random(6);
  std::vector<ShapePtr> shapes;
  std::vector<Proxy> proxies = stack(shapes, 10);
  Detector detector;
  for (int i = 0; i < 3; ++i) {
    for (Proxy& p : proxies)
      if (p.moves) p.position += random.vector(1e-5);
    detector.detect(proxies, nullptr);
  }
  ByteWriter out;
  detector.save(out);
  Detector restored;
  ByteReader in(out.bytes());
  ASSERT_TRUE(restored.restore(in, proxies.size()));
  EXPECT_TRUE(in.at_end());
  for (int i = 0; i < 20; ++i) {
    for (Proxy& p : proxies)
      if (p.moves) p.position += random.vector(5e-5);
    const auto a = detector.detect(proxies, nullptr), b = restored.detect(proxies, nullptr);
    EXPECT_EQ(detector.counts().reused, restored.counts().reused);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t m = 0; m < a.size(); ++m) {
      ASSERT_EQ(a[m].count, b[m].count);
      ASSERT_EQ(a[m].normal, b[m].normal);
      for (std::size_t k = 0; k < static_cast<std::size_t>(a[m].count); ++k) {
        ASSERT_EQ(a[m].points[k].point, b[m].points[k].point);
        ASSERT_EQ(a[m].points[k].gap, b[m].points[k].gap);
        ASSERT_EQ(a[m].points[k].previous, b[m].points[k].previous);
      }
    }
  }
}

TEST(Recycle, DamagedBytesAreRefused) {
  std::vector<ShapePtr> shapes;
  const std::vector<Proxy> proxies = stack(shapes, 3);
  Detector detector;
  detector.detect(proxies, nullptr);
  ByteWriter out;
  detector.save(out);
  for (std::size_t size = 0; size < out.bytes().size(); size += 7) {
    Detector other;
    ByteReader in(std::string_view(out.bytes()).substr(0, size));
    EXPECT_FALSE(other.restore(in, proxies.size())) << size;
  }
}

TEST(Recycle, APairOfCompoundsKeepsAManifoldForEachPairOfParts) {
  const ShapePtr leg = Shape::box({0.2, 0.2, 1});
  const ShapePtr table = Shape::compound({{leg, {{-1, 0, 0}, {}}, {}}, {leg, {{1, 0, 0}, {}}, {}}});
  const ShapePtr floor = Shape::box({10, 10, 1});
  std::vector<Proxy> proxies{{&floor->geometry(), {0, 0, -0.5}, Mat3::identity()},
                             {&table->geometry(), {0, 0, 0.5}, Mat3::identity(), {}, 0.005, true, true, true}};
  Detector detector;
  EXPECT_EQ(detector.detect(proxies, nullptr).size(), 2U);
  proxies[1].position.x += 1e-5;
  const auto again = detector.detect(proxies, nullptr);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(detector.counts().reused, 2);
  proxies[1].position.x += 0.01;
  const auto moved = detector.detect(proxies, nullptr);
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(detector.counts().reused, 0);
  for (std::size_t m = 0; m < 2; ++m) {
    ASSERT_EQ(moved[m].count, 4);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(moved[m].points[k].previous, static_cast<int>(4 * m + k));
  }
}

}  // namespace
}  // namespace carom
