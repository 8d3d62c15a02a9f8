#include "solvers/cone_system.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "carom/contact/measures.h"
#include "math/cone.h"
#include "support/problems.h"

namespace carom::test {
namespace {

/// A problem with a fixed, a kinematic and a frozen body, targets, and impulses in the cones.
ContactProblem mixed_problem(Random& random) {
  ContactProblem problem = random_problem(random, 30, 1e3);
  problem.bodies[1].role = BodyRole::Kinematic;
  problem.bodies[2].role = BodyRole::Frozen;
  for (ContactPoint& c : problem.contacts) {
    c.target = random.uniform(-1, 0);
    c.tangent_target = {random.uniform(-1, 1), random.uniform(-1, 1)};
  }
  return problem;
}

TEST(ConeSystem, ResidualOfAnyImpulsesIsThatOfTheMeasures) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const ContactProblem problem = mixed_problem(random);
    ConeSystem system;
    system.build(problem);
    ASSERT_LT(system.contacts.size(), problem.contacts.size() + 1);
    std::vector<Vec3> impulses;
    for (const ConeContact& c : system.contacts) impulses.push_back(project_on_cone(random.vector(2), c.mu));
    ContactSolution solution;
    system.unpack(problem, impulses, solution);

    std::vector<Vec6> velocities;
    system.velocities_after(impulses, velocities);
    Real largest = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i)
      largest = std::max(largest, coulomb_residual(system.contacts[i], impulses[i],
                                                   ConeSystem::velocity(system.contacts[i], velocities)));
    const ContactErrors errors = measure(problem, solution);
    EXPECT_NEAR(largest / system.reference_velocity / errors.residual_coulomb, 1, 1e-9);  // round-off at ratio 1e3
  }
}

TEST(ConeSystem, WarmImpulsesAreThoseThatWereUnpacked) {
  Random random(6);
  const ContactProblem problem = mixed_problem(random);
  ConeSystem system;
  system.build(problem);
  std::vector<Vec3> impulses, back;
  for (std::size_t i = 0; i < system.contacts.size(); ++i) impulses.push_back(random.vector(1));
  ContactSolution solution;
  system.unpack(problem, impulses, solution);
  system.take_warm(problem, solution.impulses, back);
  for (std::size_t i = 0; i < impulses.size(); ++i) EXPECT_LT(norm(back[i] - impulses[i]), 1e-14);
  system.take_warm(problem, {}, back);
  EXPECT_TRUE(std::ranges::all_of(back, [](const Vec3& j) { return j == Vec3{}; }));
}

}  // namespace
}  // namespace carom::test
