// Kinds of cases in which a block tips over, against closed forms and with numbers of their own.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "case_setup.h"

namespace carom {
namespace {

Real number_of(const Measurements& measured, const std::string& key) {
  const auto found = measured.values.find(key);
  return found != measured.values.end() ? std::get<Real>(found->second) : std::nan("");
}

/// Of a block that turns about a lower edge, by energy: rad/s at an angle, from what it had at another.
Real turning_at(Real angle, Real width, Real height, Real g, Real from, Real turning) {
  const auto rise = [&](Real a) { return 0.5 * (width * std::sin(a) + height * std::cos(a)); };
  return std::sqrt(turning * turning + 6 * g * (rise(from) - rise(angle)) / (width * width + height * height));
}

TEST(Domino, HitsWhenItsUpperEdgeClosesTheGapAtAnyStep) {
  const Real thickness = 0.05, height = 0.19, gap = 0.09, g = 1.62, from = 0.3, turning = 0.2;
  const Real hit = std::asin(gap / height);
  constexpr int kParts = 1000;
  Real expected = 0;
  for (int i = 0; i < kParts; ++i) {
    const Real part = (hit - from) / kParts;
    expected += part / turning_at(from + (i + 0.5) * part, thickness, height, g, from, turning);
  }
  // Whether a step is cut there, or the gap at its start is so small that they collide at once, is up to its length.
  for (int i = 0; i < 150; ++i) {
    CaseSetup setup(fmt::format(R"({{"thickness": {}, "height": {}, "gap": {}, "depth": 0.12, "theta0": {}, "w0": {},
      "g": {}, "e": 0, "floor_mu": 2, "hit_mu": 0, "dominoes": 2}})",
                                thickness, height, gap, from, turning, g));
    setup.suite = "exact";
    const Real dt = expected / (200 + i / 150.0);
    const Measurements measured = measure("domino", setup, dt);
    ASSERT_TRUE(setup.error.empty()) << setup.error;
    // The step is of second order, and so is the line through the last two speeds: one such error each.
    const Real second_order = 2 * dt * dt * 1.5 * g / height;
    EXPECT_NEAR(number_of(measured, "t_hit"), expected, second_order * expected) << dt;
    const Real before = turning_at(hit, thickness, height, g, from, turning);
    EXPECT_NEAR(number_of(measured, "w_before"), before, second_order * before) << dt;
  }
}

TEST(RockingBlock, LandsOnAShortEdgeAsOnALongOne) {
  const Real width = 1, height = 2;
  for (const Real depth : {0.8, 0.3, 0.1}) {
    CaseSetup setup(fmt::format(R"({{"width": {}, "height": {}, "depth": {}, "m": 5, "theta0": 0.3, "mu": 2, "e": 0,
      "g": 9.81}})",
                                width, height, depth));
    setup.suite = "exact";
    const Measurements measured = measure("rocking_block", setup, 1.0 / 480);
    ASSERT_TRUE(setup.error.empty()) << setup.error;
    // G. W. Housner, 1963.
    const Real left = 1 - 1.5 * width * width / (width * width + height * height);
    EXPECT_NEAR(number_of(measured, "ratio"), left, 1e-3 * left) << depth;
  }
}

}  // namespace
}  // namespace carom
