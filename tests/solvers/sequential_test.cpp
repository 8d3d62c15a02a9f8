// The sequential solver on one contact, where the answer has a closed form, and on joints.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::kGravity;
using test::kStep;
using test::solve;

// One contact is solved exactly but for the sliding iteration, whose last change is below the tolerance of 1e-12 v_ref.
constexpr test::Settings kTight{{"tolerance", 1e-12}, {"iterations", 2000.0}};
constexpr Real kExact = 1e-12;

/// A point mass of 2 kg: the diagonal block is a multiple of the identity, so normal and friction do not mix.
ContactProblem point_mass(const Vec3& velocity, Real mu) {
  ContactProblem problem = test::ball_on_floor(velocity, mu);
  problem.bodies[1].inverse_mass = 0.5;
  problem.contacts[0].rb = {};
  return problem;
}

TEST(Sequential, PointMassSticksWhereTheConeAllows) {
  const ContactSolution s = solve(point_mass({0.4, 0.3, -2}, 0.5), "sequential", kTight);  // 0.5 ≤ 0.5 · 2
  EXPECT_LE(norm(s.impulses[0] - Vec3{-0.8, -0.6, 4}), kExact);
  EXPECT_LE(norm(s.velocities[1]), kExact);
  EXPECT_TRUE(s.report.converged);
}

TEST(Sequential, PointMassSlidesAgainstItsVelocity) {
  const ContactSolution s = solve(point_mass({3, 4, -2}, 0.5), "sequential", kTight);
  // Normal 4 N s, friction 2 N s against (0.6, 0.8).
  EXPECT_LE(norm(s.impulses[0] - Vec3{-1.2, -1.6, 4}), kExact);
  EXPECT_LE(norm(s.velocities[1] - Vec3{2.4, 3.2, 0}), kExact);
}

TEST(Sequential, SeparatingContactStaysOpen) {
  const ContactSolution s = solve(point_mass({3, 4, 0.1}, 0.5), "sequential", kTight);
  EXPECT_EQ(s.impulses[0], Vec3{});
  EXPECT_EQ(s.velocities[1], (Vec3{3, 4, 0.1}));
}

TEST(Sequential, WithoutFrictionTheTangentIsUntouched) {
  const ContactSolution s = solve(point_mass({3, 4, -2}, 0), "sequential", kTight);
  EXPECT_LE(norm(s.impulses[0] - Vec3{0, 0, 4}), kExact);
  EXPECT_LE(norm(s.velocities[1] - Vec3{3, 4, 0}), kExact);
}

TEST(Sequential, GapLetsThePointMassApproach) {
  ContactProblem problem = point_mass({0, 0, -2}, 0.5);
  problem.contacts[0].target = -3;
  EXPECT_EQ(solve(problem, "sequential", kTight).impulses[0], Vec3{});
  problem.contacts[0].target = -0.5;
  EXPECT_LE(norm(solve(problem, "sequential", kTight).velocities[1] - Vec3{0, 0, -0.5}), kExact);
}

TEST(Sequential, TangentTargetIsABeltThatDragsAlong) {
  ContactProblem problem = point_mass({0, 0, -2}, 0.5);
  problem.contacts[0].tangent_target = {0.3, 0};
  const ContactSolution s = solve(problem, "sequential", kTight);
  EXPECT_LE(norm(s.velocities[1] - 0.3 * problem.contacts[0].tangent), kExact);
}

TEST(Sequential, SlidingBallStartsToRoll) {
  // A solid ball (2/5 m r²) that strikes the floor at 1 m/s: friction takes mu·1 from the speed, and turns it by
  // mu·m·r/I = 2.5 mu/r. It still slips: at 5 m/s rolling would need 10/7.
  ContactProblem problem = test::ball_on_floor({5, 0, -1}, 0.2);
  const ContactSolution s = solve(problem, "sequential", kTight);
  EXPECT_LE(norm(s.velocities[1] - Vec3{4.8, 0, 0}), kExact);
  EXPECT_LE(norm(s.angular_velocities[1] - Vec3{0, 1, 0}), kExact);
  // With friction enough it rolls: 2/7 of the slip goes.
  problem = test::ball_on_floor({1, 0, -1}, 0.9);
  const ContactSolution rolls = solve(problem, "sequential", kTight);
  EXPECT_NEAR(rolls.velocities[1].x, 5.0 / 7, kExact);
  EXPECT_NEAR(rolls.angular_velocities[1].y, 10.0 / 7, kExact);
}

TEST(Sequential, StaticFrictionHoldsWhatSticksAndDynamicBrakesWhatSlides) {
  ContactProblem problem = point_mass({0.7, 0, -1}, 0.5);
  problem.contacts[0].mu_static = 0.8;
  EXPECT_LE(norm(solve(problem, "sequential", kTight).velocities[1]), kExact);
  problem.bodies[1].velocity.x = 0.9;
  EXPECT_LE(norm(solve(problem, "sequential", kTight).velocities[1] - Vec3{0.4, 0, 0}), kExact);
}

TEST(Sequential, TwoBodiesShareTheImpulse) {
  ContactProblem problem;
  problem.bodies = {test::cube_body(1), test::cube_body(3)};
  problem.bodies[1].velocity = {-4, 0, 0};
  problem.contacts = {test::contact(0, 1, {1, 0, 0}, {0.5, 0, 0}, {-0.5, 0, 0}, 0.5)};
  const ContactSolution s = solve(problem, "sequential", kTight);
  // Inelastic: both go on with the centre of mass.
  EXPECT_LE(norm(s.velocities[0] - Vec3{-3, 0, 0}), kExact);
  EXPECT_LE(norm(s.velocities[1] - Vec3{-3, 0, 0}), kExact);
}

