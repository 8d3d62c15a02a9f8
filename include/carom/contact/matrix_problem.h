// A contact problem given as a matrix, without bodies: FCLib's local form, and what small dense methods work on.
//
//   u = W j + q,   per contact Coulomb's law with Signorini's condition between u and j (see problem.h),
//
// over blocks of three rows a contact: normal, tangent, second tangent. W is positive semidefinite and symmetric, or
// nearly so; it is held by its 3×3 blocks, row after row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "carom/contact/problem.h"
#include "carom/math/types.h"

namespace carom {

struct MatrixProblem {
  std::vector<std::size_t> row_start;  ///< contacts + 1 numbers: where a contact's row of blocks begins
  std::vector<std::int32_t> columns;   ///< of the blocks, ascending in a row; each row has its diagonal block
  std::vector<Mat3> blocks;            ///< of W, 1/kg
  std::vector<Real> q;                 ///< m/s: velocity without any impulse, less targets; three numbers a contact
  std::vector<Real> mu;                ///< friction coefficient, one a contact

  std::size_t contact_count() const { return mu.size(); }
};

/// Empty if sizes, indices, signs and W (nearly symmetric) are as they must be, else the first thing wrong.
std::string check(const MatrixProblem& problem);

/// The matrix of a problem with bodies, over all its contacts, in their frames. Targets are the problem's own:
/// restitution is the caller's. Requires a problem that passes `check` and has no row blocks.
MatrixProblem matrix_problem(const ContactProblem& problem);

/// An entry of a sparse matrix; several at the same place add up.
struct MatrixEntry {
  std::int32_t row = 0, column = 0;
  Real value = 0;
};

/// From the entries of W, 3n × 3n for n coefficients `mu`. The message of a failure is that of `check`.
Result<MatrixProblem> matrix_problem(std::span<const MatrixEntry> w, std::vector<Real> q, std::vector<Real> mu);

/// FCLib's global form: M v = H j + f, u = Hᵀ v + w, with a symmetric positive definite M.
struct GlobalMatrixProblem {
  std::vector<MatrixEntry> mass;  ///< M, as large as `f`
  std::vector<MatrixEntry> h;     ///< H, a column for each of the three rows of a contact
  std::vector<Real> f, w, mu;
};
/// W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w. The message of a failure says what is wrong with the matrices.
Result<MatrixProblem> reduced(const GlobalMatrixProblem& problem);

/// The contact's own block of W.
const Mat3& diagonal_block(const MatrixProblem& problem, std::size_t contact);

/// u = W j + q. Sizes are three numbers a contact.
void velocities_of(const MatrixProblem& problem, std::span<const Real> impulse, std::span<Real> velocity);

/// How far impulses are from Coulomb's law. Velocities are recomputed from them.
struct MatrixErrors {
  Real largest = 0;  ///< m/s: ‖j − P_K(j − ρ(u + μ|u_t| n))‖ / ρ, ρ = 3 / tr W_cc, largest over contacts
  Real rms = 0;      ///< m/s: the same, root mean square
  Real fclib =
      0;  ///< ‖j − P_K(j − (u + μ|u_t| n))‖ / max(‖q‖, ‖j‖, ‖u‖) over the whole vectors, as FCLib's users judge
};
MatrixErrors measure(const MatrixProblem& problem, std::span<const Real> impulse);

}  // namespace carom
