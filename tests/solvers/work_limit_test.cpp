#include "solvers/work_limit.h"

#include <gtest/gtest.h>

#include "contact/rows.h"

namespace carom {
namespace {

constexpr Real kRadius = 0.004;

/// Three steel balls side by side between the walls of a bin, the first of which falls in from a little above.
ContactProblem wedged_balls() {
  ContactProblem problem;
  problem.bodies.resize(4);  // 0: the bin
  problem.bodies[0].role = BodyRole::Fixed;
  const Real mass = 0.0021;
  for (int i = 1; i <= 3; ++i) {
    ProblemBody& ball = problem.bodies[static_cast<std::size_t>(i)];
    ball.inverse_mass = 1 / mass;
    ball.inverse_inertia = (2.5 / (mass * kRadius * kRadius)) * Mat3::identity();
  }
  problem.bodies[1].velocity = {0.066, 0.025, -0.924};
  problem.bodies[1].angular_velocity = {-7.4, 27.6, 2.5};
  problem.bodies[2].velocity = {-0.01, 0, 0.119};
  const auto touch = [&](std::int32_t a, std::int32_t b, const Vec3& normal, Real friction) {
    ContactPoint contact;
    contact.a = a;
    contact.b = b;
    contact.normal = normalized(normal);
    contact.tangent = default_tangent(contact.normal);
    contact.ra = kRadius * contact.normal;
    contact.rb = -kRadius * contact.normal;
    contact.mu = contact.mu_static = friction;
    contact.restitution = 0.25;
    problem.contacts.push_back(contact);
  };
  touch(0, 1, {1, 0, 0}, 0.2);
  touch(0, 1, {0, -1, 0}, 0.087);
  touch(1, 2, {0.985, -0.098, -0.14}, 0.15);
  touch(0, 2, {0, 1, 0}, 0.087);
  touch(0, 2, {0, 0, 1}, 0.2);
  touch(2, 3, {0.995, 0.1, 0}, 0.15);
  touch(0, 3, {0, -1, 0}, 0.087);
  touch(0, 3, {0, 0, 1}, 0.2);
  touch(0, 3, {-1, 0, 0}, 0.2);
  return problem;
}

Real energy_before(const ContactProblem& problem) {
  Real energy = 0;
  for (std::size_t i = 1; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    energy +=
        0.5 * (squared_norm(b.velocity) / b.inverse_mass + squared_norm(b.angular_velocity) / b.inverse_inertia(0, 0));
  }
  return energy;
}

Real energy_after(const ContactProblem& problem, const ContactSolution& solution) {
  ContactProblem after = problem;
  for (std::size_t i = 0; i < after.bodies.size(); ++i) {
    after.bodies[i].velocity = solution.velocities[i];
    after.bodies[i].angular_velocity = solution.angular_velocities[i];
  }
  return energy_before(after);
}

TEST(WorkLimit, WedgedBallsDoNotShootOut) {
  ContactProblem problem = wedged_balls();
  const SolverInfo* info = find_solver("exact");
  const std::unique_ptr<Solver> solver = info->make(Options(info->options));
  ContactSolution solution;
  solver->solve(problem, {}, solution);
  const Real before = energy_before(problem);
  ASSERT_GT(energy_after(problem, solution), 2 * before) << "restitution asked of all contacts at once adds no energy";

  WorkLimit().limit_bounces(*solver, {}, problem, solution);
  EXPECT_LE(energy_after(problem, solution), (1 + 1e-9) * before);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    EXPECT_EQ(c.restitution, 0.25) << "the problem was changed";
    const Vec3& j = solution.impulses[i];
    const Real normal = dot(j, c.normal);
    EXPECT_LE(norm(j - normal * c.normal), c.mu * normal + 1e-9) << "contact " << i;
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    const Vec3 leaving = relative_velocity(c, solution.velocities[a], solution.angular_velocities[a],
                                           solution.velocities[b], solution.angular_velocities[b]);
    EXPECT_GE(dot(leaving, c.normal), -1e-6) << "contact " << i;
  }
}

TEST(WorkLimit, GivesTheSameOnAFloorThatMoves) {
  const SolverInfo* info = find_solver("exact");
  const std::unique_ptr<Solver> solver = info->make(Options(info->options));
  const auto limited = [&](const Vec3& drift) {
    ContactProblem problem = wedged_balls();
    problem.bodies[0].role = drift == Vec3{} ? BodyRole::Fixed : BodyRole::Kinematic;
    for (ProblemBody& body : problem.bodies) body.velocity += drift;
    ContactSolution solution;
    solver->solve(problem, {}, solution);
    WorkLimit().limit_bounces(*solver, {}, problem, solution);
    return solution;
  };
  const Vec3 drift{3, -2, 1};
  const ContactSolution still = limited({}), moving = limited(drift);
  for (std::size_t i = 1; i < still.velocities.size(); ++i)
    EXPECT_LE(norm(moving.velocities[i] - drift - still.velocities[i]), 1e-7)
        << i;  // the solver's tolerance, and mixing
}

TEST(WorkLimit, LeavesAnAnswerThatGainsNothing) {
  ContactProblem problem = wedged_balls();
  problem.contacts.resize(1);
  problem.bodies[1].velocity = {-1, 0, 0};
  problem.bodies[1].angular_velocity = {};
  const SolverInfo* info = find_solver("exact");
  const std::unique_ptr<Solver> solver = info->make(Options(info->options));
  ContactSolution solution;
  solver->solve(problem, {}, solution);
  const ContactSolution bounced = solution;
  WorkLimit().limit_bounces(*solver, {}, problem, solution);
  EXPECT_EQ(solution.velocities[1], bounced.velocities[1]);
  EXPECT_NEAR(solution.velocities[1].x, 0.25, 1e-9);
}

/// A ball of 1 kg between a floor and a press that comes down on it, which falls as fast, and an answer that has run
/// away.
struct Pressed {
  ContactProblem problem;
  ContactSolution solution;

