// Every pair of convex kinds in random positions, judged without an oracle: two points and a plane between them prove a
// distance (support/convex_pairs.h), a search over directions looks for a shorter way out of a penetration.
// CAROM_FUZZ_COUNT sets how many configurations a pair gets.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/convex_pairs.h"
#include "support/slow_build.h"

namespace carom::test {
namespace {

int fuzz_count() {
  const char* count = std::getenv("CAROM_FUZZ_COUNT");
  return count != nullptr ? std::atoi(count) : (CAROM_SLOW_BUILD ? 500 : 20000);
}

class DistanceFuzz : public testing::TestWithParam<std::pair<Kind, Kind>> {
 protected:
  ConvexPair next(int index) { return random_pair(GetParam().first, GetParam().second, index, random_); }

  Random random_{
      static_cast<std::uint64_t>(1000 + 10 * static_cast<int>(GetParam().first) + static_cast<int>(GetParam().second))};
  Random search_{7};
};

/// Of the size: what a pair is held to. Between flat sides alone answers are exact; where a rim meets a nearly parallel
/// face, its farthest point turns by 1e-16/angle for a rounding of the direction, and points (not the distance) lose
/// what that gives.
Real tolerance(Kind a, Kind b) {
  const auto round = [](Kind k) { return k == Kind::Cylinder || k == Kind::Cone || k == Kind::Ellipsoid; };
  return round(a) || round(b) ? 1e-6 : 1e-10;
}

TEST_P(DistanceFuzz, PointsOnBothSurfacesAndAPlaneBetweenProveTheAnswer) {
  const int count = fuzz_count();
  Real worst = 0;
  int coarse = 0;
  for (int i = 0; i < count; ++i) {
    const ConvexPair pair = next(i);
    const SurfacePair answer = signed_distance(pair.placed_a(), pair.placed_b());
    const Real off = (defect(pair, answer) - 4 * pair.rounding()) / pair.larger();
    worst = std::max(worst, off);
    coarse += off > 1e-10 ? 1 : 0;
    ASSERT_LE(off, tolerance(GetParam().first, GetParam().second)) << "configuration " << i << ": " << pair;
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(coarse, 2 + count / 500) << "answers that are not exact to 1e-10 of the size; the worst is off by "
                                     << worst;
}

TEST_P(DistanceFuzz, NoDirectionSeparatesBetter) {
  if (GetParam().first == Kind::Plane || GetParam().second == Kind::Plane) return;  // a plane has but one
  const int count = fuzz_count();
  for (int i = 0; i < count; ++i) {
    const ConvexPair pair = next(i);
    const SurfacePair answer = signed_distance(pair.placed_a(), pair.placed_b());
    const Real found = searched_separation(pair, answer.normal, 24, search_);
    ASSERT_LE(found, answer.distance + 1e-6 * pair.larger() + 4 * pair.rounding())
        << "configuration " << i << ": " << pair;
  }
}

TEST_P(DistanceFuzz, SwappingAndMovingBothChangesNothing) {
  const int count = std::max(1, fuzz_count() / 10);
  for (int i = 0; i < count; ++i) {
    const ConvexPair pair = next(i);
    const SurfacePair answer = signed_distance(pair.placed_a(), pair.placed_b());
    const SurfacePair back = signed_distance(pair.placed_b(), pair.placed_a());
    const Real allowed = 1e-6 * pair.smaller() + 1e-9 * pair.larger() + 4 * pair.rounding();
    ASSERT_NEAR(back.distance, answer.distance, allowed) << "configuration " << i << ": " << pair;

    ConvexPair moved = pair;
    detail::move_together(moved, {pair.larger() * random_.unit(), random_.rotation()});
    const SurfacePair there = signed_distance(moved.placed_a(), moved.placed_b());
    ASSERT_NEAR(there.distance, answer.distance, allowed + 4 * moved.rounding())
        << "configuration " << i << ": " << pair;
  }
}

INSTANTIATE_TEST_SUITE_P(AllPairs, DistanceFuzz, testing::ValuesIn(all_kind_pairs()), [](const auto& tested) {
  return std::string(name_of(tested.param.first)) + "_" + name_of(tested.param.second);
});

}  // namespace
}  // namespace carom::test
