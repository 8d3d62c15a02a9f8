// Support points against closed forms, and against what makes a point the farthest one.
#include "geometry/support.h"

#include <gtest/gtest.h>

#include <memory>

#include "carom/base/error.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;

std::vector<Shape::Geometry> one_of_each() {
  return {Sphere{0.7},
          Box{{0.3, 0.5, 0.9}},
          Capsule{0.2, 0.6},
          Cylinder{0.4, 0.8},
          Cone{0.5, 0.7},
          Ellipsoid{{0.2, 0.5, 1.1}},
          Hull{std::make_shared<const Polyhedron>(Polyhedron::box({0.4, 0.2, 0.6}))}};
}

TEST(Support, PointsAlongTheAxesAreTheEndsOfTheShapes) {
  EXPECT_EQ(support(Sphere{2}, {0, -3, 0}), (Vec3{0, -2, 0}));
  EXPECT_EQ(support(Box{{1, 2, 3}}, {1, -1, 1}), (Vec3{1, -2, 3}));
  EXPECT_EQ(support(Capsule{1, 2}, {0, 0, -1}), (Vec3{0, 0, -3}));
  EXPECT_EQ(support(Cylinder{1, 2}, {5, 0, 1}), (Vec3{1, 0, 2}));
  EXPECT_EQ(support(Cone{1, 2}, {0, 0, 1}), (Vec3{0, 0, 2}));
  EXPECT_EQ(support(Cone{1, 2}, {0, 2, 0}), (Vec3{0, 1, -2}));
  EXPECT_EQ(support(Ellipsoid{{1, 2, 3}}, {0, 0, -7}), (Vec3{0, 0, -3}));
}

TEST(Support, NoPointOfTheShapeLiesFartherInTheDirection) {
  // Points found for other directions are points of the shape; none may beat the one for this direction.
  Random random(1);
  for (const Shape::Geometry& shape : one_of_each()) {
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) points.push_back(support(shape, random.unit()));
    for (int i = 0; i < 200; ++i) {
      const Vec3 direction = random.unit();
      const Real farthest = dot(direction, support(shape, direction));
      for (const Vec3& p : points) ASSERT_LE(dot(direction, p), farthest + 1e-15) << shape.index();
    }
  }
}

TEST(Support, TheLengthOfTheDirectionDoesNotMatter) {
  Random random(2);
  for (const Shape::Geometry& shape : one_of_each()) {
    const Vec3 direction = random.unit();
    EXPECT_LE(norm(support(shape, 1e6 * direction) - support(shape, 1e-6 * direction)), 1e-15) << shape.index();
  }
}

TEST(Support, ConesChangeFromRimToApexWhereTheirSideIsSquareToTheDirection) {
  const Shape::Geometry cone = Cone{0.5, 0.7};
  const Real sine = cone_sine(core_of(cone)), cosine = std::sqrt(1 - sine * sine);
  EXPECT_EQ(support(cone, {cosine, 0, sine + 1e-9}), (Vec3{0, 0, 0.7}));
  EXPECT_EQ(support(cone, {cosine, 0, sine - 1e-9}), (Vec3{0.5, 0, -0.7}));
}

TEST(Support, PlanesAndCompoundsHaveNone) {
  EXPECT_THROW(support(Plane{{0, 0, 1}, 0}, {1, 0, 0}), Error);
  EXPECT_THROW(support(Compound{}, {1, 0, 0}), Error);
}

}  // namespace
}  // namespace carom
