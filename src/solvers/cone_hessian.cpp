#include "solvers/cone_hessian.h"

namespace carom {
namespace {

/// D times rows.
Rows36 times(const Mat3& d, const Rows36& rows) {
  Rows36 result;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t c = 0; c < 6; ++c) {
      const int row = static_cast<int>(k);
      result[k][c] = d(row, 0) * rows[0][c] + d(row, 1) * rows[1][c] + d(row, 2) * rows[2][c];
    }
  return result;
}

/// block += leftᵀ right, column by column.
void add_product(const Rows36& left, const Rows36& right, Real* block) {
  for (std::size_t c = 0; c < 6; ++c, block += 6)
    for (std::size_t r = 0; r < 6; ++r)
      block[r] += left[0][r] * right[0][c] + left[1][r] * right[1][c] + left[2][r] * right[2][c];
}

}  // namespace

void ConeHessian::analyse(const ConeSystem& system) {
  pairs_.clear();
  for (const ConeContact& c : system.contacts)
    if (c.a >= 0 && c.b >= 0) pairs_.push_back({c.a, c.b});
  pattern_.analyse(static_cast<std::int32_t>(system.free_velocities.size()), pairs_);
  slots_.clear();
  for (const ConeContact& c : system.contacts) slots_.push_back(c.a >= 0 && c.b >= 0 ? pattern_.slot(c.a, c.b) : 0);
}

bool ConeHessian::factor(const ConeSystem& system, std::span<const Mat3> curvatures, bool symmetric) {
  matrix_.reset(pattern_.slot_count(), symmetric);
  for (std::size_t i = 0; i < system.free_velocities.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) matrix_.lower(i)[7 * k] = 1;
  for (std::size_t i = 0; i < system.contacts.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    const Rows36 curved_a = times(curvatures[i], c.rows_a), curved_b = times(curvatures[i], c.rows_b);
    if (c.a >= 0) add_product(c.rows_a, curved_a, matrix_.lower(static_cast<std::size_t>(c.a)));
    if (c.b >= 0) add_product(c.rows_b, curved_b, matrix_.lower(static_cast<std::size_t>(c.b)));
    if (c.a < 0 || c.b < 0) continue;
    // The block below the diagonal is Ĵᵀ D Ĵ with the higher number on the left; the one above is kept transposed.
    const bool a_first = c.a > c.b;
    add_product(a_first ? c.rows_a : c.rows_b, a_first ? curved_b : curved_a, matrix_.lower(slots_[i]));
    if (!symmetric) add_product(a_first ? curved_a : curved_b, a_first ? c.rows_b : c.rows_a, matrix_.upper(slots_[i]));
  }
  return factor_.factor(pattern_, matrix_);
}

void ConeHessian::solve(std::span<Vec6> x) { factor_.solve({x.empty() ? nullptr : x.front().data(), 6 * x.size()}); }

}  // namespace carom
