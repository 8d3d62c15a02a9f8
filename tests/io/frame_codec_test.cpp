// Frames and steps come back bit for bit; anything else is refused.
#include "io/frame_codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "support/random.h"

namespace carom {
namespace {

constexpr std::size_t kBodies = 5;

Frame random_frame(test::Random& random, Real time) {
  Frame frame;
  frame.time = time;
  for (std::size_t i = 0; i < kBodies; ++i) {
    const Pose pose = random.pose(10);
    frame.bodies.push_back({pose.position, pose.orientation, random.vector(3), random.vector(1e-300)});
    frame.frozen.push_back(random.coin() ? 1 : 0);
  }
  frame.bodies[0].position = {-0.0, std::numeric_limits<Real>::denorm_min(), 1e300};
  const int contacts = random.integer(0, 4);
  for (int i = 0; i < contacts; ++i)
    frame.contacts.push_back({std::uint64_t{1} << 63 | static_cast<std::uint64_t>(i), random.integer(0, kBodies - 1),
                              random.integer(0, kBodies - 1), random.vector(2), random.unit(), random.uniform(-1, 1),
                              random.vector(5), random.vector(5), static_cast<ContactMode>(random.integer(0, 4))});
  return frame;
}

std::vector<Frame> random_frames(int count) {
  test::Random random(11);
  std::vector<Frame> frames;
  frames.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) frames.push_back(random_frame(random, 0.1 * i));
  return frames;
}

TEST(FrameCodec, FramesComeBackBitForBit) {
  const std::vector<Frame> frames = random_frames(7);
  const Result<std::vector<Frame>> back = decode_frames(encode_frames(frames), kBodies);
  ASSERT_TRUE(back) << back.message();
  ASSERT_EQ(back.value().size(), frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const Frame &a = frames[f], &b = back.value()[f];
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.frozen, b.frozen);
    for (std::size_t i = 0; i < kBodies; ++i) {
      EXPECT_EQ(a.bodies[i].position, b.bodies[i].position);
      EXPECT_EQ(a.bodies[i].orientation, b.bodies[i].orientation);
      EXPECT_EQ(a.bodies[i].velocity, b.bodies[i].velocity);
      EXPECT_EQ(a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
    }
    EXPECT_EQ(std::bit_cast<std::uint64_t>(b.bodies[0].position.x), std::bit_cast<std::uint64_t>(-0.0));
    ASSERT_EQ(a.contacts.size(), b.contacts.size());
    for (std::size_t i = 0; i < a.contacts.size(); ++i) {
      const FrameContact &c = a.contacts[i], &d = b.contacts[i];
      EXPECT_EQ(c.id, d.id);
      EXPECT_EQ(c.a, d.a);
      EXPECT_EQ(c.b, d.b);
      EXPECT_EQ(c.point, d.point);
      EXPECT_EQ(c.normal, d.normal);
      EXPECT_EQ(c.gap, d.gap);
      EXPECT_EQ(c.impulse, d.impulse);
      EXPECT_EQ(c.collision_impulse, d.collision_impulse);
      EXPECT_EQ(c.mode, d.mode);
    }
  }
}

TEST(FrameCodec, StepsComeBackBitForBit) {
  StepReport step;
  step.time = 0.1;
  step.contacts = 8000;
  step.active_contacts = 1234;
  step.frozen = 3;
  step.seconds = {1e-3, 2e-3, 3e-3, 4e-3, 5e-3};
  step.kinetic_energy = 0.3;
  step.potential_energy = -7;
  step.external_work = 1e-9;
  step.momentum = {1, -2, 3};
  step.momentum_error = 1e-15;
  step.max_penetration = 1e-4;
  step.residual_model = 2;
  step.residual_coulomb = 3;
  step.rms_coulomb = 4;
  step.approach_left = 5;
  step.iterations = 30;
  step.converged = false;
  const Result<std::vector<StepReport>> back = decode_steps(encode_steps({step, {}, step}));
  ASSERT_TRUE(back) << back.message();
  ASSERT_EQ(back.value().size(), 3U);
  const StepReport& b = back.value()[2];
  EXPECT_EQ(encode_steps({b}), encode_steps({step}));
  EXPECT_EQ(b.contacts, 8000);
  EXPECT_EQ(b.seconds.positions, 4e-3);
  EXPECT_EQ(b.momentum, step.momentum);
  EXPECT_EQ(b.iterations, 30);
  EXPECT_FALSE(b.converged);
  EXPECT_TRUE(b.finite);
  EXPECT_EQ(b.approach_left, 5);
}

TEST(FrameCodec, ContentOfTheWrongSizeIsRefused) {
  const std::string content = encode_frames(random_frames(3));
  for (std::size_t size = 0; size < content.size(); ++size)
    EXPECT_FALSE(decode_frames(std::string_view(content).substr(0, size), kBodies)) << size;
  EXPECT_FALSE(decode_frames(content + '\0', kBodies));
  EXPECT_FALSE(decode_frames(content, kBodies + 1));
  const std::string steps = encode_steps({{}, {}});
  for (std::size_t size = 0; size < steps.size(); ++size)
    EXPECT_FALSE(decode_steps(std::string_view(steps).substr(0, size))) << size;
}

TEST(FrameCodec, CountsThatLieAreRefusedWithoutFillingTheMemory) {
  std::string content = encode_frames(random_frames(2));
  content[3] = '\x7f';  // two billion frames
  EXPECT_FALSE(decode_frames(content, kBodies));
  std::string steps = encode_steps({{}});
  steps[3] = '\x7f';
  EXPECT_FALSE(decode_steps(steps));
}

}  // namespace
}  // namespace carom
