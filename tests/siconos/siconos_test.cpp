// Carom's global methods next to Siconos's, on the same problems in the same run. Residuals are Carom's measures for
// both; times are processor time, since machines are shared.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>

#include "carom/contact/measures.h"
#include "carom/contact/operator.h"
#include "carom/io/fclib_file.h"
#include "siconos_oracle.h"
#include "study/solve.h"
#include "support/harsh_problems.h"
#include "support/slow_build.h"

namespace carom::test {
namespace {

constexpr int kProblems = 200;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

SolverChoice chosen(const std::string& solver, Real tolerance) {
  return choose_solver({solver, {}, "exact", tolerance, {}}).value();
}

/// Few and many contacts, masses to 1 : 1e6, every fourth problem with eightfold contacts.
ContactProblem mixed_problem(int index) {
  Random random(static_cast<std::uint64_t>(4000 + index));
  if (index % 4 == 3) return repeated_contacts(random_problem(random, random.integer(1, 6), 1e6), 8, 48);
  return random_problem(random, random.integer(2, 30), index % 4 == 0 ? 1e6 : random.scale(1, 1e6));
}

ContactSolution solution_of(const ContactProblem& problem, const std::vector<Real>& impulse) {
  ContactSolution solution;
  solution.impulses = std::vector<Vec3>(problem.contacts.size());
  std::vector<Vec3> v(problem.bodies.size()), w(problem.bodies.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const Real* j = &impulse[3 * i];
    solution.impulses[i] = j[0] * c.normal + j[1] * c.tangent + j[2] * c.second_tangent();
  }
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = problem.bodies[i].velocity, w[i] = problem.bodies[i].angular_velocity;
  BodyOperator(problem).add_impulses(impulse, v, w);
  solution.velocities = v;
  solution.angular_velocities = w;
  return solution;
}

/// Largest difference of a body's velocity, m/s or rad/s.
Real velocity_difference(const ContactSolution& a, const ContactSolution& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.velocities.size(); ++i)
    largest = std::max(
        {largest, norm(a.velocities[i] - b.velocities[i]), norm(a.angular_velocities[i] - b.angular_velocities[i])});
  return largest;
}

TEST(Siconos, ExactSolvesTheFclibProblemsToEightDigitsBesideNonsmoothGaussSeidel) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const std::string folder = CAROM_TEST_DATA_DIR "/../../examples/fclib/";
  for (const char* name : {"Box_Stacks-i0122-82-5", "spheres-in-a-box-98-i10000-256-10", "Capsules-i125-1213"}) {
    const Result<FclibFile> file = load_fclib(folder + name + ".hdf5");
    if (!file) GTEST_SKIP() << "SKIPPED: " << file.message();
    const MatrixProblem& problem = file.value().problem;
    const SolverChoice exact = chosen("exact", 1e-8);
    std::vector<Real> impulse(problem.q.size());
    const double start = processor_seconds();
    exact.info->make_matrix(exact.options)->solve(problem, {}, 1e-8, impulse);
    const double seconds = processor_seconds() - start;
    const OracleAnswer siconos = siconos_nsgs(problem, 1e-8, 100000);
    const Real residual = measure(problem, impulse).fclib;
    std::printf("%-36s exact %8.1f ms to %.1e   Siconos NSGS %8.1f ms to %.1e (%d sweeps)\n", name, 1e3 * seconds,
                residual, 1e3 * siconos.seconds, measure(problem, siconos.impulse).fclib, siconos.iterations);
    EXPECT_LE(residual, 1e-8) << name;
  }
}

