// Converged means solved: by the measure, not only by the size of the last change.
#include <gtest/gtest.h>

#include <limits>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::kGravity;
using test::kStep;
using test::solve;

// A plate of 2 x 2 x 0.1 m, mass 1, lowest corner on the floor, mu = 0.994.
TEST(Sequential, PlateOnItsCornerIsNotCalledConvergedWhileItStillApproaches) {
  const Vec3 h{1, 1, 0.05};
  const Quat q = normalized(Quat{0.20264793939220538, -0.41872641321480775, -0.3639881187095847, -0.80691675715318545});
  const Mat3 r = to_matrix(q);
  const Mat3 moments = Mat3::diagonal(Vec3{h.y * h.y + h.z * h.z, h.z * h.z + h.x * h.x, h.x * h.x + h.y * h.y} / 3);
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::dynamic_body(1, r * moments * transposed(r))};
  Mat3& inverse = problem.bodies[1].inverse_inertia;
  inverse = 0.5 * (inverse + transposed(inverse));
  problem.bodies[1].velocity = {-0.20446608066011596, -0.64667661982927638, -0.19403827896766135};
  problem.bodies[1].angular_velocity = {-0.036954109147858683, -0.17035262450357203, 0.2879526862063051};
  Vec3 corner{0, 0, 1e9};
  for (const Real x : {-h.x, h.x})
    for (const Real y : {-h.y, h.y})
      for (const Real z : {-h.z, h.z})
        if (const Vec3 p = rotate(q, {x, y, z}); p.z < corner.z) corner = p;
  problem.contacts = {test::contact(0, 1, {0, 0, 1}, {}, corner, 0.99421681336313761)};
  problem.dt = kStep;
  problem.gravity = kGravity;
  for (const double memory : {0.0, 8.0}) {
    const ContactSolution s =
        solve(problem, "sequential", {{"tolerance", 1e-8}, {"iterations", 2000.0}, {"memory", memory}});
    if (s.report.converged) {
      EXPECT_LE(measure(problem, s).residual_coulomb, 1e-7) << memory;
    }
  }
}

TEST(Stack, ConvergedMeansThatTheMeasureAgreesAfterManySweeps) {
  const ContactProblem problem = test::cube_stack(20, 0.1);
  const ContactSolution s = solve(problem, "sequential", {{"tolerance", 1e-8}, {"iterations", 50000.0}});
  ASSERT_TRUE(s.report.converged);
  EXPECT_LE(measure(problem, s).residual_coulomb, 10 * 1e-8);
}

}  // namespace
}  // namespace carom
