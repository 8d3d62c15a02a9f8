#include "math/trig.h"

namespace carom {
namespace {

/// Taylor series of sine; the first term left out is below 1e-19 for |x| ≤ π/4.
Real sine_series(Real x) {
  const Real z = x * x;
  Real sum = 1.0 / 355687428096000;  // 1/17!
  sum = sum * z - 1.0 / 1307674368000;
  sum = sum * z + 1.0 / 6227020800;
  sum = sum * z - 1.0 / 39916800;
  sum = sum * z + 1.0 / 362880;
  sum = sum * z - 1.0 / 5040;
  sum = sum * z + 1.0 / 120;
  sum = sum * z - 1.0 / 6;
  return x + x * z * sum;
}

/// Taylor series of cosine, to the same accuracy.
Real cosine_series(Real x) {
  const Real z = x * x;
  Real sum = 1.0 / 20922789888000;  // 1/16!
  sum = sum * z - 1.0 / 87178291200;
  sum = sum * z + 1.0 / 479001600;
  sum = sum * z - 1.0 / 3628800;
  sum = sum * z + 1.0 / 40320;
  sum = sum * z - 1.0 / 720;
  sum = sum * z + 1.0 / 24;
  sum = sum * z - 0.5;
  return 1 + z * sum;
}

}  // namespace

SinCos sin_cos(Real x) {
  // Quarter turns are taken off in two parts (Cody and Waite): the first part of π/2 has 33 bits, so that its
  // multiples are exact for the stated range.
  constexpr Real kHalfPiHigh = 1.57079632673412561417e+00;
  constexpr Real kHalfPiLow = 6.07710050650619224932e-11;
  const Real turns = std::floor(x * 0.63661977236758134308 + 0.5);
  const Real rest = (x - turns * kHalfPiHigh) - turns * kHalfPiLow;
  const Real s = sine_series(rest), c = cosine_series(rest);
  switch (static_cast<long long>(turns) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

Quat rotation(const Vec3& phi) {
  const Real angle = norm(phi);
  if (angle == 0) return {};
  const SinCos half = sin_cos(0.5 * angle);
  const Vec3 v = (half.sine / angle) * phi;
  return {half.cosine, v.x, v.y, v.z};
}

Vec3 turn_between(const Quat& from, const Quat& to) {
  Quat turn = to * conjugate(from);
  if (turn.w < 0) turn = {-turn.w, -turn.x, -turn.y, -turn.z};
  const Real sine = norm(turn.vector());
  if (sine == 0) return {};
  // The half angle has this sine and the cosine w: by Newton's method: the C library's arcsine differs between
  // platforms.
  Real half = sine;
  constexpr int kSteps = 6;
  for (int i = 0; i < kSteps; ++i) {
    const SinCos at = sin_cos(half);
    half -= (at.sine * turn.w - at.cosine * sine) / (at.cosine * turn.w + at.sine * sine);
  }
  return (2 * half / sine) * turn.vector();
}

}  // namespace carom
