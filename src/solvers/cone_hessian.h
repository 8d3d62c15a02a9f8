// The matrix of Newton steps on a cone system, 1 + H with H = Ĵᵀ D Ĵ over the bodies' scaled velocities and one 3×3
// curvature D a contact: assembled, factored, solved. The analysis is kept while the same bodies touch.
//
// With bounds on normal velocities, rows R with weights w, the steps of velocities y and multipliers λ solve
//   Δv + H Δy = f,   Δy = Δv − Rᵀ Δλ,   Δλ = h − w R Δv.
// Multipliers have no place of their own in the matrix: what is left is quasidefinite,
//   [−1 − Rᵀ w R, 1; 1, H] (Δv, Δy) = (−Rᵀ h, f),
// twelve unknowns a body on the graph of the bodies, however many bounds there are. H may be singular, so each body's
// Δv is eliminated before its Δy: what is left for Δy then is H and the inverse of a definite matrix.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "math/block_factor.h"
#include "math/block_matrix.h"
#include "math/block_pattern.h"
#include "solvers/cone_system.h"
#include "solvers/normal_bounds.h"

namespace carom {

class ConeHessian {
 public:
  ConeHessian() = default;
  // The factor refers to the pattern beside it.
  ConeHessian(const ConeHessian&) = delete;
  ConeHessian& operator=(const ConeHessian&) = delete;

  /// Bounds must stay until the last call; each is at a contact of the system.
  void analyse(const ConeSystem& system, std::span<const BoundRow> bounds = {});
  /// Curvatures in the system's order of contacts; symmetric ones go to Cholesky, others to LU. False where that fails.
  /// Requires a call to `analyse` with this system. Weights are those of the bounds, not negative; with them curvatures
  /// have to be symmetric.
  bool factor(const ConeSystem& system, std::span<const Mat3> curvatures, bool symmetric,
              std::span<const Real> weights = {});
  /// x ← (1 + H)⁻¹ x, where there are no bounds.
  void solve(std::span<Vec6> x);
  /// With bounds: f becomes Δy, and h becomes Δλ.
  void solve(std::span<Vec6> velocities, std::span<Real> multipliers);

 private:
  void add_identity();
  void add_contact(const ConeContact& contact, const Mat3& curvature, std::size_t slot);
  void subtract_bound(const BoundRow& bound, Real weight);

  BlockPattern pattern_;
  BlockMatrix matrix_;
  BlockFactor factor_;
  std::span<const BoundRow> bounds_;
  std::vector<Real> weights_;
  std::int32_t bodies_ = 0;
  std::int32_t first_ = 0;  // node of the first body's Δy; those of Δv come before, where there are bounds
  std::vector<Vec6> right_;
  std::vector<BodyPair> pairs_;
  std::vector<std::size_t> slots_;  // per contact: of its pair
};

}  // namespace carom
