#include "study/kind_scene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "case_setup.h"

namespace carom {
namespace {

TEST(StopTime, ExtrapolatesTheLastTwoSpeedsThatAreNotZero) {
  // v = 1 − 2 t, seen every 0.2 s: 1, 0.6, 0.2, then rest; it stops at 0.5 s.
  EXPECT_NEAR(stop_time({1, 0.6, 0.2, 0, 0}, 0.8, 0.2, 1e-9), 0.5, 1e-15);
  EXPECT_NEAR(stop_time({1, 0.6, 0.2, 1e-12}, 0.6, 0.2, 1e-9), 0.5, 1e-15);
}

TEST(StopTime, WhatNeverMovedStoppedAtTheStart) { EXPECT_EQ(stop_time({0, 0, 0}, 1, 0.5, 1e-9), 0); }

TEST(OpeningTime, ForcesBelongToTheMiddleOfTheirStep) {
  // f = 1 − 2 t, means over steps of 0.2 s: 0.8, 0.4, then (until 0.5 s) what is left; it opens at 0.5 s.
  EXPECT_NEAR(opening_time({0.8, 0.4}, 0.4, 0.2), 0.5, 1e-15);
  EXPECT_NEAR(opening_time({0.8, 0.4, 0, 0}, 0.8, 0.2), 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(opening_time({0, 0.4, 0}, 0.6, 0.2))) << "one force is no line";
}

TEST(ValueAt, LiesOnTheLineBetweenTwoValues) {
  EXPECT_NEAR(value_at({1, 2, 4}, 0.25, 0.5), 1.5, 1e-15);
  EXPECT_NEAR(value_at({1, 2, 4}, 1.0, 0.5), 4, 1e-15);
  EXPECT_NEAR(value_at({1, 2, 4}, 9.0, 0.5), 4, 1e-15) << "the last one holds on";
}

TEST(SceneRun, FallsAsGravitySaysAndKeepsWhatItRan) {
  CaseSetup setup("{}");
  KindScene scene;
  scene.gravity = 10;
  scene.duration = 1;
  scene.bodies = {{"ball", sphere_shape(0.1)}};
  Measurements out;
  {
    SceneRun run(setup.input(), scene, out);
    ASSERT_TRUE(run.ok()) << setup.error;
    ASSERT_TRUE(run.run_to(0.5));
    EXPECT_NEAR(run.state(0).position.z, -1.25, 1e-12);  // the exact parabola: round-off of 50 steps
  }
  ASSERT_EQ(out.artifacts.size(), 2U);
  EXPECT_EQ(out.artifacts[0].name, "T-1.sequential.scene.json");
  EXPECT_EQ(out.artifacts[1].name, "T-1.sequential.trajectory.csv");
}

/// A box of 3 kg that weighs 30 N.
KindScene box_on_floor() {
  KindScene scene;
  scene.gravity = 10;
  scene.friction = 0.5;
  scene.bodies = {{"floor", plane_shape({0, 0, 1}), "fixed"}, {"box", box_shape({1, 1, 1})}};
  scene.bodies[1].mass = 3;
  scene.bodies[1].position = {0, 0, 0.5};
  return scene;
}

TEST(SceneRun, EndsAtTheTimeAskedForUnlessSomeoneLooksOn) {
  CaseSetup setup("{}");
  Measurements out;
  SceneRun run(setup.input(), box_on_floor(), out);
  ASSERT_TRUE(run.ok()) << setup.error;
  const Real dt = run.dt();
  ASSERT_TRUE(run.run_to(3.4 * dt));
  EXPECT_NEAR(run.time(), 3.4 * dt, 1e-15);
  EXPECT_NEAR(run.normal_force(0, 1), 30, 30e-9) << "of a step that is shorter than others";
  ASSERT_TRUE(run.run_to(6.3 * dt, [] { return true; }));
  EXPECT_NEAR(run.time(), 6.4 * dt, 1e-15);
}

TEST(SceneRun, WeighsABoxOnTheFloor) {
  CaseSetup setup("{}");
  Measurements out;
  SceneRun run(setup.input(), box_on_floor(), out);
  ASSERT_TRUE(run.ok()) << setup.error;
  ASSERT_TRUE(run.run_to(0.2));
  EXPECT_NEAR(run.normal_force(0, 1), 30, 1e-6);  // the solver's tolerance
  EXPECT_EQ(run.normal_force(1, 0), run.normal_force(0, 1));
}

TEST(SceneRun, ASceneThatCannotBeIsComplainedOfAtTheSetup) {
  CaseSetup setup("{}");
  KindScene scene;
  scene.bodies = {{"ball", sphere_shape(-1)}};
  Measurements out;
  EXPECT_FALSE(SceneRun(setup.input(), scene, out).ok());
  EXPECT_NE(setup.error.find("radius"), std::string::npos) << setup.error;
  EXPECT_TRUE(out.artifacts.empty());
}

TEST(SceneRun, ASuiteWithoutTheOptionAskedForDoesNotRunAndNothingIsComplainedOf) {
  CaseSetup setup("{}");
  KindScene scene;
  scene.options = {{"levitation", true}};
  scene.bodies = {{"ball", sphere_shape(1)}};
  Measurements out;
  EXPECT_FALSE(SceneRun(setup.input(), scene, out).ok());
  EXPECT_TRUE(setup.error.empty()) << setup.error;
  EXPECT_FALSE(out.ran);
}

TEST(SceneRun, OptionsAskedForWinOverThoseOfTheKind) {
  CaseSetup setup("{}");
  KindScene scene;
  scene.options = {{"envelope", 1e-3}, {"step", std::string("toi")}};
  scene.bodies = {{"ball", sphere_shape(1)}};
  KindInput input = setup.input();
  input.options = {{"envelope", 0.002}};
  Measurements out;
  EXPECT_TRUE(SceneRun(input, scene, out).ok());
  EXPECT_NE(out.artifacts.at(0).text.find(R"("step": "toi", "envelope": 0.002})"), std::string::npos)
      << out.artifacts[0].text;
}

TEST(SceneRun, FrictionBetweenTwoMaterialsIsThatOfTheirPair) {
  CaseSetup setup("{}");
  KindScene scene;
  scene.gravity = 10;
  scene.pairs = {{"floor", "default", 0.5}};
  scene.bodies = {floor_body(), {"box", box_shape({1, 1, 1})}};
  scene.bodies[0].material = "floor";
  scene.bodies[1].position = {0, 0, 0.5};
  scene.bodies[1].velocity = {1, 0, 0};
  Measurements out;
  SceneRun run(setup.input(), scene, out);
  ASSERT_TRUE(run.ok()) << setup.error;
  ASSERT_TRUE(run.run_to(0.1));
  EXPECT_NEAR(run.state(1).velocity.x, 0.5, 1e-6);  // 1 − μ g t, to the solver's tolerance
}

TEST(StaysPut, OnlyWhatMovesNoFartherThanAllowed) {
  CaseSetup setup("{}");
  KindScene scene;
  scene.gravity = 10;
  scene.duration = 0.2;
  scene.bodies = {floor_body(), {"box", box_shape({1, 1, 1})}};
  scene.bodies[1].position = {0, 0, 0.5};
  Measurements out;
  EXPECT_EQ(stays_put(setup.input(), scene, 1e-6, out, "rest"), true);
  scene.bodies[1].velocity = {1, 0, 0};
  EXPECT_EQ(stays_put(setup.input(), scene, 0.1, out, "slide"), false);
}

}  // namespace
}  // namespace carom
