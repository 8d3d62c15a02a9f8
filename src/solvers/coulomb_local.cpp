#include "solvers/coulomb_local.h"

#include <algorithm>
#include <cmath>

namespace carom {

LocalCoulomb::LocalCoulomb(const Mat3& w, Real mu) : mu_(mu), w_nn_(w(0, 0)) {
  if (!(w_nn_ > 0)) return;
  const Real yy = w(1, 1) - w(1, 0) * w(0, 1) / w_nn_, zz = w(2, 2) - w(2, 0) * w(0, 2) / w_nn_,
             yz = 0.5 * (w(1, 2) + w(2, 1) - (w(1, 0) * w(0, 2) + w(2, 0) * w(0, 1)) / w_nn_);
  // Jacobi's rotation of a 2×2 matrix.
  if (yz != 0) {
    const Real theta = (zz - yy) / (2 * yz);
    const Real t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    cosine_ = 1 / std::sqrt(t * t + 1);
    sine_ = -t * cosine_;
    s_y_ = yy - t * yz;
    s_z_ = zz + t * yz;
  } else {
    s_y_ = yy;
    s_z_ = zz;
  }
  // Where S is singular, sticking in that direction takes an impulse without bound: the cone is what bounds it.
  constexpr Real kRounding = 1e-14;
  s_y_ = std::max(s_y_, kRounding * w.trace());
  s_z_ = std::max(s_z_, kRounding * w.trace());
  w_ny_ = cosine_ * w(0, 1) + sine_ * w(0, 2);
  w_nz_ = -sine_ * w(0, 1) + cosine_ * w(0, 2);
  w_yn_ = cosine_ * w(1, 0) + sine_ * w(2, 0);
  w_zn_ = -sine_ * w(1, 0) + cosine_ * w(2, 0);
}

LocalCoulomb::Excess LocalCoulomb::excess(Real lambda, Real q_n, Real y, Real z) const {
  Excess e;
  const Real by = 1 / (s_y_ + lambda), bz = 1 / (s_z_ + lambda);
  e.y = -y * by;
  e.z = -z * bz;
  const Real size = std::sqrt(e.y * e.y + e.z * e.z);
  const Real ratio = mu_ / w_nn_;
  e.value = size + ratio * (q_n + w_ny_ * e.y + w_nz_ * e.z);
  // d j_t / dλ = −j_t / (s + λ)
  const Real dy = -e.y * by, dz = -e.z * bz;
  e.slope = (size > 0 ? (e.y * dy + e.z * dz) / size : 0) + ratio * (w_ny_ * dy + w_nz_ * dz);
  return e;
}

Real LocalCoulomb::find_slip(Real q_n, Real y, Real z) const {
  const Real size = std::sqrt(y * y + z * z);
  const Real coupling = mu_ * std::sqrt(w_ny_ * w_ny_ + w_nz_ * w_nz_) / w_nn_;
  Real low = 0, high = 2 * size * (1 + coupling) * w_nn_ / (mu_ * -q_n);  // beyond, the excess is negative
  Real lambda = std::min(0.5 * high, 0.5 * (s_y_ + s_z_));
  constexpr int kMost = 100;
  constexpr Real kPrecision = 1e-15;
  for (int i = 0; i < kMost; ++i) {
    const Excess e = excess(lambda, q_n, y, z);
    (e.value > 0 ? low : high) = lambda;
    Real next = lambda - e.value / e.slope;
    // Written so that a step that is not a number is refused as well.
    if (!(next > low && next < high)) next = low > 0 && high > 4 * low ? std::sqrt(low * high) : 0.5 * (low + high);
    if (std::abs(next - lambda) <= kPrecision * lambda) break;
    lambda = next;
  }
  return lambda;
}

Vec3 LocalCoulomb::solve(const Vec3& q) const {
  if (!(w_nn_ > 0) || !(q.x < 0)) return {};
  if (mu_ == 0) return {-q.x / w_nn_, 0, 0};
  const Real qy = cosine_ * q.y + sine_ * q.z - w_yn_ * q.x / w_nn_;
  const Real qz = -sine_ * q.y + cosine_ * q.z - w_zn_ * q.x / w_nn_;
  Excess e = excess(0, q.x, qy, qz);
  Real normal = 0;
  if (e.value <= 0) {
    normal = -(q.x + w_ny_ * e.y + w_nz_ * e.z) / w_nn_;
  } else {
    e = excess(find_slip(q.x, qy, qz), q.x, qy, qz);
    normal = std::sqrt(e.y * e.y + e.z * e.z) / mu_;
  }
  return {normal, cosine_ * e.y - sine_ * e.z, sine_ * e.y + cosine_ * e.z};
}

}  // namespace carom
