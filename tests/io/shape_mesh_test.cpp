#include "io/shape_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "carom/base/error.h"

namespace carom {
namespace {

using Point = std::array<float, 3>;

Vec3 to_vec(const Point& p) { return {p[0], p[1], p[2]}; }

struct Triangle {
  Vec3 a, b, c;
  Vec3 area_vector() const { return 0.5 * cross(b - a, c - a); }
};

Triangle corners(const ShapeMesh& mesh, const std::array<std::uint32_t, 3>& t) {
  return {to_vec(mesh.positions[t[0]]), to_vec(mesh.positions[t[1]]), to_vec(mesh.positions[t[2]])};
}

/// By the divergence theorem; positive where the triangles face outwards.
Real volume(const ShapeMesh& mesh) {
  Real sum = 0;
  for (const auto& t : mesh.triangles) {
    const Triangle tri = corners(mesh, t);
    sum += dot(tri.a, cross(tri.b, tri.c)) / 6;
  }
  return sum;
}

/// Every directed edge, by where its ends are, must occur once and its reverse once: closed, and oriented alike.
void expect_watertight(const ShapeMesh& mesh) {
  std::map<std::pair<Point, Point>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++edges[{mesh.positions[t[i]], mesh.positions[t[(i + 1) % 3]]}];
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1U);
  }
}

/// Faces have area and look the way the normals of their corners do.
void expect_normals_fit(const ShapeMesh& mesh) {
  ASSERT_EQ(mesh.positions.size(), mesh.normals.size());
  for (const Point& n : mesh.normals) EXPECT_NEAR(norm(to_vec(n)), 1, 2e-7);  // rounding of three floats
  for (const auto& t : mesh.triangles) {
    const Vec3 area = corners(mesh, t).area_vector();
    EXPECT_GT(norm(area), 0);
    // A corner's normal and its face's differ by at most one step of a quarter turn, 30 degrees on rounded edges.
    for (const std::uint32_t i : t) EXPECT_GT(dot(normalized(area), to_vec(mesh.normals[i])), std::cos(0.55));
  }
}

void expect_bounds(const ShapeMesh& mesh, const Vec3& half_size) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] =
        std::minmax_element(mesh.positions.begin(), mesh.positions.end(), [axis](const Point& a, const Point& b) {
          return a[static_cast<std::size_t>(axis)] < b[static_cast<std::size_t>(axis)];
        });
    EXPECT_EQ((*high)[static_cast<std::size_t>(axis)], static_cast<float>(half_size[axis]));
    EXPECT_EQ((*low)[static_cast<std::size_t>(axis)], static_cast<float>(-half_size[axis]));
  }
}

TEST(ShapeMesh, SphereIsClosedRoundAndOfItsSize) {
  const ShapeMesh mesh = make_mesh(*Shape::sphere(0.7));
  expect_watertight(mesh);
  expect_normals_fit(mesh);
  expect_bounds(mesh, {0.7, 0.7, 0.7});
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    EXPECT_NEAR(norm(to_vec(mesh.positions[i]) - 0.7 * to_vec(mesh.normals[i])), 0, 1e-7);  // rounding of floats
  // Corners on the sphere, chords inside it. With steps of d = pi/16 the polygon around lacks d²/6 of the circle and
  // the profile about d²/4: 1.6 % in all.
  const Real exact = 4.0 / 3 * std::numbers::pi * 0.343;
  EXPECT_LT(volume(mesh), exact);
  EXPECT_GT(volume(mesh), 0.98 * exact);
  EXPECT_LE(mesh.triangles.size(), 1000U);
}

TEST(ShapeMesh, CapsuleIsClosedAndOfItsSize) {
  for (const Real length : {0.0, 1e-3, 2.0}) {
    const ShapeMesh mesh = make_mesh(*Shape::capsule(0.3, length));
    expect_watertight(mesh);
    expect_normals_fit(mesh);
    expect_bounds(mesh, {0.3, 0.3, 0.3 + length / 2});
    const Real exact = std::numbers::pi * 0.09 * (length + 0.4);
    EXPECT_LT(volume(mesh), exact);
    EXPECT_GT(volume(mesh), 0.98 * exact);
  }
}

