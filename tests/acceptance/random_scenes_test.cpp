// Random scenes of all shapes with the real-time suite: twenty of them here, all hundred where CAROM_LONG_TESTS is set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "acceptance.h"
#include "support/scene_judge.h"

namespace carom::acceptance {
namespace {

using test::RandomScene;
using test::SceneVerdict;

constexpr int kAll = 100, kSome = 20;  // the first twenty have each kind of surroundings twice

bool is_long() { return std::getenv("CAROM_LONG_TESTS") != nullptr; }

/// Scenes without kinematic bodies that lie still to 1 µm/s after their 20 s with suite `exact`;
/// `RandomScenes.TheListOfThoseThatRestIsThatOfExact` makes the list anew.
constexpr int kRestWithExact[] = {10, 13, 16, 28, 31, 33, 40, 43, 46, 58, 60, 61, 70, 73, 76, 88, 91};
constexpr Real kAsleep = 1e-6;  // m/s

/// Keeps the scene's file, so that it can be run and looked at; returns where.
std::string keep(const RandomScene& made) {
  const auto path = std::filesystem::path(testing::TempDir()) / (made.scene.name + ".scene.json");
  std::ofstream(path) << made.scene.json;
  return path.string();
}

/// How many of the first twenty scenes, and of all hundred, do not do what is asked of them. It should be none; these
/// are as many as there were when this was written (docs/suites.md, "fast": bodies of very different mass), so that
/// there come to be no more. Lower them when they fall.
struct StillMissing {
  std::size_t of_some = 0, of_all = 0;
};
constexpr StillMissing kEscape{1, 3}, kDeep{9, 46}, kRise{1, 13};

/// Runs the scenes with `fast` and complains where `holds` is false of more than are known.
template <class Holds, class Describe>
void expect_of_all(const std::vector<int>& seeds, const StillMissing& missing, Holds&& holds, Describe&& describe) {
  std::string complaints;
  std::size_t count = 0;
  for (const int seed : seeds) {
    const RandomScene made = test::random_scene(seed);
    const SceneVerdict verdict = test::judge_scene(made, "fast");
    if (holds(verdict)) continue;
    ++count;
    complaints += describe(verdict) + "\n  carom run " + keep(made) + " --suite fast\n";
  }
  EXPECT_LE(count, is_long() ? missing.of_all : missing.of_some) << complaints;
}

std::vector<int> seeds() {
  std::vector<int> list(is_long() ? kAll : kSome);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<int>(i);
  return list;
}

TEST(RandomScenes, NoMoreEscapeThanAreKnownTo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_of_all(
      seeds(), kEscape, [](const SceneVerdict& v) { return v.contained(); },
      [](const SceneVerdict& v) {
        return v.finite ? v.escaped + " is outside after step " + std::to_string(v.escape_step)
                        : std::string("not finite");
      });
}

TEST(RandomScenes, NoMoreStayDeepThanAreKnownTo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  Real deepest = 0;
  int longest = 0;
  expect_of_all(
      seeds(), kDeep,
      [&](const SceneVerdict& v) {
        deepest = std::max(deepest, v.deepest);
        longest = std::max(longest, v.longest_deep);
        return v.shallow();
      },
      [](const SceneVerdict& v) {
        return v.longest_pair + " overlap by more than 2 % of the smaller one for " + std::to_string(v.longest_deep) +
               " steps, until step " + std::to_string(v.longest_end);
      });
  figure("random scenes: deepest overlap of a step", 100 * deepest, "% of the smaller body");
  figure("random scenes: most steps on end deeper than 2 %", longest);
}

TEST(RandomScenes, EnergyRisesInNoMoreThanItIsKnownTo) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  Real most = 0;
  expect_of_all(
      seeds(), kRise,
      [&](const SceneVerdict& v) {
        most = std::max(most, v.energy_rise);
        return v.passive();
      },
      [](const SceneVerdict& v) {
        return "the energy has risen by " + std::to_string(v.energy_rise) + " m |g| size at step " +
               std::to_string(v.rise_step);
      });
  figure("random scenes: largest energy rise", most, "sum of m |g| size");
}

TEST(RandomScenes, RestWhereTheyRestWithExact) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  std::vector<int> list;
  for (const int seed : kRestWithExact)
    if (is_long() || seed < 2 * kSome) list.push_back(seed);
  Real fastest = 0;
  expect_of_all(
      list, {},
      [&](const SceneVerdict& v) {
        fastest = std::max(fastest, v.last_speed);
        return v.at_rest();
      },
      [](const SceneVerdict& v) {
        return v.fastest + " moves at " + std::to_string(v.last_speed) + " m/s at the end";
      });
  figure("random scenes at rest: fastest surface in the last second", 1e3 * fastest, "mm/s");
}

TEST(RandomScenes, TheListOfThoseThatRestIsThatOfExact) {
  if (!is_long()) GTEST_SKIP() << "takes a quarter of an hour: set CAROM_LONG_TESTS";
  CAROM_SKIP_IN_SLOW_BUILDS();
  std::vector<int> rest;
  for (int seed = 0; seed < kAll; ++seed) {
    const RandomScene made = test::random_scene(seed);
    const bool stirred = std::any_of(made.scene.bodies.begin(), made.scene.bodies.end(),
                                     [](const SceneBody& body) { return body.def.type == BodyType::Kinematic; });
    if (!stirred && test::judge_scene(made, "exact").last_speed <= kAsleep) rest.push_back(seed);
  }
  EXPECT_EQ(rest, std::vector<int>(std::begin(kRestWithExact), std::end(kRestWithExact)));
}

}  // namespace
}  // namespace carom::acceptance
