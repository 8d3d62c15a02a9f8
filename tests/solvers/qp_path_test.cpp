// The interior-point path on pyramids, by itself.
#include "solvers/qp_path.h"

#include <gtest/gtest.h>

#include "contact/pyramid.h"
#include "solvers/solving.h"
#include "support/harsh_problems.h"

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
    while (best > 1e-6 * system.reference_velocity && path.steps() < 60 && path.step())
      best = std::min(best, path.residual());
    EXPECT_LE(best, 1e-5 * system.reference_velocity) << i;
    close += best <= 1e-6 * system.reference_velocity ? 1 : 0;
    for (std::size_t k = 0; k < start.size(); ++k) {
      const Vec3& j = path.impulses()[k];
      // But for the rounding of what it was on the way.
      const ConeContact& c = system.contacts[k];
      EXPECT_LE(norm(j - project_on_pyramid(j, c.mu)), 1e-12 * norm(j) + 1e-14 * c.rho) << i;
    }
  }
  EXPECT_GE(close, 80);
}

TEST(PyramidPath, HasAnEndWhereCubesAreWedgedBetweenWalls) {
  // Impulses across such a row may grow together without end.
  test::Random random(12);
  for (int i = 0; i < 30; ++i) {
    const ContactProblem problem = test::wall_of_cubes(random, 6, 6);
    ConeSystem system;
    system.build(problem);
    PyramidPath path;
    path.start(system, {}, std::vector<Vec3>(system.contacts.size()), 1);
    Real best = path.residual();
    while (best > 1e-6 * system.reference_velocity && path.steps() < 60 && path.step())
      best = std::min(best, path.residual());
    EXPECT_LE(best, 1e-5 * system.reference_velocity) << i;
  }
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

}  // namespace
}  // namespace carom
