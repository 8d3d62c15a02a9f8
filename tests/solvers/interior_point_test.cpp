#include "solvers/interior_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "carom/base/error.h"
#include "math/cone.h"
#include "math/eigen.h"
#include "support/problems.h"

namespace carom {
namespace {

using test::Random;

ConeSystem built(const ContactProblem& problem) {
  ConeSystem system;
  system.build(problem);
  return system;
}

/// Steps until the residual is at most `wanted` v_ref, or none is possible. Returns the residual in v_ref.
Real run(InteriorPoint& method, const ConeSystem& system, Real wanted, int most = 60) {
  while (method.steps() < most && method.residual() > wanted * system.reference_velocity && method.step()) {
  }
  return method.residual() / system.reference_velocity;
}

/// v̂ of the convex model by projected gradients with momentum on the dense Delassus matrix: slow, and nothing in common
/// with the method under test.
std::vector<Vec6> dense_reference(const ConeSystem& system) {
  const auto bodies = static_cast<Eigen::Index>(system.free_velocities.size());
  const auto contacts = static_cast<Eigen::Index>(system.contacts.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3 * contacts, 6 * bodies);
  Eigen::VectorXd free(6 * bodies), bias(3 * contacts);
  for (Eigen::Index i = 0; i < bodies; ++i)
    for (Eigen::Index k = 0; k < 6; ++k)
      free(6 * i + k) = system.free_velocities[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  for (Eigen::Index i = 0; i < contacts; ++i) {
    const ConeContact& c = system.contacts[static_cast<std::size_t>(i)];
    for (int k = 0; k < 3; ++k) {
      bias(3 * i + k) = c.bias[k];
      for (std::size_t q = 0; q < 6; ++q) {
        const auto column = static_cast<Eigen::Index>(q);
        if (c.a >= 0) rows(3 * i + k, 6 * c.a + column) = c.rows_a[static_cast<std::size_t>(k)][q];
        if (c.b >= 0) rows(3 * i + k, 6 * c.b + column) = c.rows_b[static_cast<std::size_t>(k)][q];
      }
    }
  }
  const Eigen::MatrixXd w = rows * rows.transpose();
  const Eigen::VectorXd b = rows * free + bias;
  Real largest = 0;  // row sum: a bound of the eigenvalues
  for (Eigen::Index i = 0; i < w.rows(); ++i) {
    Real sum = 0;
    for (Eigen::Index k = 0; k < w.cols(); ++k) sum += std::abs(w(i, k));
    largest = std::max(largest, sum);
  }
  const Real step = 1 / largest;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(3 * contacts), y = x;
  Real theta = 1;
  for (int iteration = 0; iteration < 20000; ++iteration) {
    Eigen::VectorXd z = y - step * (w * y + b);
    for (Eigen::Index i = 0; i < contacts; ++i) {
      const Vec3 p =
          project_on_cone({z(3 * i), z(3 * i + 1), z(3 * i + 2)}, system.contacts[static_cast<std::size_t>(i)].mu);
      z.segment<3>(3 * i) << p.x, p.y, p.z;
    }
    // O'Donoghue and Candès: momentum that works against the gradient is dropped.
    if ((y - z).dot(z - x) > 0) theta = 1;
    const Real next = 0.5 * (1 + std::sqrt(1 + 4 * theta * theta));
    y = z + (theta - 1) / next * (z - x);
    x = z;
    theta = next;
  }
  const Eigen::VectorXd v = free + rows.transpose() * x;
  std::vector<Vec6> result(system.free_velocities.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) result[i][k] = v(static_cast<Eigen::Index>(6 * i + k));
  return result;
}

TEST(InteriorPoint, VelocitiesAreThoseOfADenseMethodOnRandomProblems) {
  Random random(1);
  for (int k = 0; k < 40; ++k) {
    const ConeSystem system = built(test::random_problem(random, random.integer(1, 14), 3));
    InteriorPoint method;
    method.start(system, {});
    run(method, system, 1e-8);
    const std::vector<Vec6> reference = dense_reference(system);
    for (std::size_t i = 0; i < reference.size(); ++i)
      for (std::size_t q = 0; q < 6; ++q)
        // Speeds are about 1 m/s; both stop at 1e-8 or better of that.
        EXPECT_NEAR(method.velocities()[i][q], reference[i][q], 1e-6) << "problem " << k << ", body " << i;
  }
}

TEST(InteriorPoint, IsOptimalOnRandomProblemsAtAnyMassRatio) {
  Random random(2);
  for (const Real ratio : {1.0, 1e3, 1e6})
    for (int k = 0; k < 60; ++k) {
      const ConeSystem system = built(test::random_problem(random, random.integer(1, 60), ratio));
      InteriorPoint method;
      method.start(system, {});
      // A thousand times the compliance is 1e-6; impulses of heavy bodies on light ones cost digits. At 1e6 one problem
      // in a hundred ends above 1e-4, none above 1e-3.
      const Real allowed = ratio > 1e3 ? 1e-3 : (ratio > 1 ? 1e-5 : 1e-6);
      EXPECT_LE(run(method, system, allowed), allowed) << "ratio " << ratio << ", problem " << k;
      for (std::size_t i = 0; i < system.contacts.size(); ++i) {
        const Vec3 j = method.impulses()[i];
        EXPECT_LE(std::sqrt(j.y * j.y + j.z * j.z), system.contacts[i].mu * j.x + 1e-15 * norm(j));
      }
    }
}

TEST(InteriorPoint, ProximalAnswersAreThoseOfNoCompliance) {
  Random random(4);
  for (int k = 0; k < 60; ++k) {
    const ConeSystem system = built(test::random_problem(random, random.integer(1, 40), 10));
    InteriorPoint method;
    method.start(system, {}, {.compliance = 1e-7, .proximal = true});
    EXPECT_LE(run(method, system, 1e-6), 1e-6) << "problem " << k;
  }
}

TEST(InteriorPoint, CompliantAnswersDifferByTheCompliance) {
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    const ConeSystem system = built(test::random_problem(random, random.integer(1, 40), 10));
    InteriorPoint method;
    method.start(system, {}, {.compliance = 1e-6});
    run(method, system, 1e-9);
    EXPECT_LE(method.residual() / system.reference_velocity, 1000 * 1e-6) << "problem " << k;
  }
}

TEST(InteriorPoint, RedundantContactsDoNotHurt) {
  for (const Real mu : {0.0, 0.5, 2.0}) {
    ContactProblem problem = test::cube_on_floor({0.3, 0, -0.2}, mu);
    const std::vector<ContactPoint> once = problem.contacts;
    for (int k = 1; k < 8; ++k) problem.contacts.insert(problem.contacts.end(), once.begin(), once.end());
    const ConeSystem system = built(problem), single = built(test::cube_on_floor({0.3, 0, -0.2}, mu));
    InteriorPoint method, reference;
    method.start(system, {});
    reference.start(single, {});
    EXPECT_LE(run(method, system, 1e-6), 1e-6);
    EXPECT_LE(run(reference, single, 1e-6), 1e-6);
    for (std::size_t q = 0; q < 6; ++q) EXPECT_NEAR(method.velocities()[0][q], reference.velocities()[0][q], 1e-6);
  }
}

TEST(InteriorPoint, BallWithoutFrictionKeepsItsSlip) {
  const ConeSystem system = built(test::ball_on_floor({2, 0, -1}, 0));
  InteriorPoint method;
  method.start(system, {});
  EXPECT_LE(run(method, system, 1e-6), 1e-6);
  EXPECT_NEAR(method.impulses()[0].x, 1, 1e-6);
  EXPECT_EQ(method.impulses()[0].y, 0);
  EXPECT_EQ(method.impulses()[0].z, 0);
}

TEST(InteriorPoint, SlidingBallLiftsOffAsTheConvexModelHasIt) {
  // A ball of mass 1 that slips at s and comes down at v gets j_n = (μ s + v) / (1 + 7 μ² / 2).
  constexpr Real kMu = 0.2, kSlip = 2, kDown = 1;
  const ConeSystem system = built(test::ball_on_floor({kSlip, 0, -kDown}, kMu));
  InteriorPoint method;
  method.start(system, {});
  EXPECT_LE(run(method, system, 1e-7), 1e-7);
  EXPECT_NEAR(method.impulses()[0].x, (kMu * kSlip + kDown) / (1 + 3.5 * kMu * kMu), 1e-6);
}

TEST(InteriorPoint, ShiftsThatFollowTheSlipGiveCoulombsLaw) {
  ContactProblem problem = test::ball_on_floor({2, 0, -1}, 0.2);
  const ConeSystem system = built(problem);
  InteriorPoint method;
  method.start(system, {});
  for (int k = 0; k < 60 && method.step(); ++k) {
    const Vec3 u = ConeSystem::velocity(system.contacts[0], method.velocities());
    const Real shift = 0.2 * std::sqrt(u.y * u.y + u.z * u.z);
    method.set_shifts({&shift, 1});
  }
  const Vec3 u = ConeSystem::velocity(system.contacts[0], method.velocities());
  EXPECT_LE(coulomb_residual(system.contacts[0], method.impulses()[0], u), 1e-6);
  EXPECT_NEAR(method.impulses()[0].x, 1, 1e-6);  // stops the fall, and no more
}

TEST(InteriorPoint, ImpulsesWithoutBoundDoNotHurt) {
  // A cube that falls between two walls: they may press on it as hard as they like, and friction then holds it.
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::cube_body(1)};
  problem.bodies[1].velocity = {0, 0, -1};
  problem.contacts = {test::contact(0, 1, {1, 0, 0}, {}, {-0.5, 0, 0}, 0.5),
                      test::contact(0, 1, {-1, 0, 0}, {}, {0.5, 0, 0}, 0.5)};
  problem.dt = test::kStep;
  problem.gravity = test::kGravity;
  const ConeSystem system = built(problem);
  for (const bool proximal : {false, true}) {
    InteriorPoint method;
    method.start(system, {}, {.proximal = proximal});
    EXPECT_LE(run(method, system, 1e-5, 40), 1e-5);
    EXPECT_NEAR(method.velocities()[0][2], 0, 1e-5);
  }
}

TEST(InteriorPoint, StartsAnywhereAndEndsAlike) {
  Random random(5);
  const ConeSystem system = built(test::random_problem(random, 40, 10));
  InteriorPoint cold, warm;
  cold.start(system, {});
  run(cold, system, 1e-6);
  std::vector<Vec3> far(system.contacts.size());
  for (Vec3& j : far) j = random.vector(100);  // not even in their cones
  warm.start(system, far);
  EXPECT_LE(run(warm, system, 1e-6), 1e-6);
  for (std::size_t i = 0; i < system.free_velocities.size(); ++i)
    for (std::size_t q = 0; q < 6; ++q) EXPECT_NEAR(cold.velocities()[i][q], warm.velocities()[i][q], 1e-5);
}

TEST(InteriorPoint, GoodStartSavesSteps) {
  Random random(6);
  int cold_steps = 0, warm_steps = 0;
  for (int k = 0; k < 20; ++k) {
    const ConeSystem system = built(test::random_problem(random, 60, 10));
    InteriorPoint cold, warm;
    cold.start(system, {});
    run(cold, system, 1e-4);
    const std::vector<Vec3> answer(cold.impulses().begin(), cold.impulses().end());
    warm.start(system, answer);
    EXPECT_LE(run(warm, system, 1e-4), 1e-4) << "problem " << k;
    cold_steps += cold.steps();
    warm_steps += warm.steps();
  }
  EXPECT_LE(3 * warm_steps, 2 * cold_steps);
}

TEST(InteriorPoint, UsedObjectGivesTheBitsOfAFreshOne) {
  Random random(7);
  const ConeSystem first = built(test::random_problem(random, 30, 10)),
                   second = built(test::random_problem(random, 20, 10));
  InteriorPoint used, fresh;
  used.start(first, {});
  run(used, first, 1e-4);
  used.start(second, {});
  fresh.start(second, {});
  run(used, second, 1e-5);
  run(fresh, second, 1e-5);
  EXPECT_EQ(used.steps(), fresh.steps());
  EXPECT_TRUE(std::equal(used.impulses().begin(), used.impulses().end(), fresh.impulses().begin()));
}

TEST(InteriorPoint, NothingToDoWithoutContacts) {
  ContactProblem problem;
  problem.bodies = {test::cube_body(1)};
  const ConeSystem system = built(problem);
  InteriorPoint method;
  method.start(system, {});
  EXPECT_EQ(method.residual(), 0);
  EXPECT_FALSE(method.step());
  const Vec3 one;
  EXPECT_THROW(method.start(system, {&one, 1}), Error);
}

}  // namespace
}  // namespace carom
