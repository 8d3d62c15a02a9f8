#include "solvers/pyramid_inverse.h"

#include <cstddef>

#include "contact/pyramid.h"

namespace carom {
namespace {

constexpr std::size_t kFaces = 8, kPairs = kFaces * (kFaces - 1) / 2;

/// A symmetric matrix: xx, yy, zz, xy, xz, yz.
using Six = std::array<Real, 6>;

constexpr Six outer(Real x, Real y, Real z) { return {x * x, y * y, z * z, x * y, x * z, y * z}; }

/// What does not depend on weights, for slope 1: rows are (1, −c, −s).
struct Tables {
  std::array<Six, kFaces> rows{};                          // aₕaₕᵀ
  std::array<Six, kPairs> pairs{};                         // (aᵢ×aⱼ)(aᵢ×aⱼ)ᵀ
  std::array<std::array<Real, kFaces>, kPairs> volumes{};  // |aᵢ aⱼ aₖ|² for k > j, else 0
};

constexpr Tables make_tables() {
  Tables t;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < kFaces; ++i) {
    const auto& a = kPyramidFaces[i];
    t.rows[i] = outer(1, -a[0], -a[1]);
    for (std::size_t j = i + 1; j < kFaces; ++j, ++pair) {
      const auto& b = kPyramidFaces[j];
      const Real x = a[0] * b[1] - a[1] * b[0], y = b[1] - a[1], z = a[0] - b[0];  // (1, −a) × (1, −b)
      t.pairs[pair] = outer(x, y, z);
      for (std::size_t k = j + 1; k < kFaces; ++k) {
        const Real volume = x - y * kPyramidFaces[k][0] - z * kPyramidFaces[k][1];
        t.volumes[pair][k] = volume * volume;
      }
    }
  }
  return t;
}

constexpr Tables kTables = make_tables();

void add(Real factor, const Six& m, Six& sum) {
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * m[k];
}

}  // namespace

Mat3 pyramid_inverse(const std::array<Real, 8>& weights, Real slope, Real compliance) {
  // With T = diag(k, 1, 1) it is T⁻¹ (C + Σ)⁻¹ T⁻¹, Σ for slope 1 and C = R T⁻².
  Six sum{}, adjugate{};
  Real determinant = 0;
  for (std::size_t i = 0, pair = 0; i < kFaces; ++i) {
    add(weights[i], kTables.rows[i], sum);
    for (std::size_t j = i + 1; j < kFaces; ++j, ++pair) {
      const Real product = weights[i] * weights[j];
      add(product, kTables.pairs[pair], adjugate);
      Real third = 0;
      for (std::size_t k = j + 1; k < kFaces; ++k) third += weights[k] * kTables.volumes[pair][k];
      determinant += product * third;
    }
  }
  const auto [xx, yy, zz, xy, xz, yz] = sum;
  const Real cy = compliance, cz = compliance, cx = compliance / (slope * slope);
  determinant += cx * adjugate[0] + cy * adjugate[1] + cz * adjugate[2] + cx * cy * zz + cx * cz * yy + cy * cz * xx +
                 cx * cy * cz;
  add(1,
      {cy * zz + cz * yy + cy * cz, cx * zz + cz * xx + cx * cz, cx * yy + cy * xx + cx * cy, -cz * xy, -cy * xz,
       -cx * yz},
      adjugate);

  const Real scale = 1 / determinant, stretch = 1 / slope;
  Mat3 inverse;
  inverse(0, 0) = adjugate[0] * scale * stretch * stretch;
  inverse(1, 1) = adjugate[1] * scale;
  inverse(2, 2) = adjugate[2] * scale;
  inverse(0, 1) = inverse(1, 0) = adjugate[3] * scale * stretch;
  inverse(0, 2) = inverse(2, 0) = adjugate[4] * scale * stretch;
  inverse(1, 2) = inverse(2, 1) = adjugate[5] * scale;
  return inverse;
}

}  // namespace carom