TEST(Siconos, ExactIsNoFurtherFromCoulombsLawOnRandomProblems) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const SolverChoice exact = chosen("exact", 1e-8);
  int ours = 0, theirs = 0, both = 0, other = 0;
  double our_seconds = 0, their_seconds = 0;
  for (int i = 0; i < kProblems; ++i) {
    const ContactProblem problem = mixed_problem(i);
    const double start = processor_seconds();
    const SolveOutcome outcome = solve_problem(problem, exact);
    our_seconds += processor_seconds() - start;
    const OracleAnswer answer = siconos_admm(matrix_problem(problem), 1e-13, 5000);
    their_seconds += answer.seconds;
    const ContactSolution siconos = solution_of(problem, answer.impulse);
    const bool we = *outcome.residual_coulomb <= 1e-8, they = measure(problem, siconos).residual_coulomb <= 1e-8;
    if (!we) std::printf("  problem %d: exact %.1e\n", i, *outcome.residual_coulomb);
    ours += we;
    theirs += they;
    both += we && they;
    // Coulomb's law has several solutions: then the velocities differ, and both are right.
    other += we && they && velocity_difference(outcome.solution, siconos) > 1e-6;
  }
  std::printf(
      "Coulomb's law to 1e-8 on %d problems: exact %d in %.2f s, Siconos ADMM %d in %.2f s; both %d, of which %d "
      "with other velocities\n",
      kProblems, ours, our_seconds, theirs, their_seconds, both, other);
  EXPECT_GE(ours, theirs);
  EXPECT_GE(ours, kProblems * 99 / 100);
}

/// Natural map of the convex model, m/s, largest over contacts: the map of Coulomb's law without the shift.
Real convex_residual(const MatrixProblem& problem, const std::vector<Real>& impulse) {
  std::vector<Real> u(impulse.size());
  velocities_of(problem, impulse, u);
  Real largest = 0;
  for (std::size_t i = 0; i < problem.contact_count(); ++i) {
    const Real rho = 3 / diagonal_block(problem, i).trace(), mu = problem.mu[i];
    const Vec3 j{impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]};
    const Vec3 z = j - rho * Vec3{u[3 * i], u[3 * i + 1], u[3 * i + 2]};
    const Real slip = std::sqrt(z.y * z.y + z.z * z.z), along = (z.x + mu * slip) / (1 + mu * mu);
    Vec3 p;
    if (slip <= mu * z.x) {
      p = z;
    } else if (mu * slip > -z.x) {
      p = {along, mu * along * z.y / slip, mu * along * z.z / slip};
    }
    largest = std::max(largest, norm(j - p) / rho);
  }
  return largest;
}

TEST(Siconos, TheConvexModelHasTheSameVelocities) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const SolverChoice qp = chosen("qp", 1e-8);
  // Siconos's method does not get there on every problem: as many are tried as it takes.
  int tried = 0, solved = 0, compared = 0, same = 0;
  for (int i = 0; compared < kProblems && i < 2 * kProblems; ++i) {
    const ContactProblem problem = mixed_problem(i);
    const SolveOutcome outcome = solve_problem(problem, qp);
    ++tried;
    solved += outcome.met;
    if (!outcome.met) std::printf("  problem %d: qp %.1e\n", i, outcome.residual_model);
    const MatrixProblem matrix = matrix_problem(problem);
    const OracleAnswer answer = siconos_convex(matrix, 1e-13, 5000);
    if (convex_residual(matrix, answer.impulse) > 1e-8 * reference_velocity(problem)) continue;
    ++compared;
    // The velocities of the convex model are unique.
    const Real difference = velocity_difference(outcome.solution, solution_of(problem, answer.impulse));
    same += difference <= 1e-6;
    if (difference > 1e-6) std::printf("  problem %d: velocities differ by %.1e\n", i, difference);
  }
  std::printf(
      "convex model: %d problems tried, qp solved %d to 1e-8; Siconos solved %d, with the same velocities in %d\n",
      tried, solved, compared, same);
  EXPECT_EQ(solved, tried);
  EXPECT_EQ(compared, kProblems);
  EXPECT_EQ(same, compared);
}

}  // namespace
}  // namespace carom::test
