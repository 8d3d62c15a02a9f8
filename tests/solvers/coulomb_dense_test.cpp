// Coulomb's law to 1e-10 on small problems of the hard kinds, judged by the measures of the problem with bodies.
#include "solvers/coulomb_dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "carom/contact/measures.h"
#include "contact/rows.h"
#include "support/harsh_problems.h"
#include "support/slow_build.h"

namespace carom {
namespace {

using test::Harsh;
using test::Random;

constexpr Real kResidual = 1e-10;

struct Outcome {
  CoulombReport report;
  std::vector<Real> impulse;
  Real residual = 0;  ///< by `measure`, in units of v_ref
  Real rounding = 0;  ///< in the same units
};

Outcome solve(CoulombDense& solver, const ContactProblem& problem, std::span<const Real> warm = {}) {
  const MatrixProblem matrix = matrix_problem(problem);
  const Real v_ref = reference_velocity(problem);
  Outcome outcome;
  outcome.impulse = std::vector<Real>(matrix.q.size());
  CoulombOptions options;
  options.tolerance = 0.5 * kResidual * v_ref;  // the measure recomputes velocities from bodies, and rounds otherwise
  outcome.report = solver.solve(matrix, warm, options, outcome.impulse);
  ContactSolution solution;
  solution.impulses.resize(problem.contacts.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Real* j = &outcome.impulse[3 * i];
    solution.impulses[i] = from_frame(problem.contacts[i], {j[0], j[1], j[2]});
  }
  outcome.residual = measure(problem, solution).residual_coulomb;
  outcome.rounding = outcome.report.rounding / v_ref;
  return outcome;
}

/// Problems of one kind that did not come to 1e-10, beyond what rounding explains.
int count_failures(Harsh kind, int count) {
  constexpr Real kRoundings = 30;  // some dozen additions of numbers of the size that one rounding is of
  CoulombDense solver;
  int failures = 0, rounded = 0;
  for (int seed = 0; seed < count; ++seed) {
    Random random(static_cast<std::uint64_t>(7919 * seed + 1000 + static_cast<int>(kind)));
    const Outcome outcome = solve(solver, test::harsh_problem(kind, random));
    if (outcome.residual <= kResidual) continue;
    if (outcome.residual <= kRoundings * outcome.rounding) {
      ++rounded;
    } else {
      ++failures;
      std::printf("  seed %d: residual %.2e\n", seed, outcome.residual);
    }
  }
  std::printf("%-42s %4d problems, %d at the limit of rounding, %d not solved\n", test::harsh_name(kind), count,
              rounded, failures);
  return failures;
}

TEST(CoulombDense, HardProblemsOfAllKindsComeToTenDigits) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  // Coulomb's law may have no solution that such methods find: a few in a thousand are left.
  int failures = 0;
  for (const Harsh kind : test::kHarshKinds) failures += count_failures(kind, 200);
  EXPECT_LE(failures, 10) << "of 2000";
}

TEST(CoulombDense, AFewHardProblemsOfEachKindComeToTenDigits) {
  for (const Harsh kind : test::kHarshKinds) EXPECT_EQ(count_failures(kind, kind == Harsh::LargeWeb ? 2 : 8), 0);
}

TEST(CoulombDense, TheReportSaysWhatTheMeasureSays) {
  Random random(5);
  CoulombDense solver;
  for (int i = 0; i < 50; ++i) {
    const ContactProblem problem = test::random_problem(random, random.integer(1, 30), 1e3);
    const Outcome outcome = solve(solver, problem);
    const MatrixErrors errors = measure(matrix_problem(problem), outcome.impulse);
    EXPECT_NEAR(outcome.report.residual, errors.largest, 20 * outcome.report.rounding + 1e-6 * errors.largest);
  }
}

TEST(CoulombDense, TheSameProblemGivesTheSameBitsWhateverWasSolvedBefore) {
  Random random(6);
  CoulombDense used;
  for (const Harsh kind : {Harsh::Web, Harsh::HighFriction, Harsh::HeavyOnLight, Harsh::Wall})
    for (int i = 0; i < 5; ++i) {
      const ContactProblem problem = test::harsh_problem(kind, random);
      CoulombDense fresh;
      EXPECT_EQ(solve(used, problem).impulse, solve(fresh, problem).impulse);
    }
}

TEST(CoulombDense, AWarmStartFromTheAnswerIsTheAnswer) {
  Random random(7);
  CoulombDense solver;
  for (int i = 0; i < 20; ++i) {
    const ContactProblem problem = test::random_problem(random, 20, 1e3);
    const Outcome cold = solve(solver, problem);
    ASSERT_TRUE(cold.report.converged);
    const Outcome warm = solve(solver, problem, cold.impulse);
    // Projected on their cones, impulses move by a rounding error at most.
    EXPECT_TRUE(warm.report.converged);
    EXPECT_EQ(warm.report.newton_steps, 0);
  }
}

TEST(CoulombDense, ContactsWhereNothingMovesGetNoImpulse) {
  ContactProblem problem = test::cube_on_floor({0, 0, -1}, 0.5);
  problem.bodies.push_back(test::fixed_body());
  problem.contacts.push_back(test::contact(0, 2, {0, 0, 1}, {}, {}, 0.5));
  CoulombDense solver;
  const Outcome outcome = solve(solver, problem);
  EXPECT_LE(outcome.residual, kResidual);
  EXPECT_EQ(outcome.impulse[12], 0);
  EXPECT_NEAR(outcome.impulse[0] + outcome.impulse[3] + outcome.impulse[6] + outcome.impulse[9], 1, kResidual);
}

TEST(CoulombDense, AProblemWithoutContactsIsSolved) {
  CoulombDense solver;
  EXPECT_TRUE(solve(solver, ContactProblem{}).report.converged);
}

TEST(CoulombDense, AContradictionIsReportedAndNotCalledSolved) {
  // A ball that two fixed walls ask to leave them both: no velocity does.
  ContactProblem problem = test::ball_on_floor({}, 0);
  problem.contacts.push_back(test::contact(0, 1, {0, 0, -1}, {}, {0, 0, 0.5}, 0));
  for (ContactPoint& c : problem.contacts) c.target = 1;
  CoulombDense solver;
  const Outcome outcome = solve(solver, problem);
  EXPECT_FALSE(outcome.report.converged);
  EXPECT_TRUE(std::isfinite(outcome.residual));
  EXPECT_GT(outcome.residual, 1);
  for (const Real j : outcome.impulse) EXPECT_TRUE(std::isfinite(j));
}

}  // namespace
}  // namespace carom
