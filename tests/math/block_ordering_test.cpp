#include "math/block_ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "math/block_separator.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;
using Edges = std::set<std::pair<int, int>>;

BodyGraph graph_of(int bodies, const Edges& edges) {
  std::vector<std::vector<std::int32_t>> lists(static_cast<std::size_t>(bodies));
  for (const auto& [i, j] : edges) {
    lists[static_cast<std::size_t>(i)].push_back(j);
    lists[static_cast<std::size_t>(j)].push_back(i);
  }
  BodyGraph graph;
  graph.begin.push_back(0);
  for (std::vector<std::int32_t>& list : lists) {
    std::sort(list.begin(), list.end());
    graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
    graph.begin.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
  }
  return graph;
}

/// A box of bodies, each touching the next along the three axes, numbered at random.
Edges shuffled_box(Random& random, int size) {
  const auto side = static_cast<std::size_t>(size);
  std::vector<int> number(side * side * side);
  for (std::size_t k = 0; k < number.size(); ++k) {
    number[k] = static_cast<int>(k);
    std::swap(number[k], number[static_cast<std::size_t>(random.integer(0, static_cast<int>(k)))]);
  }
  const auto at = [&](int x, int y, int z) {
    return number[(static_cast<std::size_t>(z) * side + static_cast<std::size_t>(y)) * side +
                  static_cast<std::size_t>(x)];
  };
  Edges edges;
  for (int z = 0; z < size; ++z)
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x) {
        if (x + 1 < size) edges.insert(std::minmax(at(x, y, z), at(x + 1, y, z)));
        if (y + 1 < size) edges.insert(std::minmax(at(x, y, z), at(x, y + 1, z)));
        if (z + 1 < size) edges.insert(std::minmax(at(x, y, z), at(x, y, z + 1)));
      }
  return edges;
}

/// Blocks of the Cholesky factor, by eliminating one body after the other.
std::size_t fill(int bodies, const Edges& edges, const std::vector<std::int32_t>& order) {
  std::vector<std::set<int>> rest(static_cast<std::size_t>(bodies));
  for (const auto& [i, j] : edges) {
    rest[static_cast<std::size_t>(i)].insert(j);
    rest[static_cast<std::size_t>(j)].insert(i);
  }
  std::size_t blocks = 0;
  for (const std::int32_t body : order) {
    const std::set<int> around = rest[static_cast<std::size_t>(body)];
    blocks += 1 + around.size();
    for (const int i : around) {
      rest[static_cast<std::size_t>(i)].insert(around.begin(), around.end());
      rest[static_cast<std::size_t>(i)].erase(i);
      rest[static_cast<std::size_t>(i)].erase(body);
    }
  }
  return blocks;
}

void expect_permutation(const std::vector<std::int32_t>& order, int bodies, const std::string& name) {
  std::vector<std::int32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), static_cast<std::size_t>(bodies)) << name;
  for (int k = 0; k < bodies; ++k) ASSERT_EQ(sorted[static_cast<std::size_t>(k)], k) << name;
}

TEST(BlockOrdering, NamesEveryBodyOnceOnGraphsOfAllKinds) {
  Random random(1);
  std::vector<std::pair<std::string, std::pair<int, Edges>>> graphs{
      {"none", {0, {}}}, {"one", {1, {}}}, {"apart", {3000, {}}}, {"box", {729, shuffled_box(random, 9)}}};
  Edges chain, star, pairs, full, web;
  for (int k = 1; k < 3000; ++k) {
    chain.insert({k - 1, k});
    star.insert({0, k});
    if (k % 2 == 1) pairs.insert({k - 1, k});
    web.insert({random.integer(0, k - 1), k});
  }
  for (int i = 0; i < 200; ++i)
    for (int j = 0; j < i; ++j) full.insert({j, i});
  graphs.push_back({"chain", {3000, chain}});
  graphs.push_back({"star", {3000, star}});
  graphs.push_back({"pairs", {3000, pairs}});
  graphs.push_back({"tree", {3000, web}});
  graphs.push_back({"full", {200, full}});
  for (const auto& [name, graph] : graphs)
    expect_permutation(elimination_order(graph_of(graph.first, graph.second)), graph.first, name);
}

TEST(BlockOrdering, TreesDoNotFillIn) {
  Random random(2);
  Edges edges;
  for (int k = 1; k < 1000; ++k) edges.insert({random.integer(std::max(0, k - 30), k - 1), k});
  // Nothing but the tree's own 999 edges would be perfect; the few separators may add a little.
  EXPECT_LE(fill(1000, edges, elimination_order(graph_of(1000, edges))), 1000 + 999 + 100);
}

TEST(BlockOrdering, BoxFillsInMuchLessThanLayerByLayer) {
  Random random(3);
  const Edges edges = shuffled_box(random, 8);
  // Layer by layer every body is followed by a whole layer of 64.
  EXPECT_LE(fill(512, edges, elimination_order(graph_of(512, edges))), 512 * 64 / 2);
}

TEST(BlockOrdering, SameGraphGivesTheSameOrder) {
  Random random(4);
  const BodyGraph graph = graph_of(512, shuffled_box(random, 8));
  EXPECT_EQ(elimination_order(graph), elimination_order(graph));
}

TEST(BlockSeparator, SeparatesABoxByAboutALayer) {
  Random random(5);
  const BodyGraph graph = graph_of(1000, shuffled_box(random, 10));
  Separator separator(graph);
  std::vector<std::int32_t> all(1000);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
  separator.divide(all);
  std::array<int, 3> sizes{};
  for (const std::int32_t body : all) {
    ++sizes[separator.side(body)];
    if (separator.side(body) != Separator::Left) continue;
    for (std::int32_t n = graph.begin[static_cast<std::size_t>(body)];
         n < graph.begin[static_cast<std::size_t>(body) + 1]; ++n)
      EXPECT_NE(separator.side(graph.neighbours[static_cast<std::size_t>(n)]), Separator::Right);
  }
  // A layer has 100. Distances along edges are not those of space: half as much again is what they can do.
  EXPECT_LE(sizes[Separator::Middle], 150);
  EXPECT_GE(std::min(sizes[Separator::Left], sizes[Separator::Right]), 250);
}

}  // namespace
}  // namespace carom