TEST(ShapeMesh, SharpBoxIsExact) {
  const ShapeMesh mesh = make_mesh(*Shape::box({1, 0.1, 3}));
  expect_watertight(mesh);
  expect_normals_fit(mesh);
  expect_bounds(mesh, {0.5, 0.05, 1.5});
  EXPECT_NEAR(volume(mesh), 0.3, 1e-7);  // rounding of floats
  EXPECT_EQ(mesh.positions.size(), 24U);
  EXPECT_EQ(mesh.triangles.size(), 12U);
}

TEST(ShapeMesh, RoundedBoxIsClosedKeepsItsBoundsAndLosesOnlyItsEdges) {
  for (const Real edge_radius : {1e-3, 0.1, 0.4}) {
    const ShapeMesh mesh = make_mesh(*Shape::box({1, 0.1, 3}), {.edge_radius = edge_radius});
    expect_watertight(mesh);
    expect_normals_fit(mesh);
    expect_bounds(mesh, {0.5, 0.05, 1.5});
    // Steiner's formula for the inner box and a ball around each of its points.
    const Real r = 0.1 * edge_radius, x = 1 - 2 * r, y = 0.1 - 2 * r, z = 3 - 2 * r;
    const Real exact = x * y * z + 2 * r * (x * y + y * z + z * x) + std::numbers::pi * r * r * (x + y + z) +
                       4.0 / 3 * std::numbers::pi * r * r * r;
    EXPECT_LE(volume(mesh), exact + 1e-7);
    EXPECT_GE(volume(mesh), 0.98 * exact);
  }
}

TEST(ShapeMesh, RoundedBoxHasFlatFaces) {
  const ShapeMesh mesh = make_mesh(*Shape::box({1, 1, 1}), {.edge_radius = 0.05});
  // A face of the cube without its rounded rim, 0.9 by 0.9, on each of six sides.
  Real flat = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 area = corners(mesh, t).area_vector();
    for (int axis = 0; axis < 3; ++axis)
      if (std::abs(normalized(area)[axis]) > 1 - 1e-6) flat += norm(area);
  }
  EXPECT_NEAR(flat, 6 * 0.81, 1e-5);
}

TEST(ShapeMesh, PlaneIsASquareInThePlaneSeenFromAbove) {
  for (const Vec3& direction : {Vec3{0, 0, 2}, Vec3{1, 0, 0}, Vec3{-1, 2, 0.5}, Vec3{0, 0, -1}}) {
    const Vec3 normal = normalized(direction);
    const ShapeMesh mesh = make_mesh(*Shape::plane(direction, 0.4), {.plane_extent = 5});
    expect_normals_fit(mesh);
    ASSERT_EQ(mesh.positions.size(), 4U);
    ASSERT_EQ(mesh.triangles.size(), 2U);
    Vec3 middle, area;
    for (const Point& p : mesh.positions) {
      EXPECT_NEAR(dot(to_vec(p), normal), 0.4, 1e-6);  // rounding of floats of size 5
      middle += 0.25 * to_vec(p);
    }
    for (const auto& t : mesh.triangles) area += corners(mesh, t).area_vector();
    EXPECT_NEAR(norm(middle - 0.4 * normal), 0, 1e-6);
    EXPECT_NEAR(norm(area - 100 * normal), 0, 1e-4);
  }
}

