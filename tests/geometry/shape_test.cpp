// Shapes: mass properties against an integration that knows nothing of the closed forms, and what is refused.
#include "carom/geometry/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "carom/base/error.h"
#include "math/symmetric.h"

namespace carom {
namespace {

constexpr Real kPi = std::numbers::pi;
constexpr Real kRelative = 1e-13;  // a few dozen roundings

/// Gauss–Legendre with five points: exact for polynomials up to degree 9.
Real integral(Real from, Real to, const std::function<Real(Real)>& f) {
  const Real inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3, outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3;
  const Real w_inner = (322 + 13 * std::sqrt(70.0)) / 900, w_outer = (322 - 13 * std::sqrt(70.0)) / 900;
  const Real middle = 0.5 * (from + to), half = 0.5 * (to - from);
  return half * (128.0 / 225 * f(middle) + w_inner * (f(middle - half * inner) + f(middle + half * inner)) +
                 w_outer * (f(middle - half * outer) + f(middle + half * outer)));
}

/// A solid of revolution about z, from its radius squared at each height, piece by piece: slices are discs. With r²
/// quadratic in z every integrand has degree at most 4, so the quadrature is exact.
MassProperties revolved(Real density, std::initializer_list<std::array<Real, 2>> pieces,
                        const std::function<Real(Real)>& radius2) {
  Real mass = 0, axial = 0, across = 0;
  for (const auto& [from, to] : pieces) {
    const auto area = [&](Real z) { return kPi * radius2(z); };
    mass += density * integral(from, to, area);
    axial += density * integral(from, to, [&](Real z) { return 0.5 * area(z) * radius2(z); });
    across += density * integral(from, to, [&](Real z) { return area(z) * (0.25 * radius2(z) + z * z); });
  }
  return {mass, {}, Mat3::diagonal({across, across, axial})};
}

void expect_same(const MassProperties& got, const MassProperties& expected) {
  EXPECT_NEAR(got.mass, expected.mass, kRelative * expected.mass);
  EXPECT_LE(norm(got.center - expected.center), 1e-15);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(got.inertia(i, j), expected.inertia(i, j), kRelative * expected.inertia.trace()) << i << j;
  }
}

TEST(MassProperties, SphereIsTheSumOfItsSlices) {
  for (const Real r : {0.01, 0.5, 3.0}) {
    const auto slices = revolved(700, {{-r, r}}, [r](Real z) { return r * r - z * z; });
    expect_same(Shape::sphere(r)->mass_properties(700), slices);
  }
}

TEST(MassProperties, CapsuleIsTheSumOfItsSlices) {
  for (const Real r : {0.1, 1.0}) {
    for (const Real length : {0.0, 0.3, 5.0}) {
      const Real l = 0.5 * length;
      const auto slices = revolved(1000, {{-l - r, -l}, {-l, l}, {l, l + r}}, [=](Real z) {
        const Real beyond = std::max(std::abs(z) - l, 0.0);
        return r * r - beyond * beyond;
      });
      expect_same(Shape::capsule(r, length)->mass_properties(1000), slices);
    }
  }
}

TEST(MassProperties, BoxIsTheSumOfItsSlices) {
  const Vec3 size{0.2, 1, 3};
  const auto second_moment = [&](int axis) {  // ∫ x² over the box
    const Real h = 0.5 * size[axis];
    return 250 * size.x * size.y * size.z / size[axis] * integral(-h, h, [](Real x) { return x * x; });
  };
  const Real xx = second_moment(0), yy = second_moment(1), zz = second_moment(2);
  expect_same(Shape::box(size)->mass_properties(250), {250 * 0.6, {}, Mat3::diagonal({yy + zz, zz + xx, xx + yy})});
}

TEST(MassProperties, CapsuleWithoutLengthIsASphere) {
  expect_same(Shape::capsule(0.4, 0)->mass_properties(10), Shape::sphere(0.4)->mass_properties(10));
}

TEST(MassProperties, UnitCubeHasASixth) {
  const MassProperties cube = Shape::box({1, 1, 1})->mass_properties(1);
  EXPECT_DOUBLE_EQ(cube.mass, 1);
  EXPECT_DOUBLE_EQ(cube.inertia(0, 0), 1.0 / 6);
}

TEST(MassProperties, AreProportionalToTheDensity) {
  const auto light = Shape::capsule(0.3, 1)->mass_properties(1), heavy = Shape::capsule(0.3, 1)->mass_properties(1024);
  EXPECT_EQ(heavy.mass, 1024 * light.mass);  // a power of two: exact
  EXPECT_EQ(heavy.inertia, 1024.0 * light.inertia);
}

TEST(MassProperties, MeetTheTriangleInequalityOfSolids) {
  for (const auto& shape : {Shape::sphere(1), Shape::box({1e-3, 1, 1}), Shape::capsule(0.01, 2)}) {
    const Vec3 m = principal_moments(shape->mass_properties(1).inertia);
    EXPECT_GT(m.x, 0);
    EXPECT_GE(m.x + m.y, m.z);
  }
}

TEST(MassProperties, NeedABoundedShapeAndAPositiveDensity) {
  EXPECT_THROW(Shape::plane({0, 0, 1}, 0)->mass_properties(1), Error);
  for (const Real density : {0.0, -1.0, std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()})
    EXPECT_THROW(Shape::sphere(1)->mass_properties(density), Error) << density;
}

TEST(Shape, RefusesSizesThatAreNotPositiveAndFinite) {
  const Real bad[] = {0, -1, std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()};
  for (const Real x : bad) {
    EXPECT_THROW(Shape::sphere(x), Error) << x;
    EXPECT_THROW(Shape::box({x, 1, 1}), Error) << x;
    EXPECT_THROW(Shape::box({1, x, 1}), Error) << x;
    EXPECT_THROW(Shape::box({1, 1, x}), Error) << x;
    EXPECT_THROW(Shape::capsule(x, 1), Error) << x;
    if (x != 0) {
      EXPECT_THROW(Shape::capsule(1, x), Error) << x;
      EXPECT_NO_THROW(Shape::capsule(1, 0));
    }
  }
  EXPECT_THROW(Shape::plane({}, 0), Error);
  EXPECT_THROW(Shape::plane({0, 0, bad[3]}, 0), Error);
  EXPECT_THROW(Shape::plane({0, 0, 1}, bad[2]), Error);
}

TEST(Shape, PlaneNormalIsNormalised) {
  const auto plane = Shape::plane({0, 3, 4}, 2);
  const auto& geometry = std::get<Plane>(plane->geometry());
  EXPECT_LE(norm(geometry.normal - Vec3{0, 0.6, 0.8}), 2e-16);
  EXPECT_EQ(geometry.offset, 2);
}

TEST(Shape, ACompoundHasNoMorePartsThanCanBeNumbered) {
  std::vector<CompoundPart> parts(Shape::kMostParts, CompoundPart{Shape::sphere(1), {}, {}});
  EXPECT_NO_THROW(Shape::compound(parts));
  parts.push_back(parts.front());
  EXPECT_THROW(Shape::compound(parts), Error);
}

TEST(Shape, SmallestSizeIsTheLeastWidth) {
  EXPECT_EQ(Shape::sphere(0.5)->smallest_size(), 1);
  EXPECT_EQ(Shape::box({3, 0.25, 2})->smallest_size(), 0.25);
  EXPECT_EQ(Shape::capsule(0.5, 7)->smallest_size(), 1);
  EXPECT_EQ(Shape::plane({0, 0, 1}, 0)->smallest_size(), 0);
  EXPECT_TRUE(Shape::sphere(1)->is_bounded());
  EXPECT_FALSE(Shape::plane({0, 0, 1}, 0)->is_bounded());
}

}  // namespace
}  // namespace carom
