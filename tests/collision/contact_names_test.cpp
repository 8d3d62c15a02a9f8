// Names that last: what is the same contact in the next step has the same name there.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "collision/placing.h"

namespace carom {
namespace {

using test::Random;
using test::Thing;

std::set<std::uint16_t> names(const Manifold& m) {
  std::set<std::uint16_t> list;
  for (const ManifoldPoint& p : test::points(m)) list.insert(p.feature);
  return list;
}

ShapePtr cube_hull() {
  std::vector<Vec3> corners;
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.5, 0.5})
      for (const Real z : {-0.5, 0.5}) corners.push_back({x, y, z});
  return Shape::hull(corners);
}

/// With their tops at z = 0.
std::vector<Thing> floors() {
  std::vector<Vec3> corners;
  for (const Real x : {-10.0, 10.0})
    for (const Real y : {-10.0, 10.0})
      for (const Real z : {-1.0, 1.0}) corners.push_back({x, y, z});
  return {{Shape::plane({0, 0, 1}, 0), {}},
          {Shape::box({20, 20, 2}), {{0, 0, -1}, {}}},
          {Shape::hull(corners), {{0, 0, -1}, {}}}};
}

TEST(Names, CylinderThatRollsKeepsItsTwo) {
  for (const Thing& floor : floors()) {
    std::set<std::uint16_t> first;
    for (int i = 0; i < 200; ++i) {
      const Real angle = 0.05 * i;
      const Quat rolled = test::turn({0, 0, 1}, 30) * test::turn({0, 1, 0}, 90) * test::turn({0, 0, 1}, 57.3 * angle);
      const Thing cylinder{Shape::cylinder(0.3, 1), {{0.01 * i - 1, 0, 0.3}, rolled}};
      const auto now = names(test::contacts(floor, cylinder, 0.01));
      if (i == 0) first = now;
      ASSERT_EQ(now.size(), 2U);
      ASSERT_EQ(now, first) << i;
    }
  }
}

TEST(Names, CoinThatWobblesTouchesUnderOneNameInItsLowestPoint) {
  // The point of contact goes round the rim while the coin hardly turns.
  const Real tilt = 20, r = 0.3, h = 0.01;
  const Real height = r * std::sin(tilt * 0.017453292519943295) + h * std::cos(tilt * 0.017453292519943295);
  for (const Thing& floor : floors()) {
    std::set<std::uint16_t> first;
    for (int i = 0; i < 200; ++i) {
      const Quat lean = test::turn({0, 0, 1}, 7.0 * i) * test::turn({1, 0, 0}, tilt) * test::turn({0, 0, 1}, -6.9 * i);
      const Manifold m = test::contacts(floor, {Shape::cylinder(r, 2 * h), {{0, 0, height}, lean}}, 0.001);
      ASSERT_EQ(m.count, 1);
      ASSERT_NEAR(m.points[0].gap, 0, 1e-12);
      if (i == 0) first = names(m);
      ASSERT_EQ(names(m), first) << i;
    }
  }
}

TEST(Names, EllipsoidThatRollsOverSidesAndEdgesHasOne) {
  std::set<std::uint16_t> all;
  const Thing block{Shape::box({2, 2, 2}), {{0, 0, -1}, {}}};
  for (int i = 0; i < 200; ++i) {
    const Real x = 0.5 + 0.005 * i;  // over the edge at x = 1
    const Thing ellipsoid{Shape::ellipsoid({0.5, 0.4, 0.3}),
                          {{x, 0, x < 1 ? 0.31 : 0.28}, test::turn({0, 1, 0}, 0.1 * i)}};
    const Manifold m = test::contacts(block, ellipsoid, 0.2);
    for (const std::uint16_t name : names(m)) all.insert(name);
  }
  EXPECT_EQ(all.size(), 1U);
}

TEST(Names, CubesThatSlideOrTurnALittleKeepTheirs) {
  for (const auto& [below, above] :
       {std::pair{cube_hull(), cube_hull()}, std::pair{Shape::box({1, 1, 1}), cube_hull()}}) {
    for (const Real degrees : {3.0, 20.0, 45.0}) {
      std::set<std::uint16_t> first;
      for (int i = 0; i < 50; ++i) {
        const Quat turned = test::turn({0, 0, 1}, degrees + 0.01 * i);
        const Thing upper{above, {{0.02 + 1e-4 * i, 0.01, 1 - 1e-5 * (i % 3)}, turned}};
        const auto now = names(test::contacts({below, {}}, upper, 0.01));
        if (i == 0) first = now;
        ASSERT_EQ(now.size(), 8U);
        ASSERT_EQ(now, first) << degrees << "° " << i;
      }
    }
  }
}

TEST(Names, NoiseChangesNeitherNamesNorNumber) {
  // Poses at rest, and motions of the size that a solver leaves: 1e-12 to 1e-8 of the size.
  Random random(8);
  const Quat lying = test::turn({0, 0, 1}, 30) * test::turn({0, 1, 0}, 90);
  const Real cone_angle = 90 + std::atan2(0.3, 0.8) * 57.29577951308232;
  const std::vector<std::pair<const char*, Thing>> resting = {
      {"cylinder on its side", {Shape::cylinder(0.3, 1), {{0.1, 0, 0.3}, lying}}},
      {"cone on its side",
       {Shape::cone(0.3, 0.8), {{0, 0, 0.4 * 0.3 / std::hypot(0.3, 0.8)}, test::turn({0, 1, 0}, cone_angle)}}},
      {"capsule", {Shape::capsule(0.3, 1), {{0, 0, 0.3}, lying}}},
      {"hull cube", {cube_hull(), {{0.1, 0.2, 0.5}, test::turn({0, 0, 1}, 20)}}},
      {"ellipsoid", {Shape::ellipsoid({0.5, 0.4, 0.3}), {{0, 0, 0.3}, {}}}},
      // Leaning by 1e-4, as one does that has settled: upright to rounding has no lowest point to keep.
      {"cylinder standing", {Shape::cylinder(0.3, 1), {{0, 0, 0.5}, test::turn({1, 0.3, 0}, 0.005)}}},
      {"cone standing", {Shape::cone(0.3, 1), {{0, 0, 0.5}, test::turn({1, 0.3, 0}, 0.005)}}}};
  for (const Thing& floor : floors()) {
    for (const auto& [what, thing] : resting) {
      const auto still = names(test::contacts(floor, thing, 0.002));
      ASSERT_FALSE(still.empty()) << what;
      for (int i = 0; i < 200; ++i) {
        const Real size = random.scale(1e-12, 1e-8);
        const Vec3 w = size * random.unit();
        const Thing moved{
            thing.shape,
            {thing.pose.position + size * random.unit(), normalized(Quat{1, w.x, w.y, w.z} * thing.pose.orientation)}};
        ASSERT_EQ(names(test::contacts(floor, moved, 0.002)), still) << what << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace carom
