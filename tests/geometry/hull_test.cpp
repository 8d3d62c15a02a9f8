// Hulls: consistent, truly convex, with whole faces, from any points; and what is refused.
#include "geometry/hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "carom/geometry/shape.h"
#include "geometry/point_sets.h"
#include "support/slow_build.h"

namespace carom {
namespace {

using test::Random;

struct Size {
  Real size = 0;      // the largest width along an axis
  Real rounding = 0;  // of the coordinates
};

Size size_of(std::span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  Real largest = 0;
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
      largest = std::max(largest, std::abs(p[i]));
    }
  return {std::max({high.x - low.x, high.y - low.y, high.z - low.z}), 4e-16 * largest};
}

/// A closed convex surface around all the points, which takes none but them as corners. Planes hold every point to
/// rounding, and their own corners to the tolerance of the merging (with some room: it applies to facets' centres).
void expect_hull(const Polyhedron& hull, std::span<const Vec3> points) {
  const Size size = size_of(points);
  EXPECT_EQ(hull.vertices().size() + hull.faces().size(), hull.edges().size() + 2);
  const bool few = points.size() * hull.faces().size() < 20'000'000;
  Real above = 0, below = 0;
  for (std::int32_t f = 0; f < static_cast<std::int32_t>(hull.faces().size()); ++f) {
    const Polyhedron::Face& face = hull.faces()[static_cast<std::size_t>(f)];
    EXPECT_NEAR(norm(face.normal), 1, 1e-15);
    for (const Vec3& v : few ? hull.vertices() : hull.vertices().first(10))
      above = std::max(above, dot(face.normal, v) - face.offset);
    for (const std::int32_t v : hull.face_vertices(f))
      below = std::max(below, face.offset - dot(face.normal, hull.vertices()[static_cast<std::size_t>(v)]));
  }
  EXPECT_LE(above, 1e-12 * size.size + 4 * size.rounding);
  EXPECT_LE(below, 10 * kFlat * size.size + 20 * size.rounding);
  Real outside = 0;
  for (const Vec3& p : few ? points : points.first(100))
    for (const Polyhedron::Face& face : hull.faces()) outside = std::max(outside, dot(face.normal, p) - face.offset);
  EXPECT_LE(outside, 10 * kFlat * size.size + 20 * size.rounding);
  for (const Vec3& v : hull.vertices()) ASSERT_NE(std::find(points.begin(), points.end(), v), points.end());
}

std::shared_ptr<const Polyhedron> expect_hull_of(std::span<const Vec3> points) {
  const auto hull = make_hull(points);
  EXPECT_TRUE(hull) << hull.message();
  if (!hull) return nullptr;
  expect_hull(*hull.value(), points);
  return hull.value();
}

std::string refusal(std::span<const Vec3> points) {
  const auto hull = make_hull(points);
  EXPECT_FALSE(hull);
  return hull.message();
}

TEST(Hull, OfABoxHasItsSixFaces) {
  const auto hull = expect_hull_of(test::box_corners({1, 2, 3}));
  EXPECT_EQ(hull->vertices().size(), 8u);
  EXPECT_EQ(hull->edges().size(), 12u);
  EXPECT_EQ(hull->faces().size(), 6u);
}

TEST(Hull, DropsWhatLiesInsideAndOnItsSurface) {
  std::vector<Vec3> points = test::box_corners({1, 1, 1});
  Random random(1);
  for (int i = 0; i < 1000; ++i) points.push_back(random.vector(1));
  for (int i = 0; i < 1000; ++i) {
    Vec3 p = random.vector(1);
    p[random.integer(0, 2)] = random.coin() ? 1 : -1;
    points.push_back(p);
  }
  for (const Vec3& p : test::box_corners({1, 1, 1})) points.push_back(p);
  const auto hull = expect_hull_of(points);
  EXPECT_EQ(hull->vertices().size(), 8u);
  EXPECT_EQ(hull->faces().size(), 6u);
}

TEST(Hull, CornersKeepTheirCoordinatesAndOrder) {
  Random random(2);
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) points.push_back(random.vector(1));
  const auto hull = expect_hull_of(points);
  auto at = points.begin();
  for (const Vec3& v : hull->vertices()) {
    at = std::find(at, points.end(), v);
    ASSERT_NE(at, points.end());
  }
}

TEST(Hull, NoiseInTheLastDigitsLeavesACubeItsSixFaces) {
  Random random(3);
  for (const Real noise : {1e-16, 1e-15, 1e-14, 1e-13, 1e-12}) {
    for (int i = 0; i < 50; ++i) {
      const Pose pose = random.pose(1);
      std::vector<Vec3> points = test::moved(test::box_corners({0.5, 0.5, 0.5}), pose);
      for (Vec3& p : points) p += random.vector(noise);
      const auto hull = make_hull(points);
      ASSERT_TRUE(hull) << hull.message();
      expect_hull(*hull.value(), points);
      ASSERT_EQ(hull.value()->faces().size(), 6u) << noise;
      ASSERT_EQ(hull.value()->vertices().size(), 8u) << noise;
    }
  }
}

