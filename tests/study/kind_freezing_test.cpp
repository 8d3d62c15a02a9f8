// Kinds of cases about freezing: what is counted, at numbers whose answers have a closed form.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "case_setup.h"

namespace carom {
namespace {

/// A ball at 2 m/s strikes a row of twelve frozen ones, of the same mass.
Measurements strike(Real restitution, Real dt) {
  CaseSetup setup(fmt::format(
      R"({{"n": 12, "v": 2, "e": {}, "mu": 0, "g": 9.81, "r": 0.5, "m": 1, "gap": 0, "c_b": 1000}})", restitution));
  setup.suite = "schmidl";
  const Measurements out = measure("revival", setup, dt);
  EXPECT_EQ(setup.error, "");
  return out;
}

TEST(Revival, CountsThoseWhomTheFirstBlowWakesAndNotThoseOfLaterOnes) {
  for (const Real dt : {1.0 / 30, 1.0 / 60}) {
    for (const Real e : {0.5, 0.6, 0.8}) {
      // Each hands on (1 + e)/2 of its speed, and wakes whom it makes faster than a step of free fall does.
      int woken = 0;
      for (int i = 1; i <= 12; ++i) woken += 2 * std::pow(0.5 * (1 + e), i) > 9.81 * dt ? 1 : 0;
      const Measurements out = strike(e, dt);
      EXPECT_EQ(std::get<Real>(out.values.at("revived_by_PQ_first_pass")), woken) << e << ' ' << dt;
      EXPECT_EQ(std::get<Real>(out.values.at("revived_by_QP_only_first_step")), 1) << e << ' ' << dt;
    }
  }
}

}  // namespace
}  // namespace carom
