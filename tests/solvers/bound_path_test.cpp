// Bounds on normal velocities along the paths of both cones, against Newton steps without any path.
#include "solvers/bound_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/convex_newton.h"
#include "solvers/interior_point.h"
#include "solvers/qp_path.h"
#include "solvers/solving.h"

namespace carom {
namespace {

/// Bounds that the velocities after some impulses meet: so there is an answer.
std::vector<NormalBound> feasible_bounds(test::Random& random, const ConeSystem& system) {
  std::vector<Vec3> impulses;
  impulses.reserve(system.contacts.size());
  for (const ConeContact& c : system.contacts) impulses.push_back(c.rho * Vec3{random.uniform(0, 3), 0, 0});
  std::vector<Vec6> velocities;
  system.velocities_after(impulses, velocities);
  std::vector<NormalBound> bounds;
  for (std::size_t i = 0; i < system.contacts.size(); ++i)
    bounds.push_back({i, ConeSystem::velocity(system.contacts[i], velocities).x - random.uniform(0, 0.5)});
  return bounds;
}

struct PathEnd {
  Real residual = 0;
  int steps = 0;
  std::vector<Vec3> impulses;
  std::vector<Real> multipliers;
};

/// The best point of a path that is followed until it is good, or leads nowhere.
template <class Path>
PathEnd followed(Path& path, Real good) {
  PathEnd best{path.residual(), 0, {}, {}};
  do {
    if (path.residual() > best.residual) continue;
    best.residual = path.residual();
    best.impulses.assign(path.impulses().begin(), path.impulses().end());
    best.multipliers.assign(path.multipliers().begin(), path.multipliers().end());
  } while (best.residual > good && path.steps() < 60 && path.step());
  best.steps = path.steps();
  return best;
}

class BoundPathOn : public testing::TestWithParam<ImpulseSet> {};

TEST_P(BoundPathOn, LeadsToWhereNewtonStepsEnd) {
  test::Random random(12);
  int finished = 0, longest = 0;
  for (int i = 0; i < 60; ++i) {
    const ContactProblem problem = test::random_problem(random, random.integer(2, 20), random.scale(1, 100));
    ConeSystem system;
    system.build(problem);
    const std::vector<NormalBound> bounds = feasible_bounds(random, system);
    const std::vector<Vec3> start(system.contacts.size());
    const Real v_ref = system.reference_velocity;
    PathEnd end;
    if (GetParam() == ImpulseSet::Pyramid) {
      PyramidPath path;
      path.start(system, bounds, start, 1);
      end = followed(path, 1e-5 * v_ref);
    } else {
      InteriorPoint path;
      path.start(system, start, {}, bounds);
      end = followed(path, 1e-5 * v_ref);
    }
    // Redundant contacts leave the rest to Newton steps.
    ASSERT_LE(end.residual, 1e-3 * v_ref) << i;
    longest = std::max(longest, end.steps);
    ConvexNewton from_path, from_rest;
    from_path.start(system, GetParam(), bounds, end.impulses, end.multipliers, 1e4);
    from_rest.start(system, GetParam(), bounds, start, {}, 10);
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
  EXPECT_LE(longest, 40);
}

INSTANTIATE_TEST_SUITE_P(Sets, BoundPathOn, testing::Values(ImpulseSet::Pyramid, ImpulseSet::Cone),
                         [](const auto& set) { return set.param == ImpulseSet::Pyramid ? "Pyramid" : "Cone"; });

}  // namespace
}  // namespace carom
