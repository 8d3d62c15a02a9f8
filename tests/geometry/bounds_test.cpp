#include "geometry/bounds.h"

#include <gtest/gtest.h>

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
  const Vec3 h = std::get<Box>(geometry).half_size;
  return transform(pose, {std::copysign(h.x, d.x), std::copysign(h.y, d.y), std::copysign(h.z, d.z)});
}

ShapePtr random_shape(Random& random) {
  switch (random.integer(0, 2)) {
    case 0:
      return Shape::sphere(random.uniform(0.1, 2));
    case 1:
      return Shape::box({random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2)});
    default:
      return Shape::capsule(random.uniform(0.1, 1), random.uniform(0, 2));
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
