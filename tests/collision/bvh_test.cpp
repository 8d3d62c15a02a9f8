// The tree of boxes against trying all boxes, through insertions and removals.
#include "collision/bvh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "support/random.h"

namespace carom {
namespace {

using test::Random;

Aabb random_aabb(Random& random, Real spread, Real size) {
  const Vec3 a = random.vector(spread);
  return {a, a + Vec3{random.uniform(0, size), random.uniform(0, size), random.uniform(0, size)}};
}

/// A tree with a plain list beside it.
struct Checked {
  Bvh tree;
  std::map<std::int32_t, std::pair<std::int32_t, Aabb>> all;  // body: leaf and box

  void insert(const Aabb& box, std::int32_t body) { all[body] = {tree.insert(box, body), box}; }
  void remove(std::int32_t body) {
    tree.remove(all.at(body).first);
    all.erase(body);
  }
  void build(std::vector<Bvh::Item> items) {
    std::vector<std::int32_t> leaves(items.size(), Bvh::kNone);
    tree.build(items, leaves);
    for (const Bvh::Item& item : items) all[item.body] = {leaves[static_cast<std::size_t>(item.body)], item.box};
  }
  void expect_same(const Aabb& box) const {
    std::multiset<int> found, expected;
    tree.query(box, [&](std::int32_t body) { found.insert(body); });
    for (const auto& [body, entry] : all)
      if (entry.second.overlaps(box)) expected.insert(body);
    ASSERT_EQ(found, expected) << all.size() << " items";
  }
};

/// Siblings' heights differ by at most three: a tree of height h has at least N(h) = N(h − 1) + N(h − 4) leaves.
Real most_height(std::size_t leaves) { return 2.16 * std::log2(static_cast<Real>(leaves) + 1) + 4; }

TEST(Bvh, QueryFindsWhatTryingAllFinds) {
  Random random(1);
  for (const int n : {0, 1, 2, 3, 5, 17, 100, 500}) {
    std::vector<Bvh::Item> items(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = {random_aabb(random, 5, 2), i};
    Checked built, inserted;
    built.build(items);
    for (const Bvh::Item& item : items) inserted.insert(item.box, item.body);
    for (int q = 0; q < 100; ++q) {
      const Aabb box = random_aabb(random, 6, 3);
      built.expect_same(box);
      inserted.expect_same(box);
    }
  }
}

TEST(Bvh, InsertionsAndRemovalsLeaveWhatIsThere) {
  Random random(2);
  Checked checked;
  for (int round = 0; round < 4000; ++round) {
    const int body = random.integer(0, 299);
    if (checked.all.count(body) != 0) {
      checked.remove(body);
    } else {
      checked.insert(random_aabb(random, 5, random.scale(0.01, 10)), body);
    }
    if (round % 20 == 0) checked.expect_same(random_aabb(random, 6, 3));
    ASSERT_LE(checked.tree.height(), most_height(checked.all.size()));
  }
  while (!checked.all.empty()) checked.remove(checked.all.begin()->first);
  checked.expect_same({{-100, -100, -100}, {100, 100, 100}});
  EXPECT_EQ(checked.tree.height(), 0);
}

TEST(Bvh, ManyBoxesInOnePlaceAreAllFoundAndCostNoMore) {
  Checked checked;
  constexpr int kBoxes = 3000;
  for (int i = 0; i < kBoxes; ++i) checked.insert({{0, 0, 0}, {1, 1, 1}}, i);
  EXPECT_LE(checked.tree.height(), most_height(kBoxes));
  // A box takes a way down and a way up; a chain of equal boxes would take kBoxes/2 steps each.
  EXPECT_LE(checked.tree.steps(), 3 * kBoxes * checked.tree.height());
  checked.expect_same({{0.5, 0.5, 0.5}, {0.6, 0.6, 0.6}});
  checked.expect_same({{2, 0, 0}, {3, 1, 1}});
}

TEST(Bvh, BoxesInARowGiveNoChain) {
  Checked checked;
  constexpr int kBoxes = 3000;
  for (int i = 0; i < kBoxes; ++i) checked.insert({{1.0 * i, 0, 0}, {1.0 * i + 0.5, 1, 1}}, i);
  EXPECT_LE(checked.tree.height(), most_height(kBoxes));
  EXPECT_LE(checked.tree.steps(), 3 * kBoxes * checked.tree.height());
}

TEST(Bvh, NearestSearchFindsTheNearestBoxAndLeavesTheRest) {
  Random random(3);
  Checked checked;
  for (int i = 0; i < 2000; ++i) checked.insert(random_aabb(random, 20, 1), i);
  for (int q = 0; q < 100; ++q) {
    const Vec3 point = random.vector(25);
    const auto distance = [&](const Aabb& box) {
      Vec3 d;
      for (int i = 0; i < 3; ++i) d[i] = std::max({box.min[i] - point[i], point[i] - box.max[i], 0.0});
      return norm(d);
    };
    Real expected = 1e300, best = 1e300;
    int tests = 0;
    for (const auto& [body, entry] : checked.all) expected = std::min(expected, distance(entry.second));
    checked.tree.search_nearest(
        best,
        [&](const Aabb& box) {
          ++tests;
          return distance(box);
        },
        [&](std::int32_t body) { return best = std::min(best, distance(checked.all.at(body).second)); });
    ASSERT_EQ(best, expected);
    ASSERT_LT(tests, 800);  // of 3999 nodes; about 100 is usual
  }
}

}  // namespace
}  // namespace carom
