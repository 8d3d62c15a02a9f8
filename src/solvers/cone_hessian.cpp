#include "solvers/cone_hessian.h"

#include <algorithm>
#include <utility>

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

void ConeHessian::analyse(const ConeSystem& system, std::span<const BoundRow> bounds) {
  bounds_ = bounds;
  bodies_ = static_cast<std::int32_t>(system.free_velocities.size());
  first_ = bounds.empty() ? 0 : bodies_;
  pairs_.clear();
  for (const ConeContact& c : system.contacts)
    if (c.a >= 0 && c.b >= 0) pairs_.push_back({c.a, c.b});
  pattern_.analyse(bodies_, pairs_, !bounds.empty());
  slots_.clear();
  for (const ConeContact& c : system.contacts)
    slots_.push_back(c.a >= 0 && c.b >= 0 ? pattern_.slot(first_ + c.a, first_ + c.b) : 0);
}

bool ConeHessian::factor(const ConeSystem& system, std::span<const Mat3> curvatures, bool symmetric,
                         std::span<const Real> weights) {
  matrix_.reset(pattern_.slot_count(), symmetric, first_);
  add_identity();
  for (std::size_t i = 0; i < system.contacts.size(); ++i)
    if (curvatures[i] != Mat3{}) add_contact(system.contacts[i], curvatures[i], slots_[i]);
  weights_.assign(weights.begin(), weights.end());
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    if (weights[i] > 0) subtract_bound(bounds_[i], weights[i]);
  return factor_.factor(pattern_, matrix_);
}

void ConeHessian::add_identity() {
  for (std::int32_t i = 0; i < bodies_; ++i) {
    Real* own = matrix_.lower(static_cast<std::size_t>(i));
    for (std::size_t k = 0; k < 6; ++k) own[7 * k] = bounds_.empty() ? 1 : -1;
    if (bounds_.empty()) continue;
    Real* between = matrix_.lower(pattern_.slot(first_ + i, i));
    for (std::size_t k = 0; k < 6; ++k) between[7 * k] = 1;
  }
}

void ConeHessian::add_contact(const ConeContact& c, const Mat3& curvature, std::size_t slot) {
  const Rows36 curved_a = times(curvature, c.rows_a), curved_b = times(curvature, c.rows_b);
  if (c.a >= 0) add_product(c.rows_a, curved_a, matrix_.lower(pattern_.slot(first_ + c.a, first_ + c.a)));
  if (c.b >= 0) add_product(c.rows_b, curved_b, matrix_.lower(pattern_.slot(first_ + c.b, first_ + c.b)));
  if (c.a < 0 || c.b < 0) return;
  // The block below the diagonal is Ĵᵀ D Ĵ with the higher number on the left; the one above is kept transposed.
  const bool a_first = c.a > c.b;
  add_product(a_first ? c.rows_a : c.rows_b, a_first ? curved_b : curved_a, matrix_.lower(slot));
  if (!matrix_.symmetric())
    add_product(a_first ? curved_a : curved_b, a_first ? c.rows_b : c.rows_a, matrix_.upper(slot));
}

void ConeHessian::subtract_bound(const BoundRow& bound, Real weight) {
  const auto subtract = [&](std::int32_t i, const Vec6& left, std::int32_t j, const Vec6& right) {
    Real* block = matrix_.lower(pattern_.slot(i, j));
    for (std::size_t c = 0; c < 6; ++c, block += 6)
      for (std::size_t r = 0; r < 6; ++r) block[r] -= weight * left[r] * right[c];
  };
  const auto [a, b] = std::pair{bound.a, bound.b};
  if (a >= 0) subtract(a, bound.row_a, a, bound.row_a);
  if (b >= 0) subtract(b, bound.row_b, b, bound.row_b);
  if (a < 0 || b < 0) return;
  if (a > b)
    subtract(a, bound.row_a, b, bound.row_b);
  else
    subtract(b, bound.row_b, a, bound.row_a);
}

void ConeHessian::solve(std::span<Vec6> x) { factor_.solve({x.empty() ? nullptr : x.front().data(), 6 * x.size()}); }

void ConeHessian::solve(std::span<Vec6> velocities, std::span<Real> multipliers) {
  if (bounds_.empty()) return solve(velocities);
  right_.assign(velocities.size(), {});
  for (std::size_t i = 0; i < bounds_.size(); ++i) bounds_[i].add(-multipliers[i], right_);
  right_.insert(right_.end(), velocities.begin(), velocities.end());
  solve(right_);
  for (std::size_t i = 0; i < bounds_.size(); ++i) multipliers[i] -= weights_[i] * bounds_[i].times(right_);
  std::copy(right_.begin() + first_, right_.end(), velocities.begin());
}

}  // namespace carom
