#include "study/compare.h"

#include <gtest/gtest.h>

#include <limits>

#include "study/log_plot.h"

namespace carom {
namespace {

ContactProblem resting_ball() {
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].inverse_mass = 1;
  problem.bodies[0].inverse_inertia = Mat3::identity();
  problem.bodies[0].velocity = {0.2, 0, -0.1};
  problem.bodies[1].role = BodyRole::Fixed;
  ContactPoint c;
  c.a = 1;
  c.b = 0;
  c.normal = {0, 0, 1};
  c.tangent = {1, 0, 0};
  c.rb = {0, 0, -1};
  c.mu = c.mu_static = 0.4;
  problem.contacts = {c};
  return problem;
}

TEST(Compare, EverySolverOrTheNamedOnesInTheirOrder) {
  EXPECT_EQ(choose_solvers("all").value().size(), solver_registry().size());
  EXPECT_EQ(choose_solvers("").value().size(), solver_registry().size());
  const auto named = choose_solvers("pq,sequential");
  ASSERT_TRUE(named);
  EXPECT_EQ(named.value().at(0).info->name, "pq");
  EXPECT_EQ(named.value().at(1).info->name, "sequential");
  EXPECT_FALSE(choose_solvers("pq,"));
}

TEST(Compare, CurvesEndWhereNothingIsGained) {
  const ContactProblem problem = resting_ball();
  const Comparison comparison = compare_solvers("p", problem, choose_solvers("sequential").value(), true);
  ASSERT_EQ(comparison.rows.size(), 1U);
  const std::vector<BudgetPoint>& curve = comparison.rows[0].curve;
  ASSERT_FALSE(curve.empty());
  EXPECT_LT(curve.size(), 12U);
  EXPECT_LT(curve.back().residual, 1e-9);
  for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_GT(curve[i].iterations, curve[i - 1].iterations);
}

TEST(Compare, ARefusalTakesThePlaceOfNumbers) {
  const ContactProblem problem = resting_ball();
  const Comparison comparison = compare_solvers("p", problem, choose_solvers("frictionless").value(), false);
  EXPECT_EQ(comparison.rows.at(0).refusal,
            "frictionless: contacts[0] asks for friction, which this solver does not do");
  EXPECT_TRUE(comparison_text(comparison).starts_with("p: 2 bodies, 1 contact\n")) << comparison_text(comparison);
  EXPECT_NE(comparison_text(comparison).find("refused: frictionless"), std::string::npos);
  EXPECT_NE(comparison_json(comparison).find("\"refusal\""), std::string::npos);
}

TEST(LogPlot, DrawsZeroAndInfinityAtTheEdges) {
  const std::string plot = log_plot(
      {{"a<b", {{1, 1e-3, "one"}, {10, 0, "zero"}, {100, std::numeric_limits<double>::infinity(), "far"}}}}, "x", "y");
  EXPECT_NE(plot.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(plot.find("nan"), std::string::npos);
  EXPECT_EQ(plot.find("inf"), std::string::npos);
  EXPECT_EQ(log_plot({{"empty", {}}}, "x", "y"), "");
}

}  // namespace
}  // namespace carom
