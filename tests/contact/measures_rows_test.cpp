// Measures with impulses that are not numbers, and with row blocks.
#include <gtest/gtest.h>

#include <limits>

#include "carom/contact/measures.h"
#include "support/problems.h"

namespace carom {
namespace {

TEST(Measures, OneImpulseThatIsNotANumberIsNotHiddenByContactsAfterIt) {
  ContactProblem problem = test::ball_on_floor({0, 0, -3}, 0);
  problem.bodies.push_back(problem.bodies[1]);
  problem.contacts.push_back(problem.contacts[0]);
  problem.contacts[1].b = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    ContactSolution solution;
    solution.impulses = {{0, 0, 3}, {0, 0, 3}};
    solution.impulses[i].z = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(measure(problem, solution).residual_coulomb <= 1e300) << i;
  }
}

TEST(Measures, MomentumBalancesWithAJointToAFixedBody) {
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::cube_body(1)};
  problem.row_blocks = {test::ball_joint(0, 1, {}, {})};
  ContactSolution solution;
  solution.row_impulses = {0, 0, 1};
  EXPECT_LE(norm(measure(problem, solution).momentum_change), 1e-15);
}

}  // namespace
}  // namespace carom
