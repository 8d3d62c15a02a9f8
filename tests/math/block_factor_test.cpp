#include "math/block_factor.h"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/simd.h"
#include "carom/base/error.h"
#include "math/eigen.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;
using Block = Eigen::Matrix<double, 6, 6>;

struct Graph {
  std::string name;
  int bodies = 0;
  std::vector<BodyPair> pairs;
};

Graph grid(int x, int y, int z) {
  Graph graph{"grid " + std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z), x * y * z, {}};
  const auto number = [&](int i, int j, int k) { return (k * y + j) * x + i; };
  for (int k = 0; k < z; ++k)
    for (int j = 0; j < y; ++j)
      for (int i = 0; i < x; ++i) {
        if (i + 1 < x) graph.pairs.push_back({number(i, j, k), number(i + 1, j, k)});
        if (j + 1 < y) graph.pairs.push_back({number(i, j + 1, k), number(i, j, k)});
        if (k + 1 < z) graph.pairs.push_back({number(i, j, k), number(i, j, k + 1)});
      }
  return graph;
}

std::vector<Graph> small_graphs(Random& random) {
  std::vector<Graph> graphs{{"none", 0, {}}, {"one", 1, {}}, {"two apart", 2, {}}, {"two", 2, {{0, 1}}}};
  for (const int n : {3, 7, 40}) {
    Graph chain{"chain", n, {}}, star{"star", n, {}}, tree{"tree", n, {}}, web{"web", n, {}}, full{"full", n, {}};
    for (int i = 1; i < n; ++i) {
      chain.pairs.push_back({i - 1, i});
      star.pairs.push_back({0, i});
      tree.pairs.push_back({i, random.integer(0, i - 1)});
      for (int k = 0; k < 2; ++k) web.pairs.push_back({i, random.integer(0, n - 1)});  // loops and repeats too
      for (int k = 0; k < std::min(i, 12); ++k) full.pairs.push_back({k, i});
    }
    for (const Graph& graph : {chain, star, tree, web, full}) graphs.push_back(graph);
  }
  Graph apart{"islands", 30, {}};
  for (int i = 0; i + 3 < 30; ++i)
    if (i % 10 < 7) apart.pairs.push_back({i, i + random.integer(1, 3)});
  graphs.push_back(apart);
  graphs.push_back(grid(4, 4, 3));
  return graphs;
}

/// A matrix on a graph, both as blocks and dense: I + Σ Gᵀ D G over pairs and bodies, G of three rows with entries of
/// size 1, D diagonal (symmetric) or with a skew part and of sizes up to `stiffness`. Positive definite in both cases.
class Example {
 public:
  Example(Random& random, const Graph& graph, bool symmetric, double stiffness) {
    pattern.analyse(graph.bodies, graph.pairs);
    blocks.reset(pattern.slot_count(), symmetric);
    dense = Eigen::MatrixXd::Identity(6 * graph.bodies, 6 * graph.bodies);
    for (const BodyPair& pair : graph.pairs) add(random, pair.i, pair.j, symmetric, stiffness);
    for (int i = 0; i < graph.bodies; i += 2) add(random, i, i, symmetric, stiffness);
    for (int i = 0; i < graph.bodies; ++i) copy(i, i);
    for (const BodyPair& pair : graph.pairs)
      if (pair.i != pair.j) copy(std::max(pair.i, pair.j), std::min(pair.i, pair.j));
  }

  BlockPattern pattern;
  BlockMatrix blocks;
  Eigen::MatrixXd dense;

 private:
  void add(Random& random, int i, int j, bool symmetric, double stiffness) {
    Eigen::Matrix<double, 3, 6> gi, gj;
    for (int k = 0; k < 18; ++k) {
      gi(k) = random.uniform(-1, 1);
      gj(k) = random.uniform(-1, 1);
    }
    Eigen::Matrix3d d = Eigen::Matrix3d::Zero();
    for (int k = 0; k < 3; ++k) d(k, k) = random.scale(1e-3 * stiffness, stiffness);
    if (!symmetric) d(0, 1) = 0.9 * std::sqrt(d(0, 0) * d(1, 1)), d(1, 0) = -0.7 * d(0, 1);
    dense.block<6, 6>(6 * i, 6 * i) += gi.transpose() * d * gi;
    if (i == j) return;
    dense.block<6, 6>(6 * j, 6 * j) += gj.transpose() * d * gj;
    dense.block<6, 6>(6 * i, 6 * j) += gi.transpose() * d * gj;
    dense.block<6, 6>(6 * j, 6 * i) += gj.transpose() * d * gi;
  }
  void copy(int i, int j) {
    Eigen::Map<Block>(blocks.lower(pattern.slot(i, j))) = dense.block<6, 6>(6 * i, 6 * j);
    if (!blocks.symmetric())
      Eigen::Map<Block>(blocks.upper(pattern.slot(j, i))) = dense.block<6, 6>(6 * j, 6 * i).transpose();
  }
};

