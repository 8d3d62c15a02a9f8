// A stack of cubes as a problem of its own: many bodies, one chain, redundant corners. Its answer is known: rest.
#include <gtest/gtest.h>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::kGravity;
using test::kStep;
using test::solve;

constexpr Real kWeight = kGravity * kStep;

void expect_rest(const ContactProblem& problem, const ContactSolution& s, Real tolerance) {
  EXPECT_TRUE(s.report.converged);
  for (std::size_t i = 1; i < problem.bodies.size(); ++i) {
    EXPECT_LE(norm(s.velocities[i]), tolerance) << i;
    EXPECT_LE(norm(s.angular_velocities[i]), tolerance) << i;
    // Each level carries what is above it.
    Real carried = 0;
    for (std::size_t k = 4 * (i - 1); k < 4 * i; ++k) carried += s.impulses[k].z;
    const Real expected = kWeight * static_cast<Real>(problem.bodies.size() - i);
    EXPECT_NEAR(carried, expected, tolerance * static_cast<Real>(problem.bodies.size())) << i;
  }
}

// Sweeps stop at changes of 1e-10 v_ref; a chain of n is off by up to n² times that.
constexpr test::Settings kPlain{{"tolerance", 1e-10}, {"iterations", 50000.0}, {"memory", 0.0}};
constexpr test::Settings kAccelerated{{"tolerance", 1e-10}, {"iterations", 50000.0}, {"memory", 8.0}};
constexpr Real kTolerance = 1e-7;

TEST(Stack, ComesToRestWithAndWithoutAcceleration) {
  // Plain sweeps need thousands for six cubes, and twice that for every second one more.
  for (const Real mu : {0.0, 0.1, 0.5}) {
    expect_rest(test::cube_stack(6, mu), solve(test::cube_stack(6, mu), "sequential", kPlain), kTolerance);
    expect_rest(test::cube_stack(6, mu), solve(test::cube_stack(6, mu), "sequential", kAccelerated), kTolerance);
    expect_rest(test::cube_stack(12, mu), solve(test::cube_stack(12, mu), "sequential", kAccelerated), kTolerance);
  }
}

TEST(Stack, AccelerationSavesMostSweeps) {
  const ContactProblem problem = test::cube_stack(6, 0.5);
  const int plain = solve(problem, "sequential", kPlain).report.iterations;
  const int accelerated = solve(problem, "sequential", kAccelerated).report.iterations;
  EXPECT_LT(20 * accelerated, plain);
}

TEST(Stack, FrictionlessComesToRestToo) {
  const ContactProblem problem = test::cube_stack(12, 0);
  expect_rest(problem, solve(problem, "frictionless", {{"tolerance", 1e-10}, {"iterations", 50000.0}}), kTolerance);
}

TEST(Stack, FrictionlessPushesAlongNormalsAlone) {
  ContactProblem problem = test::cube_stack(5, 0.5);
  problem.bodies[5].velocity.x = 1;
  const ContactSolution s = solve(problem, "frictionless");
  for (const Vec3& j : s.impulses) {
    EXPECT_EQ(j.x, 0);
    EXPECT_EQ(j.y, 0);
    EXPECT_GE(j.z, 0);
  }
  EXPECT_EQ(s.velocities[5].x, 1);
}

TEST(Stack, WarmStartFromTheSolutionTakesTwoSweepsAtMost) {
  const ContactProblem problem = test::cube_stack(12, 0.5);
  const ContactSolution cold = solve(problem, "sequential", kAccelerated);
  SolveContext context;
  context.warm_impulses = cold.impulses;
  const ContactSolution warm = solve(problem, "sequential", {}, context);
  EXPECT_TRUE(warm.report.converged);
  EXPECT_LE(warm.report.iterations, 2);
}

TEST(Stack, HeavyOnLightComesToRest) {
  ContactProblem problem = test::cube_stack(4, 0.5);
  problem.bodies[4].inverse_mass = 1e-3;
  problem.bodies[4].inverse_inertia = 1e-3 * problem.bodies[4].inverse_inertia;
  const ContactSolution s = solve(problem, "sequential", kAccelerated);
  EXPECT_TRUE(s.report.converged);
  for (std::size_t i = 1; i <= 4; ++i) EXPECT_LE(norm(s.velocities[i]), 1e-5) << i;  // a thousand times the change
}

}  // namespace
}  // namespace carom
