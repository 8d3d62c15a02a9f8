// What is kept of the impacts of an event-driven suite: the table, the chunk of a recording, the totals of pairs.
#include <gtest/gtest.h>

#include "export_run.h"
#include "io/event_codec.h"
#include "io/pair_tally.h"
#include "io/run_files.h"
#include "io/text_file.h"
#include "support/impact_events.h"

namespace carom {
namespace {

using test::make_step_events;

Cast two_balls() {
  Cast cast;
  test::add_body(cast, "floor", BodyType::Fixed, Shape::sphere(1));
  test::add_body(cast, "odd, ball", BodyType::Dynamic, Shape::sphere(1));
  return cast;
}

FrameEvent plain_event(std::int32_t a, std::int32_t b, const Vec3& normal, const Vec3& impulse) {
  FrameEvent event;
  event.a = a;
  event.b = b;
  event.normal = normal;
  event.impulse = impulse;
  return event;
}

void expect_same(const FrameEvent& x, const FrameEvent& y) {
  EXPECT_EQ(x.time, y.time);
  EXPECT_EQ(x.a, y.a);
  EXPECT_EQ(x.b, y.b);
  EXPECT_EQ(x.kind, y.kind);
  for (const auto& [u, v] : {std::pair(x.point, y.point), {x.normal, y.normal}, {x.impulse, y.impulse}})
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(u[axis], v[axis]);
  EXPECT_EQ(x.approach, y.approach);
  EXPECT_EQ(x.energy_loss, y.energy_loss);
  EXPECT_EQ(x.modes, y.modes);
  EXPECT_EQ(x.mode_count, y.mode_count);
}

TEST(EventsFile, WritesARowAnImpactWithItsModesInOrder) {
  const test::ScratchFolder folder;
  EventsFile file(folder.path("e.csv"), two_balls());
  StepEvents step{0.5, {}};
  FrameEvent event = plain_event(0, 1, {0, 0, 1}, {0.25, 0, 0.1});
  event.time = 1.0 / 3;
  event.kind = EventKind::Reversed;
  event.point = {1, -2, 0};
  event.approach = 0.7;
  event.energy_loss = 2.5e-7;
  event.modes = {ImpactMode::Slide, ImpactMode::Stick, ImpactMode::Resume};
  event.mode_count = 3;
  step.events = {event, plain_event(1, 0, {0, 0, -1}, {0, 0, -1})};
  file.add_events(step);
  // No `finish`: rows are in the file when the step is over, whatever happens to the program.
  EXPECT_EQ(read_text_file(folder.path("e.csv")).value(),
            "time,body_a,body_b,kind,px,py,pz,nx,ny,nz,jx,jy,jz,approach,modes,energy_loss\n"
            "0.3333333333333333,floor,\"odd, ball\",reversed,1,-2,0,0,0,1,0.25,0,0.1,0.7,slide>stick>resume,2.5e-07\n"
            "0,\"odd, ball\",floor,impact,0,0,0,0,0,-1,0,0,-1,0,,0\n");
}

TEST(EventsFile, ARunWithoutImpactsLeavesATableWithoutRows) {
  const test::ScratchFolder folder;
  const EventsFile file(folder.path("e.csv"), two_balls());
  EXPECT_EQ(read_text_file(folder.path("e.csv")).value(),
            "time,body_a,body_b,kind,px,py,pz,nx,ny,nz,jx,jy,jz,approach,modes,energy_loss\n");
}

TEST(PairTally, AddsUpBothDirectionsOfAPairAndSortsByImpulse) {
  PairTally tally;
  FrameEvent micro = plain_event(2, 0, {0, 0, -1}, {7, 0, -3});  // 3 N s along its normal
  micro.kind = EventKind::Micro;
  micro.energy_loss = 0.5;
  tally.add({1, {plain_event(0, 2, {0, 0, 1}, {0, 0, 2}), plain_event(1, 2, {1, 0, 0}, {9, 0, 0}), micro}});
  tally.add({2, {plain_event(0, 1, {1, 0, 0}, {5, 0, 0})}});
  const std::vector<PairTotals> pairs = tally.strongest(10);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].a, 1);
  EXPECT_EQ(pairs[0].impulse, 9);
  // Equal impulses: in the order of bodies.
  EXPECT_EQ(pairs[1].b, 1);
  EXPECT_EQ(pairs[2].a, 0);
  EXPECT_EQ(pairs[2].b, 2);
  EXPECT_EQ(pairs[2].events, 2);
  EXPECT_EQ(pairs[2].micro, 1);
  EXPECT_EQ(pairs[2].impulse, 5);
  EXPECT_EQ(pairs[2].largest, 3);
  EXPECT_EQ(pairs[2].energy_loss, 0.5);
  EXPECT_EQ(tally.strongest(1).size(), 1U);
  EXPECT_EQ(tally.size(), 3U);
}

