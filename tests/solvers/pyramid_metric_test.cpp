// Weighted sums over a pyramid's faces: their inverse and what it gives at the faces, against the same in numbers of
// twice the precision.
#include "solvers/pyramid_metric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "contact/pyramid.h"
#include "math/double_double.h"
#include "support/random.h"

namespace carom {
namespace {

using Wide = std::array<DoubleDouble, 3>;
using WideMatrix = std::array<Wide, 3>;

std::array<Real, 3> row(std::size_t face, Real slope) {
  return {slope, -kPyramidFaces[face][0], -kPyramidFaces[face][1]};
}

/// R + Σ w a aᵀ and its inverse by cofactors, which cancel: in 31 digits that does no harm here.
WideMatrix inverse_in_wide_numbers(const std::array<Real, 8>& weights, Real slope, Real compliance) {
  WideMatrix m;
  for (std::size_t i = 0; i < 3; ++i) {
    m[i][i] = compliance;
    for (std::size_t h = 0; h < 8; ++h) {
      const std::array<Real, 3> a = row(h, slope);
      for (std::size_t k = 0; k < 3; ++k) m[i][k] = m[i][k] + exact_product(a[i], a[k]) * DoubleDouble(weights[h]);
    }
  }
  const auto cofactor = [&](std::size_t i, std::size_t k) {
    return m[(i + 1) % 3][(k + 1) % 3] * m[(i + 2) % 3][(k + 2) % 3] -
           m[(i + 1) % 3][(k + 2) % 3] * m[(i + 2) % 3][(k + 1) % 3];
  };
  const DoubleDouble determinant = m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2);
  WideMatrix inverse;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) inverse[i][k] = cofactor(k, i) / determinant;
  return inverse;
}

/// Weights as along a path: on a face of the pyramid one is huge, on an edge two, and the others are all there is along
/// them.
std::array<Real, 8> uneven_weights(test::Random& random, int huge) {
  std::array<Real, 8> weights{};
  for (Real& w : weights) w = random.uniform(0.5, 2);
  for (; huge > 0; --huge) weights[2 + static_cast<std::size_t>(huge)] *= std::pow(10, random.uniform(0, 7));
  return weights;
}

TEST(PyramidMetric, InverseKeepsWhatTheSmallestWeightsGive) {
  test::Random random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::array<Real, 8> weights = uneven_weights(random, round % 3);
    const Real slope = random.uniform(0.1, 2), compliance = random.uniform(0, 0.1);
    const WideMatrix expected = inverse_in_wide_numbers(weights, slope, compliance);
    PyramidMetric metric;
    metric.set(weights, slope, compliance);
    const Mat3 found = metric.inverse();
    Real largest = 0;
    for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, static_cast<Real>(expected[i][i]));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(found(static_cast<int>(i), static_cast<int>(k)), static_cast<Real>(expected[i][k]),
                    1e-14 * largest);
  }
}

TEST(PyramidMetric, SlackOfAHeavyFaceIsExactHoweverSmall) {
  // What pushes on the heavy face alone moves its slack by about 1/w. The impulse along the face is larger by up to w.
  test::Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const std::array<Real, 8> weights = uneven_weights(random, 1);
    constexpr std::size_t kHeavy = 3;
    const Real slope = random.uniform(0.1, 2), compliance = random.uniform(0, 0.1);
    PyramidMetric metric;
    metric.set(weights, slope, compliance);
    const std::array<Real, 3> heavy = row(kHeavy, slope);
    PyramidMetric::Faces factors{};
    factors[kHeavy] = 2;
    factors[(kHeavy + round) % 8] += 1e-9;
    const PyramidMetric::Faces slacks = metric.slacks(metric.solve(factors, {0, 0, 0}));

    const WideMatrix inverse = inverse_in_wide_numbers(weights, slope, compliance);
    DoubleDouble expected = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t h = 0; h < 8; ++h)
          expected = expected + inverse[i][k] * exact_product(heavy[i], row(h, slope)[k]) * DoubleDouble(factors[h]);
    EXPECT_NEAR(slacks[kHeavy], static_cast<Real>(expected), 1e-13 * std::abs(static_cast<Real>(expected)));
  }
}

TEST(PyramidMetric, SlacksAndImpulseAreOfOneSolution) {
  test::Random random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::array<Real, 8> weights = uneven_weights(random, round % 3);
    const Real slope = random.uniform(0.1, 2), compliance = random.uniform(0, 0.1);
    PyramidMetric metric;
    metric.set(weights, slope, compliance);
    PyramidMetric::Faces factors{};
    for (Real& f : factors) f = random.uniform(-1, 1);
    const Vec3 v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Vec3 distances = metric.solve(factors, v), j = metric.impulse(distances);
    const PyramidMetric::Faces slacks = metric.slacks(distances);
    // (R + Σ w a aᵀ) j + v = Σ factor a, with slacks for a·j.
    Vec3 left = compliance * j + v;
    Real size = 1;
    for (std::size_t h = 0; h < 8; ++h) {
      const auto [x, y, z] = row(h, slope);
      EXPECT_NEAR(slacks[h], dot(j, {x, y, z}), 1e-13 * (1 + norm(j)));
      left += (weights[h] * slacks[h] - factors[h]) * Vec3{x, y, z};
      size = std::max(size, weights[h] * std::abs(slacks[h]));
    }
    EXPECT_LT(norm(left), 1e-13 * size * (1 + 1 / slope));
  }
}

TEST(PyramidMetric, StaysFiniteAtTheEndOfAPath) {
  for (const Real small : {1e-30, 1e-60}) {
    PyramidMetric metric;
    metric.set({small, small, small, small, small, small, small, small}, 0.46, 1e-8);
    EXPECT_NEAR(metric.inverse()(0, 0), 1e8, 1);
    metric.set({1 / small, 1 / small, small, small, small, small, small, small}, 0.46, 1e-8);
    const Mat3 held = metric.inverse();
    for (int i = 0; i < 3; ++i) EXPECT_GE(held(i, i), 0);
    EXPECT_TRUE(std::isfinite(held(0, 0) + held(1, 1) + held(2, 2) + held(0, 1) + held(0, 2) + held(1, 2)));
  }
}

}  // namespace
}  // namespace carom