Eigen::VectorXd random_vector(Random& random, long size) {
  Eigen::VectorXd b(size);
  for (double& x : b) x = random.uniform(-1, 1);
  return b;
}

Eigen::VectorXd solved(BlockFactor& factor, const Eigen::VectorXd& b) {
  Eigen::VectorXd x = b;
  factor.solve({x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

double largest(const Eigen::VectorXd& x) {
  double result = 0;
  for (const double entry : x) result = std::max(result, std::abs(entry));
  return result;
}

TEST(BlockFactor, CholeskyAgreesWithTheDenseOneOnGraphsOfAllKinds) {
  Random random(5);
  for (const Graph& graph : small_graphs(random)) {
    const Example example(random, graph, true, 100);
    BlockFactor factor;
    ASSERT_TRUE(factor.factor(example.pattern, example.blocks)) << graph.name;
    const Eigen::VectorXd b = random_vector(random, 6 * graph.bodies);
    const Eigen::VectorXd reference = graph.bodies == 0 ? b : example.dense.llt().solve(b).eval();
    // A condition of at most 1e5 leaves eleven digits.
    EXPECT_LE(largest(solved(factor, b) - reference), 1e-11 * std::max(1.0, largest(reference)))
        << graph.name << " of " << graph.bodies;
  }
}

TEST(BlockFactor, LuAgreesWithTheDenseOneOnGraphsOfAllKinds) {
  Random random(7);
  for (const Graph& graph : small_graphs(random)) {
    const Example example(random, graph, false, 100);
    BlockFactor factor;
    ASSERT_TRUE(factor.factor(example.pattern, example.blocks)) << graph.name;
    const Eigen::VectorXd b = random_vector(random, 6 * graph.bodies);
    const Eigen::VectorXd reference = graph.bodies == 0 ? b : example.dense.partialPivLu().solve(b).eval();
    EXPECT_LE(largest(solved(factor, b) - reference), 1e-11 * std::max(1.0, largest(reference)))
        << graph.name << " of " << graph.bodies;
  }
}

TEST(BlockFactor, AgreesWithEigensSparseCholeskyOnALargeGrid) {
  Random random(11);
  const Graph graph = grid(9, 8, 7);
  const Example example(random, graph, true, 1e4);
  BlockFactor factor;
  ASSERT_TRUE(factor.factor(example.pattern, example.blocks));
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> reference(example.dense.sparseView());
  const Eigen::VectorXd b = random_vector(random, example.dense.rows());
  const Eigen::VectorXd expected = reference.solve(b);
  EXPECT_LE(largest(solved(factor, b) - expected), 1e-9 * largest(expected));  // condition 1e6
}

TEST(BlockFactor, ResidualIsThatOfRoundingAtAConditionOf1e10) {
  Random random(13);
  for (const bool symmetric : {true, false})
    for (const Graph& graph : {grid(5, 5, 4), grid(60, 1, 1), grid(1, 2, 30)}) {
      const Example example(random, graph, symmetric, 1e10);
      BlockFactor factor;
      ASSERT_TRUE(factor.factor(example.pattern, example.blocks)) << graph.name;
      const Eigen::VectorXd b = random_vector(random, example.dense.rows());
      const Eigen::VectorXd x = solved(factor, b);
      // Backward stable: small next to |A| |x|, not next to |b|.
      const double scale = example.dense.cwiseAbs().rowwise().sum().maxCoeff() * largest(x);
      EXPECT_LE(largest(example.dense * x - b), 1e-14 * scale) << graph.name << ", symmetric: " << symmetric;
    }
}

/// [−S, 1; 1, H] on bodies and their twins, S positive definite and H semidefinite: zero for every third body.
TEST(BlockFactor, QuasidefiniteOnTwinsAgreesWithTheDenseOne) {
  Random random(23);
  for (const Graph& graph : small_graphs(random)) {
    const Example first(random, graph, true, 100), second(random, graph, true, 100);
    const long n = 6L * graph.bodies;
    Eigen::MatrixXd h = second.dense;
    for (int i = 0; i < graph.bodies; i += 3) {
      h.middleRows(6 * i, 6).setZero();
      h.middleCols(6 * i, 6).setZero();
    }
    Eigen::MatrixXd dense(2 * n, 2 * n);
    dense << -first.dense, Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(n, n), h;
    BlockPattern pattern;
    pattern.analyse(graph.bodies, graph.pairs, true);
    BlockMatrix blocks;
    blocks.reset(pattern.slot_count(), true, graph.bodies);
    const auto copy = [&](int i, int j) {
      Eigen::Map<Block>(blocks.lower(pattern.slot(i, j))) = dense.block<6, 6>(6 * std::max(i, j), 6 * std::min(i, j));
    };
    for (int i = 0; i < 2 * graph.bodies; ++i) copy(i, i);
    for (int i = 0; i < graph.bodies; ++i) copy(i + graph.bodies, i);
    for (const BodyPair& pair : graph.pairs) {
      copy(pair.i, pair.j);
      copy(pair.i + graph.bodies, pair.j + graph.bodies);
    }
    BlockFactor factor;
    ASSERT_TRUE(factor.factor(pattern, blocks)) << graph.name;
    const Eigen::VectorXd b = random_vector(random, 2 * n);
    const Eigen::VectorXd reference = n == 0 ? b : dense.partialPivLu().solve(b).eval();
    // Conditions of at most 1e5 in both parts, and no exchange of rows: ten digits.
    EXPECT_LE(largest(solved(factor, b) - reference), 1e-10 * std::max(1.0, largest(reference)))
        << graph.name << " of " << graph.bodies;
  }
}

TEST(BlockFactor, LuExchangesRowsInsideAPivot) {
  // A rotation by a quarter turn: every diagonal entry is zero.
  BlockPattern pattern;
  pattern.analyse(1, {});
  BlockMatrix matrix;
  matrix.reset(pattern.slot_count(), false);
  for (int k = 0; k < 3; ++k) {
    matrix.lower(0)[2 * k + 1 + 6 * (2 * k)] = 1;
    matrix.lower(0)[2 * k + 6 * (2 * k + 1)] = -1;
  }
  BlockFactor factor;
  ASSERT_TRUE(factor.factor(pattern, matrix));
  std::vector<Real> x{1, 2, 3, 4, 5, 6};
  factor.solve(x);
  EXPECT_EQ(x, (std::vector<Real>{2, -1, 4, -3, 6, -5}));
}

TEST(BlockFactor, SaysWhereAPivotFails) {
  Random random(17);
  const Graph graph = grid(3, 3, 3);
  for (const bool symmetric : {true, false}) {
    Example example(random, graph, symmetric, 10);
    BlockFactor factor;
    ASSERT_TRUE(factor.factor(example.pattern, example.blocks));
    for (const double bad : {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      // An isolated row and column of zeros, or of what is not a number: singular either way.
      Example broken(random, {"one", 1, {}}, symmetric, 10);
      for (int k = 0; k < 6; ++k) broken.blocks.lower(0)[2 + 6 * k] = broken.blocks.lower(0)[k + 12] = bad;
      EXPECT_FALSE(factor.factor(broken.pattern, broken.blocks)) << bad;
    }
    EXPECT_THROW(factor.solve(std::span<Real>()), Error);
  }
  // Indefinite: Cholesky cannot, LU can.
  Example indefinite(random, graph, true, 10);
  indefinite.blocks.lower(4)[0] = -1000;
  BlockFactor factor;
  EXPECT_FALSE(factor.factor(indefinite.pattern, indefinite.blocks));
}

TEST(BlockFactor, EveryWidthGivesTheSameBits) {
  Random random(19);
  for (const bool symmetric : {true, false}) {
    const Example example(random, grid(5, 4, 4), symmetric, 1e3);
    const Eigen::VectorXd b = random_vector(random, example.dense.rows());
    BlockFactor reference(baseline::kBlockKernels);
    ASSERT_TRUE(reference.factor(example.pattern, example.blocks));
    const Eigen::VectorXd expected = solved(reference, b);
    for (const SimdWidth width : {SimdWidth::Avx2, SimdWidth::Avx512}) {
      if (width > widest_simd()) continue;
      BlockFactor factor(choose(width, baseline::kBlockKernels, avx2::kBlockKernels, avx512::kBlockKernels));
      ASSERT_TRUE(factor.factor(example.pattern, example.blocks));
      EXPECT_EQ(solved(factor, b), expected);
    }
  }
}

TEST(BlockFactor, OneObjectServesMatricesOfOtherGraphsAndKindsInTurn) {
  Random random(23);
  BlockFactor used;
  for (const Graph& graph : small_graphs(random))
    for (const bool symmetric : {false, true}) {
      const Example example(random, graph, symmetric, 10);
      const Eigen::VectorXd b = random_vector(random, 6 * graph.bodies);
      BlockFactor fresh;
      ASSERT_TRUE(used.factor(example.pattern, example.blocks) && fresh.factor(example.pattern, example.blocks));
      EXPECT_EQ(solved(used, b), solved(fresh, b)) << graph.name;
    }
}

}  // namespace
}  // namespace carom
