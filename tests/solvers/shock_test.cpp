// Shock propagation: what it does to stacks, and what it says of momentum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::solve;

Real fastest_approach(const ContactProblem& problem, const ContactSolution& s) {
  Real fastest = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    fastest = std::max(fastest, -dot(problem.contacts[i].normal, test::velocity_at(problem, s, i)));
  return fastest;
}

TEST(Shock, LastPassTakesTheApproachOutOfAStack) {
  // Twenty cubes in one round: far from rest, and yet no contact approaches after the pass. Four corners share a load
  // to within the sweeps over a level.
  const ContactProblem problem = test::cube_stack(20, 0.5);
  const test::Settings plain{{"iterations", 1.0}, {"level_sweeps", 20.0}};
  const ContactSolution without = solve(problem, "shock", plain, {}, {{"propagate", "false"}});
  const ContactSolution with = solve(problem, "shock", plain);
  EXPECT_GT(fastest_approach(problem, without), 1e-2);
  EXPECT_LE(fastest_approach(problem, with), 1e-6);
}

TEST(Shock, SaysHowMuchMomentumTheLevelsBelowDidNotFeel) {
  const ContactProblem problem = test::cube_stack(20, 0.5);
  const ContactSolution without = solve(problem, "shock", {{"iterations", 1.0}}, {}, {{"propagate", "false"}});
  const ContactSolution with = solve(problem, "shock", {{"iterations", 1.0}});
  EXPECT_EQ(without.report.momentum_error, 0);
  EXPECT_GT(with.report.momentum_error, 1e-2);
  // Of the order of what the cubes above weigh: 20 kg × g dt.
  EXPECT_LT(with.report.momentum_error, 20 * test::kGravity * test::kStep);
}

TEST(Shock, AnAnswerThatHasConvergedIsExactAndKeepsMomentum) {
  const ContactProblem problem = test::cube_stack(5, 0.5);
  const ContactSolution s = solve(problem, "shock", {{"iterations", 5000.0}, {"tolerance", 1e-9}});
  EXPECT_TRUE(s.report.converged);
  EXPECT_EQ(s.report.momentum_error, 0);
  EXPECT_LE(measure(problem, s).residual_coulomb, 1e-7);  // a change in a round, over the rate of convergence
}

TEST(Shock, HeavyCubeStandsOnALightOne) {
  // A thousand to one: sweeps alone hardly move, the last pass sees a floor.
  ContactProblem problem = test::cube_stack(2, 0.5);
  problem.bodies[2].inverse_mass /= 1000;
  problem.bodies[2].inverse_inertia = 1e-3 * problem.bodies[2].inverse_inertia;
  const test::Settings few{{"iterations", 3.0}, {"level_sweeps", 20.0}};
  EXPECT_LE(fastest_approach(problem, solve(problem, "shock", few)), 1e-6);
  EXPECT_GT(fastest_approach(problem, solve(problem, "shock", few, {}, {{"propagate", "false"}})), 1e-3);
}

TEST(Shock, BouncesAreNewtons) {
  ContactProblem problem = test::cube_on_floor({0, 0, -2}, 0.5);
  for (ContactPoint& c : problem.contacts) c.restitution = 0.5;
  for (const double iterations : {1.0, 1000.0}) {
    const ContactSolution s = solve(problem, "shock", {{"iterations", iterations}, {"level_sweeps", 30.0}});
    EXPECT_LE(norm(s.velocities[1] - Vec3{0, 0, 1}), 1e-6) << iterations;
  }
}

}  // namespace
}  // namespace carom
