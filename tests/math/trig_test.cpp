#include "math/trig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/random.h"

namespace carom {
namespace {

constexpr Real kPi = std::numbers::pi;

/// Largest error over [−range, range] against the C library in long double, whose own error does not count here.
Real worst_error(Real range, int samples) {
  Real worst = 0;
  for (int i = -samples; i <= samples; ++i) {
    const Real x = range * i / samples;
    const SinCos got = sin_cos(x);
    const auto exact = static_cast<long double>(x);
    worst = std::max({worst, std::abs(static_cast<Real>(static_cast<long double>(got.sine) - std::sin(exact))),
                      std::abs(static_cast<Real>(static_cast<long double>(got.cosine) - std::cos(exact)))});
  }
  return worst;
}

TEST(SinCos, IsAccurateToAFewLastBits) {
  // Half a unit in the last place of 1 is 1.1e-16; the series adds about as much again twice over.
  EXPECT_LE(worst_error(0.8, 200000), 4e-16);
  EXPECT_LE(worst_error(100, 300000), 4e-16);
}

TEST(SinCos, HoldsItsStatedRange) {
  // Beyond a few turns the rounding of turns·(low part of π/2) comes in: at 1e5 it is 6.4e4 × 6e-11 × 1.1e-16, nothing.
  EXPECT_LE(worst_error(1e5, 300000), 4e-16);
}

TEST(SinCos, RepeatsWithThePeriodUpToItsLimit) {
  test::Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Real x = random.uniform(-kPi, kPi);
    const int turns = random.integer(-15000, 15000);
    const Real far = x + 2 * kPi * turns;
    const SinCos a = sin_cos(x), b = sin_cos(far);
    // The argument itself is only known to half a unit in its last place, and 2π·turns to as much again.
    const Real tolerance = 2e-16 * (4 + 2 * std::abs(far));
    ASSERT_NEAR(a.sine, b.sine, tolerance) << x << " + " << turns << " turns";
    ASSERT_NEAR(a.cosine, b.cosine, tolerance) << x << " + " << turns << " turns";
  }
}

TEST(SinCos, IsOddAndEven) {
  test::Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const Real x = random.uniform(-50, 50);
    const SinCos plus = sin_cos(x), minus = sin_cos(-x);
    ASSERT_NEAR(plus.sine, -minus.sine, 4e-16);
    ASSERT_NEAR(plus.cosine, minus.cosine, 4e-16);
    ASSERT_NEAR(plus.sine * plus.sine + plus.cosine * plus.cosine, 1, 1e-15);
  }
}

TEST(SinCos, IsExactAtZeroAndTiny) {
  EXPECT_EQ(sin_cos(0).sine, 0);
  EXPECT_EQ(sin_cos(0).cosine, 1);
  EXPECT_EQ(sin_cos(1e-200).sine, 1e-200);
}

TEST(Rotation, MatchesTheClosedForm) {
  test::Random random(3);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 axis = random.unit();
    const Real angle = random.uniform(-10, 10);
    const Quat q = rotation(angle * axis);
    ASSERT_NEAR(q.w, std::cos(angle / 2), 2e-15);
    ASSERT_LE(norm(q.vector() - std::sin(angle / 2) * axis), 2e-15);
  }
}

TEST(Rotation, IsAUnitQuaternionThatKeepsItsAxis) {
  test::Random random(4);
  for (int i = 0; i < 5000; ++i) {
    const Vec3 phi = random.vector(5);
    const Quat q = rotation(phi);
    ASSERT_NEAR(q.w * q.w + squared_norm(q.vector()), 1, 2e-15);
    ASSERT_LE(norm(rotate(q, phi) - phi), 1e-14);
  }
}

TEST(Rotation, OfNothingIsTheIdentityAndOfLittleIsLinear) {
  EXPECT_EQ(rotation({}), Quat{});
  const Quat q = rotation({0, 0, 1e-9});
  EXPECT_EQ(q.w, 1);
  EXPECT_NEAR(q.z, 0.5e-9, 1e-24);
}

TEST(Rotation, QuarterTurnSendsXToY) {
  const Vec3 y = rotate(rotation({0, 0, kPi / 2}), {1, 0, 0});
  EXPECT_LE(norm(y - Vec3{0, 1, 0}), 4e-16);
}

}  // namespace
}  // namespace carom
