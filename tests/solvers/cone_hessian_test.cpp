// Newton's matrix with bounds, against the equations that it stands for.
#include "solvers/cone_hessian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/solving.h"

namespace carom {
namespace {

TEST(ConeHessian, StepsWithBoundsMeetTheEquationsTheyStandFor) {
  test::Random random(31);
  for (int i = 0; i < 20; ++i) {
    const ContactProblem problem = test::random_problem(random, random.integer(2, 30), random.scale(1, 100));
    ConeSystem system;
    system.build(problem);
    std::vector<BoundRow> rows;
    std::vector<Real> weights, multipliers;
    std::vector<Mat3> curvatures;
    for (std::size_t k = 0; k < system.contacts.size(); ++k) {
      const ConeContact& c = system.contacts[k];
      curvatures.push_back(k % 4 == 3 ? Mat3{} : c.rho * Mat3::diagonal({random.scale(0.1, 10), 1, 1}));
      if (k % 3 == 2) continue;
      rows.push_back(BoundRow::of(c, 1));
      weights.push_back(k % 3 == 0 ? c.rho * random.scale(0.1, 10) : 0);
      multipliers.push_back(random.uniform(-1, 1));
    }
    std::vector<Vec6> velocities(system.free_velocities.size());
    for (Vec6& v : velocities)
      for (Real& x : v) x = random.uniform(-1, 1);
    const std::vector<Vec6> f = velocities;
    const std::vector<Real> h = multipliers;

    ConeHessian hessian;
    hessian.analyse(system, rows);
    ASSERT_TRUE(hessian.factor(system, curvatures, true, weights));
    hessian.solve(velocities, multipliers);

    // Δv = Δy + Rᵀ Δλ, with which Δv + H Δy = f and Δλ = h − w R Δv.
    std::vector<Vec6> change = velocities;
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k].add(multipliers[k], change);
    for (std::size_t k = 0; k < rows.size(); ++k)
      EXPECT_NEAR(multipliers[k], h[k] - weights[k] * rows[k].times(change), 1e-9 * (1 + std::abs(multipliers[k])));
    std::vector<Vec6> sum = change;
    for (std::size_t k = 0; k < system.contacts.size(); ++k) {
      const ConeContact& c = system.contacts[k];
      ConeSystem::add_impulse(c, curvatures[k] * (ConeSystem::velocity(c, velocities) - c.bias), sum);
    }
    for (std::size_t k = 0; k < f.size(); ++k)
      for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(sum[k][d], f[k][d], 1e-9) << i;
  }
}

}  // namespace
}  // namespace carom
