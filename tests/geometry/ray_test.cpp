// Rays against every shape: against the support function of the solid, and against sampling along the ray.
#include "geometry/ray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "geometry/distance.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

std::vector<std::pair<const char*, ShapePtr>> shapes() {
  const Vec3 corners[] = {{1, 0, 0}, {-1, 0.2, 0}, {0, 1, 0.1}, {0, -1, 0}, {0.1, 0, 1}, {0, 0.1, -1}, {0.7, 0.7, 0.2}};
  return {{"sphere", Shape::sphere(0.7)},
          {"box", Shape::box({1, 0.5, 2})},
          {"capsule", Shape::capsule(0.4, 1.2)},
          {"cylinder", Shape::cylinder(0.6, 1)},
          {"cone", Shape::cone(0.8, 1.4)},
          {"flat cone", Shape::cone(2, 0.1)},
          {"ellipsoid", Shape::ellipsoid({0.3, 0.8, 1.1})},
          {"hull", Shape::hull(corners)}};
}

/// How far a point lies outside the solid, by another route: the distance of a ball without size.
Real outside(const Shape& shape, const Vec3& point) {
  const Shape::Geometry dot_shape = Sphere{0};
  return signed_distance({&dot_shape, point, Mat3::identity()}, {&shape.geometry(), {}, Mat3::identity()}).distance;
}

TEST(Ray, EntersEveryShapeWhereItsSurfaceIs) {
  Random random(1);
  for (const auto& [name, shape] : shapes()) {
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vec3 origin = 3 * random.unit();
      const Vec3 direction = normalized(random.vector(1) - origin);
      const auto hit = cross_ray(shape->geometry(), origin, direction, kInfinity);
      if (!hit) continue;
      ++hits;
      const Vec3 point = origin + hit->distance * direction;
      ASSERT_NEAR(outside(*shape, point), 0, 1e-9) << name;  // the precision of the distance, not of the ray
      ASSERT_NEAR(norm(hit->normal), 1, 1e-14) << name;
      ASSERT_LE(dot(hit->normal, direction), 1e-12) << name;
      // A step out along the normal is that far outside, to the second order.
      ASSERT_NEAR(outside(*shape, point + 1e-5 * hit->normal), 1e-5, 1e-8) << name;
      ASSERT_FALSE(hit->inside);
    }
    EXPECT_GT(hits, 300) << name;
  }
}

TEST(Ray, MissesAndHitsAsSamplingSays) {
  Random random(2);
  for (const auto& [name, shape] : shapes()) {
    for (int i = 0; i < 300; ++i) {
      const Vec3 origin = random.vector(2), direction = random.unit();
      const auto hit = cross_ray(shape->geometry(), origin, direction, 4);
      Real first = kInfinity, nearest = kInfinity;
      for (int k = 0; k <= 400 && first == kInfinity; ++k) {
        const Real distance = outside(*shape, origin + 0.01 * k * direction);
        nearest = std::min(nearest, distance);
        if (distance <= 0) first = 0.01 * k;
      }
      if (!hit) {
        ASSERT_GT(nearest, -1e-9) << name;
        continue;
      }
      // Samples are a hundredth apart: a chord shorter than that may pass between them.
      if (first < kInfinity) {
        ASSERT_LE(hit->distance, first + 1e-9) << name;
        ASSERT_GE(hit->distance, first - 0.0101) << name;
      } else {
        ASSERT_LT(nearest, 0.01) << name;
      }
      ASSERT_EQ(hit->inside, outside(*shape, origin) < 0) << name;
    }
  }
}

TEST(Ray, StartingInsideHitsAtOnceAgainstTheRay) {
  for (const auto& [name, shape] : shapes()) {
    const Vec3 direction = normalized(Vec3{1, 2, -0.5});
    const auto hit = cross_ray(shape->geometry(), {0.01, 0.02, -0.03}, direction, 10);
    ASSERT_TRUE(hit) << name;
    EXPECT_TRUE(hit->inside) << name;
    EXPECT_EQ(hit->distance, 0) << name;
    EXPECT_EQ(hit->normal, -direction) << name;
  }
}

TEST(Ray, EndsWhereItsLengthSays) {
  const Shape::Geometry ball = Sphere{1};
  EXPECT_FALSE(cross_ray(ball, {0, 0, 5}, {0, 0, -1}, 3.999));
  EXPECT_TRUE(cross_ray(ball, {0, 0, 5}, {0, 0, -1}, 4));
  EXPECT_FALSE(cross_ray(ball, {0, 0, 5}, {0, 0, 1}, kInfinity));
}

