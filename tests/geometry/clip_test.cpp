#include "geometry/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/random.h"

namespace carom {
namespace {

/// A square in the plane z = 0 with the corners (±half, ±half), counter-clockwise, edges 0 to 3.
ClipPolygon square(Real half) {
  ClipPolygon p;
  p.vertices[0] = {{half, half, 0}, 3, 0};
  p.vertices[1] = {{-half, half, 0}, 0, 1};
  p.vertices[2] = {{-half, -half, 0}, 1, 2};
  p.vertices[3] = {{half, -half, 0}, 2, 3};
  p.count = 4;
  return p;
}

Real area(const ClipPolygon& p) {
  Vec3 sum;
  for (int i = 0; i < p.count; ++i) {
    const Vec3& a = p.vertices[static_cast<std::size_t>(i)].point;
    const Vec3& b = p.vertices[static_cast<std::size_t>((i + 1) % p.count)].point;
    sum += 0.5 * cross(a, b);
  }
  return norm(sum);
}

/// Each vertex leaves by the edge by which the next one is entered.
void expect_linked(const ClipPolygon& p) {
  for (int i = 0; i < p.count; ++i) {
    EXPECT_EQ(p.vertices[static_cast<std::size_t>(i)].edge_out,
              p.vertices[static_cast<std::size_t>((i + 1) % p.count)].edge_in);
  }
}

TEST(Clip, HalfSpaceThatHoldsThePolygonLeavesIt) {
  const ClipPolygon p = clip(square(1), {1, 0, 0}, 2, 0, 4);
  EXPECT_EQ(p.count, 4);
  EXPECT_EQ(area(p), 4);
  expect_linked(p);
}

TEST(Clip, HalfSpaceThatMissesThePolygonLeavesNothing) { EXPECT_EQ(clip(square(1), {1, 0, 0}, -2, 0, 4).count, 0); }

TEST(Clip, CutThroughTheMiddleLeavesHalf) {
  const ClipPolygon p = clip(square(1), {1, 0, 0}, 0, 0, 4);
  EXPECT_EQ(p.count, 4);
  EXPECT_DOUBLE_EQ(area(p), 2);
  expect_linked(p);
}

TEST(Clip, CutCornerGivesAFifthVertex) {
  const Real s = std::sqrt(0.5);
  const ClipPolygon p = clip(square(1), {s, s, 0}, s, 0, 4);  // x + y ≤ 1
  EXPECT_EQ(p.count, 5);
  EXPECT_NEAR(area(p), 3.5, 1e-15);
  expect_linked(p);
}

TEST(Clip, SquareByATurnedSquareIsAnOctagonWithEightNames) {
  ClipPolygon p = square(1);
  const Real s = std::sqrt(0.5), offset = 1;
  const Vec3 normals[4] = {{s, s, 0}, {-s, s, 0}, {-s, -s, 0}, {s, -s, 0}};
  for (unsigned char i = 0; i < 4; ++i) p = clip(p, normals[i], offset, 1e-9, static_cast<unsigned char>(4 + i));
  EXPECT_EQ(p.count, 8);
  // A square of side 2 less four right isosceles triangles of height √2 − 1.
  EXPECT_NEAR(area(p), 4 - 4 * std::pow(std::sqrt(2.0) - 1, 2), 1e-14);
  expect_linked(p);
  std::set<int> names;
  for (const ClipVertex& v : p.vertices) names.insert(16 * v.edge_in + v.edge_out);
  EXPECT_EQ(names.size(), 8U);
}

TEST(Clip, VerticesWithinTheToleranceStayWhereTheyAre) {
  const ClipPolygon p = clip(square(1), {1, 0, 0}, 1 - 1e-6, 1e-5, 4);
  EXPECT_EQ(p.count, 4);
  EXPECT_EQ(area(p), 4);
}

TEST(Clip, RandomCutsKeepWhatIsInsideAndLoseWhatIsOutside) {
  test::Random random(1);
  for (int i = 0; i < 3000; ++i) {
    ClipPolygon p = square(random.uniform(0.5, 1.5));
    const Real half = p.vertices[0].point.x;
    struct {
      Vec3 normal;
      Real offset;
    } planes[4];
    // Two pairs of parallel planes, as the sides of a rectangle are.
    const Real phi = random.uniform(0, 7), cx = random.uniform(-1, 1), cy = random.uniform(-1, 1);
    for (int k = 0; k < 4; ++k) {
      const Vec3 n{std::cos(phi + 1.5707963267948966 * k), std::sin(phi + 1.5707963267948966 * k), 0};
      planes[k] = {n, dot(n, {cx, cy, 0}) + random.uniform(0.2, 1.5)};
      p = clip(p, n, planes[k].offset, 0, static_cast<unsigned char>(4 + k));
    }
    expect_linked(p);
    // The area by counting cells of a grid, whose error is at most the cells that the outline of both figures crosses.
    constexpr int kCells = 100;
    const Real cell = 2 * half / kCells;
    Real counted = 0;
    for (int x = 0; x < kCells; ++x) {
      for (int y = 0; y < kCells; ++y) {
        const Vec3 q{-half + (x + 0.5) * cell, -half + (y + 0.5) * cell, 0};
        bool inside = true;
        for (const auto& plane : planes) inside = inside && dot(plane.normal, q) <= plane.offset;
        counted += inside ? cell * cell : 0;
      }
    }
    ASSERT_NEAR(area(p), counted, 8 * half * cell) << i;
    for (int k = 0; k < p.count; ++k) {
      for (const auto& plane : planes)
        ASSERT_LE(dot(plane.normal, p.vertices[static_cast<std::size_t>(k)].point) - plane.offset, 1e-14) << i;
    }
  }
}

}  // namespace
}  // namespace carom
