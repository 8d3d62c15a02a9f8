// Siconos, a library for nonsmooth mechanics by other people, as an oracle: its solvers on Carom's matrix problems.
#pragma once

#include <vector>

#include "carom/contact/matrix_problem.h"

namespace carom::test {

struct OracleAnswer {
  std::vector<Real> impulse;
  double seconds = 0;  ///< processor time of this thread
  int iterations = 0;
};

/// Nonsmooth Gauss–Seidel on Coulomb's law, its default one-contact solver, W in sparse blocks. `tolerance` is its own
/// measure of error, which divides by ‖q‖.
OracleAnswer siconos_nsgs(const MatrixProblem& problem, Real tolerance, int iterations);

/// Its alternating direction method of multipliers on Coulomb's law, on the problem scaled by the masses.
OracleAnswer siconos_admm(const MatrixProblem& problem, Real tolerance, int iterations);

/// The same method without De Saxcé's shift: the convex model.
OracleAnswer siconos_convex(const MatrixProblem& problem, Real tolerance, int iterations);

}  // namespace carom::test
