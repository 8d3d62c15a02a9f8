#include "carom/contact/matrix_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carom/base/error.h"
#include "carom/contact/measures.h"
#include "carom/contact/operator.h"
#include "contact/rows.h"
#include "support/problems.h"

namespace carom {
namespace {

using test::Random;

std::vector<Real> random_impulse(Random& random, std::size_t rows) {
  std::vector<Real> impulse(rows);
  for (Real& j : impulse) j = random.uniform(-1, 1);
  return impulse;
}

TEST(MatrixProblem, IsTheDelassusOperatorOfTheBodies) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    ContactProblem problem = test::random_problem(random, random.integer(1, 30), 1e3);
    problem.contacts[0].target = 0.3;
    problem.contacts[0].tangent_target = {0.1, -0.2};
    const MatrixProblem matrix = matrix_problem(problem);
    EXPECT_EQ(check(matrix), "");
    const BodyOperator delassus(problem);
    const std::vector<Real> impulse = random_impulse(random, problem.row_count());
    std::vector<Real> expected(impulse.size()), free(impulse.size()), found(impulse.size());
    delassus.apply(impulse, expected);
    delassus.free_velocity(free);
    velocities_of(matrix, impulse, found);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], expected[k] + free[k], 1e-12 * (1 + std::abs(expected[k])));  // some dozen additions
  }
}

TEST(MatrixProblem, ErrorsAgreeWithThoseOfTheBodies) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const ContactProblem problem = test::random_problem(random, random.integer(1, 30), 1e3);
    const MatrixProblem matrix = matrix_problem(problem);
    const std::vector<Real> impulse = random_impulse(random, problem.row_count());
    ContactSolution solution;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k)
      solution.impulses.push_back(
          from_frame(problem.contacts[k], {impulse[3 * k], impulse[3 * k + 1], impulse[3 * k + 2]}));
    const ContactErrors expected = measure(problem, solution);
    const MatrixErrors found = measure(matrix, impulse);
    EXPECT_NEAR(found.largest / expected.reference_velocity, expected.residual_coulomb,
                1e-10 * expected.residual_coulomb);
    EXPECT_NEAR(found.rms / expected.reference_velocity, expected.rms_coulomb, 1e-10 * expected.rms_coulomb);
  }
}

/// One contact whose impulses along the three axes move it along them, with different masses.
MatrixProblem one_contact(const Vec3& q, Real mu) {
  MatrixProblem problem;
  problem.row_start = {0, 1};
  problem.columns = {0};
  problem.blocks = {Mat3::diagonal({1, 2, 4})};
  problem.q = {q.x, q.y, q.z};
  problem.mu = {mu};
  return problem;
}

TEST(MatrixProblem, ErrorsAreZeroAtAnAnswerAndWhatTheyAreDefinedAsElsewhere) {
  const MatrixProblem sticking = one_contact({-1, 0.2, 0.4}, 0.5);
  EXPECT_NEAR(measure(sticking, std::vector<Real>{1, -0.1, -0.1}).fclib, 0, 1e-15);
  EXPECT_NEAR(measure(sticking, std::vector<Real>{1, -0.1, -0.1}).largest, 0, 1e-15);
  // With no impulse u = q, and the map is the projection of −(q + μ|q_t| n) on the cone, all of it inside:
  // q_n + μ|q_t| = −1 + 0.5 √0.2, and the other two components are those of q.
  const Real normal = -1 + 0.5 * std::sqrt(0.2), size = std::sqrt(normal * normal + 0.2);
  EXPECT_LE(std::sqrt(0.2), 0.5 * 1 + 0.5);
  const Vec3 z{-normal, -0.2, -0.4};
  const Real alpha = (z.x + 0.5 * std::sqrt(0.2)) / 1.25;
  const Real map = std::sqrt(0.2) <= 0.5 * z.x ? size : alpha * std::sqrt(1.25);
  EXPECT_NEAR(measure(sticking, std::vector<Real>{0, 0, 0}).fclib, map / std::sqrt(1.2), 1e-15);
}

TEST(MatrixProblem, ChecksSayWhatIsWrong) {
  const MatrixProblem good = one_contact({-1, 0, 0}, 0.5);
  EXPECT_EQ(check(good), "");
  MatrixProblem bad = good;
  bad.mu[0] = -1;
  EXPECT_EQ(check(bad), "mu[0]: expected a number that is not negative");
  bad = good;
  bad.q.pop_back();
  EXPECT_EQ(check(bad), "q: expected three numbers a contact");
  bad = good;
  bad.q[1] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(check(bad), "q[1]: found a number that is not finite");
  bad = good;
  bad.columns[0] = 1;
  EXPECT_EQ(check(bad), "W, block row 0: found a column that does not exist");
  bad = good;
  bad.blocks[0](0, 1) = 1;
  EXPECT_EQ(check(bad), "W is far from symmetric: block (0, 0) and its mirror image differ");
  bad = good;
  bad.blocks[0] = -1.0 * good.blocks[0];
  EXPECT_EQ(check(bad), "W, block row 0: found a negative trace, expected none");
}

TEST(MatrixProblem, RefusesVectorsOfAnotherSize) {
  std::vector<Real> u(3);
  EXPECT_THROW(velocities_of(one_contact({-1, 0, 0}, 0), std::vector<Real>(6), u), Error);
}

}  // namespace
}  // namespace carom
