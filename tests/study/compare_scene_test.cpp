// Suites on one scene: the table's own figures against closed forms.
#include "study/compare_scene.h"

#include <gtest/gtest.h>

namespace carom {
namespace {

constexpr Real kGravity = 9.81, kStep = 0.01, kDuration = 0.5;

/// Two balls of 1 kg and 3 kg that fall freely from 10 m and 6 m.
Scene falling_balls() {
  return parse_scene(R"({"carom": 1, "name": "fall", "gravity": [0, 0, -9.81], "dt": 0.01, "duration": 0.5, "bodies": [
      {"name": "light", "shape": {"sphere": {"radius": 0.1}}, "mass": 1, "position": [0, 0, 10]},
      {"name": "heavy", "shape": {"sphere": {"radius": 0.1}}, "mass": 3, "position": [2, 0, 6]}]})",
                     "test")
      .value();
}

SuitesComparison compare(const Scene& scene, const SuitesRequest& request, const SuitesSettings& settings = {}) {
  const Result<SuitesPlan> plan = plan_suites(scene, request);
  EXPECT_TRUE(plan) << plan.message();
  return compare_suites(plan.value(), settings);
}

TEST(CompareScene, FreeFallEndsWhereGalileoSaysByEverySuite) {
  const SuitesComparison comparison = compare(falling_balls(), {});
  ASSERT_EQ(comparison.rows.size(), suite_registry().size());
  EXPECT_TRUE(comparison.is_complete());
  EXPECT_EQ(comparison.reference, "exact");
  EXPECT_EQ(comparison.bodies, 2U);
  // The common centre of mass of 1 kg at 10 m and 3 kg at 6 m starts at 7 m.
  const Real height = 7 - 0.5 * kGravity * kDuration * kDuration;
  for (const SuiteRow& row : comparison.rows) {
    EXPECT_EQ(row.end, SuiteEnd::Complete) << row.info->name;
    EXPECT_NEAR(row.arrangement.height, height, 1e-12) << row.info->name << ": the parabola is integrated exactly";
    EXPECT_NEAR(row.arrangement.distance.value(), 0, 1e-12) << row.info->name;
    EXPECT_EQ(row.arrangement.moving, 2) << row.info->name;
    EXPECT_EQ(row.arrangement.frozen, 0) << row.info->name;
    EXPECT_GT(row.median_step_ms, 0) << row.info->name;
    EXPECT_TRUE(row.replay.empty()) << "nobody asked for a page";
  }
}

TEST(CompareScene, DistanceIsThatOfTheReference) {
  // Euler's rule falls ahead of the parabola by ½ g dt t; only one suite is told to use it.
  const SuitesComparison comparison =
      compare(falling_balls(), {.suites = "sequential,exact", .settings = {"sequential:integrator=euler"}});
  ASSERT_EQ(comparison.rows.size(), 2U);
  const Real ahead = 0.5 * kGravity * kStep * kDuration;
  EXPECT_NEAR(comparison.rows[0].arrangement.distance.value(), ahead, 1e-12);
  EXPECT_NEAR(comparison.rows[0].arrangement.farthest.value(), ahead, 1e-12);
  EXPECT_EQ(comparison.rows[1].arrangement.distance.value(), 0);
}

TEST(CompareScene, BodiesAtRestDoNotMove) {
  const Scene scene = parse_scene(R"({"carom": 1, "name": "rest", "bodies": [
      {"name": "ground", "type": "fixed", "shape": {"plane": {"normal": [0, 0, 1], "offset": 0}}},
      {"name": "rests", "shape": {"box": {"size": [1, 1, 1]}}, "position": [0, 0, 0.5]},
      {"name": "slides", "shape": {"box": {"size": [1, 1, 1]}}, "position": [5, 0, 0.5], "velocity": [5, 0, 0]}]})",
                                  "test")
                          .value();
  const SuitesComparison comparison = compare(scene, {.suites = "exact", .duration = 0.1});
  EXPECT_EQ(comparison.rows[0].arrangement.moving, 1);
}

TEST(CompareScene, ASettingForAllGoesToThoseThatTakeItAndIsNotedOnTheOthers) {
  const SuitesComparison comparison =
      compare(falling_balls(), {.suites = "exact,mirtich", .settings = {"freezing=true"}, .duration = 0.02});
  EXPECT_EQ(comparison.rows[0].note, "");
  EXPECT_EQ(comparison.rows[1].note, "without freezing=true");
  EXPECT_NE(suites_text(comparison).find("mirtich ran without freezing=true"), std::string::npos);
}

TEST(CompareScene, MistakesNameTheOption) {
  const auto message = [](const SuitesRequest& request) {
    const Result<SuitesPlan> plan = plan_suites(falling_balls(), request);
    return plan ? std::string("no mistake") : plan.message();
  };
  const auto begins = [](const std::string& text, const char* part) { return text.starts_with(part) ? "" : text; };
  EXPECT_EQ(begins(message({.suites = "exact,"}), "--suites: found the unknown suite \"\""), "");
  EXPECT_EQ(begins(message({.suites = "exact,exact"}), "--suites: found exact twice"), "");
  EXPECT_EQ(begins(message({.reference = "exakt"}), "--reference: found \"exakt\""), "");
  EXPECT_EQ(begins(message({.settings = {"freezing"}}), "--set: found \"freezing\", expected key=value"), "");
  EXPECT_EQ(begins(message({.settings = {"freezzing=1"}}), "--set: found \"freezzing=1\", which no suite"), "");
  EXPECT_EQ(begins(message({.settings = {"exact:iterations=-1"}}), "--set: exact: option 'iterations'"), "");
  EXPECT_EQ(begins(message({.suites = "lcp", .settings = {"exact:c_b=1"}}), "--set: found \"exact:c_b=1\", but"), "");
  EXPECT_EQ(begins(message({.dt = -1.0}), "the step dt must be a positive number"), "");
}

TEST(CompareScene, StopKeepsWhatIsDoneAndLeavesOutTheRest) {
  std::atomic<bool> stop{false};
  const Result<SuitesPlan> plan = plan_suites(falling_balls(), {.suites = "sequential,exact,lcp"});
  const SuitesComparison comparison =
      compare_suites(plan.value(), {}, &stop,
                     [&](std::size_t suite, const RunProgress& state) { stop = suite == 1 && state.time > 0.2; });
  EXPECT_EQ(comparison.rows[0].end, SuiteEnd::Complete);
  EXPECT_EQ(comparison.reference, "sequential") << "exact was not completed";
  EXPECT_EQ(comparison.rows[0].arrangement.distance.value(), 0);
  EXPECT_EQ(comparison.rows[1].end, SuiteEnd::Interrupted);
  EXPECT_LT(comparison.rows[1].summary.sim_seconds, 0.25);
  EXPECT_FALSE(comparison.rows[1].arrangement.distance.has_value()) << "it ends at another moment";
  EXPECT_EQ(comparison.rows[2].end, SuiteEnd::NotRun);
  EXPECT_FALSE(comparison.is_complete());
  EXPECT_NE(suites_text(comparison).find("lcp not run: interrupted before its turn"), std::string::npos);
}

}  // namespace
}  // namespace carom
