#include "study/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/frame.h"

namespace carom {
namespace {

StepReport step(Real time, Real energy, Real work = 0) {
  StepReport report;
  report.time = time;
  report.kinetic_energy = energy;
  report.external_work = work;
  return report;
}

TEST(Summary, EnergyRiseIsAboveTheRunningMinimum) {
  const World world;  // empty: starts with no energy at all
  SummaryAccumulator accumulator(world);
  accumulator.add(step(1, -10));
  accumulator.add(step(2, -4));  // 6 above the lowest
  accumulator.add(step(3, -20));
  accumulator.add(step(4, -15));  // 5 above the lowest
  const RunSummary summary = accumulator.finish(world);
  EXPECT_EQ(summary.largest_energy_rise, 6);
  EXPECT_EQ(summary.energy_start, 0);
  EXPECT_EQ(summary.energy_end, -15);
}

TEST(Summary, WorkOfForcesIsNoRise) {
  const World world;
  SummaryAccumulator accumulator(world);
  accumulator.add(step(1, 5, 5));
  accumulator.add(step(2, 12, 6));  // 1 more than the 11 put in
  EXPECT_EQ(accumulator.finish(world).largest_energy_rise, 1);
}

TEST(Summary, MeansPeaksAndPercentiles) {
  const World world;
  SummaryAccumulator accumulator(world);
  for (int i = 1; i <= 200; ++i) {
    StepReport report = step(i, 0);
    report.contacts = i % 3;
    report.seconds.total = 1e-3 * i;
    report.residual_coulomb = i == 7 ? 2 : 0;
    report.max_penetration = i == 9 ? 0.5 : 0.1;
    report.momentum_error = 1e-16 * i;
    accumulator.add(report);
  }
  const RunSummary summary = accumulator.finish(world);
  EXPECT_EQ(summary.steps, 200);
  EXPECT_EQ(summary.peak_contacts, 2);
  EXPECT_NEAR(summary.mean_contacts, 1.0, 0.01);  // 0, 1, 2 in turn over 200 steps
  EXPECT_NEAR(summary.mean_step_ms, 100.5, 1e-9);
  EXPECT_NEAR(summary.p99_step_ms, 198, 1e-9);  // the nearest rank of 200
  EXPECT_EQ(summary.worst_residual_coulomb, 2);
  EXPECT_EQ(summary.mean_residual_coulomb, 0.01);
  EXPECT_EQ(summary.worst_penetration, 0.5);
  EXPECT_EQ(summary.momentum_error, 1e-16 * 200);
}

TEST(Summary, ARunWithoutStepsHasNoNonsense) {
  const World world;
  const nlohmann::json json = nlohmann::json::parse(summary_json(SummaryAccumulator(world).finish(world)));
  EXPECT_EQ(json["p99_step_ms"], 0);
  EXPECT_EQ(json["real_time_factor"], 0);
  EXPECT_EQ(json["state_hash"].get<std::string>().size(), 16U);
}

TEST(Summary, FixedStepsHaveNoEvents) {
  const World world;
  const SummaryAccumulator accumulator(world);
  EXPECT_FALSE(accumulator.event_count());
  EXPECT_TRUE(nlohmann::json::parse(summary_json(accumulator.finish(world)))["events"].is_null());
}

TEST(Summary, ImpactsAreCountedAndAddedUpByPairsOfBodies) {
  World world;
  for (const char* name : {"floor", "ball", "pin"}) {
    BodyDef def;
    def.shape = Shape::sphere(1);
    def.name = name;
    world.add_body(def);
  }
  SummaryAccumulator accumulator(world, true);
  for (int i = 1; i <= 4; ++i) {
    StepReport report = step(0.5 * i, 0);
    report.events = 10;
    report.micro_events = 7;
    report.events_limited = i == 3;
    report.solved = i > 2 ? i : 0;
    accumulator.add(report);
    FrameEvent event;
    event.a = 1;
    event.b = i == 4 ? 2 : 0;
    event.normal = {0, 0, 1};
    event.impulse = {0.5, 0, 1.0 * i};
    event.energy_loss = 0.25;
    accumulator.add(StepEvents{report.time, {event}});
  }
  EXPECT_EQ(accumulator.event_count(), 40);
  const nlohmann::json events = nlohmann::json::parse(summary_json(accumulator.finish(world)))["events"];
  EXPECT_EQ(events["count"], 40);
  EXPECT_EQ(events["micro"], 28);
  EXPECT_EQ(events["limited_steps"], 1);
  EXPECT_EQ(events["solved_steps"], 2);
  EXPECT_EQ(events["most_solved"], 4);
  EXPECT_EQ(events["pair_count"], 2);
  const nlohmann::json& first = events["pairs"][0];
  EXPECT_EQ(first["a"], "floor");
  EXPECT_EQ(first["b"], "ball");
  EXPECT_EQ(first["events"], 3);
  EXPECT_EQ(first["impulse"], 6);
  EXPECT_EQ(first["largest_impulse"], 3);
  EXPECT_EQ(first["mean_force"], 3);  // 6 N s in 2 s
  EXPECT_EQ(first["energy_loss"], 0.75);
  EXPECT_EQ(events["pairs"][1]["b"], "pin");
}

}  // namespace
}  // namespace carom
