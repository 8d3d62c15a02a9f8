// The dense Coulomb solver on problems given as a matrix, judged as users of FCLib do.
#pragma once

#include <memory>

#include "carom/solvers/solver.h"

namespace carom {

/// For `SolverInfo::make_matrix`; it has no options.
std::unique_ptr<MatrixSolver> coulomb_matrix_solver(const Options& options);

}  // namespace carom
