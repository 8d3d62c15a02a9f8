// Levels and heights of small arrangements, and sweeps in their order.
#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/contact_graph.h"
#include "solvers/solving.h"

namespace carom {
namespace {

using test::contact;
using test::cube_body;
using test::fixed_body;
using test::solve;

using Levels = std::vector<std::int32_t>;

constexpr Vec3 kUp{0, 0, 1};

/// Body 0 is the floor; each pair says that the second rests on the first.
ContactProblem arrangement(int bodies, std::initializer_list<std::pair<int, int>> rests) {
  ContactProblem problem;
  problem.bodies.push_back(fixed_body());
  for (int i = 1; i < bodies; ++i) problem.bodies.push_back(cube_body(1));
  for (const auto& [a, b] : rests)
    problem.contacts.push_back(contact(a, b, kUp, {0, 0, a == 0 ? 0 : 0.5}, {0, 0, -0.5}, 0));
  return problem;
}

TEST(ContactLevels, CountFromTheFloor) {
  EXPECT_EQ(contact_levels(test::cube_stack(4, 0)).of_body, (Levels{0, 1, 2, 3, 4}));
}

TEST(ContactLevels, DoNotDependOnWhichBodyIsCalledA) {
  ContactProblem problem = test::cube_stack(4, 0);
  for (ContactPoint& c : problem.contacts) {
    std::swap(c.a, c.b);
    c.normal = -c.normal;
  }
  EXPECT_EQ(contact_levels(problem).of_body, (Levels{0, 1, 2, 3, 4}));
}

TEST(ContactLevels, BodyIsAboveAllItRestsOn) {
  // 3 bridges a pile of two and the floor.
  EXPECT_EQ(contact_levels(arrangement(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}})).of_body, (Levels{0, 1, 2, 3}));
}

TEST(ContactLevels, CirclesAreOneLevel) {
  // 2, 3 and 4 carry each other in a ring on 1; 5 lies on top.
  const ContactProblem ring = arrangement(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 2}, {3, 5}});
  EXPECT_EQ(contact_levels(ring).of_body, (Levels{0, 1, 2, 2, 2, 3}));
}

TEST(ContactLevels, LeaningBodiesAreOneLevel) {
  // Two cards, each of which holds the other at one of two points.
  ContactProblem cards = arrangement(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}});
  EXPECT_EQ(contact_levels(cards).of_body, (Levels{0, 1, 1}));
}

TEST(ContactLevels, BodiesInTheAirComeLast) {
  const ContactLevels levels = contact_levels(arrangement(6, {{0, 1}, {1, 2}, {3, 4}}));
  EXPECT_EQ(levels.of_body, (Levels{0, 1, 2, 3, 3, 3}));
  EXPECT_EQ(levels.count, 3);
}

TEST(ContactLevels, WallsGroundWhatTouchesThemAndCarryNothing) {
  // 2 rests on 1 and touches a wall; a third is held by the wall alone.
  ContactProblem problem = arrangement(4, {{0, 1}, {1, 2}});
  problem.contacts.push_back(contact(0, 2, {1, 0, 0}, {}, {-0.5, 0, 0}, 0.5));
  problem.contacts.push_back(contact(0, 3, {1, 0, 0}, {}, {-0.5, 0, 0}, 0.5));
  problem.down = -kUp;
  EXPECT_EQ(contact_levels(problem).of_body, (Levels{0, 1, 2, 1}));
}

TEST(ContactLevels, WithoutAnUpCountTheShortestWay) {
  // A row between two walls: their pushes cancel.
  ContactProblem problem;
  problem.bodies = {fixed_body(), cube_body(1), cube_body(1), cube_body(1), cube_body(1)};
  const Vec3 x{1, 0, 0};
  problem.contacts = {contact(0, 1, x, {}, {}, 0), contact(1, 2, x, {}, {}, 0), contact(2, 3, x, {}, {}, 0),
                      contact(3, 0, x, {}, {}, 0)};
  EXPECT_EQ(up_direction(problem), Vec3{});
  EXPECT_EQ(contact_levels(problem).of_body, (Levels{0, 1, 2, 1, 3}));
}

TEST(ContactLevels, TallTowersNeedNoDeepStack) { EXPECT_EQ(contact_levels(test::cube_stack(100000, 0)).count, 100000); }

TEST(UpDirection, IsGivenOrThatOfTheFloor) {
  ContactProblem problem = test::cube_stack(2, 0);
  EXPECT_EQ(up_direction(problem), kUp);
  problem.down = {0, 1, 0};
  EXPECT_EQ(up_direction(problem), (Vec3{0, -1, 0}));
  EXPECT_EQ(up_direction(test::cradle(3, 1, 1)), Vec3{});
}

TEST(ContactHeights, AreThoseOfAStack) {
  const ContactProblem problem = test::cube_stack(3, 0);
  const std::vector<Real> heights = contact_heights(problem, kUp);
  for (std::size_t i = 0; i < heights.size(); ++i)
    EXPECT_NEAR(heights[i] - heights[0], problem.contacts[i].a, 1e-15) << i;  // cube k stands k − 1 m over the floor
}

constexpr const char* kOrders[] = {"found", "gravity", "velocity", "level"};

TEST(Orders, AllLeadToTheSameVelocities) {
  // Without friction they are unique; four digits for the slow rate of sweeps.
  test::Random random(11);
  for (int round = 0; round < 50; ++round) {
    ContactProblem problem = test::random_problem(random, random.integer(2, 40), 100);
    for (ContactPoint& c : problem.contacts) c.mu = c.mu_static = 0;
    const test::Settings fine{{"tolerance", 1e-9}, {"iterations", 20000.0}};
    const ContactSolution found = solve(problem, "sequential", fine);
    for (const char* order : kOrders) {
      const ContactSolution other = solve(problem, "sequential", fine, {}, {{"order", order}});
      if (!found.report.converged || !other.report.converged) continue;
      EXPECT_LE(test::velocity_difference(found, other), 1e-5) << order;
    }
  }
}

TEST(Orders, FromTheGroundUpBeatsFromTheTopDown) {
  // A stack whose contacts are found from the top down, plain sweeps.
  ContactProblem problem = test::cube_stack(10, 0.5);
  std::reverse(problem.contacts.begin(), problem.contacts.end());
  const auto left = [&](const char* order) {
    const ContactSolution s =
        solve(problem, "sequential", {{"iterations", 5.0}, {"memory", 0.0}}, {}, {{"order", order}});
    return measure(problem, s).rms_coulomb;
  };
  EXPECT_LT(left("gravity"), left("found"));
  EXPECT_LT(left("level"), left("found"));
}

TEST(Orders, FastestApproachGoesFirst) {
  // One sweep over a row hit in the middle: the ball that is hit passes it on only if that contact is not yet done.
  ContactProblem problem = test::cradle(3, 1, 0);
  problem.bodies[0].velocity = {};
  problem.bodies[2].velocity = {-1, 0, 0};
  const auto first_ball = [&](const char* order) {
    return solve(problem, "sequential", {{"iterations", 1.0}, {"memory", 0.0}}, {}, {{"order", order}}).velocities[0].x;
  };
  EXPECT_EQ(first_ball("found"), 0);
  EXPECT_NEAR(first_ball("velocity"), -0.25, 1e-15);
}

}  // namespace
}  // namespace carom
