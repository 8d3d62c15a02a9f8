// Sums of edges of pyramids: the active set by itself.
#include "solvers/pyramid_edges.h"

#include <gtest/gtest.h>

#include "contact/pyramid.h"
#include "solvers/convex_newton.h"
#include "support/harsh_problems.h"

namespace carom {
namespace {

constexpr int kEnough = 2000;

ContactProblem small_problem(test::Random& random) {
  return random.coin() ? test::random_problem(random, random.integer(1, 36), random.scale(1, 1000))
                       : test::wall_of_cubes(random, random.integer(1, 4), random.integer(1, 3));
}

std::vector<Vec3> random_impulses(const ConeSystem& system, test::Random& random) {
  std::vector<Vec3> impulses(system.contacts.size());
  for (std::size_t i = 0; i < impulses.size(); ++i)
    impulses[i] = project_on_pyramid(system.contacts[i].rho * random.vector(1), system.contacts[i].mu);
  return impulses;
}

Real largest_difference(const ConeSystem& system, std::span<const Vec3> a, std::span<const Vec3> b) {
  std::vector<Vec6> of_a, of_b;
  system.velocities_after(a, of_a);
  system.velocities_after(b, of_b);
  Real largest = 0;
  for (const ConeContact& c : system.contacts)
    largest = std::max(largest, norm(ConeSystem::velocity(c, of_a) - ConeSystem::velocity(c, of_b)));
  return largest;
}

TEST(PyramidEdges, EndAtTheOptimumFromAnywhere) {
  test::Random random(21);
  for (int i = 0; i < 300; ++i) {
    const ContactProblem problem = small_problem(random);
    ConeSystem system;
    system.build(problem);
    if (system.contacts.empty()) continue;
    const Real allowed = 1e-10 * system.reference_velocity;
    PyramidEdges edges;
    edges.start(system, i % 2 == 0 ? std::vector<Vec3>(system.contacts.size()) : random_impulses(system, random));
    EXPECT_TRUE(edges.run(kEnough, allowed)) << i << ": " << edges.residual() / system.reference_velocity;
    for (std::size_t k = 0; k < system.contacts.size(); ++k) {
      const Vec3& j = edges.impulses()[k];
      EXPECT_LE(norm(j - project_on_pyramid(j, system.contacts[k].mu)), 1e-14 * norm(j)) << i;
    }
  }
}

TEST(PyramidEdges, FindTheVelocitiesThatNewtonStepsFind) {
  test::Random random(22);
  for (int i = 0; i < 50; ++i) {
    const ContactProblem problem = test::random_problem(random, random.integer(2, 30), 10);
    ConeSystem system;
    system.build(problem);
    if (system.contacts.empty()) continue;
    const std::vector<Vec3> none(system.contacts.size());
    PyramidEdges edges;
    edges.start(system, none);
    edges.run(kEnough, 1e-12);
    ConvexNewton newton;
    newton.start(system, ImpulseSet::Pyramid, {}, none, {}, 1e4);
    newton.run(kEnough, 1e-9);
    EXPECT_LE(largest_difference(system, edges.impulses(), newton.impulses()), 1e-7) << i;
  }
}

TEST(PyramidEdges, StartWithTheVelocitiesTheyAreGiven) {
  // Redundant contacts share what they carry in another way then.
  test::Random random(23);
  for (int i = 0; i < 100; ++i) {
    const ContactProblem problem = small_problem(random);
    ConeSystem system;
    system.build(problem);
    const std::vector<Vec3> start = random_impulses(system, random);
    PyramidEdges edges;
    edges.start(system, start);
    EXPECT_LE(largest_difference(system, edges.impulses(), start), 1e-9) << i;
  }
}

TEST(PyramidEdges, NeedNoStepFromASolution) {
  test::Random random(24);
  for (int i = 0; i < 50; ++i) {
    const ContactProblem problem = small_problem(random);
    ConeSystem system;
    system.build(problem);
    if (system.contacts.empty()) continue;
    PyramidEdges edges;
    edges.start(system, std::vector<Vec3>(system.contacts.size()));
    ASSERT_TRUE(edges.run(kEnough, 1e-12));
    const std::vector<Vec3> solution(edges.impulses().begin(), edges.impulses().end());
    edges.start(system, solution);
    EXPECT_TRUE(edges.run(0, 1e-10)) << edges.residual();
    EXPECT_EQ(edges.steps(), 0);
  }
}

TEST(PyramidEdges, GiveFrictionlessContactsNoFriction) {
  ConeSystem system;
  system.build(test::cube_on_floor({1, 0.5, -1}, 0));
  PyramidEdges edges;
  edges.start(system, std::vector<Vec3>(4));
  EXPECT_TRUE(edges.run(kEnough, 1e-12));
  for (const Vec3& j : edges.impulses()) EXPECT_TRUE(j.y == 0 && j.z == 0);
}

TEST(PyramidEdges, SayWhereNoVelocityMeetsAllTargets) {
  // A cube that both of two walls push at 1 m/s towards the other.
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::cube_body(1)};
  test::add_face(problem, 0, 1, {1, 0, 0}, 0.5);
  test::add_face(problem, 1, 0, {1, 0, 0}, 0.5);
  for (ContactPoint& c : problem.contacts) c.target = 1;
  problem.dt = test::kStep;
  problem.gravity = test::kGravity;
  ConeSystem system;
  system.build(problem);
  PyramidEdges edges;
  edges.start(system, std::vector<Vec3>(system.contacts.size()));
  EXPECT_FALSE(edges.run(kEnough, 1e-6));
  EXPECT_LT(edges.steps(), kEnough);
  EXPECT_GE(edges.residual(), 0.1);
  for (const Vec3& j : edges.impulses()) EXPECT_TRUE(std::isfinite(norm(j)));
}

}  // namespace
}  // namespace carom
