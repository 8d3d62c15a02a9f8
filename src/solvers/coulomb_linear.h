// The linear system of every Newton step on a Coulomb problem: for equations f(r_i, u_i) = 0 a contact with u = W r +
// q,
//   (∂f/∂r + ∂f/∂u (W + α)) Δr = −f.
// Dense, with memory that is kept. Contacts whose equation does not see the velocity (open ones) are taken out first.
#pragma once

#include <cstdint>
#include <vector>

#include "math/dense_lu.h"
#include "solvers/coulomb_scaled.h"

namespace carom {

class CoulombLinear {
 public:
  void start(std::size_t contacts);

  std::vector<Vec3> f;           ///< the equations at the point
  std::vector<Mat3> by_r, by_u;  ///< their derivatives

  /// Fills in `step`; false where the matrix is singular. `epsilon` is added to α, in the matrix alone.
  bool solve(const ScaledCoulomb& problem, Real epsilon);
  /// The same matrix with other f.
  void solve_again(const ScaledCoulomb& problem);

  std::vector<Vec3> step;

 private:
  void fill_row(const ScaledCoulomb& problem, std::size_t row, Real epsilon);

  std::vector<std::int32_t> active_, place_;
  std::vector<Real> right_;
  DenseLu lu_;
};

}  // namespace carom
