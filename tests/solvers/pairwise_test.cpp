// Collisions pair by pair: bounces whose outcome is known.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::cradle;
using test::solve;

// A pair of contacts is solved to 1e-9 of its approach speed, a single contact to round-off.
constexpr Real kExact = 1e-12;

TEST(Pairwise, ElasticPairSwapsVelocities) {
  const ContactSolution s = solve(cradle(2, 1, 1), "pairwise");
  EXPECT_LE(norm(s.velocities[0]), kExact);
  EXPECT_LE(norm(s.velocities[1] - Vec3{1, 0, 0}), kExact);
  EXPECT_TRUE(s.report.converged);
}

TEST(Pairwise, UnequalPairFollowsNewton) {
  for (const Real e : {0.0, 0.4, 1.0}) {
    ContactProblem problem = cradle(2, 1, e);
    problem.bodies[1].inverse_mass = 1.0 / 3;
    const ContactSolution s = solve(problem, "pairwise");
    // Centre of mass at 1/4; relative velocity −e after.
    EXPECT_LE(norm(s.velocities[0] - Vec3{0.25 - 0.75 * e, 0, 0}), kExact) << e;
    EXPECT_LE(norm(s.velocities[1] - Vec3{0.25 + 0.25 * e, 0, 0}), kExact) << e;
  }
}

TEST(Pairwise, NewtonsCradleSendsOutOneBall) {
  for (const int balls : {3, 5, 8}) {
    const ContactSolution s = solve(cradle(balls, 1, 1), "pairwise");
    EXPECT_TRUE(s.report.converged) << balls;
    for (int i = 0; i < balls; ++i) {
      const Vec3 expected = i == balls - 1 ? Vec3{1, 0, 0} : Vec3{};
      EXPECT_LE(norm(s.velocities[static_cast<std::size_t>(i)] - expected), kExact) << balls << " " << i;
    }
  }
}

TEST(Pairwise, NewtonsCradleSendsOutAsManyAsComeIn) {
  for (const int moving : {2, 3}) {
    const ContactSolution s = solve(cradle(5, moving, 1), "pairwise", {{"sweeps", 100.0}});
    EXPECT_TRUE(s.report.converged);
    for (int i = 0; i < 5; ++i) {
      const Vec3 expected = i >= 5 - moving ? Vec3{1, 0, 0} : Vec3{};
      EXPECT_LE(norm(s.velocities[static_cast<std::size_t>(i)] - expected), kExact) << moving << " " << i;
    }
  }
}

TEST(Pairwise, ElasticCollisionsKeepEnergyAndMomentum) {
  for (const int balls : {2, 4, 7}) {
    for (int moving = 1; moving < balls; ++moving) {
      const ContactProblem problem = cradle(balls, moving, 1);
      const ContactErrors errors = measure(problem, solve(problem, "pairwise", {{"sweeps", 1000.0}}));
      EXPECT_NEAR(errors.kinetic_energy_after, errors.kinetic_energy_before, kExact * moving);
      EXPECT_LE(norm(errors.momentum_change), kExact);
    }
  }
}

TEST(Pairwise, CubeThatLandsFlatLeavesFlat) {
  for (const Real e : {0.0, 0.5, 1.0}) {
    ContactProblem problem = test::cube_on_floor({0, 0, -3}, 0.5);
    for (ContactPoint& c : problem.contacts) c.restitution = e;
    const ContactSolution s = solve(problem, "pairwise");
    // The pair's four contacts are iterated to 1e-9 of the approach.
    EXPECT_LE(norm(s.velocities[1] - Vec3{0, 0, 3 * e}), 1e-8) << e;
    EXPECT_LE(norm(s.angular_velocities[1]), 1e-8) << e;
  }
}

TEST(Pairwise, SlidingBallBouncesAndIsBraked) {
  // Newton's law for the normal, Coulomb's for the rest: (1 + e) v_n of normal impulse, mu times that of friction.
  ContactProblem problem = test::ball_on_floor({5, 0, -1}, 0.2);
  problem.contacts[0].restitution = 0.5;
  const ContactSolution s = solve(problem, "pairwise");
  EXPECT_LE(norm(s.velocities[1] - Vec3{5 - 0.2 * 1.5, 0, 0.5}), kExact);
  EXPECT_LE(norm(s.angular_velocities[1] - Vec3{0, 1.5, 0}), kExact);
}

TEST(Pairwise, ContactsSlowerThanTheRestingSpeedAreLeftAlone) {
  ContactProblem problem = test::cube_on_floor({0, 0, -0.04}, 0.5);
  for (ContactPoint& c : problem.contacts) c.restitution = 1;
  SolveContext context;
  context.resting_speed = 0.05;
  const ContactSolution s = solve(problem, "pairwise", {}, context);
  for (const Vec3& j : s.impulses) EXPECT_EQ(j, Vec3{});
  EXPECT_EQ(s.velocities[1], (Vec3{0, 0, -0.04}));
  problem.bodies[1].velocity.z = -0.06;
  EXPECT_GT(solve(problem, "pairwise", {}, context).velocities[1].z, 0.05);
}

TEST(Pairwise, SeparatingContactsAreLeftAlone) {
  ContactProblem problem = test::cube_on_floor({3, 0, 1}, 0.5);
  for (ContactPoint& c : problem.contacts) c.restitution = 1;
  EXPECT_EQ(solve(problem, "pairwise").velocities[1], (Vec3{3, 0, 1}));
}

TEST(Pairwise, NeverPullsAndStaysInTheConeOnRandomProblems) {
  test::Random random(3);
  for (int i = 0; i < 100; ++i) {
    ContactProblem problem = test::random_problem(random, random.integer(2, 30), 100);
    for (ContactPoint& c : problem.contacts) c.restitution = random.uniform(0, 1);
    const ContactSolution s = solve(problem, "pairwise", {{"sweeps", 50.0}});
    const ContactErrors errors = measure(problem, s);
    Real largest = 0;
    for (const Vec3& j : s.impulses) largest = std::max(largest, norm(j));
    // Bounces add up, each in its cone, and a cone is convex.
    EXPECT_LE(errors.max_cone_violation, 1e-9 * largest) << i;
    if (s.report.converged) {
      EXPECT_LE(errors.max_penetrating_velocity, 1e-8) << i;
    } else {
      EXPECT_GE(s.report.approach_left, errors.max_penetrating_velocity - 1e-9) << i;
    }
  }
}

}  // namespace
}  // namespace carom
