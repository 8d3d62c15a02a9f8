#include "study/sample_impacts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "study/impact_report.h"

namespace carom {
namespace {

TEST(SampleImpacts, RodHasTheInverseMassOfABar) {
  // A bar at 45° whose end is struck: K_xx = 1/m + (L cos 45°/2)²/I and K_xz = −(L/2)² sin 45° cos 45°/I.
  const Mat3 k = inverse_mass_at(rod_impact(45, {}));
  const Real moment = (1 + 0.02 * 0.02) / 12;
  EXPECT_NEAR(k(0, 0), 1 + 0.125 / moment, 1e-12);
  EXPECT_NEAR(std::abs(k(0, 2)), 0.125 / moment, 1e-12);
  EXPECT_NEAR(k(1, 2), 0, 1e-15);
}

TEST(SampleImpacts, BrickIsStruckAtItsLowestCornerAndHasNoSymmetry) {
  const ContactProblem problem = brick_impact({{0, 0, -1}, 0.3, 0.5});
  // Half the diagonal of 1 m × 0.5 m × 0.1 m.
  EXPECT_NEAR(norm(problem.contacts[0].rb), 0.5 * std::sqrt(1 + 0.25 + 0.01), 1e-12);
  EXPECT_LT(problem.contacts[0].rb.z, 0);
  const Mat3 k = inverse_mass_at(problem);
  EXPECT_GT(std::abs(k(0, 1)), 0.1);
  EXPECT_GT(std::abs(k(1, 2)), 0.1);
}

TEST(SampleImpacts, RandomOnesApproachAndRepeat) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ContactProblem problem = random_impact(seed);
    EXPECT_EQ(check(problem), "");
    EXPECT_TRUE(report_impact(problem, ImpactLaw::Poisson).approaches) << seed;
    EXPECT_EQ(problem.bodies[1].velocity, random_impact(seed).bodies[1].velocity);
  }
}

TEST(SampleImpacts, OfTheIntegratedLawsNoneAddsEnergy) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const ContactProblem problem = random_impact(seed);
    for (const ImpactLaw law : {ImpactLaw::Poisson, ImpactLaw::Stronge}) {
      const ImpactReport report = report_impact(problem, law);
      // Rounding of energies that are summed over both bodies.
      EXPECT_LE(report.energy_change(), 1e-12 * report.kinetic_energy_before) << seed;
    }
  }
}

TEST(SampleImpacts, NewtonsLawAddsEnergyToTheRodThatLeans) {
  const ContactProblem problem = rod_impact(47, {{0.05, 0, -1}, 0.6, 1});
  EXPECT_GT(report_impact(problem, ImpactLaw::Newton).energy_change(), 0.2);
  EXPECT_LT(report_impact(problem, ImpactLaw::Stronge).energy_change(), 0);
}

}  // namespace
}  // namespace carom
