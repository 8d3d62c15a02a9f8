// Every pair of convex kinds next to FCL, on the same random positions. FCL's answers are often wrong (its GJK and EPA
// stop early, fail or throw, most of all on tiny, huge and touching shapes), so a disagreement is decided by proof: a
// direction bounds the signed distance from below, two points of the shapes bound it from above, and whoever breaks a
// bound is wrong.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fcl_oracle.h"
#include "support/slow_build.h"

namespace carom::test {
namespace {

int fuzz_count() {
  const char* count = std::getenv("CAROM_FUZZ_COUNT");
  return count != nullptr ? std::atoi(count) : (CAROM_SLOW_BUILD ? 200 : 20000);
}

class Fcl : public testing::TestWithParam<std::pair<Kind, Kind>> {};

/// The best that FCL's points say for themselves: how far planes square to their difference separate the shapes.
Real separation_by(const FclAnswer& fcl, const ConvexPair& pair) {
  const Vec3 way = fcl.on_b - fcl.on_a;
  if (!(squared_norm(way) > 0)) return -1e300;
  const Vec3 n = normalized(way);
  return std::max(separation(pair, n), separation(pair, -n));
}

bool are_inside(const FclAnswer& fcl, const ConvexPair& pair, Real tolerance) {
  const Vec3 a = rotate(conjugate(pair.pose_a.orientation), fcl.on_a - pair.pose_a.position);
  const Vec3 b = rotate(conjugate(pair.pose_b.orientation), fcl.on_b - pair.pose_b.position);
  return outside(pair.a, a) <= tolerance && outside(pair.b, b) <= tolerance;
}

/// FCL's EPA covers round shapes with triangles until they are smooth to its tolerance, all the way round where they
/// are deep in each other: millions of them. It is asked only where they are shallow.
bool ends_in_time(const ConvexPair& pair, Real distance) {
  const auto polyhedral = [](const Shape::Geometry& s) { return kind_of(s) == Kind::Box || kind_of(s) == Kind::Hull; };
  return distance > -0.02 * pair.smaller() || (polyhedral(pair.a) && polyhedral(pair.b)) ||
         kind_of(pair.a) == Kind::Plane || kind_of(pair.b) == Kind::Plane;
}

TEST_P(Fcl, AgreesOrIsProvenWrong) {
  Random random(
      static_cast<std::uint64_t>(5000 + 10 * static_cast<int>(GetParam().first) + static_cast<int>(GetParam().second)));
  const bool has_plane = GetParam().first == Kind::Plane || GetParam().second == Kind::Plane;
  int compared = 0, agreed = 0, turned = 0, silent = 0;
  std::string example;
  for (int i = 0; i < fuzz_count(); ++i) {
    const ConvexPair pair = random_pair(GetParam().first, GetParam().second, i, random);
    const SurfacePair answer = signed_distance(pair.placed_a(), pair.placed_b());
    if (!ends_in_time(pair, answer.distance)) continue;
    const std::optional<FclAnswer> fcl = fcl_distance(pair);
    if (!fcl) {
      silent += has_plane && answer.distance > 0 ? 0 : 1;
      continue;
    }
    ++compared;
    const Real tolerance = 1e-6 * pair.larger() + 4 * pair.rounding();
    // Bounds that hold whoever is right. A plane has but one direction.
    if (!has_plane) {
      ASSERT_LE(separation_by(*fcl, pair), answer.distance + tolerance)
          << "FCL knows a better direction; configuration " << i << ": " << pair;
    }
    if (answer.distance > 0 && are_inside(*fcl, pair, 0)) {
      ASSERT_GE(norm(fcl->on_b - fcl->on_a), answer.distance - tolerance)
          << "FCL knows nearer points; configuration " << i << ": " << pair;
    }
    if (std::abs(fcl->distance - answer.distance) <= tolerance) {
      ++agreed;
      // Where the distance leaves the normal no freedom, that agrees too.
      const Vec3 way = fcl->on_b - fcl->on_a;
      const Real across = norm(cross(answer.normal, way));
      if (answer.distance > 1e-2 * pair.larger() && across > 1e-2 * norm(way)) ++turned;
      continue;
    }
    // They differ: Carom's own proof must hold.
    ASSERT_LE(defect(pair, answer), 1e-6 * pair.larger() + 4 * pair.rounding())
        << "configuration " << i << ": " << pair;
    if (example.empty()) {
      std::ostringstream text;
      text << "configuration " << i << ", " << pair << ": FCL says " << fcl->distance << ", proven is "
           << answer.distance;
      example = text.str();
    }
  }
  std::printf("%s and %s: FCL agrees on %d of %d, gives no answer to %d more\n", name_of(GetParam().first),
              name_of(GetParam().second), agreed, compared, silent);
  if (!example.empty()) std::printf("  where it does not: %s\n", example.c_str());
  EXPECT_LE(turned, compared / 100) << "normals that differ from FCL's where distances agree";
  EXPECT_GT(agreed, compared / 4) << "too few to call it a comparison";
}

INSTANTIATE_TEST_SUITE_P(AllPairs, Fcl, testing::ValuesIn(all_kind_pairs()), [](const auto& tested) {
  return std::string(name_of(tested.param.first)) + "_" + name_of(tested.param.second);
});

}  // namespace
}  // namespace carom::test