TEST(Ray, GrazingRaysTouch) {
  EXPECT_TRUE(cross_ray(Sphere{1}, {1, 0, 5}, {0, 0, -1}, kInfinity));
  EXPECT_FALSE(cross_ray(Sphere{1}, {1 + 1e-12, 0, 5}, {0, 0, -1}, kInfinity));
  EXPECT_TRUE(cross_ray(Box{{1, 1, 1}}, {1, 0, 5}, {0, 0, -1}, kInfinity));
  EXPECT_FALSE(cross_ray(Box{{1, 1, 1}}, {1 + 1e-12, 0, 5}, {0, 0, -1}, kInfinity));
  EXPECT_TRUE(cross_ray(Cylinder{1, 1}, {1, 0, 5}, {0, 0, -1}, kInfinity));
  EXPECT_TRUE(cross_ray(Cylinder{1, 1}, {5, 0, 1}, {-1, 0, 0}, kInfinity));
  EXPECT_TRUE(cross_ray(Capsule{1, 1}, {1, 0, 5}, {0, 0, -1}, kInfinity));
}

TEST(Ray, AlongTheAxisOfRoundShapes) {
  const auto down = [](const Shape::Geometry& geometry) { return cross_ray(geometry, {0, 0, 5}, {0, 0, -1}, 10); };
  const auto up = [](const Shape::Geometry& geometry) { return cross_ray(geometry, {0, 0, -5}, {0, 0, 1}, 10); };
  EXPECT_NEAR(down(Cylinder{1, 0.5})->distance, 4.5, 1e-15);
  EXPECT_NEAR(down(Capsule{1, 0.5})->distance, 3.5, 1e-15);
  EXPECT_NEAR(down(Cone{1, 0.5})->distance, 4.5, 1e-14);  // the apex
  EXPECT_NEAR(up(Cone{1, 0.5})->distance, 4.5, 1e-15);    // the base
  EXPECT_EQ(up(Cone{1, 0.5})->normal, (Vec3{0, 0, -1}));
}

TEST(Ray, ConeAlongItsOwnSurface) {
  // Parallel to a generator: inside it from the base to the side, outside of it never.
  const Cone cone{1, 1};
  const Vec3 generator = normalized(Vec3{-1, 0, 2});
  for (const Real shift : {-0.3, -1e-3, 1e-3}) {
    const Vec3 origin = Vec3{1 + shift, 0, -1} - 3 * generator;
    const auto hit = cross_ray(cone, origin, generator, kInfinity);
    ASSERT_EQ(hit.has_value(), shift < 0) << shift;
    if (hit) {
      EXPECT_NEAR(hit->distance, 3, 1e-12);
    }
  }
  // Under the apex's mirror image there is nothing.
  EXPECT_FALSE(cross_ray(cone, {-5, 0, 3}, {1, 0, 0}, kInfinity));
}

TEST(Ray, PlanesAreSolidBelow) {
  const Shape::Geometry plane = Plane{{0, 0, 1}, 2};
  const auto hit = cross_ray(plane, {0, 0, 5}, normalized(Vec3{1, 0, -1}), kInfinity);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 3 * std::numbers::sqrt2, 1e-14);
  EXPECT_EQ(hit->normal, (Vec3{0, 0, 1}));
  EXPECT_FALSE(cross_ray(plane, {0, 0, 5}, {1, 0, 0}, kInfinity));
  EXPECT_TRUE(cross_ray(plane, {0, 0, 1}, {1, 0, 0}, kInfinity)->inside);
}

TEST(Ray, CompoundsGiveTheirNearestPart) {
  const ShapePtr ball = Shape::sphere(0.5);
  const ShapePtr dumbbell = Shape::compound({{ball, {{-2, 0, 0}, {}}, {}}, {ball, {{2, 0, 0}, {}}, {}}});
  EXPECT_NEAR(cross_ray(dumbbell->geometry(), {5, 0, 0}, {-1, 0, 0}, kInfinity)->distance, 2.5, 1e-15);
  EXPECT_NEAR(cross_ray(dumbbell->geometry(), {-5, 0, 0}, {1, 0, 0}, kInfinity)->distance, 2.5, 1e-15);
  EXPECT_FALSE(cross_ray(dumbbell->geometry(), {0, 5, 0}, {0, -1, 0}, kInfinity));
}

TEST(Ray, FromFarAwayLosesOnlyWhatTheCoordinatesLose) {
  // 10 km away a coordinate has 2e-12 m.
  const auto hit = cross_ray(Sphere{0.001}, {10000, 0, 0.0005}, {-1, 0, 0}, kInfinity);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->distance, 10000 - 0.0005 * std::sqrt(3.0), 4e-12);
}

}  // namespace
}  // namespace carom
