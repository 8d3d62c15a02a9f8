// The one place where Eigen comes in. Vectorisation is off in the step path, so that a run repeats on every machine.
#pragma once

#include <Eigen/Dense>

#include "carom/math/types.h"

namespace carom {

inline Eigen::Matrix3d to_eigen(const Mat3& a) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = a(i, j);
  return m;
}

inline Vec3 from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline Mat3 from_eigen(const Eigen::Matrix3d& m) {
  Mat3 result;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) result(i, k) = m(i, k);
  return result;
}

}  // namespace carom
