// Collisions by repeated impulses: bounces and friction whose outcome is known.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::solve;

constexpr test::Settings kFine{{"tolerance", 1e-10}, {"iterations", 10000.0}};
constexpr Real kClose = 1e-9;  // ten times the change of velocity at which it stops

/// A cube that lands flat.
ContactProblem landing(const Vec3& velocity, Real mu, Real mu_static, Real e) {
  ContactProblem problem = test::cube_on_floor(velocity, mu);
  for (ContactPoint& c : problem.contacts) {
    c.mu_static = mu_static;
    c.restitution = e;
  }
  return problem;
}

TEST(Iterative, CubeThatLandsFlatLeavesAtNewtonsVelocity) {
  const ContactSolution s = solve(landing({0, 0, -2}, 0.5, 0.5, 0.5), "iterative", kFine);
  EXPECT_TRUE(s.report.converged);
  EXPECT_LE(norm(s.velocities[1] - Vec3{0, 0, 1}), kClose);
  EXPECT_LE(norm(s.angular_velocities[1]), kClose);
}

TEST(Iterative, RowOfBallsBouncesAtOnce) {
  // Every contact to the velocity that it had reason to expect at the start: v₁ = (1 + e) / n − e, the others (1 + e) /
  // n.
  for (const Real e : {0.0, 0.6, 1.0}) {
    for (const int balls : {3, 5}) {
      const ContactSolution s = solve(test::cradle(balls, 1, e), "iterative", kFine);
      for (int i = 0; i < balls; ++i)
        EXPECT_NEAR(s.velocities[static_cast<std::size_t>(i)].x, (1 + e) / balls - (i == 0 ? e : 0), kClose);
    }
  }
}

TEST(Iterative, SlidingBallLosesFrictionTimesTheNormalImpulse) {
  // Slides throughout: |Δv_x| = μ (1 + e) |v_z|.
  ContactProblem problem = test::ball_on_floor({5, 0, -1}, 0.2);
  problem.contacts[0].restitution = 0.5;
  const ContactSolution s = solve(problem, "iterative", kFine);
  EXPECT_LE(norm(s.impulses[0] - Vec3{-0.3, 0, 1.5}), kClose);
}

TEST(Iterative, FrictionDoesNotTurnTheSlipAround) {
  // Slow against its friction: the slip stops. m (v_x − j) = 0.4·j for the spin that starts, so j = v_x / 3.5.
  const ContactSolution s = solve(test::ball_on_floor({0.7, 0, -1}, 0.9), "iterative", kFine);
  EXPECT_NEAR(s.impulses[0].x, -0.2, kClose);
  EXPECT_LE(std::abs(test::velocity_at(test::ball_on_floor({}, 0), s, 0).x), kClose);
}

TEST(Iterative, StaticFrictionHoldsWhereTheDynamicWouldNot) {
  // To stop a ball takes 0.2 for a normal impulse of 0.5: more than μ = 0.3, and less than μ_s = 0.5.
  ContactProblem problem = test::ball_on_floor({0.7, 0, -0.5}, 0.3);
  problem.contacts[0].mu_static = 0.5;
  EXPECT_LE(norm(solve(problem, "iterative", kFine).impulses[0] - Vec3{-0.2, 0, 0.5}), kClose);
  problem.contacts[0].mu_static = 0.39;
  EXPECT_LE(norm(solve(problem, "iterative", kFine).impulses[0] - Vec3{-0.15, 0, 0.5}), kClose);
}

TEST(Iterative, StackComesToRest) {
  const ContactProblem problem = test::cube_stack(4, 0.5);
  const ContactSolution s = solve(problem, "iterative", kFine);
  EXPECT_TRUE(s.report.converged);
  for (const Vec3& v : s.velocities) EXPECT_LE(norm(v), 1e-8);
}

}  // namespace
}  // namespace carom
