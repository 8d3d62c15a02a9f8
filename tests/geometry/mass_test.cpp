// Mass properties of the further shapes: closed forms against slices and against hulls of the same shape, hulls against
// each other, compounds against the bodies they are made of.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "carom/geometry/shape.h"
#include "geometry/point_sets.h"
#include "math/symmetric.h"

namespace carom {
namespace {

using test::Random;
constexpr Real kPi = std::numbers::pi;

Mat3 turned(const Mat3& inertia, const Quat& q) {
  const Mat3 r = to_matrix(q);
  return r * inertia * transposed(r);
}

Real difference(const Mat3& a, const Mat3& b) {
  Real most = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(a(i, j) - b(i, j)));
  return most;
}

void expect_same(const MassProperties& got, const MassProperties& expected, Real relative) {
  const Real size = std::sqrt(expected.inertia.trace() / expected.mass);
  EXPECT_NEAR(got.mass, expected.mass, relative * expected.mass);
  EXPECT_LE(norm(got.center - expected.center), relative * size);
  EXPECT_LE(difference(got.inertia, expected.inertia), relative * expected.inertia.trace());
}

TEST(MassProperties, CylinderHasItsClosedForm) {
  const MassProperties m = Shape::cylinder(0.5, 3)->mass_properties(8);
  const Real mass = 8 * kPi * 0.25 * 3, across = mass * (3 * 0.25 + 9) / 12;
  expect_same(m, {mass, {}, Mat3::diagonal({across, across, mass * 0.125})}, 1e-14);
}

TEST(MassProperties, ConeIsItsSlicesSummed) {
  // Discs of radius r(h−z)/h over z from 0 to h, integrated by hand about the base's centre, moved to h/4.
  const Real r = 0.7, h = 1.9, mass = 5 * kPi * r * r * h / 3;
  const Real about_base = mass * (3 * r * r / 20 + h * h / 10), across = about_base - mass * h * h / 16;
  expect_same(Shape::cone(r, h)->mass_properties(5),
              {mass, {0, 0, h / 4 - h / 2}, Mat3::diagonal({across, across, 0.3 * mass * r * r})}, 1e-14);
}

TEST(MassProperties, EllipsoidIsAStretchedBall) {
  const Vec3 r{0.5, 1, 2};
  const Real mass = 3 * 4.0 / 3 * kPi;  // 0.5 · 1 · 2 = 1
  expect_same(Shape::ellipsoid(r)->mass_properties(3), {mass, {}, Mat3::diagonal(mass / 5 * Vec3{5, 4.25, 1.25})},
              1e-14);
  expect_same(Shape::ellipsoid({2, 2, 2})->mass_properties(3), Shape::sphere(2)->mass_properties(3), 1e-14);
}

TEST(MassProperties, HullOfABoxIsTheBoxWhereverItLies) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Real size = random.scale(1e-3, 1e3);
    const Vec3 half = size * Vec3{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    const Pose pose{size * random.vector(3), random.rotation()};
    const MassProperties box = Shape::box(2 * half)->mass_properties(7);
    const MassProperties hull = Shape::hull(test::moved(test::box_corners(half), pose))->mass_properties(7);
    expect_same(hull, {box.mass, pose.position, turned(box.inertia, pose.orientation)}, 1e-12);
  }
}

TEST(MassProperties, HullFarAwayLosesOnlyTheDigitsOfItsCoordinates) {
  // 10 km away the corners of a unit box are rounded by 1e-12.
  const Vec3 place{1e4, -1e4, 5e3};
  const MassProperties hull =
      Shape::hull(test::moved(test::box_corners({0.5, 0.5, 0.5}), {place, {}}))->mass_properties(6);
  expect_same(hull, {6, place, Mat3::identity()}, 2e-11);
}

TEST(MassProperties, HullOfATetrahedronHasItsClosedForm) {
  const Real a = 2;  // the corner of a cube of edge a
  const MassProperties m =
      Shape::hull(std::vector<Vec3>{{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, a}})->mass_properties(6);
  const Real mass = a * a * a, second = mass * a * a / 10, product = mass * a * a / 20, shift = a / 4;
  // About the centre of mass: ∫x² − m(a/4)², ∫xy − m(a/4)².
  const Real xx = second - mass * shift * shift, xy = product - mass * shift * shift;
  expect_same(m, {mass, {shift, shift, shift}, Mat3{{{2 * xx, -xy, -xy}, {-xy, 2 * xx, -xy}, {-xy, -xy, 2 * xx}}}},
              1e-14);
}

/// The error of inscribed polyhedra with n and 4n corners around falls by 4² = 16 for prisms and cones, whose sections
/// are polygons: the area lacks (2π/n)²/6.
template <class Make>
void expect_second_order(const ShapePtr& round, Make&& polyhedron, Real last) {
  const MassProperties exact = round->mass_properties(1);
  const auto error = [&](int n) {
    const MassProperties m = Shape::hull(polyhedron(n))->mass_properties(1);
    return std::max({std::abs(m.mass / exact.mass - 1), difference(m.inertia, exact.inertia) / exact.inertia.trace(),
                     norm(m.center - exact.center)});
  };
  const Real coarse = error(32), fine = error(128);
  EXPECT_NEAR(coarse / fine, 16, 0.5);
  EXPECT_LT(error(512), last);
}

