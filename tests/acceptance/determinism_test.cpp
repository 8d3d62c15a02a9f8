// The same scene gives the same states, bit for bit, on one thread and on two, and from run to run.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <utility>
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

void expect_same_states(const std::string& name, const std::string& suite, int steps) {
  const Scene loaded = scene(name, suite);
  const auto reference = hashes(loaded, 1, steps);
  EXPECT_NE(reference.front(), reference.back());
  EXPECT_EQ(first_difference(reference, hashes(loaded, 1, steps)), -1) << "a second run differs";
  EXPECT_EQ(first_difference(reference, hashes(loaded, 2, steps)), -1) << "two threads differ from one";
  EXPECT_EQ(first_difference(reference, hashes(loaded, 2, steps)), -1) << "a second run on two threads differs";
}

// `sequential` shares its sweeps among threads, and all suites what they find contacts with.

TEST(Determinism, CubejamIsTheSameOnOneThreadAndTwo) {
  expect_same_states("cubejam", "sequential", CAROM_SLOW_BUILD ? 60 : 600);
  expect_same_states("cubejam", "exact", CAROM_SLOW_BUILD ? 60 : 200);
}

TEST(Determinism, CubeglassIsTheSameOnOneThreadAndTwo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_same_states("cubeglass", "sequential", 240);
  expect_same_states("cubeglass", "exact", 90);
}

TEST(Determinism, Pile5000IsTheSameOnOneThreadAndTwo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_same_states("pile5000", "sequential", 90);
}

TEST(Determinism, TheRealTimeSuiteIsTheSameOnOneThreadAndTwo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_same_states("cubejam", "fast", 600);
  expect_same_states("shapes", "fast", 600);
  expect_same_states("cubeglass", "fast", 400);
  expect_same_states("pile5000", "fast", 240);
}

TEST(Determinism, TheRealTimeSuiteIsTheSameWithVectorsOfAnyWidth) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  for (const auto& [name, steps] : {std::pair{"cubejam", 300}, std::pair{"shapes", 300}, std::pair{"cubeglass", 240}}) {
    std::vector<std::uint64_t> reference;
    for (const char* width : {"scalar", "sse", "avx2", "avx512"}) {
      ::setenv("CAROM_SIMD", width, 1);
      const auto found = hashes(scene(name, "fast"), 1, steps);
      ::unsetenv("CAROM_SIMD");
      if (reference.empty()) reference = found;
      EXPECT_EQ(first_difference(reference, found), -1) << name << ", " << width;
    }
  }
}

}  // namespace
}  // namespace carom::acceptance
