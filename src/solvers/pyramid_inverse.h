// (R + Σ wₕ aₕaₕᵀ)⁻¹ for the eight faces aₕ = (k, −cos 45h°, −sin 45h°) of a friction pyramid and weights of very
// different size.
//
// Formed as a matrix, the sum loses its small weights to rounding, and with them the large part of the inverse. By the
// formula of Cauchy and Binet the adjugate is Σ wᵢwⱼ (aᵢ×aⱼ)(aᵢ×aⱼ)ᵀ over pairs and the determinant Σ wᵢwⱼwₖ |aᵢ aⱼ
// aₖ|² over triples of rows, those of R among them: sums of terms that are not negative, in which nothing cancels.
#pragma once

#include <array>

#include "carom/math/types.h"

namespace carom {

/// `slope` is k > 0, `compliance` is R ≥ 0; weights are positive. The matrix is symmetric.
Mat3 pyramid_inverse(const std::array<Real, 8>& weights, Real slope, Real compliance);

}  // namespace carom
