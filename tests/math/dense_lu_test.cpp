#include "math/dense_lu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/eigen.h"
#include "support/random.h"

namespace carom {
namespace {

TEST(DenseLu, SolvesAsEigenDoes) {
  test::Random random(3);
  DenseLu lu;
  for (const int n : {1, 2, 3, 10, 61, 128}) {
    Eigen::MatrixXd a(n, n);
    Eigen::VectorXd b(n);
    for (int i = 0; i < n; ++i) {
      b(i) = random.uniform(-1, 1);
      // Mostly zeros, as in contact problems, and no diagonal that dominates.
      for (int k = 0; k < n; ++k) a(i, k) = i == k || random.integer(0, 2) == 0 ? random.uniform(-1, 1) : 0;
    }
    lu.start(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) lu.row(static_cast<std::size_t>(i))[k] = a(i, k);
    ASSERT_TRUE(lu.factor());
    std::vector<Real> x(b.data(), b.data() + n);
    lu.solve(x);
    const Eigen::VectorXd error = a * Eigen::Map<Eigen::VectorXd>(x.data(), n) - b;
    const Real size = Eigen::Map<Eigen::VectorXd>(x.data(), n).norm();
    EXPECT_LE(error.norm(), 1e-13 * n * (1 + size)) << n;  // backward stable: rounding times the size of the answer
  }
}

TEST(DenseLu, SaysWhereAMatrixIsSingular) {
  DenseLu lu;
  lu.start(2);
  lu.row(0)[0] = 1, lu.row(0)[1] = 2;
  lu.row(1)[0] = 2, lu.row(1)[1] = 4;
  EXPECT_FALSE(lu.factor());
}

TEST(DenseLu, AnEmptySystemIsSolved) {
  DenseLu lu;
  lu.start(0);
  EXPECT_TRUE(lu.factor());
  lu.solve({});
}

}  // namespace
}  // namespace carom
