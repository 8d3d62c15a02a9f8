// A factor that grows and shrinks, against Eigen's of the same columns.
#include "solvers/growing_factor.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/random.h"

namespace carom {
namespace {

Eigen::VectorXd random_column(test::Random& random, Eigen::Index size) {
  Eigen::VectorXd column(size);
  for (Eigen::Index i = 0; i < size; ++i) column[i] = random.uniform(-1, 1);
  return column;
}

/// The factor with the columns that it should be of.
struct Pair {
  explicit Pair(std::size_t most) : columns(static_cast<Eigen::Index>(most), 0) { factor.start(most); }

  Real distance_square(const Eigen::VectorXd& column) {
    const Eigen::VectorXd products = columns.transpose() * column;
    return factor.distance_square({products.data(), static_cast<std::size_t>(products.size())}, column.squaredNorm());
  }
  void append(const Eigen::VectorXd& column) {
    factor.append(distance_square(column));
    columns.conservativeResize(Eigen::NoChange, columns.cols() + 1);
    columns.rightCols(1) = column;
  }
  void remove(std::size_t which) {
    factor.remove(which);
    const auto first = static_cast<Eigen::Index>(which), last = columns.cols() - 1;
    const Eigen::MatrixXd behind = columns.rightCols(last - first);
    columns.middleCols(first, last - first) = behind;
    columns.conservativeResize(Eigen::NoChange, last);
  }
  /// How far a solution is from Eigen's.
  Real error(test::Random& random) const {
    const Eigen::VectorXd right = random_column(random, columns.cols());
    Eigen::VectorXd x = right;
    factor.solve({x.data(), static_cast<std::size_t>(x.size())});
    const Eigen::VectorXd expected = (columns.transpose() * columns).ldlt().solve(right);
    return (x - expected).norm() / expected.norm();
  }

  GrowingFactor factor;
  Eigen::MatrixXd columns;
};

TEST(GrowingFactor, SolvesWhateverColumnsCameAndWent) {
  test::Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Pair pair(30);
    for (int change = 0; change < 80; ++change) {
      // Seldom as many as there may be: then the matrix is badly conditioned, and both are inexact.
      if (pair.factor.size() < 20 && (pair.factor.size() == 0 || random.integer(0, 2) > 0))
        pair.append(random_column(random, 30));
      else
        pair.remove(static_cast<std::size_t>(random.integer(0, static_cast<int>(pair.factor.size()) - 1)));
      ASSERT_EQ(static_cast<Eigen::Index>(pair.factor.size()), pair.columns.cols());
      if (pair.factor.size() == 0) continue;
      ASSERT_LE(pair.error(random), 1e-10) << trial << " " << change;
    }
  }
}

TEST(GrowingFactor, TellsWhatDependsOnTheOthersAndHow) {
  test::Random random(4);
  Pair pair(12);
  for (int i = 0; i < 7; ++i) pair.append(random_column(random, 12));
  const Eigen::VectorXd factors = random_column(random, 7);
  EXPECT_LE(std::abs(pair.distance_square(pair.columns * factors)), 1e-14);
  Eigen::VectorXd found(7);
  pair.factor.combination({found.data(), 7});
  EXPECT_LE((found - factors).norm(), 1e-12);

  const Eigen::VectorXd other = random_column(random, 12);
  const Eigen::VectorXd nearest = pair.columns * pair.columns.colPivHouseholderQr().solve(other);
  EXPECT_NEAR(pair.distance_square(other), (other - nearest).squaredNorm(), 1e-13);
}

}  // namespace
}  // namespace carom
