#include "study/run.h"

#include <gtest/gtest.h>

#include "study/scene_lookup.h"

namespace carom {
namespace {

Scene falling_ball() {
  const Result<Scene> scene = parse_scene(R"({"carom": 1, "bodies": [{"shape": {"sphere": {"radius": 1}}}]})", "ball");
  return scene.value();
}

RunSettings settings_for(const Scene& scene) {
  RunSettings settings;
  settings.options = scene_options(scene);
  settings.duration = 1;
  return settings;
}

TEST(StepCount, CoversTheDurationAndForgivesRoundedSteps) {
  EXPECT_EQ(step_count(10, 1.0 / 60), 600);
  EXPECT_EQ(step_count(10, 0.0166666667), 600);
  EXPECT_EQ(step_count(10, 0.0166666), 600);
  EXPECT_EQ(step_count(1, 0.3), 4);
  EXPECT_EQ(step_count(0, 0.01), 0);
  EXPECT_GT(step_count(1, 1e-300), kMostSteps);
}

TEST(RunScene, StopsAfterTheStepUnderWay) {
  const Scene scene = falling_ball();
  std::atomic<bool> stop{false};
  int calls = 0;
  const RunResult result =
      run_scene(scene, settings_for(scene), &stop, [&](const RunProgress&) { stop = ++calls == 5; });
  EXPECT_EQ(result.end, RunEnd::Interrupted);
  EXPECT_EQ(result.summary.steps, 5);
  EXPECT_TRUE(result.summary.interrupted);
}

TEST(RunScene, ReportsProgressUpToTheEnd) {
  const Scene scene = falling_ball();
  Real last = 0;
  const RunResult result = run_scene(scene, settings_for(scene), nullptr, [&](const RunProgress& p) { last = p.time; });
  EXPECT_EQ(result.end, RunEnd::Complete);
  EXPECT_EQ(result.message, "");
  EXPECT_NEAR(last, 1, 1e-12);  // sixty additions of 1/60
  EXPECT_EQ(result.summary.scene, "ball");
}

TEST(CheckRun, RefusesWhatCannotBeRun) {
  const RunSettings good = settings_for(falling_ball());
  EXPECT_EQ(check_run(good), "");
  RunSettings bad = good;
  bad.dt = 0;
  EXPECT_NE(check_run(bad), "");
  bad = good;
  bad.duration = 1e300;
  EXPECT_NE(check_run(bad), "");
  bad = good;
  bad.outputs.trajectory = "no/such/folder/t.csv";
  EXPECT_NE(check_run(bad), "");
}

TEST(CheckSuite, FixedStepsHaveNoEventsToWrite) {
  const Scene scene = falling_ball();
  RunSettings settings = settings_for(scene);
  EXPECT_EQ(check_suite(scene, settings), "");
  settings.outputs.events = "e.csv";
  const std::string refusal = check_suite(scene, settings);
  EXPECT_NE(refusal.find("found suite " + scene.suite), std::string::npos) << refusal;
  settings.outputs.events.clear();
  settings.record_events = true;
  EXPECT_NE(check_suite(scene, settings), "");
}

TEST(CheckSuite, SomeHaveNoContactProblemsToWrite) {
  Scene scene = falling_ball();
  RunSettings settings = settings_for(scene);
  settings.problem = "p.problem.json";
  EXPECT_EQ(check_suite(scene, settings), "");
  ASSERT_EQ(choose_suite(scene, "fast"), "");
  const std::string refusal = check_suite(scene, settings);
  EXPECT_NE(refusal.find("--dump-problem: found suite fast, whose steps solve no contact problems"), std::string::npos)
      << refusal;
}

TEST(SceneLookup, AnotherSuiteDropsTheScenesOptions) {
  Scene scene = falling_ball();
  scene.options = {{"iterations", 5.0}};
  EXPECT_EQ(choose_suite(scene, scene.suite), "");
  EXPECT_EQ(scene.options.size(), 1U);
  EXPECT_NE(choose_suite(scene, "no such suite"), "");
  EXPECT_EQ(scene.options.size(), 1U) << "a refused suite changes nothing";
}

TEST(SceneLookup, SettingsComeAfterTheScenesOptions) {
  Scene scene = falling_ball();
  scene.options = {{"iterations", 5.0}};
  EXPECT_EQ(choose_options(scene, {}).value().integer("iterations"), 5);
  EXPECT_EQ(choose_options(scene, {"iterations=6", "iterations=7"}).value().integer("iterations"), 7);
}

TEST(SceneLookup, FindsBuiltInScenesByName) {
  const Result<Scene> scene = find_scene("stack");
  ASSERT_TRUE(scene) << scene.message();
  EXPECT_EQ(scene.value().name, "stack");
}

}  // namespace
}  // namespace carom
