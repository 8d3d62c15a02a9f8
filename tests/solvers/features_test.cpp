// The table of features: each solver either does as a problem asks, or refuses it by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::velocity_at;

constexpr Real kClose = 1e-6;  // solvers are asked for 1e-9 of v_ref

/// A problem that asks for one thing, and how far an answer is from it.
struct Request {
  ContactProblem problem;
  Real (*error)(const ContactProblem& problem, const ContactSolution& solution);
};

Real plain_error(const ContactProblem& problem, const ContactSolution& s) {
  return std::abs(velocity_at(problem, s, 0).z);  // meets the floor and stays
}

/// Least kinetic energy is Coulomb's law where contacts stick; sliding bodies it lifts.
bool lifts_sliders(SolverModel model) { return model == SolverModel::Convex || model == SolverModel::ConvexPyramid; }

Request request(Feature feature, SolverModel model) {
  // Falls on the floor at 1 m/s, so that the normal impulse is 1 N s, in the simplest cases.
  ContactProblem ball = test::ball_on_floor({0, 0, -1}, 0);
  ContactPoint& c = ball.contacts[0];
  switch (feature) {
    case Feature::Friction:
      if (lifts_sliders(model)) {
        ball.bodies[1].velocity.x = 0.7;
        c.mu = c.mu_static = 0.25;
        return {ball, [](const auto&, const auto& s) { return norm(s.impulses[0] - Vec3{-0.2, 0, 1}); }};
      }
      ball.bodies[1].velocity.x = 7;
      c.mu = c.mu_static = 0.25;
      // Against the slip is an edge of the pyramids, where they are as wide as the cone.
      c.tangent = {std::cos(std::acos(-1.0) / 8), std::sin(std::acos(-1.0) / 8), 0};
      return {ball, [](const auto&, const auto& s) { return norm(s.impulses[0] - Vec3{-0.25, 0, 1}); }};
    case Feature::StaticFriction:
      // To stop takes 0.4, which is between the two.
      ball.bodies[1].velocity.x = 1.4;
      c.mu = 0.25;
      c.mu_static = 0.5;
      return {ball, [](const auto&, const auto& s) { return norm(s.impulses[0] - Vec3{-0.4, 0, 1}); }};
    case Feature::Restitution:
      c.restitution = 0.5;
      return {ball, [](const auto& p, const auto& s) { return std::abs(velocity_at(p, s, 0).z - 0.5); }};
    case Feature::GapTarget:
      c.target = -0.25;
      return {ball, [](const auto& p, const auto& s) { return std::abs(velocity_at(p, s, 0).z + 0.25); }};
    case Feature::TangentTarget:
      c.mu = c.mu_static = 1;
      c.tangent_target = {0.125, -0.25};
      return {ball, [](const auto& p, const auto& s) { return norm(velocity_at(p, s, 0) - Vec3{0.125, -0.25, 0}); }};
    case Feature::Rows:
      // A second ball hangs on the first.
      ball.bodies.push_back(ball.bodies[1]);
      ball.bodies[2].velocity = {};
      ball.row_blocks = {test::ball_joint(1, 2, {}, {})};
      return {ball, [](const auto&, const auto& s) { return norm(s.velocities[1] - s.velocities[2]); }};
    case Feature::RollingFriction:
      c.rolling_friction = 0.01;
      break;
    case Feature::SpinningFriction:
      c.spinning_friction = 0.01;
      break;
  }
  return {ball, plain_error};
}

Options careful_options(const SolverInfo& info) {
  Options options(info.options);
  for (const OptionSpec& spec : info.options) {
    const double value = spec.name == "tolerance" ? 1e-9 : (spec.name == "iterations" ? 1000.0 : 0);
    if (value == 0) continue;
    EXPECT_EQ(options.set(spec.name, value), "");
  }
  return options;
}

class EverySolversFeatures : public testing::TestWithParam<std::size_t> {
 protected:
  const SolverInfo& info() const { return solver_registry()[GetParam()]; }
};

TEST_P(EverySolversFeatures, AreHonouredOrRefused) {
  for (const Feature feature : features()) {
    const Request asked = request(feature, info().model);
    ASSERT_EQ(check(asked.problem), "");
    const std::string refused = refusal(info(), asked.problem);
    const bool honours = std::find(info().honours.begin(), info().honours.end(), feature) != info().honours.end();
    if (!honours) {
      EXPECT_NE(refused.find(info().name + ": "), std::string::npos) << feature_name(feature);
      EXPECT_NE(refused.find("which this solver does not do"), std::string::npos) << feature_name(feature);
      continue;
    }
    EXPECT_EQ(refused, "") << feature_name(feature);
    ContactSolution solution;
    info().make(careful_options(info()))->solve(asked.problem, {}, solution);
    EXPECT_LE(asked.error(asked.problem, solution), kClose) << feature_name(feature);
  }
}

TEST_P(EverySolversFeatures, ProblemsThatAskForNothingAreTaken) {
  EXPECT_EQ(refusal(info(), test::cube_stack(2, 0)), "");
  EXPECT_EQ(refusal(info(), ContactProblem{}), "");
}

INSTANTIATE_TEST_SUITE_P(Registered, EverySolversFeatures, testing::Range(std::size_t{0}, solver_registry().size()),
                         [](const auto& solver) { return solver_registry()[solver.param].name; });

TEST(Refusal, NamesTheFirstThingThatIsNotDone) {
  ContactProblem problem = test::cube_on_floor({}, 0.5);
  problem.contacts[3].rolling_friction = 0.1;
  EXPECT_EQ(refusal(*find_solver("pairwise"), problem),
            "pairwise: contacts[3] asks for rolling friction, which this solver does not do");
  EXPECT_EQ(refusal(*find_solver("frictionless"), problem),
            "frictionless: contacts[0] asks for friction, which this solver does not do");
  problem = {};
  problem.bodies = {test::cube_body(1), test::cube_body(1)};
  problem.row_blocks = {test::ball_joint(0, 1, {}, {})};
  EXPECT_EQ(refusal(*find_solver("pq"), problem), "pq: rows[0] is a row block, which this solver does not do");
}

TEST(Restitution, ActsOnClosedContactsThatCollide) {
  // The normal velocity is at least the target, and −e v⁻ where there is no gap and the approach is fast enough.
  const auto after = [](Real target, Real resting_speed) {
    ContactProblem problem = test::ball_on_floor({0, 0, -1}, 0);
    problem.contacts[0].restitution = 0.5;
    problem.contacts[0].target = target;
    SolveContext context;
    context.resting_speed = resting_speed;
    return test::solve(problem, "sequential", {}, context).velocities[1].z;
  };
  EXPECT_NEAR(after(0, 0), 0.5, kClose);
  EXPECT_NEAR(after(0.25, 0), 0.5, kClose);
  EXPECT_NEAR(after(0.75, 0), 0.75, kClose);
  EXPECT_NEAR(after(-0.25, 0), -0.25, kClose);
  EXPECT_NEAR(after(0, 1), 0, kClose);
}

}  // namespace
}  // namespace carom
