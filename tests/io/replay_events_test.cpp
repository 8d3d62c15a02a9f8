#include "io/replay_events.h"

#include <gtest/gtest.h>

#include "io/compress.h"
#include "support/impact_events.h"

namespace carom::replay {
namespace {

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

/// The content of the section with that tag; empty where there is none.
std::string section(const std::string& bytes, std::string_view tag) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint32_t size = u32_at(bytes, at + 4), packed = u32_at(bytes, at + 8);
    if (bytes.compare(at, 4, tag) == 0)
      return decompressed(std::string_view(bytes).substr(at + 12, packed), size).value();
    at += 12 + packed;
  }
  return {};
}

Cast balls(int count) {
  Cast cast;
  for (int i = 0; i < count; ++i) {
    CastBody body;
    body.type = BodyType::Dynamic;
    body.shape = Shape::sphere(1);
    cast.bodies.push_back(body);
  }
  return cast;
}

Frame still_frame(Real time, std::size_t bodies) {
  Frame frame;
  frame.time = time;
  frame.bodies.resize(bodies);
  frame.frozen.assign(bodies, 0);
  return frame;
}

TEST(ReplayEvents, MergingKeepsTheSumOfEveryPairAndKind) {
  test::Random random(4);
  const std::vector<FrameEvent> events = test::make_step_events(random, 1, 0.1, 500, 4).events;
  const std::vector<Impulse> merged = merged_impulses(events);
  EXPECT_EQ(merged.size(), 18U);  // six pairs of four bodies, three kinds
  for (const Impulse& one : merged) {
    ASSERT_LT(one.a, one.b);
    Vec3 sum;
    for (const FrameEvent& event : events) {
      if (static_cast<std::uint8_t>(event.kind) != one.kind) continue;
      if (event.a == one.a && event.b == one.b) sum += event.impulse;
      if (event.a == one.b && event.b == one.a) sum -= event.impulse;
    }
    // Some thirty numbers of size 2, added in the same order.
    EXPECT_LT(norm(sum - one.impulse), 1e-13);
  }
}

TEST(ReplayEvents, AnArrowStandsAtTheCentreOfItsImpulses) {
  FrameEvent weak, strong;
  weak.b = strong.b = 1;
  weak.impulse = {0, 0, 1};
  strong.impulse = {0, 0, 3};
  strong.point = {4, 0, 0};
  const std::vector<Impulse> merged = merged_impulses({weak, strong});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].point.x, 3);
  EXPECT_EQ(merged[0].impulse.z, 4);
}

TEST(ReplayEvents, AFrameHoldsTheImpactsSinceTheLastOneInWhateverOrderTheyCome) {
  // A run hands on step by step; a recording hands on the steps of a while, then their frames.
  test::Random random(5);
  std::vector<StepEvents> steps;
  for (int i = 1; i <= 8; ++i) steps.push_back(test::make_step_events(random, 0.5 * i, 0.5, 10 * i, 3));
  const Cast cast = balls(3);
  EventTrack run(cast, 0.001), recording(cast, 0.001);
  run.add(still_frame(0, 3));
  recording.add(still_frame(0, 3));
  for (const StepEvents& step : steps) recording.add(step);
  for (int i = 1; i <= 8; ++i) {
    run.add(steps[static_cast<std::size_t>(i) - 1]);
    if (i % 2 == 1) continue;  // a frame every other step
    run.add(still_frame(0.5 * i, 3));
    recording.add(still_frame(0.5 * i, 3));
  }
  std::string from_run, from_recording;
  run.finish(from_run);
  recording.finish(from_recording);
  EXPECT_EQ(from_run, from_recording);
  const std::string counts = section(from_run, "EVCT");
  ASSERT_EQ(counts.size(), 2 * 4 * 5U);
  for (std::size_t frame = 0; frame < 5; ++frame) {
    const std::uint32_t expected = frame == 0 ? 0 : static_cast<std::uint32_t>(10 * (4 * frame - 1));
    EXPECT_EQ(u32_at(counts, 4 * frame) + u32_at(counts, 20 + 4 * frame), expected);
  }
}

TEST(ReplayEvents, AMillionImpactsStaySmall) {
  constexpr int kBodies = 1000, kFrames = 500, kPerFrame = 2000;
  const Cast cast = balls(kBodies);
  EventTrack track(cast, 0.001);
  test::Random random(6);
  for (int i = 1; i <= kFrames; ++i) {
    track.add(test::make_step_events(random, i, 1, kPerFrame, kBodies));
    track.add(still_frame(i, kBodies));
  }
  std::string bytes;
  track.finish(bytes);
  const std::string arrows = section(bytes, "EVNT");
  // Places here are random, which no real run's are: eleven bytes an arrow at worst, in the page 4/3 of that.
  EXPECT_LT(bytes.size(), 160'000U * 11);
  EXPECT_GT(u32_at(arrows, 4), 200U) << "arrows drawn in the first frame";
  EXPECT_GT(u32_at(arrows, 4 + 4 * kFrames), 1900U) << "and counted in it";
}

TEST(ReplayEvents, FixedStepsAddNothing) {
  EventTrack track(balls(2), 0.001);
  track.add(still_frame(0, 2));
  std::string bytes;
  track.finish(bytes);
  EXPECT_EQ(bytes, "");
}

}  // namespace
}  // namespace carom::replay