TEST(ShapeMesh, CylinderIsClosedRoundAndFlatAtItsEnds) {
  const ShapeMesh mesh = make_mesh(*Shape::cylinder(0.5, 3));
  expect_watertight(mesh);
  expect_normals_fit(mesh);
  expect_bounds(mesh, {0.5, 0.5, 1.5});
  const Real exact = std::numbers::pi * 0.25 * 3;
  EXPECT_LT(volume(mesh), exact);
  EXPECT_GT(volume(mesh), 0.99 * exact);
  for (const Point& n : mesh.normals) EXPECT_TRUE(n[2] == 0 || std::abs(n[2]) == 1) << "side or end, nothing between";
}

TEST(ShapeMesh, ConeIsClosedWithNormalsAcrossItsSide) {
  const ShapeMesh mesh = make_mesh(*Shape::cone(3, 4));
  expect_watertight(mesh);
  expect_normals_fit(mesh);
  expect_bounds(mesh, {3, 3, 2});
  const Real exact = std::numbers::pi * 9 * 4 / 3;
  EXPECT_LT(volume(mesh), exact);
  EXPECT_GT(volume(mesh), 0.99 * exact);
  for (const Point& n : mesh.normals) EXPECT_TRUE(n[2] == -1 || std::abs(n[2] - 0.6F) < 0.002F);  // 3 : 4 : 5
}

TEST(ShapeMesh, EllipsoidIsClosedWithTheNormalsOfItsSurface) {
  const Vec3 radii{0.5, 1, 2};
  const ShapeMesh mesh = make_mesh(*Shape::ellipsoid(radii));
  expect_watertight(mesh);
  expect_bounds(mesh, radii);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3 p = to_vec(mesh.positions[i]), gradient{p.x / 0.25, p.y, p.z / 4};
    EXPECT_NEAR(norm(normalized(gradient) - to_vec(mesh.normals[i])), 0, 1e-6);  // rounding of floats
  }
  EXPECT_NEAR(volume(mesh), 4.0 / 3 * std::numbers::pi, 0.02 * 4.2);
}

TEST(ShapeMesh, HullIsExactWithFlatFaces) {
  const ShapeMesh mesh =
      make_mesh(*Shape::hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}}));
  expect_watertight(mesh);
  expect_normals_fit(mesh);
  EXPECT_NEAR(volume(mesh), 1.0 / 3, 1e-7);
  EXPECT_EQ(mesh.positions.size(), 4U + 4 * 3) << "corners once a face";
  EXPECT_EQ(mesh.triangles.size(), 2U + 4);
}

TEST(ShapeMesh, CompoundIsItsPartsWhereTheyStand) {
  const Quat turned{std::sqrt(0.5), 0, std::sqrt(0.5), 0};  // z to x
  const ShapePtr hammer =
      Shape::compound({{Shape::box({1, 2, 3}), {{0, 0, 5}, {}}, {}}, {Shape::cylinder(0.5, 8), {{}, turned}, {}}});
  const ShapeMesh mesh = make_mesh(*hammer);
  expect_watertight(mesh);
  expect_normals_fit(mesh);
  EXPECT_NEAR(volume(mesh), 6 + std::numbers::pi * 0.25 * 8, 0.1);
  Real highest = 0, widest = 0;
  for (const Point& p : mesh.positions) highest = std::max(highest, Real{p[2]}), widest = std::max(widest, Real{p[0]});
  EXPECT_NEAR(highest, 6.5, 1e-6);
  EXPECT_NEAR(widest, 4, 1e-6);
}

TEST(ShapeMesh, RejectsDetailThatMakesNoMesh) {
  const ShapePtr box = Shape::box({1, 1, 1});
  EXPECT_THROW(make_mesh(*box, {.edge_radius = 0.5}), Error);
  EXPECT_THROW(make_mesh(*box, {.edge_radius = -0.1}), Error);
  EXPECT_THROW(make_mesh(*Shape::plane({0, 0, 1}, 0), {.plane_extent = 0}), Error);
  EXPECT_THROW(make_mesh(*box, {.edge_radius = 0.1, .edge_steps = 0}), Error);
}

}  // namespace
}  // namespace carom