TEST(Hull, PrismsHaveWholeEnds) {
  for (const int sides : {3, 4, 5, 6, 17, 64, 500}) {
    const auto hull = expect_hull_of(test::joined(test::ring(sides, 1, -0.5), test::ring(sides, 1, 0.5)));
    EXPECT_EQ(hull->faces().size(), static_cast<std::size_t>(sides) + 2);
    EXPECT_EQ(hull->vertices().size(), 2 * static_cast<std::size_t>(sides));
  }
}

TEST(Hull, OfASphereHasEveryPointAsACorner) {
  for (const int count : {4, 10, 100, 2502}) {
    const std::vector<Vec3> points = test::spiral_sphere(count);
    const auto hull = expect_hull_of(points);
    EXPECT_EQ(hull->vertices().size(), points.size());
    // 5000 faces: all of them triangles where points are in general position.
    EXPECT_EQ(hull->faces().size(), 2 * points.size() - 4);
  }
}

TEST(Hull, RandomCloudsOfAllSizesAndPlaces) {
  Random random(4);
  for (int i = 0; i < 400; ++i) {
    const Real size = random.scale(1e-3, 1e3);
    const Real away = random.coin() ? 0 : random.scale(1e-3, 1e4);
    const Vec3 stretch{random.scale(1e-3, 1), random.scale(1e-3, 1), 1};
    const Vec3 place = away * random.unit();
    const Quat turn = random.rotation();
    std::vector<Vec3> points;
    for (int k = random.integer(4, 60); k > 0; --k) {
      Vec3 p = random.coin() ? random.vector(1) : random.unit();
      p = {stretch.x * p.x, stretch.y * p.y, stretch.z * p.z};
      points.push_back(place + size * rotate(turn, p));
    }
    if (random.coin()) points.insert(points.end(), points.begin(), points.begin() + 3);
    const auto hull = make_hull(points);
    ASSERT_TRUE(hull) << i << ": " << hull.message();
    expect_hull(*hull.value(), points);
  }
}

TEST(Hull, LatticesFullOfCoplanarPoints) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const Pose pose = random.pose(3);
    std::vector<Vec3> points;
    for (int x = 0; x < 5; ++x)
      for (int y = 0; y < 4; ++y)
        for (int z = 0; z < 3; ++z) points.push_back(transform(pose, {Real(x), Real(y), Real(z)}));
    const auto hull = make_hull(points);
    ASSERT_TRUE(hull) << hull.message();
    expect_hull(*hull.value(), points);
    ASSERT_EQ(hull.value()->faces().size(), 6u);
    ASSERT_EQ(hull.value()->vertices().size(), 8u);
  }
}

TEST(Hull, NeedlesAndPlates) {
  Random random(6);
  for (const Real thin : {1e-2, 1e-4, 1e-6, 1e-7}) {
    for (const Vec3& half : {Vec3{thin, thin, 1}, Vec3{1, 1, thin}, Vec3{1, thin, 0.1}}) {
      const auto hull = expect_hull_of(test::moved(test::box_corners(half), random.pose(0)));
      ASSERT_NE(hull, nullptr);
      EXPECT_EQ(hull->vertices().size(), 8u) << thin;
    }
  }
}

TEST(Hull, RefusesWhatHasNoVolume) {
  EXPECT_EQ(refusal({}), "found 0 points, expected at least four that span a volume");
  const std::vector<Vec3> triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(refusal(triangle), "found 3 points, expected at least four that span a volume");
  const std::string wanted = ", expected finite points that span a volume";
  EXPECT_EQ(refusal(std::vector<Vec3>(100, Vec3{1, 2, 3})), "found points that coincide" + wanted);
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Vec3 origin = random.vector(10), u = random.unit(), v = random.unit();
    std::vector<Vec3> line, sheet;
    for (int k = 0; k < 30; ++k) {
      line.push_back(origin + random.uniform(-1, 1) * u);
      sheet.push_back(origin + random.uniform(-1, 1) * u + random.uniform(-1, 1) * v);
    }
    ASSERT_EQ(refusal(line), "found points that lie on a line" + wanted);
    ASSERT_EQ(refusal(sheet), "found points that lie in a plane" + wanted);
  }
}

TEST(Hull, RefusesPointsThatAreNotFiniteOrWouldOverflow) {
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), 1e200}) {
    std::vector<Vec3> points = test::box_corners({1, 1, 1});
    points[5].y = bad;
    EXPECT_EQ(
        refusal(points),
        "found a point that is not finite, or too far out, at index 5, expected finite points that span a volume");
    EXPECT_THROW(Shape::hull(points), Error);
  }
}

TEST(Hull, RefusesMoreCornersThanTheLimit) {
  const std::vector<Vec3> points = test::spiral_sphere(static_cast<int>(Shape::kMostCorners) + 1000);
  EXPECT_EQ(refusal(points), "found a hull with more than 32768 corners, expected a simpler hull");
}

TEST(Hull, AMillionPointsInABallTakeSeconds) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  Random random(8);
  std::vector<Vec3> points;
  for (int i = 0; i < 1'000'000; ++i) points.push_back(random.uniform(0.1, 1) * random.unit());
  expect_hull_of(points);
}

}  // namespace
}  // namespace carom
