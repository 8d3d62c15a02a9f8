// The matrix of Newton steps on a cone system, 1 + Ĵᵀ D Ĵ over the bodies' scaled velocities with one 3×3 curvature D a
// contact: assembled, factored, solved. The analysis is kept while the same bodies touch.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "math/block_factor.h"
#include "math/block_matrix.h"
#include "math/block_pattern.h"
#include "solvers/cone_system.h"

namespace carom {

class ConeHessian {
 public:
  ConeHessian() = default;
  // The factor refers to the pattern beside it.
  ConeHessian(const ConeHessian&) = delete;
  ConeHessian& operator=(const ConeHessian&) = delete;

  void analyse(const ConeSystem& system);
  /// Curvatures in the system's order of contacts; symmetric ones go to Cholesky, others to LU. False where that fails.
  /// Requires a call to `analyse` with this system.
  bool factor(const ConeSystem& system, std::span<const Mat3> curvatures, bool symmetric);
  /// x ← (1 + Ĵᵀ D Ĵ)⁻¹ x.
  void solve(std::span<Vec6> x);

 private:
  BlockPattern pattern_;
  BlockMatrix matrix_;
  BlockFactor factor_;
  std::vector<BodyPair> pairs_;
  std::vector<std::size_t> slots_;  // per contact: of its pair
};

}  // namespace carom
