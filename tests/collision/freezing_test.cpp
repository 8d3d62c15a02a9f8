// Frozen bodies in the detector: what is found of them, what is put aside, and what comes back.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "carom/base/error.h"
#include "collision/detector.h"
#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;

/// A detector beside one that knows of no freezing: bodies of all kinds in a heap over a plane.
struct Heap {
  std::vector<ShapePtr> shapes;
  std::vector<Proxy> proxies;
  std::set<std::int32_t> frozen;
  Detector detector, plain;

  void add(const ShapePtr& shape, const Pose& pose, bool moves, bool dynamic) {
    shapes.push_back(shape);
    proxies.push_back({&shape->geometry(),
                       pose.position,
                       to_matrix(pose.orientation),
                       {},
                       moves ? 0.01 : 0,
                       shape->is_bounded(),
                       moves,
                       dynamic});
  }
  Heap(Random& random, int bodies, Real spread) {
    add(Shape::plane({0, 0, 1}, 0), {{0, 0, -spread}, {}}, false, false);
    for (int i = 0; i < bodies; ++i) {
      const int role = random.integer(0, 9);
      add(test::random_shape(random, random.integer(0, 2)), random.pose(spread), role != 0, role > 1);
    }
    give_still();
  }
  std::int32_t size() const { return static_cast<std::int32_t>(proxies.size()); }
  Proxy& at(std::int32_t body) { return proxies[static_cast<std::size_t>(body)]; }
  bool is_awake(std::int32_t body) { return at(body).moves && !frozen.contains(body); }

  void give_still() {
    for (std::int32_t i = 0; i < size(); ++i)
      if (!is_awake(i)) detector.set(i, at(i));
  }
  void freeze(std::int32_t body) {
    at(body).reach = 0;
    detector.proxy(body) = at(body);
    detector.freeze(body);
    frozen.insert(body);
  }
  std::span<const Manifold> revive(std::int32_t body) {
    at(body).reach = 0.01;
    frozen.erase(body);
    return detector.revive(body);
  }
  std::span<const Manifold> detect(ThreadPool* threads = nullptr) {
    std::vector<std::int32_t> awake;
    for (std::int32_t i = 0; i < size(); ++i) {
      if (!is_awake(i)) continue;
      detector.proxy(i) = at(i);
      awake.push_back(i);
    }
    return detector.detect(awake, threads);
  }
  std::int32_t random_mover(Random& random) {
    for (;;) {
      const std::int32_t body = random.integer(0, size() - 1);
      if (at(body).moves) return body;
    }
  }
  /// Moves what is awake; resting contacts must not notice.
  void stir(Random& random, Real most) {
    for (std::int32_t i = 0; i < size(); ++i)
      if (is_awake(i)) at(i).position += random.vector(most);
  }
};

/// What a manifold says, but for histories.
void expect_same(const Manifold& a, const Manifold& b, Real tolerance = 0) {
  ASSERT_EQ(std::tuple(a.a, a.b, a.part, a.count), std::tuple(b.a, b.b, b.part, b.count));
  ASSERT_LE(norm(a.normal - b.normal), tolerance);
  for (std::size_t k = 0; k < static_cast<std::size_t>(a.count); ++k) {
    ASSERT_LE(norm(a.points[k].point - b.points[k].point), tolerance);
    ASSERT_LE(std::abs(a.points[k].gap - b.points[k].gap), tolerance);
    ASSERT_EQ(a.points[k].feature, b.points[k].feature);
  }
}

using Bodies = std::pair<std::int32_t, std::int32_t>;
std::map<Bodies, int> points_of_pairs(std::span<const Manifold> manifolds) {
  std::map<Bodies, int> points;
  for (const Manifold& m : manifolds) points[{m.a, m.b}] += m.count;
  return points;
}

TEST(Freezing, ActiveAndRestingContactsTogetherAreThoseOfAllBodies) {
  Random random(1);
  Heap heap(random, 200, 2.5);
  heap.detect();
  for (int round = 0; round < 60; ++round) {
    for (int k = 0; k < 8; ++k) {
      const std::int32_t body = heap.random_mover(random);
      if (heap.frozen.contains(body)) {
        if (round % 3 == 0) heap.revive(body);
      } else {
        heap.freeze(body);
      }
    }
    const auto active = points_of_pairs(heap.detect());
    // As found by a detector that has never seen these bodies before, with margins that are no wider.
    const auto all = points_of_pairs(heap.plain.detect(heap.proxies, nullptr));
    std::map<Bodies, int> resting;
    for (const Manifold* m : heap.detector.resting()) resting[{m->a, m->b}] += m->count;
    // No pair that touches is lost, while awake, on the way to rest, or back.
    for (const auto& [pair, points] : all) {
      const bool asked = heap.is_awake(pair.first) || heap.is_awake(pair.second);
      EXPECT_EQ(active.count(pair), asked ? 1U : 0U) << pair.first << " " << pair.second;
      EXPECT_EQ(resting.count(pair), asked ? 0U : 1U) << pair.first << " " << pair.second;
    }
    for (const auto& [pair, points] : active) EXPECT_TRUE(heap.is_awake(pair.first) || heap.is_awake(pair.second));
    for (const auto& [pair, points] : resting) EXPECT_FALSE(heap.is_awake(pair.first) || heap.is_awake(pair.second));
  }
  EXPECT_GT(heap.frozen.size(), 40U);
  EXPECT_FALSE(heap.detector.resting().empty());
}

