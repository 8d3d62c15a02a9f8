#include "geometry/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "geometry/polyhedron.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;

/// The point of a bounded shape that lies farthest in a direction, from its definition.
Vec3 support(const Shape::Geometry& geometry, const Pose& pose, const Vec3& direction) {
  const Vec3 d = rotate(conjugate(pose.orientation), direction);
  if (const Sphere* sphere = std::get_if<Sphere>(&geometry)) return transform(pose, sphere->radius * normalized(d));
  if (const Capsule* c = std::get_if<Capsule>(&geometry))
    return transform(pose, Vec3{0, 0, std::copysign(c->half_length, d.z)} + c->radius * normalized(d));
  if (const Cylinder* c = std::get_if<Cylinder>(&geometry))
    return transform(pose, c->radius * normalized(Vec3{d.x, d.y, 0}) + Vec3{0, 0, std::copysign(c->half_height, d.z)});
  if (const Cone* c = std::get_if<Cone>(&geometry)) {
    const Vec3 apex{0, 0, c->half_height}, rim = c->radius * normalized(Vec3{d.x, d.y, 0}) - apex;
    return transform(pose, dot(apex, d) > dot(rim, d) ? apex : rim);
  }
  if (const Ellipsoid* e = std::get_if<Ellipsoid>(&geometry)) {
    const Vec3 r = e->radii, u = normalized(Vec3{r.x * d.x, r.y * d.y, r.z * d.z});
    return transform(pose, {r.x * u.x, r.y * u.y, r.z * u.z});
  }
  const auto farthest = [](std::span<const Vec3> points, const Vec3& along) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& a, const Vec3& b) { return dot(a, along) < dot(b, along); });
  };
  if (const Hull* hull = std::get_if<Hull>(&geometry))
    return transform(pose, farthest(hull->polyhedron->vertices(), d));
  if (const Compound* compound = std::get_if<Compound>(&geometry)) {
    std::vector<Vec3> points;
    for (const CompoundPart& part : *compound->parts)
      points.push_back(support(part.shape->geometry(), test::compose(pose, part.pose), direction));
    return farthest(points, direction);
  }
  const Vec3 h = std::get<Box>(geometry).half_size;
  return transform(pose, {std::copysign(h.x, d.x), std::copysign(h.y, d.y), std::copysign(h.z, d.z)});
}

ShapePtr random_shape(Random& random, int kinds = 8) {
  switch (random.integer(0, kinds - 1)) {
    case 0:
      return Shape::sphere(random.uniform(0.1, 2));
    case 1:
      return Shape::box({random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2)});
    case 2:
      return Shape::capsule(random.uniform(0.1, 1), random.uniform(0, 2));
    case 3:
      return Shape::cylinder(random.uniform(0.1, 1), random.uniform(0.1, 2));
    case 4:
      return Shape::cone(random.uniform(0.1, 1), random.uniform(0.1, 2));
    case 5:
      return Shape::ellipsoid({random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2)});
    case 6: {
      std::vector<Vec3> points;
      for (int i = random.integer(4, 100); i > 0; --i) points.push_back(random.vector(1) + Vec3{0.5, 0, 0});
      return Shape::hull(points);
    }
    default: {
      std::vector<CompoundPart> parts;
      for (int i = random.integer(1, 4); i > 0; --i) parts.push_back({random_shape(random, 7), random.pose(0.5), {}});
      return Shape::compound(parts);
    }
  }
}

TEST(Bounds, TouchTheShapeOnAllSixSides) {
  // Tight, not only large enough: the support along each axis lies on the box. Sizes up to 5, so round-off is 1e-14.
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const ShapePtr shape = random_shape(random);
    const Pose pose = random.pose(2);
    const Aabb box = bounds(shape->geometry(), pose.position, to_matrix(pose.orientation));
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 d;
      d[axis] = 1;
      ASSERT_NEAR(support(shape->geometry(), pose, d)[axis], box.max[axis], 1e-14);
      ASSERT_NEAR(support(shape->geometry(), pose, -d)[axis], box.min[axis], 1e-14);
    }
  }
}

