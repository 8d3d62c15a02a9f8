// The inverse of weighted sums over a pyramid's faces, against the same sum in numbers of twice the precision.
#include "solvers/pyramid_inverse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "contact/pyramid.h"
#include "math/double_double.h"
#include "support/random.h"

namespace carom {
namespace {

/// R + Σ w a aᵀ and its inverse by cofactors, which cancel: in 31 digits that does no harm here.
Mat3 inverse_in_wide_numbers(const std::array<Real, 8>& weights, Real slope, Real compliance) {
  std::array<std::array<DoubleDouble, 3>, 3> m;
  for (std::size_t i = 0; i < 3; ++i) {
    m[i][i] = compliance;
    for (std::size_t h = 0; h < 8; ++h) {
      const std::array<Real, 3> row{slope, -kPyramidFaces[h][0], -kPyramidFaces[h][1]};
      for (std::size_t k = 0; k < 3; ++k) m[i][k] = m[i][k] + exact_product(row[i], row[k]) * DoubleDouble(weights[h]);
    }
  }
  const auto cofactor = [&](std::size_t i, std::size_t k) {
    return m[(i + 1) % 3][(k + 1) % 3] * m[(i + 2) % 3][(k + 2) % 3] -
           m[(i + 1) % 3][(k + 2) % 3] * m[(i + 2) % 3][(k + 1) % 3];
  };
  const DoubleDouble determinant = m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2);
  Mat3 inverse;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      inverse(static_cast<int>(i), static_cast<int>(k)) = static_cast<Real>(cofactor(k, i) / determinant);
  return inverse;
}

TEST(PyramidInverse, KeepsWhatTheSmallestWeightsGive) {
  // On a face of the pyramid one weight is huge, on an edge two: along them the small ones are all there is.
  test::Random random(1);
  for (int round = 0; round < 3000; ++round) {
    std::array<Real, 8> weights{};
    for (Real& w : weights) w = random.uniform(0.5, 2);
    for (int huge = round % 3; huge > 0; --huge)
      weights[static_cast<std::size_t>(2 + huge)] *= std::pow(10, random.uniform(0, 7));
    const Real slope = random.uniform(0.1, 2), compliance = random.uniform(0, 0.1);
    const Mat3 expected = inverse_in_wide_numbers(weights, slope, compliance);
    const Mat3 found = pyramid_inverse(weights, slope, compliance);
    Real largest = 0;
    for (int i = 0; i < 3; ++i) largest = std::max(largest, expected(i, i));
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(found(i, k), expected(i, k), 1e-14 * largest);
  }
}

TEST(PyramidInverse, StaysFiniteAtTheEndOfAPath) {
  for (const Real small : {1e-30, 1e-60}) {
    const Mat3 apex = pyramid_inverse({small, small, small, small, small, small, small, small}, 0.46, 1e-8);
    EXPECT_NEAR(apex(0, 0), 1e8, 1);
    const Mat3 held = pyramid_inverse({1 / small, 1 / small, small, small, small, small, small, small}, 0.46, 1e-8);
    for (int i = 0; i < 3; ++i) EXPECT_GE(held(i, i), 0);
    EXPECT_TRUE(std::isfinite(held(0, 0) + held(1, 1) + held(2, 2) + held(0, 1) + held(0, 2) + held(1, 2)));
  }
}

}  // namespace
}  // namespace carom
