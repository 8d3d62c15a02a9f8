// Twice the precision: identities that doubles miss by far.
#include "math/double_double.h"

#include <gtest/gtest.h>

#include <cmath>

namespace carom {
namespace {

constexpr Real kDigits = 1e-31;  // 2^-103: three bits of rounding in 106

Real relative(const DoubleDouble& found, const DoubleDouble& expected) {
  return std::abs(static_cast<Real>(found - expected)) / std::abs(static_cast<Real>(expected));
}

TEST(DoubleDouble, SumsAndProductsOfDoublesAreExact) {
  const DoubleDouble sum = exact_sum(1e16, 1.25);
  EXPECT_EQ(static_cast<Real>(sum - DoubleDouble(1e16)), 1.25);
  // (2^27 + 1)² needs 55 bits.
  const DoubleDouble product = exact_product(134217729, 134217729);
  EXPECT_EQ(static_cast<Real>(product - DoubleDouble(18014398777917440.0)), 1.0);
}

TEST(DoubleDouble, QuotientsAndRootsGoBack) {
  for (const Real x : {1.0 / 3, 0.1, 7.0, 1e-9, 123456.789}) {
    const DoubleDouble a = DoubleDouble(x) / DoubleDouble(11);
    EXPECT_LE(relative(a * DoubleDouble(11), x), kDigits) << x;
    const DoubleDouble root = sqrt(a);
    EXPECT_LE(relative(root * root, a), kDigits) << x;
  }
  EXPECT_EQ(static_cast<Real>(sqrt(DoubleDouble(0))), 0);
}

TEST(DoubleDouble, ThirdsSumUpToOne) {
  const DoubleDouble third = DoubleDouble(1) / DoubleDouble(3);
  EXPECT_LE(std::abs(static_cast<Real>(third + third + third - DoubleDouble(1))), kDigits);
  EXPECT_NE(third.low, 0);  // what a double cannot hold of it
}

TEST(DoubleDouble, OrderLooksAtBothParts) {
  const DoubleDouble one(1), more(1, 1e-20);
  EXPECT_TRUE(one < more);
  EXPECT_FALSE(more < one);
  EXPECT_TRUE(one <= one);
  EXPECT_FALSE(more <= one);
}

}  // namespace
}  // namespace carom
