// The cache of pairs gives what a search anew would, and forgets what it is told to.
#include "fast/pair_cache.h"

#include <gtest/gtest.h>

#include <map>

#include "fast/bodies.h"

namespace carom {
namespace {

using fast::PairCache;
using test::BodyView;
using test::gap_of;
using test::Random;
using test::Record;

constexpr fast::SearchSettings kSettings{1.0 / 60, 9.81 / 3600};

/// Bodies that lie about, each pair of them in the list; the last is a floor.
struct Bodies {
  std::vector<ShapePtr> shapes;
  std::vector<BodyView> views;
  std::vector<BroadPhase::Pair> pairs;

  explicit Bodies(const std::vector<ShapePtr>& kinds, int count, Random& random) {
    for (int i = 0; i < count; ++i) {
      shapes.push_back(kinds[static_cast<std::size_t>(i) % kinds.size()]);
      views.push_back(test::view_of(shapes.back(), {random.vector(1.1) + Vec3{0, 0, 0.8}, random.rotation()}));
    }
    shapes.push_back(Shape::box({20, 20, 1}));
    views.push_back(test::view_of(shapes.back(), {{0, 0, -0.5}, {}}, false));
    for (std::int32_t a = 0; a < count; ++a)
      for (std::int32_t b = a + 1; b <= count; ++b) pairs.push_back({a, b});
  }
  void update(PairCache& cache) const { cache.update(pairs, views, kSettings, nullptr); }
  /// Every dynamic body by some way in any direction, and turned.
  void wander(Random& random, Real way) {
    for (std::size_t i = 0; i + 1 < views.size(); ++i) {
      const Pose now{views[i].center, views[i].orientation};
      test::move(views[i], {now.position + random.vector(way),
                            normalized(test::turn(random.unit(), random.uniform(0, 100 * way)) * now.orientation)});
    }
  }
  const BodyView& view(std::int32_t body) const { return views[static_cast<std::size_t>(body)]; }
  Real smaller(const BroadPhase::Pair& p) const { return std::min(view(p.first).size, view(p.second).size); }
};

/// m, per pair that has a record in reach: its least gap, by the record, with the bodies where they are now.
std::map<BroadPhase::Pair, Real> least_gaps(const PairCache& cache, const Bodies& bodies) {
  std::map<BroadPhase::Pair, Real> gaps;
  for (const std::int32_t k : cache.active()) {
    const Record& r = cache.records()[static_cast<std::size_t>(k)];
    const BroadPhase::Pair pair{std::min(r.base, r.probe), std::max(r.base, r.probe)};
    Real& least = gaps.try_emplace(pair, 1e300).first->second;
    for (std::size_t i = 0; i < r.count; ++i)
      least = std::min(least, gap_of(r, i, bodies.view(r.base), bodies.view(r.probe)));
  }
  return gaps;
}

/// Whatever is nearer than this, of the smaller body, is in reach: bodies at rest have a margin of twice as much.
constexpr Real kReach = 0.5 * fast::kNear;

/// Compares the cache, step after step, with one that has never seen the bodies. `tolerance` is of the smaller body.
void expect_like_anew(Bodies& bodies, Random& random, Real way, Real tolerance, int steps) {
  PairCache cache;
  int compared = 0;
  std::int64_t searched = 0;
  for (int step = 0; step < steps; ++step) {
    bodies.update(cache);
    searched += cache.searched();
    PairCache anew;
    bodies.update(anew);
    const auto kept = least_gaps(cache, bodies), found = least_gaps(anew, bodies);
    for (const BroadPhase::Pair& pair : bodies.pairs) {
      const Real size = bodies.smaller(pair);
      const auto k = kept.find(pair), f = found.find(pair);
      // Deep in each other bodies have more than one way out.
      const Real gap = f != found.end() ? f->second : (k != kept.end() ? k->second : 1e300);
      if (gap > (kReach - tolerance) * size || gap < -0.05 * size) continue;
      ASSERT_TRUE(k != kept.end()) << "step " << step << ": missed, gap " << gap << ", size " << size;
      ASSERT_TRUE(f != found.end()) << "step " << step << ": not there any more";
      ++compared;
      ASSERT_NEAR(k->second, f->second, tolerance * size)
          << "step " << step << ", kinds " << bodies.view(pair.first).geometry->index() << " and "
          << bodies.view(pair.second).geometry->index();
    }
    bodies.wander(random, way);
  }
  EXPECT_GT(compared, steps / 4);
  // And for less than a search of every pair in every step.
  EXPECT_LT(searched, static_cast<std::int64_t>(bodies.pairs.size()) * steps * 9 / 10);
}

TEST(FastPairCache, FlatBodiesHaveTheGapsOfASearchAnew) {
  // Points are followed for three hundredths of the smaller body; so far an edge that cuts a face off, or the choice
  // between two axes, may lag.
  Random random(1);
  const ShapePtr gem =
      Shape::hull(std::vector<Vec3>{{0.4, 0, 0}, {-0.3, 0.3, 0}, {-0.3, -0.3, 0}, {0, 0, 0.5}, {0.1, 0.1, -0.3}});
  for (const auto& kinds :
       {std::vector<ShapePtr>{Shape::box({0.5, 0.4, 0.3})}, std::vector<ShapePtr>{gem, Shape::box({0.6, 0.2, 0.2})}}) {
    Bodies bodies(kinds, 24, random);
    expect_like_anew(bodies, random, 1e-3, 0.03, 200);
  }
}

TEST(FastPairCache, RoundBodiesHaveTheGapsOfASearchAnew) {
  // Points are followed for a hundred-thousandth of the smaller body; rounding to single precision is less.
  Random random(2);
  const std::vector<ShapePtr> kinds{
      Shape::sphere(0.25),    Shape::capsule(0.15, 0.4),         Shape::cylinder(0.2, 0.4),
      Shape::cone(0.25, 0.5), Shape::ellipsoid({0.3, 0.2, 0.2}), Shape::box({0.4, 0.4, 0.4})};
  Bodies bodies(kinds, 30, random);
  expect_like_anew(bodies, random, 1e-4, 0.03, 200);
}

TEST(FastPairCache, BallsHaveTheExactGap) {
  Random random(3);
  Bodies bodies({Shape::sphere(0.25), Shape::box({0.4, 0.4, 0.4})}, 30, random);
  PairCache cache;
  int balls = 0;
  for (int step = 0; step < 100; ++step) {
    bodies.update(cache);
    for (const auto& [pair, gap] : least_gaps(cache, bodies)) {
      const BodyView &a = bodies.view(pair.first), &b = bodies.view(pair.second);
      if (!a.ball || !b.ball) continue;
      ++balls;
      ASSERT_NEAR(gap, norm(a.center - b.center) - 0.5, 1e-6);
    }
    bodies.wander(random, 0.01);
  }
  EXPECT_GT(balls, 100);
}

TEST(FastPairCache, NothingIsSearchedWhereNothingMoves) {
  Random random(4);
  Bodies bodies({Shape::box({0.5, 0.4, 0.3}), Shape::cylinder(0.2, 0.4)}, 30, random);
  PairCache cache;
  bodies.update(cache);
  EXPECT_GT(cache.searched(), 0);
  const std::vector<std::int32_t> active(cache.active().begin(), cache.active().end());
  bodies.update(cache);
  EXPECT_EQ(cache.searched(), 0);
  EXPECT_EQ(std::vector<std::int32_t>(cache.active().begin(), cache.active().end()), active);
}

TEST(FastPairCache, WhatIsForgottenIsSearchedAnewWithoutItsImpulses) {
  Random random(5);
  Bodies bodies({Shape::box({0.5, 0.4, 0.3}), Shape::sphere(0.2)}, 30, random);
  PairCache cache;
  bodies.update(cache);
  for (const std::int32_t k : cache.active()) cache.records()[static_cast<std::size_t>(k)].normal_impulse[0] = 1;
  constexpr std::int32_t kBody = 3;
  cache.forget(kBody);
  bodies.update(cache);
  EXPECT_GT(cache.searched(), 0);
  int its = 0;
  for (const std::int32_t k : cache.active()) {
    const Record& r = cache.records()[static_cast<std::size_t>(k)];
    const bool own = r.base == kBody || r.probe == kBody;
    its += own ? 1 : 0;
    EXPECT_EQ(r.normal_impulse[0], own ? 0 : 1);
  }
  EXPECT_GT(its, 0);
}

TEST(FastPairCache, ImpulsesOutliveASearch) {
  // A box that slides over another is searched for anew now and then: what its corners carry stays with them.
  std::vector<BodyView> views;
  const ShapePtr floor = Shape::box({20, 20, 1}), box = Shape::box({1, 1, 1});
  views.push_back(test::view_of(box, {{0, 0, 0.5}, {}}));
  views.push_back(test::view_of(floor, {{0, 0, -0.5}, {}}, false));
  const std::vector<BroadPhase::Pair> pairs{{0, 1}};
  PairCache cache;
  cache.update(pairs, views, kSettings, nullptr);
  ASSERT_EQ(cache.active().size(), 1u);
  cache.records()[static_cast<std::size_t>(cache.active()[0])].normal_impulse = {1, 2, 3, 4};
  std::int64_t searched = 0;
  for (int i = 1; i <= 100; ++i) {
    test::move(views[0], {{0.01 * i, 0, 0.5}, {}});
    cache.update(pairs, views, kSettings, nullptr);
    searched += cache.searched();
    ASSERT_EQ(cache.active().size(), 1u);
    std::array<float, 4> kept = cache.records()[static_cast<std::size_t>(cache.active()[0])].normal_impulse;
    std::sort(kept.begin(), kept.end());
    ASSERT_EQ(kept, (std::array<float, 4>{1, 2, 3, 4})) << i;
  }
  EXPECT_GT(searched, 10);
  EXPECT_LT(searched, 50);
}

TEST(FastPairCache, PairsThatLeaveTheListLeaveNothingBehind) {
  Random random(6);
  Bodies bodies({Shape::box({0.5, 0.4, 0.3}), Shape::sphere(0.2), Shape::capsule(0.15, 0.4)}, 30, random);
  const std::vector<BroadPhase::Pair> all = bodies.pairs;
  PairCache cache;
  std::size_t most = 0;
  for (int step = 0; step < 300; ++step) {
    bodies.pairs.clear();
    for (const BroadPhase::Pair& pair : all)
      if (random.coin()) bodies.pairs.push_back(pair);
    bodies.update(cache);
    EXPECT_EQ(cache.pair_count(), bodies.pairs.size());
    for (const auto& [pair, gap] : least_gaps(cache, bodies))
      ASSERT_TRUE(std::binary_search(bodies.pairs.begin(), bodies.pairs.end(), pair));
    if (step == 20) most = cache.records().size();
    bodies.wander(random, 1e-3);
  }
  // Records are used again.
  EXPECT_LE(cache.records().size(), 2 * most);
}

TEST(FastPairCache, TheSameWithAnyNumberOfThreads) {
  Random random(7);
  Bodies bodies({Shape::box({0.5, 0.4, 0.3}), Shape::sphere(0.2), Shape::cone(0.2, 0.4)}, 60, random);
  ThreadPool pool(3);
  PairCache one, three;
  for (int step = 0; step < 50; ++step) {
    one.update(bodies.pairs, bodies.views, kSettings, nullptr);
    three.update(bodies.pairs, bodies.views, kSettings, &pool);
    ASSERT_EQ(std::vector<std::int32_t>(one.active().begin(), one.active().end()),
              std::vector<std::int32_t>(three.active().begin(), three.active().end()));
    ASSERT_EQ(least_gaps(one, bodies), least_gaps(three, bodies));
    bodies.wander(random, 1e-3);
  }
}

TEST(FastPairCache, RestoredItGoesOnAsItWas) {
  Random random(8);
  Bodies bodies({Shape::box({0.5, 0.4, 0.3}), Shape::sphere(0.2), Shape::cone(0.2, 0.4)}, 30, random);
  PairCache cache;
  for (int step = 0; step < 20; ++step) bodies.update(cache), bodies.wander(random, 1e-3);
  bodies.update(cache);
  for (const std::int32_t k : cache.active())
    cache.records()[static_cast<std::size_t>(k)].normal_impulse[0] = 1 + static_cast<float>(k);
  ByteWriter out;
  cache.save(out);
  const std::string bytes = out.take();
  PairCache other;
  ByteReader in(bytes);
  ASSERT_TRUE(other.restore(in, bodies.views.size()));
  for (int step = 0; step < 50; ++step) {
    bodies.update(cache);
    bodies.update(other);
    EXPECT_EQ(cache.searched(), other.searched());
    ASSERT_EQ(least_gaps(cache, bodies), least_gaps(other, bodies)) << step;
    ASSERT_EQ(cache.active().size(), other.active().size());
    for (std::size_t i = 0; i < cache.active().size(); ++i) {
      const Record &a = cache.records()[static_cast<std::size_t>(cache.active()[i])],
                   &b = other.records()[static_cast<std::size_t>(other.active()[i])];
      ASSERT_EQ(a.normal_impulse, b.normal_impulse);
    }
    bodies.wander(random, 1e-3);
  }
  // Cut bytes are refused, and change nothing.
  for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 100) {
    ByteReader cut(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(other.restore(cut, bodies.views.size()) && cut.at_end() && size < bytes.size() && cut.ok()) << size;
  }
  ByteReader few(bytes);
  EXPECT_FALSE(other.restore(few, 3)) << "bodies that are not there";
}

}  // namespace
}  // namespace carom
