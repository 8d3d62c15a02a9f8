// The Jordan algebra of the second-order cone Q = {|(y, z)| ≤ x}: what interior-point methods on friction cones compute
// with. F. Alizadeh, D. Goldfarb, "Second-order cone programming", 2003.
#pragma once

#include <cmath>

#include "carom/math/types.h"

namespace carom {

/// Product of the two eigenvalues, formed from them: the difference of squares would lose twice the digits.
inline Real cone_determinant(const Vec3& a) {
  const Real r = std::sqrt(a.y * a.y + a.z * a.z);
  return (a.x - r) * (a.x + r);
}

inline Vec3 jordan_product(const Vec3& a, const Vec3& b) {
  return {dot(a, b), a.x * b.y + b.x * a.y, a.x * b.z + b.x * a.z};
}

/// What gives b when multiplied by a.
inline Vec3 jordan_quotient(const Vec3& b, const Vec3& a) {
  const Real x = (a.x * b.x - a.y * b.y - a.z * b.z) / cone_determinant(a);
  return {x, (b.y - a.y * x) / a.x, (b.z - a.z * x) / a.x};
}

}  // namespace carom
