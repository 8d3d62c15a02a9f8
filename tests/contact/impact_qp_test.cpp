#include "contact/impact_qp.h"

#include <iostream>

#include <gtest/gtest.h>

#include "math/cone.h"
#include "support/impacts.h"

namespace carom::test {
namespace {

TEST(LeastEnergyImpact, MeetsTheBoundAndTheConditionsOfTheOptimum) {
  Random random(21);
  int bounded = 0;
  for (int i = 0; i < 10000; ++i) {
    const PointImpact impact = random_impact(random);
    const ImpactOutcome outcome = least_energy_impact(impact);
    const Real before = dot(impact.normal, impact.velocity), after = dot(impact.normal, outcome.velocity);
    const Real bound = -impact.restitution * before, scale = norm(impact.velocity);
    EXPECT_GE(after, bound - 1e-12 * scale) << i;
    EXPECT_TRUE(outcome.in_cone) << i;
    // With a multiplier λ ≥ 0 of the bound, u − λ K n is in the dual cone and at right angles to j: so j is what the
    // projection leaves as it is. The multiplier follows from the component along j.
    const Vec3 pull = impact.inverse_mass * impact.normal, j = outcome.impulse;
    Real multiplier = 0;
    if (after <= bound + 1e-10 * scale && dot(pull, j) > 0) {
      multiplier = dot(outcome.velocity, j) / dot(pull, j);
      ++bounded;
    }
    EXPECT_GE(multiplier, -1e-9 * scale / norm(pull)) << i;
    const Vec3 u = outcome.velocity - multiplier * pull;
    const Vec3 tangent = default_tangent(impact.normal);
    const Mat3 axes = Mat3::columns(impact.normal, tangent, cross(impact.normal, tangent));
    const Real rho = 3 / impact.inverse_mass.trace();
    const Vec3 local = transposed_times(axes, j), gradient = transposed_times(axes, u);
    EXPECT_LE(norm(local - project_on_cone(local - rho * gradient, impact.mu)), 1e-8 * rho * scale) << i;
  }
  EXPECT_GT(bounded, 1000);
}

TEST(LeastEnergyImpact, NeverAddsEnergyWhereNewtonsLawDoes) {
  Random random(22);
  int newton_adds = 0;
  for (int i = 0; i < 10000; ++i) {
    const PointImpact impact = random_impact(random);
    const Real speed = squared_norm(impact.velocity) / impact.inverse_mass.trace();
    EXPECT_LE(least_energy_impact(impact).work.total(), 1e-12 * speed) << i;
    newton_adds += resolve_impact(ImpactLaw::Newton, impact).work.total() > 1e-12 * speed ? 1 : 0;
  }
  std::cout << "Newton's law adds energy in " << newton_adds << " of 10000 impacts, the least-energy impact in none\n";
  EXPECT_GT(newton_adds, 0);
}

TEST(LeastEnergyImpact, BodiesThatPartGetNothing) {
  PointImpact impact;
  impact.inverse_mass = Mat3::diagonal({1, 1, 1});
  impact.normal = {0, 0, 1};
  impact.velocity = {1, 0, 0.5};
  impact.mu = 0.5;
  EXPECT_EQ(least_energy_impact(impact).impulse, Vec3{});
}

}  // namespace
}  // namespace carom::test
