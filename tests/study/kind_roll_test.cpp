// Kinds of cases in which something rolls, against closed forms and with numbers of their own. Steps are short: what is
// tested is the kind, not the step, whose error is of first order.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "case_setup.h"
#include "study/kind_scene.h"

namespace carom {
namespace {

Real number_of(const Measurements& measured, const std::string& key) {
  const auto found = measured.values.find(key);
  return found != measured.values.end() ? std::get<Real>(found->second) : std::nan("");
}

constexpr const char* kJump = R"({"ball": {"r": 0.07, "m": 0.4}, "ramp_deg": 30, "ramp_contact_length": 1.2,
  "v0_rolling_at_bottom_along_ramp": 6, "e": 0.3, "mu": 0.4, "g": 9.81})";

TEST(TerrainJump, LandsWhereTheParabolaFromTheLipEnds) {
  CaseSetup setup(kJump);
  const Measurements measured = measure("terrain_jump", setup, 1e-4);
  ASSERT_TRUE(setup.error.empty()) << setup.error;
  // Rolling up costs (7/10) v² against g h.
  const Real g = 9.81, r = 0.07, length = 1.2, s = std::sin(30 * kDegree), c = std::cos(30 * kDegree);
  const Real lip = std::sqrt(36 - 10.0 / 7 * g * length * s), up = lip * s;
  const Real flight = (up + std::sqrt(up * up + 2 * g * (length * s + r * c - r))) / g;
  const Real landing = length * c - r * s + flight * lip * c;
  EXPECT_NEAR(number_of(measured, "x_first_landing_centre"), landing, 1e-3 * landing);  // ten times a step's way
  // Bounces change spin and speed along the floor but not 5 v + 2 w r.
  EXPECT_NEAR(number_of(measured, "v_final_rolling"), (5 * lip * c + 2 * lip) / 7, 1e-3 * lip);
}

TEST(TerrainJump, IsRefusedWithoutGravity) {
  std::string text = kJump;
  text.replace(text.find("9.81"), 4, "0");
  CaseSetup setup(text);
  measure("terrain_jump", setup, 1e-3);
  EXPECT_NE(setup.error.find("g: found 0"), std::string::npos) << setup.error;
}

TEST(CoinDisk, GoesRoundAsFastAsItsTiltAsksFor) {
  const Real radius = 0.05, angle = 30 * kDegree, rate = std::sqrt(4 * 9.81 / (radius * std::sin(angle)));
  for (const Real sense : {1.0, -1.0}) {
    CaseSetup setup(fmt::format(R"({{"R": {}, "m": 0.1, "alpha_deg": 30, "g": 9.81, "mu": 1, "e": 0,
      "w_along_contact_diameter": {}, "v": [0, 0, 0], "duration": 0.3}})",
                                radius, sense * rate * std::sin(angle)));
    const Measurements measured = measure("coin_disk", setup, 2e-5);
    ASSERT_TRUE(setup.error.empty()) << setup.error;
    // First order: the rim's point of the step's beginning is rate·dt = 8e-4 rad behind.
    EXPECT_NEAR(number_of(measured, "precession_rate"), sense * rate, 1e-3 * rate);
    EXPECT_NEAR(number_of(measured, "com_height"), radius * std::sin(angle), 1e-2 * radius);
  }
}

TEST(Rattleback, TurnsBackOneWayOnly) {
  for (const Real spin : {4.0, -4.0}) {
    CaseSetup setup(fmt::format(R"({{"ellipsoid_semi_axes": [0.2, 0.03, 0.02], "com_below_centre": 0.01, "m": 1,
      "I": [[0.0002, 3e-05, 0], [3e-05, 0.0016, 0], [0, 0, 0.0017]], "gamma0_body_up": [0, 0.01, 1],
      "w0_body": [0, 0, {}], "mu": 5, "e": 0, "g": 9.81, "duration": 4}})",
                                spin));
    const Measurements measured = measure("rattleback", setup, 5e-4);
    ASSERT_TRUE(setup.error.empty()) << setup.error;
    EXPECT_EQ(std::get<bool>(measured.values.at("reverses")), spin > 0);
    EXPECT_EQ(measured.values.contains("t_reversal"), spin > 0);
    // Energy at the start leaves no more spin than there was, but for what the step adds.
    EXPECT_NEAR(std::max(number_of(measured, "wz_max"), -number_of(measured, "wz_min")), 4, 0.05);
  }
}

}  // namespace
}  // namespace carom
