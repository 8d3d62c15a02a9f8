// The sequential solver on random problems: invariants that need no reference.
#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::Random;
using test::solve;

constexpr Real kTolerance = 1e-8;
constexpr test::Settings kSettings{{"tolerance", kTolerance}, {"iterations", 20000.0}};
constexpr test::Settings kPlain{{"tolerance", kTolerance}, {"iterations", 20000.0}, {"memory", 0.0}};
constexpr test::Settings kFrictionless{{"tolerance", kTolerance}, {"iterations", 20000.0}};

/// The same problems for every test: 2 to 30 contacts, masses to 1 : 1000, redundant points, coefficients from 0 to 1.
class RandomProblems : public testing::Test {
 protected:
  ContactProblem next() { return test::random_problem(random_, random_.integer(2, 30), random_.scale(1, 1000)); }
  static constexpr int kCount = 200;
  Random random_{2024};
};

Real largest(const std::vector<Vec3>& impulses) {
  Real size = 0;
  for (const Vec3& j : impulses) size = std::max(size, norm(j));
  return size;
}

TEST_F(RandomProblems, ImpulsesLieInTheirConesAndMomentumBalances) {
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next();
    // Converged or not, even after three sweeps.
    for (const int iterations : {3, 30}) {
      const ContactSolution s = solve(problem, "sequential", {{"iterations", static_cast<double>(iterations)}});
      const ContactErrors errors = measure(problem, s);
      Real momentum = 0;
      for (const ProblemBody& body : problem.bodies)
        if (body.role == BodyRole::Dynamic) momentum += norm(body.velocity) / body.inverse_mass;
      EXPECT_LE(errors.max_cone_violation, 1e-9 * largest(s.impulses)) << i;
      // Round-off of the largest momentum in some thirty additions.
      EXPECT_LE(norm(errors.momentum_change), 1e-14 * (momentum + 10 * largest(s.impulses))) << i;
    }
  }
}

TEST_F(RandomProblems, ConvergedMeansThatTheMeasureAgrees) {
  int converged = 0;
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next();
    const ContactSolution s = solve(problem, "sequential", kSettings);
    if (!s.report.converged) continue;
    ++converged;
    // The solver looks at the change in a sweep, the measure at the distance from the law: within a factor of ten.
    EXPECT_LE(measure(problem, s).residual_coulomb, 10 * kTolerance) << i;
  }
  EXPECT_GE(converged, kCount * 95 / 100);
}

TEST_F(RandomProblems, KineticEnergyDoesNotRise) {
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next();
    const ContactSolution s = solve(problem, "sequential", kSettings);
    if (!s.report.converged) continue;
    const ContactErrors errors = measure(problem, s);
    // Exactly solved it cannot rise; an error of velocity of 10 tolerances does work on the impulses.
    EXPECT_LE(errors.kinetic_energy_after, errors.kinetic_energy_before * (1 + 1e-6)) << i;
  }
}

TEST_F(RandomProblems, SolutionAsAStartIsTheSolution) {
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next();
    const ContactSolution cold = solve(problem, "sequential", kSettings);
    if (!cold.report.converged) continue;
    SolveContext context;
    context.warm_impulses = cold.impulses;
    // Asked for ten times less than was met.
    const ContactSolution warm = solve(problem, "sequential", {{"tolerance", 10 * kTolerance}}, context);
    EXPECT_TRUE(warm.report.converged) << i;
    EXPECT_LE(warm.report.iterations, 2) << i;
    EXPECT_LE(test::velocity_difference(cold, warm), 1e-6) << i;
  }
}

TEST_F(RandomProblems, WithoutFrictionTheVelocitiesAreUnique) {
  // Minimal kinetic energy over a convex set: impulses of redundant contacts may differ, velocities may not, whatever
  // the acceleration, the order of the contacts or the solver. (With friction Coulomb's law may have several
  // solutions.) An error of velocity is the residual, 1e-8 v_ref, over the rate at which sweeps converge: four digits
  // for that.
  int compared = 0;
  for (int i = 0; i < kCount; ++i) {
    ContactProblem problem = next();
    for (ContactPoint& c : problem.contacts) c.mu = c.mu_static = 0;
    ContactProblem reversed = problem;
    std::reverse(reversed.contacts.begin(), reversed.contacts.end());
    const ContactSolution plain = solve(problem, "sequential", kPlain);
    const ContactSolution others[] = {solve(problem, "sequential", kSettings), solve(reversed, "sequential", kSettings),
                                      solve(problem, "frictionless", kFrictionless)};
    for (const ContactSolution& other : others) {
      if (!plain.report.converged || !other.report.converged) continue;
      ++compared;
      EXPECT_LE(test::velocity_difference(plain, other), 1e-5) << i;
    }
  }
  EXPECT_GE(compared, 3 * kCount * 9 / 10);
}

TEST_F(RandomProblems, AccelerationSavesSweeps) {
  long plain = 0, accelerated = 0;
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next();
    plain += solve(problem, "sequential", kPlain).report.iterations;
    accelerated += solve(problem, "sequential", kSettings).report.iterations;
  }
  EXPECT_LT(accelerated, plain);
}

TEST_F(RandomProblems, TangentFrameIsAChangeOfNames) {
  // The cone is round: with the tangents turned the old answer is still exact, and a start from it stays there.
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next();
    ContactProblem turned = problem;
    for (ContactPoint& c : turned.contacts)
      c.tangent = normalized(c.tangent + random_.uniform(-2, 2) * c.second_tangent());
    const ContactSolution s = solve(problem, "sequential", kSettings);
    if (!s.report.converged) continue;
    EXPECT_LE(measure(turned, s).residual_coulomb, 10 * kTolerance) << i;
    SolveContext context;
    context.warm_impulses = s.impulses;
    EXPECT_LE(test::velocity_difference(s, solve(turned, "sequential", kSettings, context)), 1e-6) << i;
  }
}

}  // namespace
}  // namespace carom
