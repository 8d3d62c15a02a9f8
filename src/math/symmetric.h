// Small symmetric positive definite matrices.
#pragma once

#include "carom/math/types.h"

namespace carom {

/// The lower factor L with L Lᵀ = a. Requires a positive definite matrix.
inline Mat3 cholesky(const Mat3& a) {
  Mat3 l;
  l(0, 0) = std::sqrt(a(0, 0));
  l(1, 0) = a(1, 0) / l(0, 0);
  l(2, 0) = a(2, 0) / l(0, 0);
  l(1, 1) = std::sqrt(a(1, 1) - l(1, 0) * l(1, 0));
  l(2, 1) = (a(2, 1) - l(2, 0) * l(1, 0)) / l(1, 1);
  l(2, 2) = std::sqrt(a(2, 2) - l(2, 0) * l(2, 0) - l(2, 1) * l(2, 1));
  return l;
}

/// R a Rᵀ: a tensor of body axes in world axes.
constexpr Mat3 rotated(const Mat3& r, const Mat3& a) { return r * a * transposed(r); }

/// The three principal moments, ascending.
Vec3 principal_moments(const Mat3& a);

struct PrincipalAxes {
  Vec3 moments;  ///< ascending
  Mat3 axes;     ///< unit columns, one for each
};
PrincipalAxes principal_axes(const Mat3& a);

}  // namespace carom