TEST(Freezing, ContactsKeepTheirOrderAndNamesWhenABodyFreezes) {
  Random random(2);
  Heap heap(random, 150, 2);
  heap.detect();
  const std::vector<Manifold> before(heap.detector.manifolds().begin(), heap.detector.manifolds().end());
  for (int k = 0; k < 60; ++k) heap.freeze(heap.random_mover(random));
  std::size_t next = 0;
  for (const Manifold& m : heap.detect()) {
    while (next < before.size() &&
           std::tuple(before[next].a, before[next].b, before[next].part) != std::tuple(m.a, m.b, m.part))
      ++next;
    ASSERT_LT(next, before.size());
    expect_same(m, before[next], 1e-13);  // points follow their bodies: rounding, in a scene of a few metres
    for (int k = 0; k < m.count; ++k)
      EXPECT_EQ(m.points[static_cast<std::size_t>(k)].previous, before[next].first_point + k);
  }
}

TEST(Freezing, ImpulsesSurviveRestAndComeBackAtOnce) {
  Random random(3);
  Heap heap(random, 150, 2);
  heap.detect();
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::uint16_t>, Vec3> impulses;
  for (const Manifold& m : heap.detector.manifolds()) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(m.count); ++k) {
      const Vec3 impulse = random.vector(1);
      heap.detector.impulses()[static_cast<std::size_t>(m.first_point) + k] = impulse;
      impulses[{m.a, m.b, m.part, m.points[k].feature}] = impulse;
    }
  }
  const auto expect_impulses = [&](std::span<const Manifold> manifolds) {
    for (const Manifold& m : manifolds) {
      ASSERT_LE(static_cast<std::size_t>(m.first_point + m.count), heap.detector.point_count());
      for (std::size_t k = 0; k < static_cast<std::size_t>(m.count); ++k) {
        const auto known = impulses.find({m.a, m.b, m.part, m.points[k].feature});
        ASSERT_NE(known, impulses.end());
        EXPECT_EQ(heap.detector.impulses()[static_cast<std::size_t>(m.first_point) + k], known->second);
      }
    }
  };
  for (std::int32_t i = 0; i < heap.size(); ++i)
    if (heap.at(i).moves) heap.freeze(i);
  EXPECT_TRUE(heap.detect().empty());
  EXPECT_TRUE(heap.detect().empty());
  std::size_t revived = 0;
  for (std::int32_t i = 0; i < heap.size(); i += 2) {
    std::vector<const Manifold*> resting;
    heap.detector.resting_of(i, resting);
    std::vector<Manifold> expected;
    expected.reserve(resting.size());
    for (const Manifold* m : resting) expected.push_back(*m);
    if (!heap.frozen.contains(i)) continue;
    const auto back = heap.revive(i);
    ASSERT_EQ(back.size(), expected.size());
    for (std::size_t k = 0; k < back.size(); ++k) expect_same(back[k], expected[k]);
    expect_impulses(back);
    revived += back.size();
  }
  EXPECT_GT(revived, 50U);
  EXPECT_EQ(heap.detector.manifolds().size(), revived);
  expect_impulses(heap.detect());
}

TEST(Freezing, RestingContactsAreThoseAtThePosesWhereBodiesStay) {
  // A box is moved in the very step in which it freezes.
  Random none(1);
  Heap heap(none, 0, 0.5);
  heap.add(Shape::box({1, 1, 1}), {{0, 0, 0.001}, {}}, true, true);
  ASSERT_EQ(heap.detect().size(), 1U);
  heap.at(1).position.z = 0.0005;
  heap.freeze(1);
  EXPECT_TRUE(heap.detect().empty());
  ASSERT_EQ(heap.detector.resting().size(), 1U);
  EXPECT_EQ(heap.detector.resting()[0]->count, 4);
  EXPECT_NEAR(heap.detector.resting()[0]->points[0].gap, 0.0005, 1e-15);
  std::vector<const Manifold*> of_plane;
  heap.detector.resting_of(0, of_plane);
  EXPECT_EQ(of_plane.size(), 1U);
}

