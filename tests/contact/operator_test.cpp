// The Delassus operator against the matrix built column by column, and against mechanics.
#include "carom/contact/operator.h"

#include <gtest/gtest.h>

#include "support/problems.h"

namespace carom {
namespace {

using test::Random;

/// Contacts of every sort, and a joint of three and one of five rows, one of them to a fixed body.
ContactProblem with_joints(Random& random) {
  ContactProblem problem = test::random_problem(random, random.integer(1, 12), 100);
  for (ContactPoint& c : problem.contacts) {
    c.target = random.uniform(-1, 0);
    c.tangent_target = {random.uniform(-1, 1), random.uniform(-1, 1)};
  }
  RowBlock joint = test::ball_joint(1, 2, random.vector(1), random.vector(1));
  problem.row_blocks.push_back(joint);
  joint.a = 0;
  joint.rows = 5;
  for (std::size_t k = 0; k < 5; ++k) {
    joint.jacobian_a[k] = {random.vector(1), random.vector(1)};
    joint.jacobian_b[k] = {random.vector(1), random.vector(1)};
    joint.target[k] = random.uniform(-1, 1);
  }
  problem.row_blocks.push_back(joint);
  return problem;
}

std::vector<std::vector<Real>> columns(const BodyOperator& w) {
  std::vector<std::vector<Real>> all;
  std::vector<Real> impulse(w.row_count(), 0);
  for (std::size_t j = 0; j < w.row_count(); ++j) {
    impulse[j] = 1;
    all.emplace_back(w.row_count());
    w.apply(impulse, all.back());
    impulse[j] = 0;
  }
  return all;
}

class Operator : public testing::Test {
 protected:
  Random random_{7};
};

TEST_F(Operator, IsSymmetric) {
  for (int round = 0; round < 50; ++round) {
    const ContactProblem problem = with_joints(random_);
    const auto w = columns(BodyOperator(problem));
    // Entries are sums of a dozen products of numbers up to 20.
    for (std::size_t i = 0; i < w.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) ASSERT_NEAR(w[i][j], w[j][i], 1e-13) << i << " " << j;
  }
}

TEST_F(Operator, IsPositiveSemidefinite) {
  // jᵀ W j is twice the kinetic energy that the impulses j give to bodies at rest.
  for (int round = 0; round < 50; ++round) {
    const ContactProblem problem = with_joints(random_);
    const BodyOperator w(problem);
    std::vector<Real> j(w.row_count()), u(w.row_count());
    for (int k = 0; k < 20; ++k) {
      Real size = 0, energy = 0;
      for (Real& x : j) x = random_.uniform(-1, 1);
      w.apply(j, u);
      for (std::size_t i = 0; i < j.size(); ++i) energy += j[i] * u[i], size += std::abs(j[i] * u[i]);
      ASSERT_GE(energy, -1e-13 * size);
    }
  }
}

TEST_F(Operator, DiagonalBlocksAreThoseOfTheMatrix) {
  for (int round = 0; round < 50; ++round) {
    const ContactProblem problem = with_joints(random_);
    const BodyOperator w(problem);
    const auto column = columns(w);
    for (std::size_t b = 0; b < w.block_count(); ++b) {
      const BlockView view = w.block(b);
      const auto rows = static_cast<std::size_t>(view.rows);
      std::vector<Real> block(rows * rows);
      w.diagonal_block(b, block);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < rows; ++k)
          ASSERT_NEAR(block[i * rows + k], column[view.first_row + k][view.first_row + i], 1e-13) << b;
    }
  }
}

TEST_F(Operator, BlocksFollowOneAnotherAndNameTheirSets) {
  const ContactProblem problem = with_joints(random_);
  const BodyOperator w(problem);
  ASSERT_EQ(w.block_count(), problem.contacts.size() + 2);
  std::size_t next = 0;
  for (std::size_t b = 0; b < w.block_count(); ++b) {
    EXPECT_EQ(w.block(b).first_row, next);
    EXPECT_EQ(w.block(b).set, b < problem.contacts.size() ? ImpulseSet::Cone : ImpulseSet::Interval);
    next += static_cast<std::size_t>(w.block(b).rows);
  }
  EXPECT_EQ(next, w.row_count());
  EXPECT_EQ(next, problem.row_count());
}

TEST_F(Operator, FreeVelocityIsThatOfTheContactPointsLessTheTargets) {
  const ContactProblem problem = with_joints(random_);
  const BodyOperator w(problem);
  std::vector<Real> b(w.row_count());
  w.free_velocity(b);
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const ProblemBody &p = problem.bodies[static_cast<std::size_t>(c.a)],
                      &q = problem.bodies[static_cast<std::size_t>(c.b)];
    const Vec3 u = q.velocity + cross(q.angular_velocity, c.rb) - p.velocity - cross(p.angular_velocity, c.ra);
    EXPECT_NEAR(b[3 * i], dot(c.normal, u) - c.target, 1e-14);
    EXPECT_NEAR(b[3 * i + 1], dot(c.tangent, u) - c.tangent_target[0], 1e-14);
    EXPECT_NEAR(b[3 * i + 2], dot(c.second_tangent(), u) - c.tangent_target[1], 1e-14);
  }
  const RowBlock& joint = problem.row_blocks[1];
  const std::size_t first = w.block(problem.contacts.size() + 1).first_row;
  for (std::size_t k = 0; k < 5; ++k) {
    const ProblemBody& q = problem.bodies[2];  // the other body is fixed
    EXPECT_NEAR(b[first + k],
                dot(joint.jacobian_b[k].linear, q.velocity) + dot(joint.jacobian_b[k].angular, q.angular_velocity) -
                    joint.target[k],
                1e-14);
  }
}

TEST_F(Operator, ImpulsesChangeRowVelocitiesByWTimesThem) {
  const ContactProblem problem = with_joints(random_);
  const BodyOperator w(problem);
  std::vector<Real> j(w.row_count()), before(w.row_count()), after(w.row_count()), change(w.row_count());
  for (Real& x : j) x = random_.uniform(-1, 1);
  std::vector<Vec3> v, omega;
  for (const ProblemBody& body : problem.bodies) v.push_back(body.velocity), omega.push_back(body.angular_velocity);
  w.row_velocities(v, omega, before);
  w.add_impulses(j, v, omega);
  w.row_velocities(v, omega, after);
  w.apply(j, change);
  for (std::size_t i = 0; i < j.size(); ++i) EXPECT_NEAR(after[i] - before[i], change[i], 1e-12);
}

TEST_F(Operator, BodiesThatFeelNothingDoNotMove) {
  for (const BodyRole role : {BodyRole::Fixed, BodyRole::Kinematic, BodyRole::Frozen}) {
    ContactProblem problem = test::cube_on_floor({}, 0.5);
    problem.bodies[1].role = role;
    problem.bodies[1].velocity = {1, 2, 3};
    const BodyOperator w(problem);
    std::vector<Real> j(w.row_count(), 1), u(w.row_count(), 7);
    w.apply(j, u);
    for (const Real x : u) EXPECT_EQ(x, 0);
    // Yet a moving one is felt.
    w.free_velocity(u);
    EXPECT_EQ(u[0], 3);
  }
}

TEST_F(Operator, PointMassHasTheInverseMassOnItsDiagonal) {
  ContactProblem problem = test::ball_on_floor({}, 0.5);
  problem.bodies[1].inverse_mass = 0.25;
  problem.contacts[0].rb = {};
  Real block[9];
  BodyOperator(problem).diagonal_block(0, block);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(block[i], i % 4 == 0 ? 0.25 : 0) << i;
}

}  // namespace
}  // namespace carom