TEST(MassProperties, FinePrismsConvergeToTheCylinder) {
  expect_second_order(
      Shape::cylinder(0.8, 1.4), [](int n) { return test::joined(test::ring(n, 0.8, -0.7), test::ring(n, 0.8, 0.7)); },
      6e-5);
}

TEST(MassProperties, FinePyramidsConvergeToTheCone) {
  expect_second_order(
      Shape::cone(0.8, 1.4), [](int n) { return test::joined(test::ring(n, 0.8, -0.7), {{0, 0, 0.7}}); }, 6e-5);
}

TEST(MassProperties, FinePolyhedraConvergeToEllipsoidAndSphere) {
  // With n corners on the sphere a face is about 4π/2n large and the volume lacks a share of 1/n: four times the
  // corners, a quarter of the error. The spiral is even only on the whole.
  const Vec3 radii{0.5, 1, 1.5};
  const MassProperties exact = Shape::ellipsoid(radii)->mass_properties(1);
  const auto error = [&](int n) {
    std::vector<Vec3> points = test::spiral_sphere(n);
    for (Vec3& p : points) p = {radii.x * p.x, radii.y * p.y, radii.z * p.z};
    const MassProperties m = Shape::hull(points)->mass_properties(1);
    return std::max(std::abs(m.mass / exact.mass - 1), difference(m.inertia, exact.inertia) / exact.inertia.trace());
  };
  EXPECT_NEAR(error(500) / error(2000), 4, 0.4);
  EXPECT_LT(error(8000), 1e-3);
}

TEST(MassProperties, CapsuleIsACylinderWithAnEllipsoidsHalvesOnIt) {
  // As a hull, rings that follow the profile.
  std::vector<Vec3> points;
  for (int i = 0; i <= 40; ++i) {
    const Real polar = kPi / 2 * i / 40;
    for (const Real sign : {1.0, -1.0})
      points =
          test::joined(points, i < 40 ? test::ring(160, 0.5 * std::cos(polar), sign * (0.3 + 0.5 * std::sin(polar)))
                                      : std::vector<Vec3>{{0, 0, sign * 0.8}});
  }
  const MassProperties exact = Shape::capsule(0.5, 0.6)->mass_properties(1);
  const MassProperties hull = Shape::hull(points)->mass_properties(1);
  EXPECT_NEAR(hull.mass / exact.mass, 1, 1e-3);
  EXPECT_LE(difference(hull.inertia, exact.inertia), 1e-3 * exact.inertia.trace());
}

TEST(MassProperties, CompoundOfHalvesIsTheWhole) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const Pose left{{-0.5, 0, 0}, {}}, right{{0.5, 0, 0}, test::turn({1, 0, 0}, 90)};
    const MassProperties whole = Shape::box({2, 1, 1})->mass_properties(9);
    const Pose pose = random.pose(2);
    const ShapePtr cube = Shape::box({1, 1, 1});
    const ShapePtr halves =
        Shape::compound({{cube, test::compose(pose, left), {}}, {cube, test::compose(pose, right), 9.0}});
    expect_same(halves->mass_properties(9), {whole.mass, pose.position, turned(whole.inertia, pose.orientation)},
                1e-13);
  }
}

TEST(MassProperties, PartsKeepTheirOwnDensity) {
  const ShapePtr ball = Shape::sphere(1);
  const ShapePtr dumbbell = Shape::compound({{ball, {{3, 0, 0}, {}}, 100.0}, {ball, {{-1, 0, 0}, {}}, {}}});
  const MassProperties m = dumbbell->mass_properties(300), one = ball->mass_properties(100);
  EXPECT_NEAR(m.mass, 4 * one.mass, 1e-12 * m.mass);
  EXPECT_LE(norm(m.center), 1e-14);  // 1 · 3 = 3 · 1
  EXPECT_NEAR(m.inertia(0, 0), 4 * one.inertia(0, 0), 1e-12 * m.inertia(0, 0));
  EXPECT_NEAR(m.inertia(1, 1), 4 * one.inertia(0, 0) + one.mass * (9 + 3), 1e-12 * m.inertia(1, 1));
}

TEST(MassProperties, OverlapsCountTwice) {
  const ShapePtr ball = Shape::sphere(1);
  const ShapePtr twice = Shape::compound({{ball, {}, {}}, {ball, {}, {}}});
  EXPECT_DOUBLE_EQ(twice->mass_properties(1).mass, 2 * ball->mass_properties(1).mass);
}

TEST(MassProperties, OfRandomHullsMeetTheTriangleInequality) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<Vec3> points;
    for (int k = random.integer(4, 20); k > 0; --k) points.push_back(random.vector(1));
    const MassProperties m = Shape::hull(points)->mass_properties(1);
    const Vec3 moments = principal_moments(m.inertia);
    EXPECT_GT(m.mass, 0);
    EXPECT_GT(moments.x, 0);
    EXPECT_GE(moments.x + moments.y, moments.z * (1 - 1e-12));
  }
}

}  // namespace
}  // namespace carom
