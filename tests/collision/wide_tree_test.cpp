// The tree of boxes of a frame against trying all boxes, also after changes.
#include "collision/wide_tree.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "support/random.h"

namespace carom {
namespace {

using test::Random;

constexpr int kSizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 300, 700};

Aabb random_aabb(Random& random, Real spread, Real size) {
  const Vec3 a = random.vector(spread);
  return {a, a + Vec3{random.uniform(0, size), random.uniform(0, size), random.uniform(0, size)}};
}

/// A tree with its boxes beside it.
struct Checked {
  WideTree tree;
  std::vector<Aabb> boxes;
  std::vector<std::int32_t> bodies, leaves;

  void build() {
    bodies.resize(boxes.size());
    std::iota(bodies.begin(), bodies.end(), 0);
    leaves.assign(boxes.size(), -1);
    tree.build(bodies, boxes, leaves);
  }
  /// Random boxes do not miss each other by a rounding, so that nothing else is found either.
  void expect_same(const Aabb& box) const {
    std::multiset<int> found, expected;
    tree.query(box, [&](std::int32_t body) { found.insert(body); });
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].overlaps(box)) expected.insert(static_cast<int>(i));
    ASSERT_EQ(found, expected) << boxes.size() << " boxes";
  }
  void expect_same_pairs() const {
    std::multiset<std::pair<int, int>> found, expected;
    tree.for_each_pair([&](int a, int b) { found.emplace(std::min(a, b), std::max(a, b)); });
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b)
        if (boxes[a].overlaps(boxes[b])) expected.emplace(a, b);
    ASSERT_EQ(found, expected) << boxes.size() << " boxes";
  }
};

TEST(WideTree, FindsWhatTryingAllFindsAlsoAfterChanges) {
  Random random(1);
  Checked checked;
  for (const int n : kSizes) {
    checked.boxes.clear();
    for (int i = 0; i < n; ++i) checked.boxes.push_back(random_aabb(random, 5, 2));
    checked.build();
    for (int round = 0; round < 3; ++round) {
      for (int q = 0; q < 30; ++q) checked.expect_same(random_aabb(random, 6, 3));
      checked.expect_same_pairs();
      for (std::size_t i = 0; i < checked.boxes.size(); i += 3) {
        checked.boxes[i] = random_aabb(random, 5, 2);
        checked.tree.change(checked.leaves[i], checked.boxes[i]);
      }
    }
  }
}

TEST(WideTree, EqualBoxesAreAllFound) {
  Checked checked;
  checked.boxes.assign(500, {{0, 0, 0}, {1, 1, 1}});
  checked.build();
  checked.expect_same({{0.5, 0.5, 0.5}, {0.6, 0.6, 0.6}});
  checked.expect_same({{2, 0, 0}, {3, 1, 1}});
  checked.expect_same_pairs();
}

TEST(WideTree, RoundingNeverHidesABoxThatTouches) {
  // Faces that touch exactly, at coordinates that single precision cannot hold, small, large and beyond its range.
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const Real size = random.scale(1e-30, 1e30);
    const Real at = random.uniform(-size, size), other = at + random.uniform(0, size);
    for (int axis = 0; axis < 3; ++axis) {
      Checked checked;
      Aabb left{{-1, -1, -1}, {1, 1, 1}}, right = left;
      left.min[axis] = at - size;
      left.max[axis] = at;
      right.min[axis] = at;
      right.max[axis] = other;
      checked.boxes = {left, right};
      checked.build();
      checked.expect_same_pairs();
      checked.expect_same({right.min, right.min});
      ASSERT_TRUE(checked.tree.contains(checked.leaves[0], left));
    }
  }
  Checked far;
  far.boxes = {{{1e200, 0, 0}, {2e200, 1, 1}}, {{-2e200, 0, 0}, {-1e200, 1, 1}}, {{-1e300, 0, 0}, {1e300, 1, 1}}};
  far.build();
  std::set<int> found;
  far.tree.query({{1.5e200, 0, 0}, {1.6e200, 1, 1}}, [&](std::int32_t body) { found.insert(body); });
  EXPECT_EQ(found, (std::set<int>{0, 2}));
}

TEST(WideTree, ContainsSaysWhetherABoxStaysWithinThatOfItsLeaf) {
  Checked checked;
  for (int i = 0; i < 100; ++i) checked.boxes.push_back({{1.0 * i, 0, 0}, {i + 0.5, 1, 1}});
  checked.build();
  const std::int32_t leaf = checked.leaves[42];
  EXPECT_TRUE(checked.tree.contains(leaf, {{42.1, 0.1, 0.1}, {42.4, 0.9, 0.9}}));
  EXPECT_FALSE(checked.tree.contains(leaf, {{42.1, 0.1, 0.1}, {42.6, 0.9, 0.9}}));
  checked.tree.change(leaf, {{42, 0, 0}, {42.7, 1, 1}});
  EXPECT_TRUE(checked.tree.contains(leaf, {{42.1, 0.1, 0.1}, {42.6, 0.9, 0.9}}));
}

}  // namespace
}  // namespace carom
