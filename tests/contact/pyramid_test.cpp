// The friction pyramid: its polygon, and the projection on it.
#include "contact/pyramid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random.h"

namespace carom {
namespace {

constexpr Real kRoundOff = 1e-15;  // a few roundings, relative to the sizes involved

Vec3 edge(std::size_t k, Real mu) { return {1, mu * kPyramidEdges[k][0], mu * kPyramidEdges[k][1]}; }

TEST(Pyramid, IsInscribedInTheConeWithFacesAt45Degrees) {
  const Real pi = std::acos(-1.0);
  for (std::size_t k = 0; k < 8; ++k) {
    const Real face = pi / 4 * static_cast<Real>(k), corner = face + pi / 8;
    EXPECT_NEAR(kPyramidFaces[k][0], std::cos(face), kRoundOff);
    EXPECT_NEAR(kPyramidFaces[k][1], std::sin(face), kRoundOff);
    EXPECT_NEAR(kPyramidEdges[k][0], std::cos(corner), kRoundOff);
    EXPECT_NEAR(kPyramidEdges[k][1], std::sin(corner), kRoundOff);
    EXPECT_NEAR(pyramid_norm(edge(k, 1)), 1, kRoundOff);
    EXPECT_NEAR(pyramid_norm({0, kPyramidFaces[k][0], kPyramidFaces[k][1]}), 1 / std::cos(pi / 8), 2 * kRoundOff);
  }
}

TEST(Pyramid, NormAndSlipAreTheLargestOverFacesAndEdges) {
  test::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 v = random.vector(3);
    Real norm = 0, slip = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      norm = std::max(norm, (kPyramidFaces[k][0] * v.y + kPyramidFaces[k][1] * v.z) / kPyramidInner);
      slip = std::max(slip, kPyramidEdges[k][0] * v.y + kPyramidEdges[k][1] * v.z);
    }
    EXPECT_NEAR(pyramid_norm(v), norm, 8 * kRoundOff);
    EXPECT_NEAR(pyramid_slip(v), slip, 8 * kRoundOff);
  }
}

/// Moreau: p is the projection of z on a cone exactly where p is in it, z − p is in its polar, and both are orthogonal.
TEST(Pyramid, ProjectionMeetsMoreausConditions) {
  test::Random random(2);
  int inside = 0, on_face = 0, on_edge = 0, apex = 0;
  for (int i = 0; i < 20000; ++i) {
    const Real mu = i % 7 == 0 ? 0 : random.scale(1e-3, 1e4);
    Vec3 z = random.vector(1);
    z.x *= i % 3 == 0 ? mu : 1;
    const Vec3 p = project_on_pyramid(z, mu), off = z - p;
    const Real size = 8 * kRoundOff * norm(z);
    EXPECT_GE(p.x, 0);
    EXPECT_LE(pyramid_norm(p), mu * p.x + size) << mu;
    EXPECT_LE(std::abs(dot(p, off)), size * norm(z)) << mu;
    int tight = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_LE(dot(off, edge(k, mu)), size * std::sqrt(1 + mu * mu)) << mu;
      tight += dot(off, edge(k, mu)) > -size * std::sqrt(1 + mu * mu) ? 1 : 0;
    }
    if (norm(off) == 0)
      ++inside;
    else if (norm(p) == 0)
      ++apex;
    else
      (tight == 1 ? on_edge : on_face) += 1;
  }
  // All four cases come up.
  EXPECT_GT(inside, 100);
  EXPECT_GT(on_face, 100);
  EXPECT_GT(on_edge, 100);
  EXPECT_GT(apex, 100);
}

TEST(Pyramid, PointsInsideStayBitForBitAndProjectionsProjectToThemselves) {
  test::Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Real mu = random.uniform(0, 2);
    const Vec3 z = random.vector(1), p = project_on_pyramid(z, mu), again = project_on_pyramid(p, mu);
    if (in_pyramid(z, mu)) {
      EXPECT_EQ(norm(p - z), 0);
    }
    EXPECT_LE(norm(again - p), 4 * kRoundOff);
  }
  EXPECT_EQ(norm(project_on_pyramid({2, 0, 0}, 0) - Vec3{2, 0, 0}), 0);
  EXPECT_EQ(norm(project_on_pyramid({-1, 0, 0}, 0)), 0);
  EXPECT_EQ(norm(project_on_pyramid({0, 0, 0}, 1)), 0);
}

TEST(Pyramid, WhatIsNotANumberStaysNone) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(norm(project_on_pyramid({nan, 1, 0}, 0.5))));
  EXPECT_TRUE(std::isnan(norm(project_on_pyramid({1, nan, 0}, 0.5))));
  EXPECT_TRUE(std::isnan(norm(project_on_pyramid({-1, 0, nan}, 0.5))));
}

}  // namespace
}  // namespace carom
