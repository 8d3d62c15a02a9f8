// The convex model in wide numbers, on problems that doubles do not solve.
#include "solvers/wide_newton.h"

#include <gtest/gtest.h>

#include "contact/rows.h"
#include "solvers/solving.h"

namespace carom {
namespace {

using test::Random;
using test::solve;

std::vector<Vec3> impulses_of(const ConeSystem& system, const ContactProblem& problem,
                              const ContactSolution& solution) {
  std::vector<Vec3> impulses;
  system.take_warm(problem, solution.impulses, impulses);
  return impulses;
}

TEST(WideNewton, VelocitiesDoNotDependOnTheStart) {
  // Light bodies between heavy ones: a residual of 1e-8 may leave velocities that are off in the fourth digit.
  Random random(5);
  WideNewton wide;
  for (int i = 0; i < 40; ++i) {
    const ContactProblem problem = test::random_problem(random, random.integer(2, 30), 1e6);
    ConeSystem system;
    system.build(problem);
    ASSERT_TRUE(WideNewton::is_for(system));
    ContactSolution answers[2];
    int answer = 0;
    for (const Real tolerance : {1e-3, 1e-5}) {
      const ContactSolution start = solve(problem, "qp", {{"tolerance", tolerance}}, {}, {{"cone", "exact"}});
      EXPECT_TRUE(wide.solve(system, impulses_of(system, problem, start), 1000)) << i;
      system.unpack(problem, wide.impulses(), answers[answer++]);
    }
    // Impulses of 1e6 N s, rounded to doubles, through bodies of 1 kg.
    EXPECT_LE(test::velocity_difference(answers[0], answers[1]), 1e-8) << i;
  }
}

TEST(WideNewton, SolvesABallOnTheFloorToTheLastDigit) {
  const ContactProblem problem = test::ball_on_floor({0.1, 0, -1}, 0.5);  // sticks: rolls off at 5/7 of its speed
  ConeSystem system;
  system.build(problem);
  WideNewton wide;
  ASSERT_TRUE(wide.solve(system, std::vector<Vec3>(1), 100));
  ContactSolution solution;
  system.unpack(problem, wide.impulses(), solution);
  EXPECT_NEAR(solution.velocities[1].x, 0.1 * 5 / 7, 1e-16);
  EXPECT_NEAR(solution.velocities[1].z, 0, 1e-16);
  EXPECT_LE(wide.residual(), 1e-15);
}

TEST(WideNewton, StopsWhenItsStepsAreUsedUp) {
  Random random(6);
  const ContactProblem problem = test::random_problem(random, 30, 1e6);
  ConeSystem system;
  system.build(problem);
  WideNewton wide;
  EXPECT_FALSE(wide.solve(system, std::vector<Vec3>(system.contacts.size()), 2));
  EXPECT_EQ(wide.steps(), 2);
}

}  // namespace
}  // namespace carom
