#include "io/pose_tracks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/base/error.h"
#include "io/export_run.h"

namespace carom {
namespace {

/// One ball at the given times, trembling by the given angle.
PoseTracks ball(const std::vector<Real>& times, Real tremble = 0) {
  Cast cast;
  test::add_body(cast, "ball", BodyType::Dynamic, Shape::sphere(1));
  PoseTracks tracks(cast);
  for (const Real time : times) {
    Frame frame;
    frame.time = time;
    frame.bodies = {{{1, 2, 3}, {1, tremble * std::sin(1e3 * time), 0, 0}, {}, {}}};
    tracks.add(frame);
  }
  return tracks;
}

TEST(PoseTracks, BodiesAtRestDoNotTremble) {
  // Half a step of floats just below one is 3e-8: less cannot change where a point of the body is drawn.
  EXPECT_FALSE(ball({0, 0.1, 0.2}, 1e-8).rotates(0));
  EXPECT_TRUE(ball({0, 0.1, 0.2}, 1e-6).rotates(0));
  EXPECT_FALSE(ball({0, 0.1, 0.2}).translates(0));
}

TEST(PoseTracks, TimesIncreaseAlsoAsFloats) {
  EXPECT_EQ(ball({0, 0, 1e-7, 0.1, 0.05}).times(), (std::vector<Real>{0, 0.1}));
  EXPECT_EQ(ball({5000, 5000.0001, 5000.001}).times(), (std::vector<Real>{5000, 5000.001}));  // floats: 0.0005 apart
}

TEST(PoseTracks, ReachesAsFarAsAnyBodyGets) {
  const test::ExportRun run = test::make_export_run();
  PoseTracks tracks(run.cast);
  Real furthest = 0;
  for (std::size_t i = 0; i < run.frames.size(); ++i) {
    tracks.add(run.frames[i]);
    for (std::size_t k = 0; k < run.cast.bodies.size(); ++k)
      furthest = std::max(furthest, norm(run.pose(i, k).position));
  }
  EXPECT_NEAR(tracks.reach(), furthest, 1e-6);  // rounding of floats
  EXPECT_EQ(tracks.translating_count(), 3U);
  EXPECT_EQ(tracks.rotating_count(), 3U);
}

TEST(PoseTracks, RejectsAFrameOfAnotherCast) {
  Cast cast;
  PoseTracks tracks(cast);
  EXPECT_THROW(tracks.add(test::make_export_run(1).frames[0]), Error);
}

TEST(PoseTracks, WhatAFloatCannotHoldEndsAtItsLargest) {
  Cast cast;
  test::add_body(cast, "lost", BodyType::Dynamic, Shape::sphere(1));
  PoseTracks tracks(cast);
  Frame frame;
  frame.bodies = {{{1e300, -1e300, 0}, {}, {}, {}}};
  tracks.add(frame);
  EXPECT_TRUE(std::isfinite(tracks.key(0, 0).position[0]));
  EXPECT_LT(tracks.key(0, 0).position[1], -1e38F);
}

}  // namespace
}  // namespace carom