TEST(Bounds, HoldEverySupportPoint) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const ShapePtr shape = random_shape(random);
    const Pose pose = random.pose(2);
    const Aabb box = bounds(shape->geometry(), pose.position, to_matrix(pose.orientation));
    const Real radius = bounding_radius(shape->geometry());
    for (int k = 0; k < 10; ++k) {
      const Vec3 p = support(shape->geometry(), pose, random.unit());
      for (int axis = 0; axis < 3; ++axis) {
        ASSERT_LE(p[axis], box.max[axis] + 1e-14);
        ASSERT_GE(p[axis], box.min[axis] - 1e-14);
      }
      ASSERT_LE(norm(p - pose.position), radius + 1e-14);
    }
  }
}

TEST(Bounds, RadiusIsReached) {
  const auto reach = [](const ShapePtr& shape, const Vec3& towards) {
    return norm(support(shape->geometry(), {}, towards));
  };
  const auto sphere = Shape::sphere(0.7), box = Shape::box({1, 2, 3}), capsule = Shape::capsule(0.2, 1);
  EXPECT_NEAR(bounding_radius(sphere->geometry()), reach(sphere, {1, 0, 0}), 1e-15);
  EXPECT_NEAR(bounding_radius(box->geometry()), reach(box, {1, 1, 1}), 1e-15);
  EXPECT_NEAR(bounding_radius(capsule->geometry()), reach(capsule, {0, 0, 1}), 1e-15);
  const auto cylinder = Shape::cylinder(0.3, 0.8), cone = Shape::cone(0.3, 0.8),
             ellipsoid = Shape::ellipsoid({1, 3, 2});
  EXPECT_NEAR(bounding_radius(cylinder->geometry()), 0.5, 1e-15);
  EXPECT_NEAR(bounding_radius(cone->geometry()), 0.5, 1e-15);
  EXPECT_EQ(bounding_radius(ellipsoid->geometry()), 3);
  const auto hull = Shape::hull(std::vector<Vec3>{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 3}});
  EXPECT_NEAR(bounding_radius(hull->geometry()), std::sqrt(11), 1e-15);
  const auto pair = Shape::compound({{sphere, {{1, 0, 0}, {}}, {}}, {sphere, {{-3, 0, 0}, {}}, {}}});
  EXPECT_NEAR(bounding_radius(pair->geometry()), 3.7, 1e-15);
  EXPECT_EQ(bounding_radius(Shape::plane({0, 0, 1}, 5)->geometry()), 0);
}

TEST(Aabb, OverlapsIsClosedAndSymmetric) {
  const Aabb unit{{0, 0, 0}, {1, 1, 1}}, touching{{1, 0, 0}, {2, 1, 1}}, apart{{0, 1.001, 0}, {1, 2, 1}};
  EXPECT_TRUE(unit.overlaps(unit));
  EXPECT_TRUE(unit.overlaps(touching));
  EXPECT_TRUE(touching.overlaps(unit));
  EXPECT_FALSE(unit.overlaps(apart));
  EXPECT_FALSE(apart.overlaps(unit));
}

TEST(Aabb, EmptyOverlapsNothingAndIsNeutralToInclude) {
  const Aabb unit{{0, 0, 0}, {1, 1, 1}};
  EXPECT_FALSE(Aabb{}.overlaps(unit));
  Aabb sum;
  sum.include(unit);
  EXPECT_EQ(sum.min, unit.min);
  EXPECT_EQ(sum.max, unit.max);
}

TEST(Aabb, SweptHoldsEveryPlaceOnTheWay) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = random.vector(1), size{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)};
    const Aabb box{a, a + size};
    const Vec3 sweep = random.vector(2);
    const Real margin = random.uniform(0, 0.1);
    const Aabb swept = box.swept(sweep, margin);
    for (const Real t : {0.0, 0.3, 1.0}) {
      for (int axis = 0; axis < 3; ++axis) {
        ASSERT_LE(swept.min[axis], box.min[axis] + t * sweep[axis] - margin + 1e-15);
        ASSERT_GE(swept.max[axis], box.max[axis] + t * sweep[axis] + margin - 1e-15);
      }
    }
    // And no more than the two ends need.
    for (int axis = 0; axis < 3; ++axis)
      ASSERT_NEAR(swept.max[axis] - swept.min[axis], size[axis] + std::abs(sweep[axis]) + 2 * margin, 4e-15);
  }
}

}  // namespace
}  // namespace carom
