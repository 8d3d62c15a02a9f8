// Numbers of twice the precision: the unevaluated sum of two doubles, some 31 digits.
//
// T. J. Dekker, "A floating-point technique for extending the available precision", 1971; D. E. Knuth, "The art of
// computer programming", vol. 2, 4.2.2. Built of plain sums and products, without fused multiplication, so that the
// bits are the same on every machine; it needs code that is compiled without contraction and without fast-math.
// Overflows above 1e290.
#pragma once

#include <cmath>

#include "carom/math/types.h"

namespace carom {

struct DoubleDouble {
  Real high = 0, low = 0;

  DoubleDouble() = default;
  DoubleDouble(Real value) : high(value) {}  // NOLINT(google-explicit-constructor): every double is one
  DoubleDouble(Real big, Real small) : high(big), low(small) {}

  explicit operator Real() const { return high + low; }
  DoubleDouble operator-() const { return {-high, -low}; }
};

/// The exact sum of two doubles, and the same where |a| ≥ |b|.
inline DoubleDouble exact_sum(Real a, Real b) {
  const Real sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
inline DoubleDouble ordered_sum(Real a, Real b) {
  const Real sum = a + b;
  return {sum, b - (sum - a)};
}

/// The exact product of two doubles, from halves of 26 digits.
inline DoubleDouble exact_product(Real a, Real b) {
  constexpr Real kSplit = 134217729;  // 2^27 + 1
  const Real a_large = kSplit * a - (kSplit * a - a), b_large = kSplit * b - (kSplit * b - b);
  const Real a_small = a - a_large, b_small = b - b_large, product = a * b;
  return {product, ((a_large * b_large - product) + a_large * b_small + a_small * b_large) + a_small * b_small};
}

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const DoubleDouble sum = ordered_sum(high.high, high.low + low.high);
  return ordered_sum(sum.high, sum.low + low.low);
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble operator*(const DoubleDouble& a, Real b) {
  const DoubleDouble product = exact_product(a.high, b);
  return ordered_sum(product.high, product.low + a.low * b);
}
inline DoubleDouble operator*(Real a, const DoubleDouble& b) { return b * a; }
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const Real first = a.high / b.high;
  const DoubleDouble rest = a - b * first;
  const Real second = rest.high / b.high;
  const Real third = (rest - b * second).high / b.high;
  return ordered_sum(first, second) + third;
}
inline DoubleDouble& operator+=(DoubleDouble& a, const DoubleDouble& b) { return a = a + b; }
inline DoubleDouble& operator-=(DoubleDouble& a, const DoubleDouble& b) { return a = a - b; }

inline bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
inline bool operator<=(const DoubleDouble& a, const DoubleDouble& b) { return !(b < a); }

/// Of a number that is not negative: one step of Newton's from the root of its leading part.
inline DoubleDouble sqrt(const DoubleDouble& a) {
  if (!(a.high > 0)) return {};
  const Real root = std::sqrt(a.high);
  return ordered_sum(root, (a - exact_product(root, root)).high / (2 * root));
}

}  // namespace carom