/// Five steps, of which the second has no impacts and the fourth nothing to keep.
struct Recorded {
  std::vector<StepReport> steps;
  std::vector<StepEvents> kept;
};

Recorded make_recorded() {
  Recorded recorded;
  test::Random random(8);
  for (int i = 1; i <= 5; ++i) {
    StepReport& report = recorded.steps.emplace_back();
    report.time = 0.1 * i;
    if (i == 2) continue;
    report.events = 30 * i;
    report.micro_events = 20 * i;
    report.events_limited = i == 5;
    report.solved = i == 4 ? 7 : 0;
    if (i != 4) recorded.kept.push_back(make_step_events(random, report.time, 0.1, 30 * i, 6));
  }
  return recorded;
}

TEST(EventCodec, ImpactsAndCountsComeBackBitForBit) {
  const Recorded recorded = make_recorded();
  const Result<RecordedEvents> decoded = decode_events(encode_events(recorded.steps, recorded.kept), 6);
  ASSERT_TRUE(decoded) << decoded.message();
  ASSERT_EQ(decoded.value().steps.size(), recorded.kept.size());
  for (std::size_t i = 0; i < recorded.kept.size(); ++i) {
    const StepEvents &in = recorded.kept[i], &out = decoded.value().steps[i];
    EXPECT_EQ(in.time, out.time);
    ASSERT_EQ(in.events.size(), out.events.size());
    for (std::size_t k = 0; k < in.events.size(); ++k) expect_same(in.events[k], out.events[k]);
  }
  std::vector<StepReport> bare(recorded.steps.size());
  for (std::size_t i = 0; i < bare.size(); ++i) bare[i].time = recorded.steps[i].time;
  add_counts(decoded.value().counts, bare);
  for (std::size_t i = 0; i < bare.size(); ++i) {
    EXPECT_EQ(bare[i].events, recorded.steps[i].events);
    EXPECT_EQ(bare[i].micro_events, recorded.steps[i].micro_events);
    EXPECT_EQ(bare[i].events_limited, recorded.steps[i].events_limited);
    EXPECT_EQ(bare[i].solved, recorded.steps[i].solved);
  }
}

TEST(EventCodec, FixedStepsTakeNoSpace) { EXPECT_EQ(encode_events(std::vector<StepReport>(9), {}), ""); }

TEST(EventCodec, WrongBytesAreRefusedOrGiveBodiesThatExist) {
  const Recorded recorded = make_recorded();
  const std::string content = encode_events(recorded.steps, recorded.kept);
  for (std::size_t size = 0; size < content.size(); size += 97)
    EXPECT_FALSE(decode_events(std::string_view(content).substr(0, size), 6)) << size;
  EXPECT_FALSE(decode_events(content, 5)) << "a body that the cast does not have";
  test::Random random(9);
  for (int i = 0; i < 3000; ++i) {
    std::string wrong = content;
    wrong[static_cast<std::size_t>(random.integer(0, static_cast<int>(wrong.size()) - 1))] =
        static_cast<char>(random.integer(0, 255));
    const Result<RecordedEvents> decoded = decode_events(wrong, 6);
    if (!decoded) continue;
    for (const StepEvents& step : decoded.value().steps)
      for (const FrameEvent& event : step.events) {
        EXPECT_TRUE(event.a >= 0 && event.a < 6 && event.b >= 0 && event.b < 6);
        EXPECT_LE(event.mode_count, event.modes.size());
      }
  }
}

}  // namespace
}  // namespace carom
