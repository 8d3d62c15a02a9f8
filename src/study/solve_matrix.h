// Problems given as a matrix (FCLib's files): one solver on them, or every solver that can: `carom solve` and
// `carom compare` on a .hdf5 file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "carom/io/fclib_file.h"
#include "study/solve.h"

namespace carom {

/// An answer and what is said of it.
struct MatrixOutcome {
  std::vector<Real> impulse, velocity;  ///< three numbers a contact: normal, tangent, second tangent
  SolveReport report;
  MatrixErrors errors;
  bool met = false;    ///< FCLib's measure of error met the tolerance
  double seconds = 0;  ///< wall time of the solver alone
};

/// Empty if the solver takes problems without bodies, else why not and which do.
std::string matrix_refusal(const SolverChoice& choice);

/// Requires a solver that does not refuse.
MatrixOutcome solve_matrix(const MatrixProblem& problem, const SolverChoice& choice, std::span<const Real> warm = {});

std::string matrix_solve_json(const FclibFile& file, const SolverChoice& choice, const MatrixOutcome& outcome);
std::string matrix_solve_text(const FclibFile& file, const SolverChoice& choice, const MatrixOutcome& outcome);

/// A solver's row of a comparison.
struct MatrixRow {
  SolverChoice choice;
  std::string refusal;  ///< not empty: it did not run, and this is why
  MatrixOutcome outcome;
};
std::vector<MatrixRow> compare_on_matrix(const FclibFile& file, const std::vector<SolverChoice>& solvers);
std::string matrix_comparison_json(const std::string& path, const FclibFile& file, const std::vector<MatrixRow>& rows);
std::string matrix_comparison_text(const std::string& path, const FclibFile& file, const std::vector<MatrixRow>& rows);

}  // namespace carom
