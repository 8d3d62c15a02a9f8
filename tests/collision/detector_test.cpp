// The broad phase against all pairs, and manifolds that persist.
#include "collision/detector.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;

/// Shapes of all kinds with proxies on them.
struct Scene {
  std::vector<ShapePtr> shapes;
  std::vector<Proxy> proxies;

  void add(const ShapePtr& shape, const Pose& pose, bool moves, bool dynamic, Real reach = 0.01) {
    shapes.push_back(shape);
    proxies.push_back({&shape->geometry(),
                       pose.position,
                       to_matrix(pose.orientation),
                       {},
                       moves ? reach : 0,
                       shape->is_bounded(),
                       moves,
                       dynamic});
  }
};

Scene random_scene(Random& random, int bodies, Real spread) {
  Scene scene;
  scene.add(Shape::plane({0, 0, 1}, 0), {{0, 0, -spread}, {}}, false, false);
  for (int i = 0; i < bodies; ++i) {
    const int role = random.integer(0, 9);  // a fixed body, a kinematic one, or, most often, a dynamic one
    scene.add(test::random_shape(random, random.integer(0, 2)), random.pose(spread), role != 0, role > 1);
  }
  return scene;
}

using PairCounts = std::map<std::pair<int, int>, int>;

/// Number of points of every touching pair, by trying all of them.
PairCounts all_pairs(const Scene& scene) {
  PairCounts pairs;
  for (std::size_t i = 0; i < scene.proxies.size(); ++i) {
    for (std::size_t j = i + 1; j < scene.proxies.size(); ++j) {
      const Proxy &a = scene.proxies[i], &b = scene.proxies[j];
      if (!a.dynamic && !b.dynamic) continue;
      Manifold m;
      collide({a.geometry, a.position, a.rotation}, {b.geometry, b.position, b.rotation},
              coarse_margin(a.reach + b.reach), m);
      if (m.count > 0) pairs[{static_cast<int>(i), static_cast<int>(j)}] = m.count;
    }
  }
  return pairs;
}

PairCounts found_pairs(std::span<const Manifold> manifolds) {
  PairCounts pairs;
  for (const Manifold& m : manifolds) {
    const auto [it, fresh] = pairs.insert({std::minmax(m.a, m.b), m.count});
    EXPECT_TRUE(fresh) << "pair " << m.a << " " << m.b << " twice";
  }
  return pairs;
}

TEST(Detector, FindsThePairsThatTryingAllFinds) {
  Random random(2);
  for (const int bodies : {0, 1, 10, 300}) {
    const Scene scene = random_scene(random, bodies, 3);
    Detector detector;
    EXPECT_EQ(found_pairs(detector.detect(scene.proxies, nullptr)), all_pairs(scene)) << bodies;
  }
}

TEST(Detector, BodiesThatWillMeetOnTheWayAreFound) {
  // Two balls 10 apart that swap places: apart at both ends of the step, touching in between.
  Scene scene;
  scene.add(Shape::sphere(0.5), {{0, 0, 0}, {}}, true, true);
  scene.add(Shape::sphere(0.5), {{10, 0, 0}, {}}, true, true);
  Detector detector;
  EXPECT_TRUE(detector.detect(scene.proxies, nullptr).empty());
  scene.proxies[0].sweep = {10, 0, 0};
  scene.proxies[1].sweep = {-10, 0, 0};
  const auto manifolds = detector.detect(scene.proxies, nullptr);
  ASSERT_EQ(manifolds.size(), 1U);
  EXPECT_NEAR(manifolds[0].points[0].gap, 9, 1e-14);
}

TEST(Detector, BodyThatFeelsImpulsesIsNamedSecond) {
  Scene scene;
  scene.add(Shape::sphere(0.5), {{0, 0, 0.5}, {}}, true, true);
  scene.add(Shape::plane({0, 0, 1}, 0), {}, false, false);
  Detector detector;
  const auto manifolds = detector.detect(scene.proxies, nullptr);
  ASSERT_EQ(manifolds.size(), 1U);
  EXPECT_EQ(manifolds[0].a, 1);
  EXPECT_EQ(manifolds[0].b, 0);
  EXPECT_GT(manifolds[0].normal.z, 0.5);
}

void expect_same(std::span<const Manifold> a, std::span<const Manifold> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].a, b[i].a);
    ASSERT_EQ(a[i].b, b[i].b);
    ASSERT_EQ(a[i].normal, b[i].normal);
    ASSERT_EQ(a[i].count, b[i].count);
    ASSERT_EQ(a[i].first_point, b[i].first_point);
    for (std::size_t k = 0; k < static_cast<std::size_t>(a[i].count); ++k) {
      ASSERT_EQ(a[i].points[k].point, b[i].points[k].point);
      ASSERT_EQ(a[i].points[k].gap, b[i].points[k].gap);
      ASSERT_EQ(a[i].points[k].feature, b[i].points[k].feature);
      ASSERT_EQ(a[i].points[k].previous, b[i].points[k].previous);
    }
  }
}

