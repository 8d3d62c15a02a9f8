// Sweeps of exact one-contact solves (M. Jean and J. J. Moreau, "Unilaterality and dry friction in the dynamics of
// rigid body collections", 1992; nonlinear Gauss–Seidel), accelerated by Anderson's method. They get near from
// anywhere, and all the way where the problem is easy.
#pragma once

#include <vector>

#include "solvers/anderson.h"
#include "solvers/coulomb_local.h"
#include "solvers/coulomb_scaled.h"

namespace carom {

class CoulombSweep {
 public:
  /// Prepares the contacts of a problem without compliance.
  void start(const ScaledCoulomb& problem);
  /// True when the residual has met the tolerance.
  bool run(ScaledCoulomb& problem, int most_sweeps, Real tolerance);
  int sweeps() const { return sweeps_; }

 private:
  std::vector<LocalCoulomb> local_;
  std::vector<Real> metric_, before_, after_;
  Anderson anderson_;
  int sweeps_ = 0;
};

}  // namespace carom
