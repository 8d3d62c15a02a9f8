// The same scene gives the same states, bit for bit, on one thread and on two, and from run to run.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "acceptance.h"

namespace carom::acceptance {
namespace {

std::vector<std::uint64_t> hashes(const Scene& scene, int threads, int steps) {
  World world = world_of(scene, threads);
  std::vector<std::uint64_t> out{world.state_hash()};
  for (int step = 0; step < steps; ++step) {
    world.step(scene.dt);
    out.push_back(world.state_hash());
  }
  return out;
}

/// The first step at which two runs differ, -1 if they never do.
int first_difference(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return static_cast<int>(i);
  return -1;
}

void expect_same_states(const std::string& name, int steps) {
  const Scene loaded = scene(name);
  const auto reference = hashes(loaded, 1, steps);
  EXPECT_NE(reference.front(), reference.back());
  EXPECT_EQ(first_difference(reference, hashes(loaded, 1, steps)), -1) << "a second run differs";
  EXPECT_EQ(first_difference(reference, hashes(loaded, 2, steps)), -1) << "two threads differ from one";
  EXPECT_EQ(first_difference(reference, hashes(loaded, 2, steps)), -1) << "a second run on two threads differs";
}

TEST(Determinism, CubejamIsTheSameOnOneThreadAndTwo) { expect_same_states("cubejam", CAROM_SLOW_BUILD ? 60 : 600); }

TEST(Determinism, CubeglassIsTheSameOnOneThreadAndTwo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_same_states("cubeglass", 240);
}

TEST(Determinism, Pile5000IsTheSameOnOneThreadAndTwo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_same_states("pile5000", 90);
}

}  // namespace
}  // namespace carom::acceptance
