// Colours: every patch has one place, and no body that takes impulses is twice in a colour.
#include "fast/batches.h"

#include <gtest/gtest.h>

#include <set>

#include "fast/bodies.h"

namespace carom {
namespace {

using fast::Batches;
using test::Crowd;
using test::Random;
using test::Record;

void expect_sound(const Crowd& crowd, const Batches& batches) {
  ASSERT_FALSE(batches.colors.empty());
  EXPECT_EQ(batches.colors.front(), 0);
  EXPECT_TRUE(std::is_sorted(batches.colors.begin(), batches.colors.end()));
  EXPECT_EQ(batches.patches, crowd.active.size());
  ASSERT_EQ(batches.records.size(), batches.size() * batches.lanes);
  // Every record has a place, and every lane that is not empty is that of a record.
  std::size_t filled = 0;
  for (const std::int32_t r : batches.records) filled += r != 0 ? 1 : 0;
  EXPECT_EQ(filled, crowd.active.size());
  for (const std::int32_t r : crowd.active) {
    const Record& record = crowd.records[static_cast<std::size_t>(r)];
    ASSERT_GE(record.place, 0);
    const auto place = static_cast<std::size_t>(record.place);
    ASSERT_LT(place, batches.records.size());
    ASSERT_EQ(batches.records[place], r);
    EXPECT_EQ(batches.bases[place], record.base);
    EXPECT_EQ(batches.probes[place], record.probe);
    const auto base = static_cast<std::size_t>(record.base), probe = static_cast<std::size_t>(record.probe);
    EXPECT_EQ(batches.read_base[place], crowd.motion_of[base]);
    EXPECT_EQ(batches.read_probe[place], crowd.motion_of[probe]);
    if (crowd.takes[base] != 0) {
      EXPECT_EQ(batches.write_base[place], crowd.motion_of[base]);
    }
    if (crowd.takes[probe] != 0) {
      EXPECT_EQ(batches.write_probe[place], crowd.motion_of[probe]);
    }
  }
  // In a colour bodies are written once; what takes no impulses is written behind the last motion, one place a batch.
  for (std::size_t c = 0; c + 1 < batches.colors.size(); ++c) {
    std::set<std::int32_t> bodies;
    std::vector<std::set<std::int32_t>> spare;
    for (auto b = static_cast<std::size_t>(batches.colors[c]); b < static_cast<std::size_t>(batches.colors[c + 1]);
         ++b) {
      std::set<std::int32_t>& own = spare.emplace_back();
      for (std::size_t place = b * batches.lanes; place < (b + 1) * batches.lanes; ++place)
        for (const std::int32_t motion : {batches.write_base[place], batches.write_probe[place]}) {
          ASSERT_LT(motion, static_cast<std::int32_t>(batches.motions));
          if (motion >= static_cast<std::int32_t>(crowd.motion_count)) {
            own.insert(motion);
          } else {
            EXPECT_TRUE(bodies.insert(motion).second) << "motion " << motion << " twice in colour " << c;
          }
        }
      EXPECT_LE(own.size(), 1u);
    }
    std::set<std::int32_t> all;
    for (const auto& own : spare)
      for (const std::int32_t motion : own) EXPECT_TRUE(all.insert(motion).second) << "two batches write to one place";
  }
}

TEST(FastColoring, EveryPatchHasOnePlaceAndNoBodyIsTwiceInAColour) {
  Random random(1);
  for (const std::size_t lanes : {1, 4, 8, 16})
    for (int i = 0; i < 20; ++i) {
      Crowd crowd(random, random.integer(2, 200), random.integer(1, 600));
      const Batches batches = crowd.batches(lanes);
      expect_sound(crowd, batches);
    }
}

TEST(FastColoring, ABodyMayHaveAnyNumberOfNeighbours) {
  // More than the 64 colours that a body remembers, of a kind or of both.
  Random random(2);
  for (const int neighbours : {63, 64, 65, 127, 128, 129, 300})
    for (const bool carrying : {false, true}) {
      Crowd crowd(random, neighbours + 1, 1);
      crowd.records.resize(1);
      crowd.active.clear();
      crowd.takes[0] = 1;
      for (int k = 1; k <= neighbours; ++k) {
        if (k % 2 == 0)
          crowd.add_patch(random, 0, k);
        else
          crowd.add_patch(random, k, 0);
        crowd.records.back().forget_impulses();
        if (carrying && k % 3 == 0) crowd.records.back().normal_impulse[0] = 1;
      }
      const Batches batches = crowd.batches(4);
      expect_sound(crowd, batches);
    }
}

TEST(FastColoring, WhatAllLieOnDoesNotSeparateThem) {
  // Bodies on a common floor, none touching another: one colour, full batches.
  Random random(3);
  Crowd crowd(random, 7, 1);
  crowd.records.resize(1);
  crowd.active.clear();
  while (crowd.takes.size() < 200) crowd.add_body(random, 0);
  crowd.motion_count = crowd.motions.size();
  crowd.takes[0] = 0;
  for (int k = 1; k < 200; ++k) {
    crowd.add_patch(random, 0, k);
    crowd.records.back().forget_impulses();
  }
  const Batches batches = crowd.batches(8);
  expect_sound(crowd, batches);
  EXPECT_EQ(batches.colors.size(), 2u);
  EXPECT_EQ(batches.size(), 25u);
}

TEST(FastColoring, NoPatchesNeedNoBatches) {
  Random random(4);
  Crowd crowd(random, 5, 1);
  crowd.active.clear();
  const Batches batches = crowd.batches(16);
  EXPECT_EQ(batches.size(), 0u);
  EXPECT_EQ(batches.patches, 0u);
}

TEST(FastColoring, TheColourOfAPatchDoesNotDependOnTheWidth) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    Crowd crowd(random, 60, 200);
    std::vector<std::vector<std::size_t>> all;
    for (const std::size_t lanes : {1, 4, 8, 16}) {
      const Batches batches = crowd.batches(lanes);
      std::vector<std::size_t>& colors = all.emplace_back();
      for (const std::int32_t r : crowd.active) {
        const auto batch = static_cast<std::int32_t>(
            static_cast<std::size_t>(crowd.records[static_cast<std::size_t>(r)].place) / lanes);
        colors.push_back(static_cast<std::size_t>(
            std::upper_bound(batches.colors.begin(), batches.colors.end(), batch) - batches.colors.begin()));
      }
    }
    for (const auto& colors : all) EXPECT_EQ(colors, all.front());
  }
}

}  // namespace
}  // namespace carom
