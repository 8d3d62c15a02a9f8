#include "study/pose_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace carom {
namespace {

Pose at(Real x, Real y, Real z) { return {{x, y, z}, {}}; }

TEST(PoseAudit, NamesTheDeepestPair) {
  const auto cube = Shape::box({1, 1, 1});
  PoseAudit audit({{Shape::box({40, 40, 1}), BodyType::Fixed}, {cube}, {cube}, {Shape::sphere(0.5)}});
  const std::vector<Pose> poses{at(0, 0, -0.5), at(0, 0, 0.49), at(0, 0, 1.46), at(5, 0, 0.5)};
  const PoseReport report = audit.judge(poses);
  EXPECT_TRUE(report.finite);
  EXPECT_NEAR(report.worst_depth, 0.03, 1e-12);
  EXPECT_EQ(report.worst_a + report.worst_b, 3u);
  EXPECT_EQ(report.overlaps, 2u);
  EXPECT_NEAR(report.depth_sum, 0.04, 1e-12);
}

TEST(PoseAudit, IgnoresPairsWithoutADynamicBody) {
  const auto cube = Shape::box({1, 1, 1});
  PoseAudit audit({{cube, BodyType::Fixed}, {cube, BodyType::Fixed}, {cube, BodyType::Kinematic}});
  EXPECT_EQ(audit.judge(std::vector<Pose>(3)).overlaps, 0u);
}

TEST(PoseAudit, TellsAStateThatIsNotFinite) {
  PoseAudit audit({{Shape::sphere(1)}});
  EXPECT_FALSE(audit.judge(std::vector<Pose>{at(std::numeric_limits<Real>::quiet_NaN(), 0, 0)}).finite);
  EXPECT_FALSE(audit.judge(std::vector<Pose>{{{}, {0, 0, 0, 0}}}).finite);
}

TEST(PoseAudit, GridFindsTheSamePairsAsTryingAll) {
  // Sizes over a factor of ten, so that some bodies are too large for the grid; poses on both sides of zero.
  std::mt19937 random(7);
  std::uniform_real_distribution<Real> place(-4, 4), size(0.2, 1.2);
  std::vector<AuditBody> bodies;
  std::vector<Pose> poses;
  for (int i = 0; i < 400; ++i) {
    const Real scale = i % 40 == 0 ? 4 : 1;
    bodies.push_back(
        {i % 2 ? Shape::sphere(0.5 * scale * size(random)) : Shape::box(scale * Vec3{size(random), 1, 0.5}),
         i % 7 == 0 ? BodyType::Fixed : BodyType::Dynamic});
    poses.push_back({{place(random), place(random), place(random)},
                     normalized(Quat{1, place(random), place(random), place(random)})});
  }
  PoseReport all;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      if (bodies[i].type == BodyType::Fixed && bodies[j].type == BodyType::Fixed) continue;
      const Real depth =
          overlap_depth(PlacedShape(*bodies[i].shape, poses[i]), PlacedShape(*bodies[j].shape, poses[j]));
      if (depth <= 0) continue;
      ++all.overlaps;
      all.worst_depth = std::max(all.worst_depth, depth);
    }
  }
  ASSERT_GT(all.overlaps, 500u);
  PoseAudit audit(bodies);
  const PoseReport report = audit.judge(poses);
  EXPECT_EQ(report.overlaps, all.overlaps);
  // The two orders of a pair differ by round-off.
  EXPECT_NEAR(report.worst_depth, all.worst_depth, 1e-12);
}

TEST(PoseAudit, CountsBodiesThatLeaveTheRegions) {
  PoseAudit audit({{Shape::sphere(0.1)}, {Shape::sphere(0.1)}}, {{{-1, -1, 0}, {1, 1, 1}}, {{-2, -2, 1}, {2, 2, 3}}});
  EXPECT_EQ(audit.judge(std::vector<Pose>{at(0, 0, 0.5), at(1.5, 0, 2)}).outside, 0u);
  const PoseReport report = audit.judge(std::vector<Pose>{at(0, 0, 0.5), at(1.5, 0, 0.5)});
  EXPECT_EQ(report.outside, 1u);
  EXPECT_EQ(report.first_outside, 1u);
}

TEST(PoseAudit, ABodyThatPassedThroughAWallStaysOutside) {
  PoseAudit audit({{Shape::box({0.1, 4, 4}), BodyType::Fixed}, {Shape::sphere(0.2)}});
  EXPECT_EQ(audit.judge(std::vector<Pose>{{}, at(-1, 0, 0)}).outside, 0u);
  EXPECT_EQ(audit.judge(std::vector<Pose>{{}, at(1, 0, 0)}).outside, 1u);
  EXPECT_EQ(audit.judge(std::vector<Pose>{{}, at(1.5, 0, 0)}).outside, 1u);
}

TEST(PoseAudit, RefusesTheWrongNumberOfPoses) {
  PoseAudit audit({{Shape::sphere(1)}});
  EXPECT_THROW(audit.judge(std::vector<Pose>(2)), Error);
}

}  // namespace
}  // namespace carom
