// Parts of a system that are still unsolved.
#include "solvers/hot_spots.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/solving.h"

namespace carom {
namespace {

/// Stacks side by side, solved; then one cube of the last is pushed.
struct Stacks {
  ContactProblem problem;
  ConeSystem system;
  std::vector<Vec3> impulses;

  Stacks() {
    constexpr int kStacks = 3, kCubes = 4;
    for (int i = 0; i < kStacks; ++i) test::put_beside(problem, test::cube_stack(kCubes, 0.5));
    const ContactSolution solution = test::solve(problem, "exact");
    problem.bodies.back().velocity.z -= 0.1;  // the topmost
    system.build(problem);
    system.take_warm(problem, solution.impulses, impulses);
  }
};

TEST(HotSpots, AreTheBrokenContactsAndTheirNeighbours) {
  const Stacks stacks;
  HotSpots spots;
  // The four contacts under the topmost cube; a ring further, those under the next cube; and so on down.
  for (const int rings : {0, 1, 2}) {
    ASSERT_TRUE(spots.find(stacks.system, stacks.impulses, 1e-3, rings, 1000));
    EXPECT_EQ(spots.system().contacts.size(), static_cast<std::size_t>(4 * (rings + 1)));
  }
  EXPECT_FALSE(spots.find(stacks.system, stacks.impulses, 1e-3, 2, 11));  // too many
  EXPECT_FALSE(spots.find(stacks.system, stacks.impulses, 1, 2, 1000));   // none
}

TEST(HotSpots, ContactsHaveTheVelocitiesThatTheyHaveInTheWhole) {
  const Stacks stacks;
  HotSpots spots;
  ASSERT_TRUE(spots.find(stacks.system, stacks.impulses, 1e-3, 1, 1000));
  std::vector<Vec6> whole, part;
  stacks.system.velocities_after(stacks.impulses, whole);
  spots.system().velocities_after(spots.impulses(), part);
  for (const ConeContact& c : spots.system().contacts) {
    const auto same = [&](const ConeContact& other) { return other.source == c.source; };
    const ConeContact& twin = *std::ranges::find_if(stacks.system.contacts, same);
    EXPECT_LE(norm(ConeSystem::velocity(c, part) - ConeSystem::velocity(twin, whole)), 1e-14);
  }
  std::vector<Vec3> put = stacks.impulses;
  spots.put_back(spots.impulses(), put);
  EXPECT_EQ(put, stacks.impulses);
}

}  // namespace
}  // namespace carom