TEST(Sequential, StickingCubeStaysAtRest) {
  const Real weight = kGravity * kStep;
  const ContactSolution s = solve(test::cube_on_floor({0.4 * weight, 0, -weight}, 0.5), "sequential", kTight);
  EXPECT_TRUE(s.report.converged);
  EXPECT_LE(norm(s.velocities[1]), 1e-11);
  EXPECT_LE(norm(s.angular_velocities[1]), 1e-11);
  Vec3 sum;
  for (const Vec3& j : s.impulses) sum += j;
  EXPECT_LE(norm(sum - Vec3{-0.4 * weight, 0, weight}), 1e-11);
}

TEST(Sequential, SlidingCubeLosesWhatFrictionTakes) {
  const Real weight = kGravity * kStep;
  const ContactSolution s = solve(test::cube_on_floor({2, 0, -weight}, 0.3), "sequential", kTight);
  EXPECT_TRUE(s.report.converged);
  EXPECT_LE(norm(s.velocities[1] - Vec3{2 - 0.3 * weight, 0, 0}), 1e-11);
  EXPECT_LE(norm(s.angular_velocities[1]), 1e-11);
}

TEST(Sequential, BallJointHolds) {
  test::Random random(1);
  for (int round = 0; round < 50; ++round) {
    ContactProblem problem;
    problem.bodies = {test::fixed_body(), test::cube_body(random.scale(1, 10)), test::cube_body(random.scale(1, 10))};
    for (std::size_t i = 1; i < 3; ++i) {
      problem.bodies[i].velocity = random.vector(1);
      problem.bodies[i].angular_velocity = random.vector(1);
    }
    const Vec3 ra = random.vector(1), rb = random.vector(1), rc = random.vector(1), rd = random.vector(1);
    problem.row_blocks = {test::ball_joint(0, 1, ra, rb), test::ball_joint(1, 2, rc, rd)};
    problem.dt = kStep;
    problem.gravity = kGravity;
    const ContactSolution s = solve(problem, "sequential", {{"tolerance", 1e-10}, {"iterations", 5000.0}});
    ASSERT_TRUE(s.report.converged) << round;
    const auto at = [&](std::size_t i, const Vec3& r) { return s.velocities[i] + cross(s.angular_velocities[i], r); };
    // The last sweep changed no row by more than 1e-10 v_ref; what is left is that over the rate of convergence.
    EXPECT_LE(norm(at(1, rb)), 1e-9) << round;
    EXPECT_LE(norm(at(2, rd) - at(1, rc)), 1e-9) << round;
    ASSERT_EQ(s.row_impulses.size(), 6U);
  }
}

TEST(Sequential, BoundedRowStaysInItsBounds) {
  // A motor that may give at most 0.5 N s to a mass of 1 that is to reach 2 m/s.
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::cube_body(1)};
  RowBlock motor;
  motor.a = 0, motor.b = 1, motor.rows = 1;
  motor.jacobian_a[0].linear = {-1, 0, 0};
  motor.jacobian_b[0].linear = {1, 0, 0};
  motor.target[0] = 2;
  motor.lower[0] = -0.5, motor.upper[0] = 0.5;
  problem.row_blocks = {motor};
  ContactSolution s = solve(problem, "sequential", kTight);
  EXPECT_EQ(s.row_impulses[0], 0.5);
  EXPECT_NEAR(s.velocities[1].x, 0.5, kExact);
  problem.row_blocks[0].upper[0] = 10;
  s = solve(problem, "sequential", kTight);
  EXPECT_NEAR(s.row_impulses[0], 2, kExact);
  EXPECT_NEAR(s.velocities[1].x, 2, kExact);
}

TEST(Sequential, JointAndContactAreSolvedTogether) {
  // Two cubes of mass 1 joined by a rod's end each land together: the joint carries nothing, the floor everything.
  ContactProblem problem = test::cube_on_floor({0, 0, -1}, 0);
  problem.bodies.push_back(test::cube_body(1));
  problem.bodies[2].velocity = {0, 0, -1};
  problem.row_blocks = {test::ball_joint(1, 2, {0, 0, 1}, {0, 0, -1})};
  const ContactSolution s = solve(problem, "sequential", kTight);
  ASSERT_TRUE(s.report.converged);
  EXPECT_LE(norm(s.velocities[1]), 1e-10);
  EXPECT_LE(norm(s.velocities[2]), 1e-10);
  EXPECT_NEAR(s.row_impulses[2], 1, 1e-10);
  Real sum = 0;
  for (const Vec3& j : s.impulses) sum += j.z;
  EXPECT_NEAR(sum, 2, 1e-10);
}

TEST(Sequential, BodiesWithoutContactsChangeNothing) {
  const ContactProblem stack = test::cube_stack(10, 0.5);
  ContactProblem crowd = stack;
  for (int i = 0; i < 100; ++i) {
    crowd.bodies.push_back(test::cube_body(1));
    crowd.bodies.back().velocity = {1, 2, 3};
    if (i % 2 == 0) crowd.bodies.back().role = BodyRole::Frozen;
  }
  const ContactSolution alone = solve(stack, "sequential"), among = solve(crowd, "sequential");
  EXPECT_EQ(alone.impulses, among.impulses);
  EXPECT_EQ(among.velocities.back(), (Vec3{1, 2, 3}));
}

}  // namespace
}  // namespace carom
