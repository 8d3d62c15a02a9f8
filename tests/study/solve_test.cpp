#include "study/solve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "carom/contact/measures.h"
#include "solvers/model_residual.h"

namespace carom {
namespace {

ProblemBody ball(const Vec3& velocity) {
  ProblemBody body;
  body.inverse_mass = 1;
  body.inverse_inertia = 250.0 * Mat3::identity();  // solid, radius 0.1
  body.velocity = velocity;
  return body;
}

/// Balls in a row along x, each touching the next.
ContactProblem row_of_balls(const std::vector<Real>& velocities, Real restitution) {
  ContactProblem problem;
  for (const Real v : velocities) problem.bodies.push_back(ball({v, 0, 0}));
  for (std::size_t i = 0; i + 1 < velocities.size(); ++i) {
    ContactPoint c;
    c.a = static_cast<std::int32_t>(i);
    c.b = c.a + 1;
    c.normal = {1, 0, 0};
    c.tangent = {0, 1, 0};
    c.ra = {0.1, 0, 0};
    c.rb = {-0.1, 0, 0};
    c.restitution = restitution;
    problem.contacts.push_back(c);
  }
  return problem;
}

SolveOutcome solve(const std::string& solver, const ContactProblem& problem) {
  const Result<SolverChoice> choice = choose_solver({solver, {}, {}, {}, {}});
  EXPECT_TRUE(choice) << choice.message();
  return solve_problem(problem, choice.value());
}

TEST(Solve, EverySolverOfTheRegistryCanBeChosen) {
  for (const SolverInfo& info : solver_registry()) {
    const Result<SolverChoice> choice = choose_solver({info.name, {}, info.cone, 1e-4, {}});
    ASSERT_TRUE(choice) << choice.message();
    EXPECT_EQ(choice.value().info, &info);
    EXPECT_EQ(choice.value().tolerance, 1e-4);
  }
}

TEST(Solve, ReportedCoulombResidualIsThatOfTheMeasures) {
  const ContactProblem problem = row_of_balls({1, 0, 0}, 0);
  for (const char* name : {"sequential", "iterative", "pq", "pairwise", "shock", "frictionless"}) {
    const SolveOutcome outcome = solve(name, problem);
    ASSERT_TRUE(outcome.residual_coulomb) << name;
    EXPECT_EQ(*outcome.residual_coulomb, measure(problem, outcome.solution).residual_coulomb) << name;
  }
}

/// The same row, two models: one after the other the last ball leaves alone, all at once the row shares the momentum.
/// Each solver has solved its own model, and neither is Coulomb's law alone.
TEST(Solve, EachSolverIsHeldToItsOwnModelWhereRestitutionActs) {
  const ContactProblem problem = row_of_balls({1, 0, 0}, 1);
  const SolveOutcome bounced = solve("pq", problem), at_once = solve("sequential", problem);
  EXPECT_TRUE(bounced.met);
  EXPECT_TRUE(at_once.met) << at_once.residual_model;
  EXPECT_FALSE(bounced.residual_coulomb);
  EXPECT_FALSE(at_once.residual_coulomb);
  EXPECT_NEAR(bounced.solution.velocities[2].x, 1, 1e-12);  // round-off of two bounces
  // Both targets are met as bounds: v_2 − v_1 ≥ 1 at the first contact, equal velocities at the second.
  EXPECT_NEAR(at_once.solution.velocities[0].x, -1.0 / 3, 1e-6);
  EXPECT_NEAR(at_once.solution.velocities[2].x, 2.0 / 3, 1e-6);
}

TEST(Solve, RestitutionActsOnlyWhereAClosedContactApproaches) {
  EXPECT_TRUE(restitution_acts(row_of_balls({1, 0}, 0.5)));
  EXPECT_FALSE(restitution_acts(row_of_balls({1, 0}, 0)));
  EXPECT_FALSE(restitution_acts(row_of_balls({0, 1}, 0.5)));
  ContactProblem open = row_of_balls({1, 0}, 0.5);
  open.contacts[0].target = -2;  // a gap
  EXPECT_FALSE(restitution_acts(open));
}

TEST(Solve, WrongImpulsesHaveAModelResidual) {
  const ContactProblem problem = row_of_balls({1, 0}, 1);
  ContactSolution solution;
  solution.impulses = {{0.5, 0, 0}};  // stops the approach and does not bounce
  solution.velocities = {{0.5, 0, 0}, {0.5, 0, 0}};
  solution.angular_velocities = {{}, {}};
  EXPECT_EQ(model_residual(SolverModel::Bounces, problem, solution, 0), 0);
  EXPECT_NEAR(model_residual(SolverModel::NormalTargets, problem, solution, 0), 1, 1e-12);
  EXPECT_GT(model_residual(SolverModel::Coulomb, problem, solution, 0), 0.5);
  solution.impulses = {{1, 0, 0}};
  solution.velocities = {{0, 0, 0}, {1, 0, 0}};
  for (const SolverModel model : {SolverModel::Bounces, SolverModel::NormalTargets, SolverModel::Coulomb})
    EXPECT_NEAR(model_residual(model, problem, solution, 0), 0, 1e-12);
}

/// A ball that slides along the tangent of a floor at 2 m/s and presses on it with 1 N s.
TEST(Solve, PyramidsAreJudgedByTheirPolygon) {
  ContactProblem problem;
  problem.bodies = {ball({2, 0, -1}), {}};
  problem.bodies[1].role = BodyRole::Fixed;
  ContactPoint c;
  c.a = 1;
  c.b = 0;
  c.normal = {0, 0, 1};
  c.tangent = {1, 0, 0};  // a face normal: friction is μ cos(π/8) there
  c.mu = c.mu_static = 0.5;
  problem.contacts = {c};
  const Real inner = std::cos(std::acos(-1.0) / 8);
  ContactSolution on_face, on_edge, on_cone;
  on_face.impulses = {{-0.5 * inner, 0, 1}};
  on_cone.impulses = {{-0.5, 0, 1}};
  on_edge.impulses = {{-0.5 * inner, 0.5 * std::sin(std::acos(-1.0) / 8), 1}};
  const auto residual = [&](SolverModel model, const ContactSolution& s) {
    return model_residual(model, problem, s, 0);
  };
  EXPECT_LT(residual(SolverModel::CoulombPyramid, on_face), 1e-14);
  EXPECT_GT(residual(SolverModel::CoulombPyramid, on_cone), 1e-2);
  EXPECT_LT(residual(SolverModel::Coulomb, on_cone), 1e-14);
  // Slip turns against friction that is off its direction.
  EXPECT_GT(residual(SolverModel::CoulombPyramid, on_edge), 1e-2);
  // Slip at 22.5° meets an edge, where pyramid and cone agree.
  problem.contacts[0].tangent = {inner, std::sin(std::acos(-1.0) / 8), 0};
  EXPECT_LT(residual(SolverModel::CoulombPyramid, on_cone), 1e-14);
}

TEST(Solve, RestingForcesAreJudgedByAccelerations) {
  ContactProblem problem = row_of_balls({-0.5, -0.5}, 0);  // along x; gravity pulls towards the first
  problem.dt = 0.25;
  problem.gravity = 2;
  problem.down = {-1, 0, 0};
  problem.bodies[0].role = BodyRole::Fixed;
  problem.bodies[0].velocity = {};
  const auto residual = [&](Real impulse) {
    ContactSolution solution;
    solution.impulses = {{impulse, 0, 0}};
    return model_residual(SolverModel::RestingForces, problem, solution, 0);
  };
  EXPECT_LT(residual(0.5), 1e-14);  // the weight of a mass of 1
  EXPECT_NEAR(residual(0.25), 0.25, 1e-14);
  problem.bodies[1].velocity = {1.5, 0, 0};  // leaves at 2 m/s, before gravity took 0.5 of it
  EXPECT_LT(residual(0), 1e-14);
  EXPECT_GT(residual(0.5), 0.1);
}

TEST(Solve, MomentumThatNoImpulseExplainsIsAnError) {
  const ContactProblem problem = row_of_balls({1, 0, 0}, 0);
  EXPECT_LT(solve("sequential", problem).momentum_error, 1e-12);
}

}  // namespace
}  // namespace carom
