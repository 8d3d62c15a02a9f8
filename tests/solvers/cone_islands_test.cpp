// Islands of contacts, and that solving them one by one solves the whole.
#include "solvers/cone_islands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "solvers/solving.h"

namespace carom {
namespace {

using test::Random;

/// Random webs side by side, their contacts shuffled.
ContactProblem webs(Random& random, int count) {
  ContactProblem problem;
  for (int i = 0; i < count; ++i) test::put_beside(problem, test::random_problem(random, random.integer(1, 60), 10));
  for (std::size_t i = problem.contacts.size(); i > 1; --i)
    std::swap(problem.contacts[i - 1],
              problem.contacts[static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1))]);
  return problem;
}

TEST(ConeIslands, HoldEveryContactOnceAndShareNoBody) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    ConeSystem system;
    system.build(webs(random, random.integer(1, 8)));
    ConeIslands islands;
    islands.find(system);
    std::set<std::size_t> seen;
    std::vector<std::size_t> owner(system.free_velocities.size(), islands.count());
    for (std::size_t island = 0; island < islands.count(); ++island) {
      EXPECT_FALSE(islands.contacts(island).empty());
      EXPECT_TRUE(std::ranges::is_sorted(islands.contacts(island)));
      for (const std::size_t i : islands.contacts(island)) {
        EXPECT_TRUE(seen.insert(i).second);
        for (const std::int32_t body : {system.contacts[i].a, system.contacts[i].b}) {
          if (body < 0) continue;
          std::size_t& of_body = owner[static_cast<std::size_t>(body)];
          EXPECT_TRUE(of_body == islands.count() || of_body == island);
          of_body = island;
        }
      }
    }
    EXPECT_EQ(seen.size(), system.contacts.size());
  }
}

TEST(ConeIslands, AreAsSmallAsTheyCanBe) {
  // Three stacks of four cubes on floors of their own, and one contact more between two of them.
  ContactProblem problem;
  for (int i = 0; i < 3; ++i) test::put_beside(problem, test::cube_stack(4, 0.5));
  const auto sizes = [](const ContactProblem& of) {
    ConeSystem system;
    system.build(of);
    ConeIslands islands;
    islands.find(system);
    std::vector<std::size_t> result;
    for (std::size_t island = 0; island < islands.count(); ++island) result.push_back(islands.contacts(island).size());
    return result;
  };
  EXPECT_EQ(sizes(problem), (std::vector<std::size_t>{16, 16, 16}));
  ContactPoint bridge = problem.contacts.front();
  bridge.a = 2;
  bridge.b = 7;
  problem.contacts.push_back(bridge);
  EXPECT_EQ(sizes(problem), (std::vector<std::size_t>{33, 16}));
}

TEST(ConeIslands, PartsHaveTheVelocitiesOfTheWhole) {
  Random random(2);
  ConeSystem system, part;
  SystemPart maker;
  ConeIslands islands;
  for (int round = 0; round < 20; ++round) {
    system.build(webs(random, 4));
    islands.find(system);
    std::vector<Vec3> impulses;
    for (const ConeContact& c : system.contacts) impulses.push_back(c.rho * random.vector(1));
    std::vector<Vec6> whole, of_part;
    system.velocities_after(impulses, whole);
    for (std::size_t island = 0; island < islands.count(); ++island) {
      maker.take(system, islands.contacts(island), part);
      std::vector<Vec3> its;
      for (const std::size_t i : islands.contacts(island)) its.push_back(impulses[i]);
      part.velocities_after(its, of_part);
      for (std::size_t k = 0; k < its.size(); ++k)
        EXPECT_EQ(ConeSystem::velocity(part.contacts[k], of_part),
                  ConeSystem::velocity(system.contacts[islands.contacts(island)[k]], whole));
    }
  }
}

TEST(ConeIslands, AnIslandsAnswerDoesNotDependOnWhatElseThereIs) {
  Random random(3);
  for (const char* solver : {"qp", "exact"})
    for (int round = 0; round < 10; ++round) {
      const ContactProblem alone = test::random_problem(random, random.integer(5, 60), 10);
      ContactProblem both = alone;
      test::put_beside(both, test::cube_stack(12, 0.5));
      const ContactSolution a = test::solve(alone, solver), b = test::solve(both, solver);
      for (std::size_t i = 0; i < alone.contacts.size(); ++i) EXPECT_EQ(a.impulses[i], b.impulses[i]) << solver;
    }
}

TEST(ConeIslands, OneProgramForAllHasTheSameAnswer) {
  Random random(4);
  for (int round = 0; round < 10; ++round) {
    ContactProblem problem = webs(random, 5);
    if (round % 2 == 1)
      for (ContactPoint& c : problem.contacts) c.restitution = 0.3;
    const ContactSolution apart = test::solve(problem, "qp", {{"tolerance", 1e-9}});
    const ContactSolution together = test::solve(problem, "qp", {{"tolerance", 1e-9}}, {}, {{"islands", "false"}});
    ASSERT_TRUE(apart.report.converged && together.report.converged) << round;
    EXPECT_LE(test::velocity_difference(apart, together), 1e-7) << round;
  }
}

}  // namespace
}  // namespace carom