  explicit Pressed(Real difference) {
    problem.bodies.resize(3);
    problem.bodies[0].role = BodyRole::Fixed;
    problem.bodies[1].inverse_mass = 1;
    problem.bodies[1].inverse_inertia = Mat3::identity();
    problem.bodies[1].velocity = {0, 0, -1};
    problem.bodies[2].role = BodyRole::Kinematic;
    problem.bodies[2].velocity = {0, 0, -1};
    for (const std::int32_t body : {0, 2}) {
      ContactPoint& c = problem.contacts.emplace_back();
      c.a = body;
      c.b = 1;
      c.normal = {0, 0, body == 0 ? 1.0 : -1.0};
      c.tangent = {1, 0, 0};
    }
    solution.impulses = {{0, 0, 1e6 + difference}, {0, 0, -1e6}};
    solution.velocities = {{}, {0, 0, -1 + difference}, {0, 0, -1}};
    solution.angular_velocities = {{}, {}, {}};
  }
};

TEST(WorkLimit, AnAnswerThatHasRunAwayIsTakenToItsLeastEnergy) {
  Pressed pressed(1e4);
  WorkLimit limit;
  ASSERT_TRUE(limit.runs_away(pressed.problem, pressed.solution));
  limit.weaken(pressed.problem, pressed.solution);
  EXPECT_NEAR(pressed.solution.velocities[1].z, 0, 1e-9);
  EXPECT_NEAR(pressed.solution.impulses[0].z + pressed.solution.impulses[1].z, 1, 1e-9)
      << "impulses are not the motion's";
}

TEST(WorkLimit, WhatAPressMayGiveIsNoRunaway) {
  WorkLimit limit;
  for (const Real difference : {0.0, 1.0, 5.0}) {
    const Pressed pressed(difference);
    EXPECT_FALSE(limit.runs_away(pressed.problem, pressed.solution)) << difference;
  }
}

}  // namespace
}  // namespace carom
