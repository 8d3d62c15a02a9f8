// Closest features by walking: known positions, agreement with the other route from any start, and steps that stay few.
#include "geometry/closest_features.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "support/convex_pairs.h"
#include "support/marbles.h"
#include "support/rolling_marble.h"
#include "support/slow_build.h"

namespace carom::test {
namespace {

/// A pair of boxes or hulls with the polyhedra of both.
struct PolyhedronPair {
  explicit PolyhedronPair(ConvexPair p) : pair(std::move(p)), a(of(pair.a)), b(of(pair.b)) {}

  static std::shared_ptr<const Polyhedron> of(const Shape::Geometry& shape) {
    if (const Hull* hull = std::get_if<Hull>(&shape)) return hull->polyhedron;
    return std::make_shared<const Polyhedron>(Polyhedron::box(std::get<Box>(shape).half_size));
  }
  ClosestFeatures walk(FeaturePair& features) const {
    const Placed at_a = pair.placed_a(), at_b = pair.placed_b();
    return closest_features({a.get(), at_a.position, at_a.rotation}, {b.get(), at_b.position, at_b.rotation}, features);
  }

  ConvexPair pair;
  std::shared_ptr<const Polyhedron> a, b;
};

PolyhedronFeature random_feature(const Polyhedron& p, Random& random) {
  const auto below = [&](std::size_t count) { return random.integer(0, static_cast<int>(count) - 1); };
  switch (random.integer(0, 2)) {
    case 0:
      return {PolyhedronFeature::Kind::Vertex, below(p.vertices().size())};
    case 1:
      return {PolyhedronFeature::Kind::Edge, below(p.edges().size())};
    default:
      return {PolyhedronFeature::Kind::Face, below(p.faces().size())};
  }
}

TEST(ClosestFeatures, FaceEdgeAndCornerRegionsOfCubes) {
  const Box a{{1, 1, 1}}, b{{0.5, 0.5, 0.5}};
  const auto distance = [&](const Pose& at, PolyhedronFeature::Kind kind_a, PolyhedronFeature::Kind kind_b) {
    const PolyhedronPair cubes({a, b, {}, at});
    FeaturePair features;
    const ClosestFeatures found = cubes.walk(features);
    EXPECT_FALSE(found.penetrating);
    EXPECT_EQ(features.a.kind, kind_a);
    EXPECT_EQ(features.b.kind, kind_b);
    return found.nearest.distance;
  };
  using Kind = PolyhedronFeature::Kind;
  const Quat on_corner = turn({0, 1, 0}, std::atan(std::sqrt(0.5)) * 180 / std::numbers::pi) * turn({1, 0, 0}, 45);
  EXPECT_NEAR(distance({{0.2, 0.1, 4}, on_corner}, Kind::Face, Kind::Vertex), 3 - std::sqrt(0.75), 1e-14);
  EXPECT_NEAR(distance({{2.5, 3.5, 3.5}, {}}, Kind::Vertex, Kind::Vertex), 3, 1e-14);
  const Quat to_edge = rotation_between(normalized(Vec3{-1, -1, -1}), normalized(Vec3{-1, 0, -1}));
  EXPECT_NEAR(distance({{2, 0.1, 2}, to_edge}, Kind::Edge, Kind::Vertex), std::sqrt(2.0) - std::sqrt(0.75), 1e-14);
  // Both on an edge, which cross at right angles.
  const PolyhedronPair crossed({a, a, {{}, turn({1, 0, 0}, 45)}, {{0, 0, 4}, turn({0, 1, 0}, 45)}});
  FeaturePair features;
  EXPECT_NEAR(crossed.walk(features).nearest.distance, 4 - 2 * std::sqrt(2.0), 1e-14);
  EXPECT_EQ(features.a.kind, Kind::Edge);
  EXPECT_EQ(features.b.kind, Kind::Edge);
}

TEST(ClosestFeatures, AgreesWithTheOtherRouteFromAnyStart) {
  const int count = CAROM_SLOW_BUILD ? 500 : 20000;
  Random random(4), starts(5);
  int apart = 0;
  for (const auto& [kind_a, kind_b] :
       {std::pair{Kind::Box, Kind::Box}, std::pair{Kind::Box, Kind::Hull}, std::pair{Kind::Hull, Kind::Hull}}) {
    for (int i = 0; i < count; ++i) {
      const PolyhedronPair shapes(random_pair(kind_a, kind_b, i, random));
      const ConvexPair& pair = shapes.pair;
      const SurfacePair expected = signed_distance(pair.placed_a(), pair.placed_b());
      FeaturePair features{random_feature(*shapes.a, starts), random_feature(*shapes.b, starts)};
      const ClosestFeatures found = shapes.walk(features);
      ASSERT_FALSE(found.gave_up) << i;
      const Real rounding = 1e-10 * pair.larger() + 4 * pair.rounding();
      if (found.penetrating) {
        // Corners and edges that are nearer than 1e-9 of the size have no direction to walk by.
        ASSERT_LE(expected.distance, 1e-8 * pair.larger()) << i << ": " << pair;
        continue;
      }
      ++apart;
      ASSERT_NEAR(found.nearest.distance, expected.distance, rounding) << i << ": " << pair;
      ASSERT_LE(defect(pair, found.nearest), rounding) << i << ": " << pair;
      // Once more from what was found: nothing is left to do, but for edges side by side, which have many nearest
      // points.
      ASSERT_LE(shapes.walk(features).steps, 4) << i << ": " << pair;
    }
  }
  EXPECT_GT(apart, count);
}

TEST(ClosestFeatures, FewStepsAQueryWhileMarblesRollPastEachOther) {
  for (const int cuts : {1, 4, 16, 25}) {
    const MarbleRun run(cuts, 2000);
    FeaturePair features;
    int steps = 0;
    for (int i = 0; i < run.queries(); ++i) {
      const ClosestFeatures found = closest_features(run.still(i), run.rolling(i), features);
      ASSERT_FALSE(found.penetrating) << i;
      if (i > 0) steps += found.steps;
    }
    EXPECT_LE(steps, 2 * run.queries()) << run.polyhedron()->faces().size() << " faces";
  }
}

TEST(ClosestFeatures, AMarbleThatRollsByCollisionsHardlyNeedsAStep) {
  for (const int cuts : {1, 4, 16, 25}) {
    const RollingMarble run(cuts, 4000);
    std::array<FeaturePair, 2> features;
    int steps = 0;
    for (int i = 0; i < run.queries(); ++i) steps += run.ask(i, features).steps;
    // It turns by no more than twice the envelope between looks at the plate, and faces are 2.9 degrees wide or more.
    EXPECT_LE(run.turn_a_query(), 2 * RollingMarble::kEnvelope);
    EXPECT_LE(steps, run.queries() / 10) << cuts;
  }
}

}  // namespace
}  // namespace carom::test
