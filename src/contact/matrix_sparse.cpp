// Matrix problems from sparse entries: W itself, or the mass matrix and the contact directions of FCLib's global form
// (V. Acary et al., "FCLIB: a collection of discrete 3D frictional contact problems", 2014).
#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/contact/matrix_problem.h"
#include "math/eigen_sparse.h"

namespace carom {
namespace {

using Sparse = Eigen::SparseMatrix<Real, Eigen::RowMajor>;
using SparseColumns = Eigen::SparseMatrix<Real>;
using Reduced = Result<MatrixProblem>;

std::string check_entries(std::span<const MatrixEntry> entries, std::size_t rows, std::size_t columns,
                          const char* name) {
  for (const MatrixEntry& e : entries) {
    if (e.row < 0 || e.column < 0 || static_cast<std::size_t>(e.row) >= rows ||
        static_cast<std::size_t>(e.column) >= columns)
      return std::string(name) + ": found the place (" + std::to_string(e.row) + ", " + std::to_string(e.column) +
             "), expected rows below " + std::to_string(rows) + " and columns below " + std::to_string(columns);
    if (!std::isfinite(e.value)) return std::string(name) + ": found a number that is not finite";
  }
  return {};
}

Sparse to_sparse(std::span<const MatrixEntry> entries, std::size_t rows, std::size_t columns) {
  std::vector<Eigen::Triplet<Real>> triplets;
  triplets.reserve(entries.size());
  for (const MatrixEntry& e : entries) triplets.emplace_back(e.row, e.column, e.value);
  Sparse matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

/// The 3×3 blocks that hold anything, and the diagonal ones.
MatrixProblem to_blocks(const Sparse& w, std::vector<Real> q, std::vector<Real> mu) {
  const std::size_t n = mu.size();
  MatrixProblem problem;
  problem.row_start.push_back(0);
  std::vector<std::int32_t> columns;
  std::vector<std::size_t> place(n);  // in `blocks`, of a column of this row
  for (std::size_t row = 0; row < n; ++row) {
    columns.assign(1, static_cast<std::int32_t>(row));
    const auto first = static_cast<Eigen::Index>(3 * row);
    for (Eigen::Index k = 0; k < 3; ++k)
      for (Sparse::InnerIterator it(w, first + k); it; ++it) columns.push_back(static_cast<std::int32_t>(it.col() / 3));
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    for (const std::int32_t column : columns) {
      place[static_cast<std::size_t>(column)] = problem.blocks.size();
      problem.columns.push_back(column);
      problem.blocks.emplace_back();
    }
    for (Eigen::Index k = 0; k < 3; ++k)
      for (Sparse::InnerIterator it(w, first + k); it; ++it)
        problem.blocks[place[static_cast<std::size_t>(it.col() / 3)]](static_cast<int>(k),
                                                                      static_cast<int>(it.col() % 3)) = it.value();
    problem.row_start.push_back(problem.blocks.size());
  }
  problem.q = std::move(q);
  problem.mu = std::move(mu);
  return problem;
}

Reduced checked(MatrixProblem problem) {
  std::string wrong = check(problem);
  if (!wrong.empty()) return Reduced::failure(std::move(wrong));
  return problem;
}

/// Both triangles of M must agree: only one of them is read by the factorization.
bool is_symmetric(const Sparse& m) {
  const Sparse difference = m - Sparse(m.transpose());
  Real largest = 0, off = 0;
  for (Eigen::Index k = 0; k < m.outerSize(); ++k) {
    for (Sparse::InnerIterator it(m, k); it; ++it) largest = std::max(largest, std::abs(it.value()));
    for (Sparse::InnerIterator it(difference, k); it; ++it) off = std::max(off, std::abs(it.value()));
  }
  return off <= 1e-10 * largest;
}

}  // namespace

Result<MatrixProblem> matrix_problem(std::span<const MatrixEntry> w, std::vector<Real> q, std::vector<Real> mu) {
  const std::size_t rows = 3 * mu.size();
  if (std::string wrong = check_entries(w, rows, rows, "W"); !wrong.empty()) return Reduced::failure(std::move(wrong));
  return checked(to_blocks(to_sparse(w, rows, rows), std::move(q), std::move(mu)));
}

Result<MatrixProblem> reduced(const GlobalMatrixProblem& problem) {
  const std::size_t dofs = problem.f.size(), rows = 3 * problem.mu.size();
  if (problem.w.size() != rows) return Reduced::failure("w: expected three numbers a contact");
  for (std::string wrong : {check_entries(problem.mass, dofs, dofs, "M"), check_entries(problem.h, dofs, rows, "H")})
    if (!wrong.empty()) return Reduced::failure(std::move(wrong));
  for (const Real f : problem.f)
    if (!std::isfinite(f)) return Reduced::failure("f: found a number that is not finite");

  const Sparse mass = to_sparse(problem.mass, dofs, dofs), h = to_sparse(problem.h, dofs, rows);
  if (!is_symmetric(mass)) return Reduced::failure("M: found a matrix that is not symmetric");
  const Eigen::SimplicialLLT<SparseColumns> factor{SparseColumns(mass)};
  if (factor.info() != Eigen::Success) return Reduced::failure("M: found a matrix that is not positive definite");
  const SparseColumns columns = h, moved = factor.solve(columns);  // M⁻¹ H
  const Sparse w = SparseColumns(columns.transpose()) * moved;
  const Eigen::VectorXd q = h.transpose() * factor.solve(Eigen::Map<const Eigen::VectorXd>(
                                                problem.f.data(), static_cast<Eigen::Index>(dofs))) +
                            Eigen::Map<const Eigen::VectorXd>(problem.w.data(), static_cast<Eigen::Index>(rows));
  return checked(to_blocks(w, {q.begin(), q.end()}, problem.mu));
}

}  // namespace carom