TEST(Detector, GivesTheSameBitsOnAnyNumberOfThreads) {
  Random random(3);
  Scene scene = random_scene(random, 1500, 5);  // enough for many chunks of bodies and of pairs
  Detector alone, two, three;
  ThreadPool pool2(2), pool3(3);
  for (int step = 0; step < 3; ++step) {
    const auto reference = alone.detect(scene.proxies, nullptr);
    EXPECT_GT(reference.size(), 500U);
    expect_same(reference, two.detect(scene.proxies, &pool2));
    expect_same(reference, three.detect(scene.proxies, &pool3));
    for (Proxy& p : scene.proxies)
      if (p.moves) p.position += random.vector(0.01);
  }
}

TEST(Detector, PointsKnowTheirIndexInTheStepBefore) {
  Random random(4);
  Scene scene = random_scene(random, 300, 3);
  Detector detector;
  const auto first = detector.detect(scene.proxies, nullptr);
  struct Name {
    int a, b;
    std::uint16_t feature;
    auto operator<=>(const Name&) const = default;
  };
  std::map<Name, int> index;
  int points = 0;
  for (const Manifold& m : first) {
    for (const ManifoldPoint& p : test::points(m)) {
      EXPECT_EQ(p.previous, -1);  // nothing was there before
      index[{m.a, m.b, p.feature}] = points++;
    }
  }
  for (Proxy& p : scene.proxies)
    if (p.moves) p.position += random.vector(1e-6);
  int kept = 0;
  for (const Manifold& m : detector.detect(scene.proxies, nullptr)) {
    for (const ManifoldPoint& p : test::points(m)) {
      const auto before = index.find({m.a, m.b, p.feature});
      ASSERT_EQ(p.previous, before == index.end() ? -1 : before->second);
      kept += p.previous >= 0 ? 1 : 0;
    }
  }
  EXPECT_GT(kept, points * 99 / 100);  // a motion of 1e-6 loses next to none
}

TEST(Detector, ForgottenBodyHasNewContactsAndOthersKeepTheirs) {
  Scene scene;
  scene.add(Shape::plane({0, 0, 1}, 0), {}, false, false);
  for (const Real x : {0.0, 3.0, 6.0}) scene.add(Shape::box({1, 1, 1}), {{x, 0, 0.5}, {}}, true, true);
  Detector detector;
  EXPECT_EQ(detector.detect(scene.proxies, nullptr).size(), 3U);
  detector.forget(2);
  for (const Manifold& m : detector.detect(scene.proxies, nullptr)) {
    for (int k = 0; k < m.count; ++k) {
      // Boxes 1, 2 and 3 had the points 0–3, 4–7 and 8–11.
      EXPECT_EQ(m.points[static_cast<std::size_t>(k)].previous, m.b == 2 ? -1 : 4 * (m.b - 1) + k) << m.b;
    }
  }
}

TEST(Detector, BodyTakenAwayIsNotFound) {
  Scene scene;
  scene.add(Shape::plane({0, 0, 1}, 0), {}, false, false);
  scene.add(Shape::sphere(0.5), {{0, 0, 0.5}, {}}, true, true);
  Detector detector;
  EXPECT_EQ(detector.detect(scene.proxies, nullptr).size(), 1U);
  scene.proxies[1].geometry = nullptr;
  EXPECT_TRUE(detector.detect(scene.proxies, nullptr).empty());
}

TEST(Detector, FixedBodyIsSeenWhereItWasPutAnew) {
  Scene scene;
  scene.add(Shape::box({1, 1, 1}), {{0, 0, -0.5}, {}}, false, false);
  scene.add(Shape::sphere(0.5), {{5, 0, 0.5}, {}}, true, true);
  Detector detector;
  EXPECT_TRUE(detector.detect(scene.proxies, nullptr).empty());
  scene.proxies[0].position.x = 5;
  detector.fixed_bodies_changed();
  EXPECT_EQ(detector.detect(scene.proxies, nullptr).size(), 1U);
}

TEST(Detector, OverlapsAreThoseOfFastBodiesAndDeepEnough) {
  Scene scene;
  scene.add(Shape::plane({0, 0, 1}, 0), {}, false, false);
  for (const Real depth : {0.2, 0.2, 0.001})
    scene.add(Shape::sphere(0.5), {{3.0 * static_cast<Real>(scene.shapes.size()), 0, 0.5 - depth}, {}}, true, true, 0);
  Detector detector;
  const std::size_t before = detector.detect(scene.proxies, nullptr).size();
  scene.proxies[1].sweep = {0, 0, -1};  // fast and deep
  scene.proxies[3].sweep = {0, 0, -1};  // fast, but no deeper than allowed
  const auto overlaps = detector.detect_overlaps(scene.proxies, 0.1, 0.01, nullptr);
  ASSERT_EQ(overlaps.size(), 1U);
  EXPECT_EQ(overlaps[0].b, 1);
  EXPECT_NEAR(overlaps[0].points[0].gap, -0.2, 1e-15);
  EXPECT_EQ(detector.manifolds().size(), before);
}

}  // namespace
}  // namespace carom
