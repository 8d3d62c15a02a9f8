// Vectors, matrices, quaternions, symmetric matrices. Tolerances are round-off at the sizes used.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "math/symmetric.h"
#include "support/random.h"

namespace carom {
namespace {

using test::Random;

Real difference(const Mat3& a, const Mat3& b) {
  Real worst = 0;
  for (int i = 0; i < 3; ++i) worst = std::max(worst, norm(a.row(i) - b.row(i)));
  return worst;
}

/// R diag(d) Rᵀ with random axes: symmetric positive definite of known eigenvalues.
Mat3 symmetric(Random& random, const Vec3& d) { return rotated(to_matrix(random.rotation()), Mat3::diagonal(d)); }

TEST(Vec3, CrossProductIsOrthogonalAndMeasuresArea) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = random.vector(2), b = random.vector(2), c = cross(a, b);
    ASSERT_NEAR(dot(a, c), 0, 1e-14);
    ASSERT_NEAR(dot(b, c), 0, 1e-14);
    ASSERT_NEAR(squared_norm(c) + dot(a, b) * dot(a, b), squared_norm(a) * squared_norm(b), 1e-12);
  }
  EXPECT_EQ(cross(Vec3{1, 0, 0}, Vec3{0, 1, 0}), (Vec3{0, 0, 1}));
}

TEST(Vec3, NormalizedHasUnitLengthAndZeroStaysZero) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) ASSERT_NEAR(norm(normalized(random.scale(1e-100, 1e100) * random.unit())), 1, 1e-15);
  EXPECT_EQ(normalized(Vec3{}), Vec3{});
}

TEST(Mat3, InverseUndoes) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 a = symmetric(random, {random.scale(0.1, 10), random.scale(0.1, 10), random.scale(0.1, 10)});
    // Condition up to 100, so 100 times round-off.
    ASSERT_LE(difference(a * inverse(a), Mat3::identity()), 1e-13);
    const Mat3 r = to_matrix(random.rotation());
    ASSERT_LE(difference(inverse(r), transposed(r)), 4e-15);
  }
}

TEST(Mat3, TransposeAndColumnsAgree) {
  Random random(4);
  const Vec3 a = random.vector(1), b = random.vector(1), c = random.vector(1), v = random.vector(1);
  const Mat3 m = Mat3::columns(a, b, c);
  EXPECT_EQ(m.column(1), b);
  EXPECT_EQ(transposed(m).row(2), c);
  EXPECT_EQ(transposed(transposed(m)), m);
  EXPECT_LE(norm(transposed_times(m, v) - transposed(m) * v), 1e-15);
  EXPECT_LE(norm(m * v - (v.x * a + v.y * b + v.z * c)), 1e-15);
}

TEST(Quat, ProductRotatesByTheSecondThenTheFirst) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 v = random.vector(1);
    ASSERT_LE(norm(rotate(a * b, v) - rotate(a, rotate(b, v))), 4e-15);
  }
}

TEST(Quat, MatrixRotatesAsTheQuaternionDoes) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random.rotation();
    const Vec3 v = random.vector(1);
    const Mat3 m = to_matrix(q);
    ASSERT_LE(norm(m * v - rotate(q, v)), 4e-15);
    ASSERT_LE(difference(transposed(m) * m, Mat3::identity()), 4e-15);
    ASSERT_NEAR(dot(m.column(0), cross(m.column(1), m.column(2))), 1, 4e-15);
  }
}

TEST(Quat, ConjugateTurnsBack) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Quat q = random.rotation();
    const Vec3 v = random.vector(1);
    ASSERT_LE(norm(rotate(conjugate(q), rotate(q, v)) - v), 4e-15);
    const Quat one = q * conjugate(q);
    ASSERT_NEAR(one.w, 1, 1e-15);
    ASSERT_LE(norm(one.vector()), 1e-15);
  }
}

TEST(Quat, TurnsTheRightWay) {
  const Vec3 y = rotate(test::turn({0, 0, 1}, 90), {1, 0, 0});
  EXPECT_LE(norm(y - Vec3{0, 1, 0}), 1e-15);
}

TEST(Pose, TransformTurnsThenMoves) {
  const Pose pose{{1, 2, 3}, test::turn({0, 0, 1}, 90)};
  EXPECT_LE(norm(transform(pose, {1, 0, 0}) - Vec3{1, 3, 3}), 1e-15);
}

TEST(Cholesky, FactorIsLowerAndGivesTheMatrixBack) {
  Random random(8);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 a = symmetric(random, {random.scale(1e-3, 1e3), random.scale(1e-3, 1e3), random.scale(1e-3, 1e3)});
    const Mat3 l = cholesky(a);
    ASSERT_EQ(l(0, 1), 0);
    ASSERT_EQ(l(0, 2), 0);
    ASSERT_EQ(l(1, 2), 0);
    // Cholesky is backward stable: the error is round-off of the largest entry, whatever the condition.
    ASSERT_LE(difference(l * transposed(l), a), 1e-15 * a.trace());
  }
}

TEST(PrincipalMoments, AreTheEigenvaluesAscending) {
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 d{random.uniform(0.1, 1), random.uniform(1, 2), random.uniform(2, 3)};
    const Vec3 moments = principal_moments(symmetric(random, d));
    ASSERT_LE(norm(moments - d), 1e-14);
  }
}

TEST(PrincipalMoments, OfAnIndefiniteMatrixAreNegative) {
  EXPECT_LT(principal_moments(Mat3::diagonal({1, -1, 2})).x, 0);
}

TEST(Symmetric, PrincipalAxesMakeTheMatrix) {
  test::Random random(17);
  for (int i = 0; i < 200; ++i) {
    const Mat3 a = symmetric(random, {1, random.uniform(1, 2), random.uniform(1, 1e4)});
    const PrincipalAxes p = principal_axes(a);
    const Mat3 again = p.axes * Mat3::diagonal(p.moments) * transposed(p.axes);
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) EXPECT_NEAR(again(row, column), a(row, column), 1e-11 * p.moments.z);
  }
}

TEST(Rotated, KeepsTraceAndActsInTheTurnedAxes) {
  Random random(10);
  for (int i = 0; i < 1000; ++i) {
    const Mat3 r = to_matrix(random.rotation()), a = symmetric(random, {1, 2, 3});
    const Vec3 v = random.vector(1);
    ASSERT_NEAR(rotated(r, a).trace(), 6, 4e-14);
    ASSERT_LE(norm(rotated(r, a) * (r * v) - r * (a * v)), 2e-14);
  }
}

}  // namespace
}  // namespace carom
