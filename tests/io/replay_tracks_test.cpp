#include <gtest/gtest.h>

#include <cmath>

#include "io/compress.h"
#include "io/replay_cast.h"
#include "io/replay_impulses.h"
#include "io/replay_poses.h"
#include "io/replay_steps.h"
#include "support/random.h"

namespace carom::replay {
namespace {

std::uint32_t u32_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i)
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

/// The content of the only section in `bytes`.
std::string content_of(const std::string& bytes) {
  return decompressed(std::string_view(bytes).substr(12), u32_at(bytes, 4)).value();
}

TEST(ReplayPoses, StoredOrientationIsWithinItsBound) {
  // Each stored component is off by half a step at most; the one left out is the largest, so its error is no more than
  // the sum of the other three, to first order; a thousandth is allowed for the second.
  const Real bound = 1.001 * 1.5 / kTurnSteps;
  test::Random random(3);
  for (int i = 0; i < 10'000; ++i) {
    const Quat q = random.rotation(), stored = to_quat(to_turn(q));
    const Real sign = q.w * stored.w + q.x * stored.x + q.y * stored.y + q.z * stored.z < 0 ? -1 : 1;
    EXPECT_LE(std::abs(q.w - sign * stored.w), bound);
    EXPECT_LE(std::abs(q.x - sign * stored.x), bound);
    EXPECT_LE(std::abs(q.y - sign * stored.y), bound);
    EXPECT_LE(std::abs(q.z - sign * stored.z), bound);
  }
}

TEST(ReplayPoses, StepIsAPowerOfTwoBelowAThousandthOfTheBodies) {
  for (const Real size : {0.001, 0.02, 0.5, 1.0, 30.0}) {
    Cast cast;
    CastBody body;
    body.type = BodyType::Dynamic;
    body.shape = Shape::sphere(size / 2);
    cast.bodies.push_back(body);
    const Real step = position_step(cast);
    EXPECT_EQ(std::exp2(std::round(std::log2(step))), step);
    EXPECT_LT(step, size / 1000);
    EXPECT_GT(step, size / 10'000);
  }
}

TEST(ReplayPoses, BodiesAtRestCostNextToNothing) {
  Cast cast;
  Frame frame;
  test::Random random(5);
  for (int i = 0; i < 500; ++i) {
    CastBody body;
    body.type = BodyType::Dynamic;
    body.shape = Shape::box({1, 1, 1});
    body.mass = 1;
    cast.bodies.push_back(body);
    frame.bodies.push_back({random.vector(10), random.rotation(), {}, {}});
  }
  frame.frozen.assign(500, 0);
  std::string once, often;
  PoseTrack short_track(cast, position_step(cast)), long_track(cast, position_step(cast));
  short_track.add(frame, once);
  short_track.flush(once);
  for (int i = 0; i < 400; ++i) long_track.add(frame, often);
  long_track.flush(often);
  // What remains of a further frame is its share in sixteen columns, a run of zeros a body in each.
  EXPECT_LT(often.size() - once.size(), 500 * 399 / 20);
}

TEST(ReplayContacts, TheStrongestAreKeptAndTheRestIsCounted) {
  Cast cast;
  for (int i = 0; i < 2; ++i) {
    CastBody body;
    body.type = BodyType::Dynamic;
    body.shape = Shape::sphere(1);
    cast.bodies.push_back(body);
  }
  Frame frame;
  frame.bodies.resize(2);
  frame.frozen.assign(2, 0);
  for (int i = 1; i <= 3000; ++i) {
    FrameContact contact;
    contact.b = 1;
    contact.impulse = {0, 0, 0.5 * i};
    contact.collision_impulse = {0, 0, 0.5 * i};
    frame.contacts.push_back(contact);
    frame.contacts.push_back({});  // no impulse: not drawn, not counted
  }
  ImpulseTrack track(cast, 0.001);
  constexpr int kFrames = 100;
  for (int i = 0; i < kFrames; ++i) track.add(frame, contact_impulses(frame));
  std::string bytes;
  track.finish("CONT", bytes);
  const std::string content = content_of(bytes);
  ASSERT_EQ(u32_at(content, 0), kFrames);
  const std::uint32_t drawn = u32_at(content, 4);
  EXPECT_LE(drawn * kFrames, 160'000U);
  EXPECT_GT(drawn * kFrames, 140'000U);
  EXPECT_EQ(u32_at(content, 4 + 4 * kFrames), 3000U);
  EXPECT_EQ(track.strongest(), 3000);
  // Codes are the last plane: twelve an octave below 255, the strongest. Of 3000 down to the weakest that is kept
  // (3000 − drawn) the ratio gives the least code, to a rounding.
  std::uint8_t least = 255;
  for (std::size_t i = content.size() - drawn; i < content.size(); ++i)
    least = std::min(least, static_cast<std::uint8_t>(content[i]));
  EXPECT_NEAR(least, 255 + 12 * std::log2((3001.0 - drawn) / 3000), 1);
}

TEST(ReplaySteps, ThinningKeepsTheExtremes) {
  StepTrack track;
  for (int i = 0; i < 100'000; ++i) {
    StepReport report;
    report.time = 0.01 * i;
    report.max_penetration = i == 54'321 ? 7 : 1e-3;
    track.add(report);
  }
  std::string bytes;
  track.finish(bytes);
  EXPECT_EQ(track.steps(), 100'000U);
  EXPECT_LE(track.rows_written(), 12'001U);
  EXPECT_EQ(track.largest("max_penetration"), 7);
  const std::string content = content_of(bytes);
  EXPECT_EQ(content.size(), track.rows_written() * 4 * StepTrack::kColumns.size());
  // The 7 as a float is 0x40e00000: its second and first byte from the top stand in the third and fourth plane.
  const std::size_t column = track.rows_written() * 4 * 9;
  EXPECT_NE(content.substr(column + 3 * track.rows_written(), track.rows_written()).find('\x40'), std::string::npos);
}

TEST(ReplayCast, BodiesOfOneFormShareAMesh) {
  Cast cast;
  const auto add = [&cast](ShapePtr shape) {
    CastBody body;
    body.shape = std::move(shape);
    cast.bodies.push_back(body);
  };
  for (int i = 1; i <= 50; ++i) {
    add(Shape::sphere(0.1 * i));
    add(Shape::box({1.0, 1.0 + 0.01 * i, 1.2}));
    add(Shape::capsule(0.5, 1));
  }
  add(Shape::box({100, 100, 1}));
  const DrawnCast drawn = make_drawn_cast(cast);
  EXPECT_EQ(drawn.meshes.size(), 4U);
  EXPECT_EQ(drawn.bodies.size(), cast.bodies.size());
  EXPECT_EQ(drawn.bodies[3].scale[0], 0.2F);
  EXPECT_EQ(drawn.bodies.back().scale[0], 1);
}

}  // namespace
}  // namespace carom::replay
