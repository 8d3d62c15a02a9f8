// Random numbers that are the same everywhere: the standard's distributions are not, its engines are.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "carom/math/types.h"

namespace carom::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  Real uniform(Real low, Real high) { return low + (high - low) * static_cast<Real>(engine_() >> 11) * 0x1p-53; }
  /// From low to high, both included.
  int integer(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool coin() { return integer(0, 1) == 1; }
  /// Evenly spread over the orders of magnitude from low to high.
  Real scale(Real low, Real high) { return low * std::exp(uniform(0, std::log(high / low))); }

  Vec3 vector(Real size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3 unit() {
    const Real z = uniform(-1, 1), phi = uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
    return normalized(Vec3{r * std::cos(phi), r * std::sin(phi), z});
  }
  /// Uniform over all rotations (K. Shoemake, 1992).
  Quat rotation() {
    const Real u = uniform(0, 1), a = uniform(0, 2 * std::numbers::pi), b = uniform(0, 2 * std::numbers::pi);
    return normalized(Quat{std::sqrt(u) * std::cos(b), std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a),
                           std::sqrt(u) * std::sin(b)});
  }
  Pose pose(Real size) { return {vector(size), rotation()}; }

 private:
  std::mt19937_64 engine_;
};

/// The rotation by an angle in degrees about an axis of any length.
inline Quat turn(const Vec3& axis, Real degrees) {
  const Real half = degrees * std::numbers::pi / 360;
  const Vec3 v = std::sin(half) * normalized(axis);
  return {std::cos(half), v.x, v.y, v.z};
}

/// x ↦ outer(inner(x)).
inline Pose compose(const Pose& outer, const Pose& inner) {
  return {transform(outer, inner.position), normalized(outer.orientation * inner.orientation)};
}

}  // namespace carom::test
