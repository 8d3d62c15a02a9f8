// Contacts in poses where every point can be written down: on a plane, on a box and on a hull alike.
//
// Sizes are about 1, so that 1e-9 is far above rounding and far below anything that a step would notice. Where the
// route is closed the error is 1e-15; what the iteration for the normal leaves is taken away where a flat side is met.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "collision/placing.h"

namespace carom {
namespace {

using test::Thing;

constexpr Real kClosedForm = 1e-9;
constexpr Real kDegree = std::numbers::pi / 180;

std::vector<Vec3> corners(const Vec3& half) {
  std::vector<Vec3> list;
  for (const Real x : {-half.x, half.x})
    for (const Real y : {-half.y, half.y})
      for (const Real z : {-half.z, half.z}) list.push_back({x, y, z});
  return list;
}

struct Expected {
  Vec3 point;
  Real gap;
};

void expect_contacts(const Manifold& m, const Vec3& normal, const std::vector<Expected>& expected) {
  EXPECT_EQ(m.count, static_cast<int>(expected.size()));
  EXPECT_LE(norm(m.normal - normal), kClosedForm);
  for (const Expected& e : expected) {
    Real nearest = 1e300;
    for (const ManifoldPoint& p : test::points(m))
      nearest = std::min(nearest, norm(p.point - e.point) + std::abs(p.gap - e.gap));
    EXPECT_LE(nearest, kClosedForm) << "no point at " << e.point.x << " " << e.point.y << " " << e.point.z
                                    << " with gap " << e.gap;
  }
}

/// Something whose top is the plane z = 0.
class OnFloor : public testing::TestWithParam<int> {
 protected:
  Thing floor() const {
    if (GetParam() == 0) return {Shape::plane({0, 0, 1}, 0), {}};
    if (GetParam() == 1) return {Shape::box({20, 20, 2}), {{0, 0, -1}, {}}};
    return {Shape::hull(corners({10, 10, 1})), {{0, 0, -1}, {}}};
  }
  /// The same in both orders.
  void expect(const Thing& thing, const std::vector<Expected>& expected, Real margin = 0.02) const {
    expect_contacts(test::contacts(floor(), thing, margin), {0, 0, 1}, expected);
    expect_contacts(test::contacts(thing, floor(), margin), {0, 0, -1}, expected);
  }
};

TEST_P(OnFloor, CoinLyingFlatTouchesInFourPointsOfItsRim) {
  for (const Real gap : {0.01, 0.0, -0.01}) {
    const Thing coin{Shape::cylinder(0.5, 0.1), {{1, 2, 0.05 + gap}, test::turn({0, 0, 1}, 17)}};
    std::vector<Expected> rim;
    for (int k = 0; k < 4; ++k) {
      const Real angle = (17 + 90 * k) * kDegree;
      rim.push_back({{1 + 0.5 * std::cos(angle), 2 + 0.5 * std::sin(angle), gap / 2}, gap});
    }
    expect(coin, rim);
  }
}

TEST_P(OnFloor, CoinLeaningTouchesInItsLowestPoint) {
  // Turned about x by θ the axis is (0, −sin θ, cos θ), and the way down the lower face (0, −cos θ, −sin θ).
  for (const Real degrees : {1.0, 30.0, 60.0, 89.0}) {
    const Real c = std::cos(degrees * kDegree), s = std::sin(degrees * kDegree), r = 0.5, h = 0.05;
    for (const Real gap : {0.001, 0.0, -0.001}) {
      const Thing coin{Shape::cylinder(r, 2 * h), {{1, 2, h * c + r * s + gap}, test::turn({1, 0, 0}, degrees)}};
      expect(coin, {{{1, 2 + h * s - r * c, gap / 2}, gap}}, gap + 2e-4);
    }
  }
}

TEST_P(OnFloor, CoinOnItsEdgeTouchesInBothEndsOfTheLine) {
  const Thing coin{Shape::cylinder(0.5, 0.1), {{1, 2, 0.5}, test::turn({1, 0, 0}, 90)}};
  expect(coin, {{{1, 1.95, 0}, 0}, {{1, 2.05, 0}, 0}});
}

TEST_P(OnFloor, CylinderOnItsSideTouchesInBothEndsOfTheLine) {
  for (const Real gap : {0.01, 0.0, -0.01}) {
    // Rolled by 25°, lying along the direction 30° from x.
    const Quat lying = test::turn({0, 0, 1}, 30) * test::turn({0, 1, 0}, 90) * test::turn({0, 0, 1}, 25);
    const Thing cylinder{Shape::cylinder(0.3, 2), {{0, 0, 0.3 + gap}, lying}};
    const Real x = std::cos(30 * kDegree), y = std::sin(30 * kDegree);
    expect(cylinder, {{{x, y, gap / 2}, gap}, {{-x, -y, gap / 2}, gap}});
  }
}

TEST_P(OnFloor, ConeOnItsBaseTouchesInFourPointsOfItsRim) {
  const Thing cone{Shape::cone(0.5, 1.2), {{1, 2, 0.6}, test::turn({0, 0, 1}, -40)}};
  std::vector<Expected> rim;
  for (int k = 0; k < 4; ++k) {
    const Real angle = (-40 + 90 * k) * kDegree;
    rim.push_back({{1 + 0.5 * std::cos(angle), 2 + 0.5 * std::sin(angle), 0}, 0});
  }
  expect(cone, rim);
}

TEST_P(OnFloor, ConeOnItsSideTouchesInApexAndRim) {
  // Half the angle is α, tan α = r/H. On its side the axis points down to the apex by α; the line has length √(r² +
  // H²).
  for (const auto& [r, height] : {std::pair{0.5, 1.2}, std::pair{1.0, 0.5}}) {
    const Real slope = std::sqrt(r * r + height * height), sine = r / slope, cosine = height / slope;
    const Real degrees = 90 + std::atan2(r, height) / kDegree;
    for (const Real gap : {0.01, 0.0, -0.01}) {
      const Thing cone{Shape::cone(r, height), {{1, 2, height / 2 * sine + gap}, test::turn({0, 1, 0}, degrees)}};
      const Real apex = 1 + height / 2 * cosine;
      expect(cone, {{{apex, 2, gap / 2}, gap}, {{apex - slope, 2, gap / 2}, gap}});
    }
  }
}

TEST_P(OnFloor, ConeOnItsApexTouchesInIt) {
  const Thing cone{Shape::cone(0.5, 1), {{1, 2, 0.5}, test::turn({1, 0, 0}, 180)}};
  expect(cone, {{{1, 2, 0}, 0}});
}

TEST_P(OnFloor, EllipsoidAtRestTouchesUnderItsCentre) {
  for (const Real gap : {0.01, 0.0, -0.01}) {
    const Thing ellipsoid{Shape::ellipsoid({0.7, 0.5, 0.3}), {{1, 2, 0.3 + gap}, test::turn({0, 0, 1}, 33)}};
    expect(ellipsoid, {{{1, 2, gap / 2}, gap}});
  }
}

TEST_P(OnFloor, EllipsoidTiltedTouchesBesideItsCentre) {
  // Turned about y by θ: the centre stands √(a² sin² θ + c² cos² θ) high, and the lowest point lies
  // (a² − c²) sin θ cos θ over that height to the side.
  const Real a = 0.7, c = 0.3;
  for (const Real degrees : {0.1, 10.0, 45.0, 80.0}) {
    const Real sine = std::sin(degrees * kDegree), cosine = std::cos(degrees * kDegree);
    const Real height = std::sqrt(a * a * sine * sine + c * c * cosine * cosine);
    for (const Real gap : {0.01, 0.0, -0.01}) {
      const Thing ellipsoid{Shape::ellipsoid({a, 0.5, c}), {{1, 2, height + gap}, test::turn({0, 1, 0}, degrees)}};
      expect(ellipsoid, {{{1 + (a * a - c * c) * sine * cosine / height, 2, gap / 2}, gap}});
    }
  }
}

TEST_P(OnFloor, CubeOnItsEdgeTouchesInTheEndsOfTheEdgeAndOnItsCornerInIt) {
  for (const ShapePtr& cube : {Shape::box({1, 1, 1}), Shape::hull(corners({0.5, 0.5, 0.5}))}) {
    const Thing on_edge{cube, {{0, 0, std::sqrt(0.5)}, test::turn({1, 0, 0}, 45)}};
    expect(on_edge, {{{-0.5, 0, 0}, 0}, {{0.5, 0, 0}, 0}});
    const Quat tip = test::turn({0, 1, 0}, std::atan(std::sqrt(0.5)) / kDegree) * test::turn({1, 0, 0}, 45);
    const Thing on_corner{cube, {{1, 2, std::sqrt(0.75)}, tip}};
    expect(on_corner, {{{1, 2, 0}, 0}});
  }
}

TEST_P(OnFloor, HullLyingOnAManySidedFaceKeepsPointsAllRoundIt) {
  // A prism with forty sides: no more points than a manifold holds, and still a support that is nearly a disc.
  std::vector<Vec3> points;
  for (int k = 0; k < 40; ++k) {
    const Vec3 rim{std::cos(9 * k * kDegree), std::sin(9 * k * kDegree), 0};
    points.push_back(rim + Vec3{0, 0, 0.1});
    points.push_back(rim - Vec3{0, 0, 0.1});
  }
  const Manifold m = test::contacts(floor(), {Shape::hull(points), {{0, 0, 0.1}, {}}}, 0.02);
  EXPECT_GE(m.count, 8);
  EXPECT_LE(m.count, Manifold::kMaxPoints);
  for (int k = 0; k < 36; ++k) {
    Real farthest = -1;
    for (const ManifoldPoint& p : test::points(m))
      farthest = std::max(farthest, dot(p.point, Vec3{std::cos(10 * k * kDegree), std::sin(10 * k * kDegree), 0}));
    EXPECT_GE(farthest, 0.9) << 10 * k << "°";  // eight points reach at least cos(22.5° + 4.5°)
  }
}

std::string floor_name(const testing::TestParamInfo<int>& info) {
  constexpr const char* kNames[] = {"Plane", "Box", "Hull"};
  return kNames[info.param];
}

INSTANTIATE_TEST_SUITE_P(Floors, OnFloor, testing::Values(0, 1, 2), floor_name);

/// A block whose edge is the line x = z = 0, with the block behind and below; as a box and as a hull.
std::vector<Thing> blocks(Real half_width) {
  const Pose pose{{-1, 0, -1}, {}};
  return {{Shape::box({2, 2 * half_width, 2}), pose}, {Shape::hull(corners({1, half_width, 1})), pose}};
}

TEST(OverAnEdge, CylinderRollsOnALineThatTheBlockCutsOff) {
  for (const Real half_width : {5.0, 0.4}) {
    for (const Thing& block : blocks(half_width)) {
      for (const Real degrees : {10.0, 45.0, 80.0}) {
        for (const Real gap : {0.01, -0.01}) {
          const Vec3 n{std::sin(degrees * kDegree), 0, std::cos(degrees * kDegree)};
          const Thing cylinder{Shape::cylinder(0.5, 2), {(0.5 + gap) * n, test::turn({1, 0, 0}, 90)}};
          const Real end = std::min(1.0, half_width);
          const std::vector<Expected> line = {{Vec3{0, -end, 0} + 0.5 * gap * n, gap},
                                              {Vec3{0, end, 0} + 0.5 * gap * n, gap}};
          expect_contacts(test::contacts(block, cylinder, 0.02), n, line);
          expect_contacts(test::contacts(cylinder, block, 0.02), -n, line);
        }
      }
    }
  }
}

TEST(OverAnEdge, CornerOfACubeMeetsTheEdgeAlongTheLeastDistance) {
  const Quat tip = test::turn({0, 1, 0}, std::atan(std::sqrt(0.5)) / kDegree) * test::turn({1, 0, 0}, 45);
  const ShapePtr box = Shape::box({1, 1, 1}), hull = Shape::hull(corners({0.5, 0.5, 0.5}));
  for (const Thing& block : blocks(5)) {
    // The corner is 0.014 beside and 0.048 above the edge. (Of two boxes the top face answers here, as the side that
    // the cube may come to lie on.)
    const Thing above{hull, {{0.014, 0.1, 0.048 + std::sqrt(0.75)}, tip}};
    expect_contacts(test::contacts(block, above, 0.051), {0.28, 0, 0.96}, {{{0.007, 0.1, 0.024}, 0.05}});
    // Exactly above the edge: straight up.
    for (const ShapePtr& cube : {box, hull}) {
      const Thing over{cube, {{0, 0.1, 0.04 + std::sqrt(0.75)}, tip}};
      expect_contacts(test::contacts(block, over, 0.041), {0, 0, 1}, {{{0, 0.1, 0.02}, 0.04}});
    }
  }
}

TEST(CubeOnCube, TurnedTouchesInAnOctagon) {
  // Turned by θ, the sides cross x = 1/2 at y = tan(θ/2)/2 and y = −tan(45° − θ/2)/2, and so on by quarter turns.
  const ShapePtr box = Shape::box({1, 1, 1}), hull = Shape::hull(corners({0.5, 0.5, 0.5}));
  for (const auto& [below, above] :
       {std::pair{box, box}, std::pair{box, hull}, std::pair{hull, box}, std::pair{hull, hull}}) {
    for (const Real degrees : {0.1, 10.0, 44.9, 45.0}) {
      for (const Real gap : {0.01, 0.0, -0.01}) {
        std::vector<Expected> octagon;
        for (const Real y : {std::tan(degrees / 2 * kDegree) / 2, -std::tan((45 - degrees / 2) * kDegree) / 2}) {
          for (const auto& [px, py] : {std::pair{0.5, y}, std::pair{-y, 0.5}, std::pair{-0.5, -y}, std::pair{y, -0.5}})
            octagon.push_back({{px, py, 0.5 + gap / 2}, gap});
        }
        const Thing lower{below, {}}, upper{above, {{0, 0, 1 + gap}, test::turn({0, 0, 1}, degrees)}};
        expect_contacts(test::contacts(lower, upper, 0.02), {0, 0, 1}, octagon);
        expect_contacts(test::contacts(upper, lower, 0.02), {0, 0, -1}, octagon);
      }
    }
  }
}

TEST(CubeOnCube, HullsLieOnEachOtherAsBoxesDo) {
  const ShapePtr hull = Shape::hull(corners({0.5, 0.5, 0.5}));
  const Manifold m = test::contacts({hull, {}}, {hull, {{0.25, 0, 1}, {}}}, 0.02);
  expect_contacts(m, {0, 0, 1},
                  {{{-0.25, -0.5, 0.5}, 0}, {{-0.25, 0.5, 0.5}, 0}, {{0.5, -0.5, 0.5}, 0}, {{0.5, 0.5, 0.5}, 0}});
}

TEST(CylinderOnCylinder, StandingOnEachOtherTouchInTheSmallerRim) {
  const Thing below{Shape::cylinder(1, 1), {}}, above{Shape::cylinder(0.5, 1), {{0.2, 0.1, 1}, {}}};
  expect_contacts(test::contacts(below, above, 0.02), {0, 0, 1},
                  {{{0.7, 0.1, 0.5}, 0}, {{0.2, 0.6, 0.5}, 0}, {{-0.3, 0.1, 0.5}, 0}, {{0.2, -0.4, 0.5}, 0}});
}

TEST(CylinderOnCylinder, OverhangingTouchWhereTheRimsCross) {
  // Equal circles 1 apart cross at half way, √(1 − 1/4) to either side; of each rim one point lies inside the other.
  const Thing below{Shape::cylinder(1, 1), {}}, above{Shape::cylinder(1, 1), {{1, 0, 1}, {}}};
  const Real y = std::sqrt(0.75);
  expect_contacts(test::contacts(below, above, 0.02), {0, 0, 1},
                  {{{0.5, y, 0.5}, 0}, {{0.5, -y, 0.5}, 0}, {{1, 0, 0.5}, 0}, {{0, 0, 0.5}, 0}});
}

TEST(CylinderOnCylinder, SideBySideTouchInTheEndsOfTheirOverlap) {
  const Quat lying = test::turn({0, 1, 0}, 90);
  const Thing a{Shape::cylinder(0.5, 2), {{}, lying}}, b{Shape::cylinder(0.25, 2), {{0.5, 0, 0.76}, lying}};
  expect_contacts(test::contacts(a, b, 0.02), {0, 0, 1}, {{{-0.5, 0, 0.505}, 0.01}, {{1, 0, 0.505}, 0.01}});
}

TEST(CylinderOnCylinder, CrossedTouchInOnePoint) {
  const Thing a{Shape::cylinder(0.5, 2), {{}, test::turn({0, 1, 0}, 90)}};
  const Thing b{Shape::cylinder(0.25, 2), {{0.3, 0, 0.74}, test::turn({1, 0, 0}, 90)}};
  expect_contacts(test::contacts(a, b, 0.02), {0, 0, 1}, {{{0.3, 0, 0.495}, -0.01}});
}

TEST(CylinderOnBox, OverhangingTouchesWhereTheEdgeCrossesTheRim) {
  for (const Thing& block : blocks(5)) {
    // Centre 0.3 inside the edge: the edge cuts the rim at y = ±0.4. The point of the rim beyond the edge is cut off.
    const Thing cylinder{Shape::cylinder(0.5, 1), {{-0.3, 0, 0.5}, {}}};
    expect_contacts(
        test::contacts(block, cylinder, 0.02), {0, 0, 1},
        {{{0, 0.4, 0}, 0}, {{0, -0.4, 0}, 0}, {{-0.3, 0.5, 0}, 0}, {{-0.3, -0.5, 0}, 0}, {{-0.8, 0, 0}, 0}});
  }
}

TEST(SphereWith, SmoothShapesTouchesAtTheirNearestPoint) {
  const auto sphere = [](const Vec3& at) { return Thing{Shape::sphere(0.5), {at, {}}}; };
  const Thing cylinder{Shape::cylinder(1, 2), {}};
  expect_contacts(test::contacts(cylinder, sphere({1.6, 0, 0.3}), 0.2), {1, 0, 0}, {{{1.05, 0, 0.3}, 0.1}});
  expect_contacts(test::contacts(cylinder, sphere({0.3, 0.2, 1.4}), 0.2), {0, 0, 1}, {{{0.3, 0.2, 0.95}, -0.1}});
  expect_contacts(test::contacts(cylinder, sphere({1.3, 0, 1.4}), 0.2), {0.6, 0, 0.8}, {{{1, 0, 1}, 0}});
  expect_contacts(test::contacts(cylinder, sphere({0.9, 0, 0}), 0.2), {1, 0, 0}, {{{0.7, 0, 0}, -0.6}});
  // A cone of slope 3:4: its side has the normal (0.8, 0.6).
  const Thing cone{Shape::cone(1.5, 2), {}};
  expect_contacts(test::contacts(cone, sphere(Vec3{0.75, 0, 0} + 0.6 * Vec3{0.8, 0, 0.6}), 0.2), {0.8, 0, 0.6},
                  {{Vec3{0.75, 0, 0} + 0.05 * Vec3{0.8, 0, 0.6}, 0.1}});
  expect_contacts(test::contacts(cone, sphere({0, 0, 1.6}), 0.2), {0, 0, 1}, {{{0, 0, 1.05}, 0.1}});
  expect_contacts(test::contacts(cone, sphere({0.2, 0, -1.6}), 0.2), {0, 0, -1}, {{{0.2, 0, -1.05}, 0.1}});
  const Thing ellipsoid{Shape::ellipsoid({3, 2, 1}), {}};
  expect_contacts(test::contacts(ellipsoid, sphere({0, 0, 1.6}), 0.2), {0, 0, 1}, {{{0, 0, 1.05}, 0.1}});
  expect_contacts(test::contacts(ellipsoid, sphere({0, 2.6, 0}), 0.2), {0, 1, 0}, {{{0, 2.05, 0}, 0.1}});
  // Over the surface point (3 · 0.6, 0, 0.8), whose normal goes as (0.6/3, 0, 0.8).
  const Vec3 n = normalized(Vec3{0.2, 0, 0.8}), on{1.8, 0, 0.8};
  expect_contacts(test::contacts(ellipsoid, sphere(on + 0.6 * n), 0.2), n, {{on + 0.05 * n, 0.1}});
  // Inside, in the plane of symmetry: out the short way, z. The point lies 9/8 as far along x.
  EXPECT_NEAR(test::least_gap(test::contacts(ellipsoid, sphere({0, 0, 0}), 0.2)), -1.5, kClosedForm);
  const Real q = 9.0 / 8 * 0.8, z = std::sqrt(1 - q * q / 9);
  EXPECT_NEAR(test::least_gap(test::contacts(ellipsoid, sphere({0.8, 0, 0}), 0.2)), -0.5 - std::hypot(q - 0.8, z),
              kClosedForm);
}

}  // namespace
}  // namespace carom
