// The interior-point path on pyramids, by itself.
#include "solvers/qp_path.h"

#include <gtest/gtest.h>

#include "contact/pyramid.h"
#include "solvers/convex_newton.h"
#include "solvers/solving.h"

namespace carom {
namespace {

TEST(PyramidPath, LeadsToTheOptimumFromAnywhereInFewSteps) {
  test::Random random(11);
  int close = 0;
  for (int i = 0; i < 100; ++i) {
    ContactProblem problem = test::random_problem(random, random.integer(2, 40), random.scale(1, 1000));
    ConeSystem system;
    system.build(problem);
    std::vector<Vec3> start(system.contacts.size());
    if (i % 2 == 1)
      for (std::size_t k = 0; k < start.size(); ++k) start[k] = system.contacts[k].rho * random.vector(1);
    PyramidPath path;
    path.start(system, {}, start, 1);
    Real best = path.residual();
    // Newton steps take over near 1e-3 v_ref; where impulses have no bound a path may end before.
    while (best > 1e-3 * system.reference_velocity && path.steps() < 60 && path.step())
      best = std::min(best, path.residual());
    EXPECT_LE(best, 1e-2 * system.reference_velocity) << i;
    close += best <= 2e-3 * system.reference_velocity ? 1 : 0;
    for (std::size_t k = 0; k < start.size(); ++k) {
      const Vec3& j = path.impulses()[k];
      EXPECT_LE(norm(j - project_on_pyramid(j, system.contacts[k].mu)), 1e-12 * norm(j)) << i;
    }
  }
  EXPECT_GE(close, 90);
}

TEST(PyramidPath, KeepsFrictionlessContactsWithoutFriction) {
  ContactProblem problem = test::cube_on_floor({1, 0.5, -1}, 0);
  ConeSystem system;
  system.build(problem);
  PyramidPath path;
  path.start(system, {}, std::vector<Vec3>(4, Vec3{1, 1, 1}), 1);
  while (path.residual() > 1e-6 && path.steps() < 60 && path.step()) {
  }
  EXPECT_LE(path.residual(), 1e-4);
  for (const Vec3& j : path.impulses()) EXPECT_TRUE(j.y == 0 && j.z == 0);
}

/// Bounds that the velocities after some impulses meet: so there is an answer.
std::vector<NormalBound> feasible_bounds(test::Random& random, const ConeSystem& system) {
  std::vector<Vec3> impulses;
  for (const ConeContact& c : system.contacts) impulses.push_back(c.rho * Vec3{random.uniform(0, 3), 0, 0});
  std::vector<Vec6> velocities;
  system.velocities_after(impulses, velocities);
  std::vector<NormalBound> bounds;
  for (std::size_t i = 0; i < system.contacts.size(); ++i)
    bounds.push_back({i, ConeSystem::velocity(system.contacts[i], velocities).x - random.uniform(0, 0.5)});
  return bounds;
}

TEST(PyramidPath, KeepsBoundsAndEndsWhereNewtonStepsDo) {
  test::Random random(12);
  int finished = 0;
  for (int i = 0; i < 60; ++i) {
    ContactProblem problem = test::random_problem(random, random.integer(2, 20), random.scale(1, 100));
    ConeSystem system;
    system.build(problem);
    const std::vector<NormalBound> bounds = feasible_bounds(random, system);
    const std::vector<Vec3> start(system.contacts.size());
    const Real v_ref = system.reference_velocity;
    PyramidPath path;
    path.start(system, bounds, start, 1);
    while (path.residual() > 1e-5 * v_ref && path.steps() < 60 && path.step()) {
    }
    // Redundant contacts leave the rest to Newton steps.
    ASSERT_LE(path.residual(), 1e-3 * v_ref) << i;
    EXPECT_LE(path.steps(), 40) << i;
    ConvexNewton from_path, from_rest;
    from_path.start(system, ImpulseSet::Pyramid, bounds, path.impulses(), path.multipliers(), 1e4);
    from_rest.start(system, ImpulseSet::Pyramid, bounds, start, {}, 10);
    if (!from_path.run(50, 1e-8 * v_ref) || !from_rest.run(400, 1e-8 * v_ref)) continue;
    ++finished;
    std::vector<Vec6> by_path, by_newton;
    system.velocities_after(from_path.impulses(), by_path);
    system.velocities_after(from_rest.impulses(), by_newton);
    for (std::size_t k = 0; k < by_path.size(); ++k)
      for (std::size_t d = 0; d < 6; ++d)
        EXPECT_NEAR(by_path[k][d], by_newton[k][d], 1e-6 * (1 + std::abs(by_newton[k][d]))) << i;
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      EXPECT_GE(from_path.multipliers()[k], 0);
      EXPECT_GE(ConeSystem::velocity(system.contacts[k], by_path).x, bounds[k].bound - 1e-7 * v_ref);
    }
  }
  EXPECT_GE(finished, 50);
}

}  // namespace
}  // namespace carom
