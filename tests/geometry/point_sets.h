// Points whose hulls are known.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "carom/math/types.h"
#include "support/random.h"

namespace carom::test {

inline std::vector<Vec3> box_corners(const Vec3& half) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.push_back(
        {(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y, (i & 4) != 0 ? half.z : -half.z});
  return points;
}

inline std::vector<Vec3> points_on_sphere(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(random.unit());
  return points;
}

/// Evenly spread: a Fibonacci spiral.
inline std::vector<Vec3> spiral_sphere(int count) {
  std::vector<Vec3> points;
  const Real golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int i = 0; i < count; ++i) {
    const Real z = 1 - (2 * i + 1) / static_cast<Real>(count), r = std::sqrt(1 - z * z);
    points.push_back({r * std::cos(golden * i), r * std::sin(golden * i), z});
  }
  return points;
}

/// A regular polygon of so many corners at a height.
inline std::vector<Vec3> ring(int count, Real radius, Real z) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Real angle = 2 * std::numbers::pi * i / count;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  return points;
}

inline std::vector<Vec3> joined(std::vector<Vec3> a, const std::vector<Vec3>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::vector<Vec3> moved(std::vector<Vec3> points, const Pose& pose) {
  for (Vec3& p : points) p = transform(pose, p);
  return points;
}

}  // namespace carom::test
