#include "geometry/width.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/point_sets.h"

namespace carom {
namespace {

using test::Random;

Real extent(std::span<const Vec3> points, const Vec3& direction) {
  Real low = 1e300, high = -1e300;
  for (const Vec3& p : points) low = std::min(low, dot(p, direction)), high = std::max(high, dot(p, direction));
  return high - low;
}

/// Every direction that may be the best one: face normals and products of any two edges.
Real width_by_trying(const Polyhedron& p) {
  Real least = 1e300;
  for (const Polyhedron::Face& face : p.faces()) least = std::min(least, extent(p.vertices(), face.normal));
  const auto along = [&](const Polyhedron::Edge& e) {
    return p.vertices()[static_cast<std::size_t>(e.head)] - p.vertices()[static_cast<std::size_t>(e.tail)];
  };
  for (const Polyhedron::Edge& a : p.edges())
    for (const Polyhedron::Edge& b : p.edges()) {
      const Vec3 n = cross(along(a), along(b));
      if (norm(n) > 1e-9 * norm(along(a)) * norm(along(b)))
        least = std::min(least, extent(p.vertices(), normalized(n)));
    }
  return least;
}

TEST(Width, OfHullsIsTheLeastOverAllDirections) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<Vec3> points;
    const Vec3 stretch{random.scale(0.01, 1), random.scale(0.1, 1), 1};
    for (int k = random.integer(4, 24); k > 0; --k) {
      const Vec3 p = random.vector(1);
      points.push_back({stretch.x * p.x, stretch.y * p.y, stretch.z * p.z});
    }
    const ShapePtr hull = Shape::hull(test::moved(points, random.pose(1)));
    EXPECT_NEAR(hull->smallest_size(), width_by_trying(*hull->polyhedron()), 1e-13);
  }
}

TEST(Width, OfARegularTetrahedronIsBetweenOppositeEdges) {
  const ShapePtr hull = Shape::hull(std::vector<Vec3>{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}});
  EXPECT_NEAR(hull->smallest_size(), 2, 1e-15);  // the cube's width; the height over a face is 4/√3
}

TEST(Width, OfRoundShapesIsThatOfFineHulls) {
  // Inscribed polygons of 720 sides lack 1e-5 of the radius.
  for (const auto& [radius, height] : {std::pair{1.0, 0.4}, {0.3, 2.0}, {1.0, 1.8}, {0.5, 0.5}}) {
    const std::vector<Vec3> base = test::ring(720, radius, -0.5 * height);
    const ShapePtr cone = Shape::hull(test::joined(base, {{0, 0, 0.5 * height}}));
    EXPECT_NEAR(Shape::cone(radius, height)->smallest_size(), cone->smallest_size(), 2e-5);
    const ShapePtr cylinder = Shape::hull(test::joined(base, test::ring(720, radius, 0.5 * height)));
    EXPECT_NEAR(Shape::cylinder(radius, height)->smallest_size(), cylinder->smallest_size(), 2e-5);
  }
  EXPECT_EQ(Shape::ellipsoid({3, 0.5, 2})->smallest_size(), 1);
}

TEST(Width, OfACompoundIsTheLeastOfItsParts) {
  const ShapePtr pair = Shape::compound({{Shape::sphere(1), {}, {}}, {Shape::box({3, 0.5, 2}), {{1, 0, 0}, {}}, {}}});
  EXPECT_EQ(pair->smallest_size(), 0.5);
}

TEST(Shape, BoxesAndHullsAlikeShowTheirCorners) {
  const std::vector<Vec3> corners = test::box_corners({1, 2, 3});
  for (const ShapePtr& shape : {Shape::box({2, 4, 6}), Shape::hull(corners)}) {
    ASSERT_NE(shape->polyhedron(), nullptr);
    EXPECT_EQ(shape->polyhedron()->faces().size(), 6u);
    EXPECT_TRUE(std::is_permutation(corners.begin(), corners.end(), shape->corners().begin(), shape->corners().end()));
  }
  EXPECT_EQ(Shape::sphere(1)->polyhedron(), nullptr);
  EXPECT_TRUE(Shape::cone(1, 1)->corners().empty());
}

TEST(Shape, RefusesCompoundsThatAreNone) {
  const ShapePtr ball = Shape::sphere(1);
  EXPECT_THROW(Shape::compound({}), Error);
  EXPECT_THROW(Shape::compound({{nullptr, {}, {}}}), Error);
  EXPECT_THROW(Shape::compound({{Shape::plane({0, 0, 1}, 0), {}, {}}}), Error);
  EXPECT_THROW(Shape::compound({{Shape::compound({{ball, {}, {}}}), {}, {}}}), Error);
  EXPECT_THROW(Shape::compound({{ball, {}, -1.0}}), Error);
  EXPECT_THROW(Shape::compound({{ball, {{NAN, 0, 0}, {}}, {}}}), Error);
  EXPECT_THROW(Shape::compound({{ball, {{}, {0, 0, 0, 0}}, {}}}), Error);
}

TEST(Shape, RefusesRoundSizesThatAreNotPositiveAndFinite) {
  for (const Real x : {0.0, -1.0, Real{INFINITY}, Real{NAN}}) {
    EXPECT_THROW(Shape::cylinder(x, 1), Error);
    EXPECT_THROW(Shape::cylinder(1, x), Error);
    EXPECT_THROW(Shape::cone(x, 1), Error);
    EXPECT_THROW(Shape::cone(1, x), Error);
    EXPECT_THROW(Shape::ellipsoid({x, 1, 1}), Error);
    EXPECT_THROW(Shape::ellipsoid({1, 1, x}), Error);
  }
}

}  // namespace
}  // namespace carom
