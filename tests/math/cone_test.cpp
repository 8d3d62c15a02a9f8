// The projection on a friction cone, by what defines a projection on a closed convex cone.
#include "math/cone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "support/random.h"

namespace carom {
namespace {

constexpr Real kRoundOff = 4e-15;  // a dozen operations on numbers of size up to 5

constexpr Real kCoefficients[] = {0, 1e-3, 0.3, 0.5, 1, 3};

/// How far p lies outside the cone, by its own inequality.
Real outside(const Vec3& p, Real mu) { return std::max(-p.x, std::hypot(p.y, p.z) - mu * p.x); }

TEST(ConeProjection, LiesInTheCone) {
  test::Random random(1);
  for (const Real mu : kCoefficients)
    for (int i = 0; i < 2000; ++i) ASSERT_LE(outside(project_on_cone(random.vector(2), mu), mu), kRoundOff) << mu;
}

TEST(ConeProjection, LeavesTheConeAlone) {
  test::Random random(2);
  for (const Real mu : kCoefficients) {
    for (int i = 0; i < 1000; ++i) {
      const Real n = random.uniform(0, 2), r = random.uniform(0, 0.999) * mu * n, phi = random.uniform(0, 7);
      const Vec3 p{n, r * std::cos(phi), r * std::sin(phi)};
      ASSERT_EQ(project_on_cone(p, mu), p) << mu;
    }
  }
}

TEST(ConeProjection, DoneTwiceIsDoneOnce) {
  test::Random random(3);
  for (const Real mu : kCoefficients) {
    for (int i = 0; i < 2000; ++i) {
      const Vec3 once = project_on_cone(random.vector(2), mu);
      ASSERT_LE(norm(project_on_cone(once, mu) - once), kRoundOff) << mu;
    }
  }
}

TEST(ConeProjection, NoSampledPointOfTheConeIsNearer) {
  test::Random random(4);
  for (const Real mu : kCoefficients) {
    for (int i = 0; i < 40; ++i) {
      const Vec3 p = random.vector(2);
      const Real distance = norm(p - project_on_cone(p, mu));
      for (int n = 0; n <= 40; ++n) {
        for (int r = 0; r <= 10; ++r) {
          for (int k = 0; k < 36; ++k) {
            const Real normal = 0.1 * n, size = 0.1 * r * mu * normal, phi = k * std::numbers::pi / 18;
            const Vec3 candidate{normal, size * std::cos(phi), size * std::sin(phi)};
            ASSERT_GE(norm(p - candidate), distance - kRoundOff) << mu;
          }
        }
      }
    }
  }
}

TEST(ConeProjection, SplitsEveryPointAsMoreauSays) {
  // p = P_K(p) + (p − P_K(p)), the parts orthogonal, the second in the polar cone x ≤ −mu |(y, z)|.
  test::Random random(5);
  for (const Real mu : kCoefficients) {
    for (int i = 0; i < 2000; ++i) {
      const Vec3 p = random.vector(2), part = project_on_cone(p, mu), rest = p - part;
      ASSERT_NEAR(dot(part, rest), 0, 2 * kRoundOff) << mu;
      ASSERT_LE(rest.x + mu * std::hypot(rest.y, rest.z), (1 + mu) * kRoundOff) << mu;
    }
  }
}

TEST(ConeProjection, PolarConeGoesToTheApex) {
  EXPECT_EQ(project_on_cone({}, 0.5), Vec3{});
  EXPECT_EQ(project_on_cone({-1, 0, 0}, 0.5), Vec3{});
  EXPECT_EQ(project_on_cone({-1, 1.9, 0}, 0.5), Vec3{});
  EXPECT_NE(project_on_cone({-1, 2.1, 0}, 0.5), Vec3{});
}

TEST(ConeProjection, WithoutFrictionKeepsTheNormalPartAlone) {
  EXPECT_EQ(project_on_cone({2, 1, -3}, 0), (Vec3{2, 0, 0}));
  EXPECT_EQ(project_on_cone({-2, 1, -3}, 0), Vec3{});
  EXPECT_EQ(project_on_cone({0, 1, 0}, 0), Vec3{});
}

TEST(ConeProjection, OfATangentialVectorIsTheClosedForm) {
  // (0, 1, 0) on the cone of slope mu: length mu/√(1+mu²) along (1, mu)/√(1+mu²).
  const Real mu = 0.5;
  const Vec3 p = project_on_cone({0, 1, 0}, mu);
  EXPECT_NEAR(p.x, mu / (1 + mu * mu), 1e-16);
  EXPECT_NEAR(p.y, mu * mu / (1 + mu * mu), 1e-16);
  EXPECT_EQ(p.z, 0);
}

TEST(ConeProjection, ScalesAndNeverStretches) {
  test::Random random(6);
  for (const Real mu : kCoefficients) {
    for (int i = 0; i < 1000; ++i) {
      const Vec3 p = random.vector(2), q = random.vector(2);
      const Vec3 pp = project_on_cone(p, mu), pq = project_on_cone(q, mu);
      ASSERT_LE(norm(pp - pq), norm(p - q) + kRoundOff) << mu;
      ASSERT_LE(norm(project_on_cone(8.0 * p, mu) - 8.0 * pp), 8 * kRoundOff) << mu;
    }
  }
}

}  // namespace
}  // namespace carom