TEST(Freezing, ASavedDetectorGoesOnAsTheOneItCameFrom) {
  Random random(4);
  Heap heap(random, 150, 2);
  heap.detect();
  for (Vec3& impulse : heap.detector.impulses()) impulse = random.vector(1);
  for (int k = 0; k < 70; ++k) heap.freeze(heap.random_mover(random));
  heap.detect();
  for (int k = 0; k < 10; ++k) heap.revive(heap.random_mover(random));

  ByteWriter out;
  heap.detector.save(out);
  ByteReader in(out.bytes());
  Detector restored;
  ASSERT_TRUE(restored.restore(in, heap.proxies.size()));
  EXPECT_TRUE(in.at_end());
  std::swap(heap.detector, restored);
  heap.give_still();
  for (int step = 0; step < 4; ++step) {
    heap.stir(random, 0.003);
    if (step == 2) {
      const std::int32_t body = *heap.frozen.begin();
      heap.revive(body);
      restored.revive(body);
    }
    const auto found = heap.detect();
    std::swap(heap.detector, restored);
    const auto expected = heap.detect();
    std::swap(heap.detector, restored);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      expect_same(found[i], expected[i]);
      ASSERT_EQ(found[i].first_point, expected[i].first_point);
    }
    ASSERT_TRUE(std::equal(heap.detector.impulses().begin(), heap.detector.impulses().end(),
                           restored.impulses().begin(), restored.impulses().end()));
    ASSERT_EQ(heap.detector.resting().size(), restored.resting().size());
    for (std::size_t i = 0; i < restored.resting().size(); ++i)
      expect_same(*heap.detector.resting()[i], *restored.resting()[i]);
  }
  ByteReader cut(std::string_view(out.bytes()).substr(0, out.bytes().size() - 9));
  EXPECT_FALSE(Detector().restore(cut, heap.proxies.size()));
}

TEST(Freezing, RemovedBodiesTakeTheirRestingContactsWithThem) {
  Random random(5);
  Heap heap(random, 100, 1.5);
  heap.detect();
  for (std::int32_t i = 0; i < heap.size(); ++i)
    if (heap.at(i).moves) heap.freeze(i);
  heap.detect();
  const std::int32_t body = heap.random_mover(random);
  heap.frozen.erase(body);
  heap.at(body) = {};
  heap.detector.remove(body);
  EXPECT_TRUE(heap.detect().empty());
  EXPECT_FALSE(heap.detector.is_frozen(body));
  EXPECT_FALSE(heap.detector.resting().empty());
  for (const Manifold* m : heap.detector.resting()) EXPECT_TRUE(m->a != body && m->b != body);
}

TEST(Freezing, OverlapsAheadAreFoundForWhatMovesAlone) {
  Random none(1);
  Heap heap(none, 0, 100);
  // In a row, a tenth into each other.
  for (int i = 0; i < 3; ++i) heap.add(Shape::box({1, 1, 1}), {{0.9 * i, 0, 0}, {}}, true, true);
  heap.detect();
  heap.freeze(2);
  heap.freeze(3);
  heap.detect();
  const std::vector<std::int32_t> awake{1};
  Proxy& moved = heap.detector.proxy(1);
  moved.position.x = 0.2;
  moved.sweep.x = 0.2;
  auto overlaps = heap.detector.detect_overlaps(awake, 0.1, 0.01, nullptr);
  ASSERT_EQ(overlaps.size(), 1U);  // not that of 2 with 3
  EXPECT_EQ(std::pair(overlaps[0].a, overlaps[0].b), std::pair(1, 2));
  // Revived within the step, it asks for itself.
  heap.revive(2);
  const std::vector<std::int32_t> both{1, 2};
  heap.detector.proxy(2).sweep.x = 0.5;
  overlaps = heap.detector.detect_overlaps(both, 0.1, 0.01, nullptr);
  EXPECT_EQ(overlaps.size(), 2U);
}

TEST(Freezing, AListThatMissesABodyIsRefused) {
  Random none(1);
  Heap heap(none, 0, 1);
  heap.add(Shape::sphere(1), {}, true, true);
  heap.detect();
  EXPECT_THROW(heap.detector.detect(std::span<const std::int32_t>{}, nullptr), Error);
}

TEST(Freezing, GivesTheSameBitsOnAnyNumberOfThreads) {
  ThreadPool pool(3);
  std::vector<std::size_t> sizes;
  std::vector<std::vector<Manifold>> found(2);
  for (std::size_t run = 0; run < 2; ++run) {
    Random random(6);
    Heap heap(random, 900, 4);
    for (int step = 0; step < 5; ++step) {
      heap.detect(run == 0 ? nullptr : &pool);
      for (int k = 0; k < 150; ++k) heap.freeze(heap.random_mover(random));
      for (int k = 0; k < 20; ++k) heap.revive(heap.random_mover(random));
      heap.stir(random, 0.01);
    }
    found[run].assign(heap.detector.manifolds().begin(), heap.detector.manifolds().end());
    for (const Manifold* m : heap.detector.resting()) found[run].push_back(*m);
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i) expect_same(found[0][i], found[1][i]);
}

}  // namespace
}  // namespace carom
