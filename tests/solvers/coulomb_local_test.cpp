// One contact alone: the law holds to rounding, for every kind of contact.
#include "solvers/coulomb_local.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/cone.h"
#include "support/random.h"

namespace carom {
namespace {

/// Distance from Coulomb's law relative to the velocities at hand, written out by hand.
Real law_error(const Mat3& w, const Vec3& q, Real mu, const Vec3& j) {
  const Vec3 u = w * j + q;
  const Real slip = std::sqrt(u.y * u.y + u.z * u.z), rub = std::sqrt(j.y * j.y + j.z * j.z);
  const Real scale = norm(q), mass = 3 / w.trace();
  if (!(j.x >= 0)) return 1;
  Real error = std::max(0.0, -u.x) / scale;                                 // no approach
  error = std::max(error, std::min(j.x / mass, std::abs(u.x)) / scale);     // no pull at a distance
  error = std::max(error, std::max(0.0, rub - mu * j.x) / (mass * scale));  // inside the cone
  const Real power = (j.y * u.y + j.z * u.z) + mu * j.x * slip;             // friction against the slip
  return std::max(error, std::abs(power) / (mass * scale * std::max(slip, 1e-12 * scale)) * (slip > 1e-9 * scale));
}

Mat3 random_block(test::Random& random, Real spread) {
  const Mat3 r = to_matrix(random.rotation());
  const Mat3 d =
      Mat3::diagonal({random.scale(1 / spread, 1), random.scale(1 / spread, 1), random.scale(1 / spread, 1)});
  const Mat3 w = r * d * transposed(r);
  return 0.5 * (w + transposed(w));
}

TEST(LocalCoulomb, TheLawHoldsWhateverTheMassesAndTheFriction) {
  test::Random random(11);
  int sliding = 0, sticking = 0, open = 0;
  for (int i = 0; i < 20000; ++i) {
    const Mat3 w = random_block(random, 1e3);
    const Vec3 q = random.vector(1);
    const Real mu = random.integer(0, 9) == 0 ? 0 : random.scale(1e-3, 10);
    const Vec3 j = LocalCoulomb(w, mu).solve(q);
    // The spread of W's eigenvalues is what rounding is multiplied by.
    EXPECT_LE(law_error(w, q, mu, j), 1e-9) << i;
    const Vec3 u = w * j + q;
    if (j == Vec3{}) {
      ++open;
    } else {
      ++(std::sqrt(u.y * u.y + u.z * u.z) > 1e-9 ? sliding : sticking);
    }
  }
  EXPECT_GT(std::min({sliding, sticking, open}), 1000);
}

TEST(LocalCoulomb, SticksExactlyWhereItCan) {
  const Vec3 j = LocalCoulomb(Mat3::diagonal({1, 2, 4}), 0.5).solve({-1, 0.2, 0.4});
  EXPECT_NEAR(j.x, 1, 1e-15);
  EXPECT_NEAR(j.y, -0.1, 1e-15);
  EXPECT_NEAR(j.z, -0.1, 1e-15);
}

TEST(LocalCoulomb, SlidesAlongTheConeAgainstTheSlip) {
  const Vec3 j = LocalCoulomb(Mat3::identity(), 0.5).solve({-1, 3, 4});
  EXPECT_NEAR(j.x, 1, 1e-15);
  EXPECT_NEAR(j.y, -0.3, 1e-15);
  EXPECT_NEAR(j.z, -0.4, 1e-15);
}

TEST(LocalCoulomb, ActsNowhereWithoutMassOrWithoutApproach) {
  EXPECT_EQ(LocalCoulomb(Mat3{}, 0.5).solve({-1, 1, 1}), Vec3{});
  EXPECT_EQ(LocalCoulomb(Mat3::identity(), 0.5).solve({0, 1, 1}), Vec3{});
  EXPECT_EQ(LocalCoulomb().solve({-1, 0, 0}), Vec3{});
}

TEST(LocalCoulomb, ASingularBlockGivesAFiniteImpulseInTheCone) {
  // No impulse along the second tangent moves anything.
  const Vec3 j = LocalCoulomb(Mat3::diagonal({1, 1, 0}), 0.5).solve({-1, 0, 1});
  EXPECT_NEAR(j.x, 1, 1e-12);
  EXPECT_LE(std::sqrt(j.y * j.y + j.z * j.z), 0.5 * j.x * (1 + 1e-12));
}

}  // namespace
}  // namespace carom
