#include "solvers/lemke.h"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr Real kPivotSize = 1e-10;  // of the largest entry of the entering column: smaller ones are rounding
constexpr Real kTie = 1e-10;        // ratios and entries that differ by less are equal

}  // namespace

void Lemke::prepare(std::size_t n) {
  n_ = n;
  matrix_.assign(n * n, 0);
  constant_.assign(n, 0);
}

void Lemke::start(Real perturbation) {
  tableau_.resize(n_ * (n_ + 1));
  values_ = constant_;
  std::uint64_t state = 1;
  for (Real& value : values_) {
    // Parts between 1/2 and 1 that follow no pattern of contacts: Knuth's linear congruences.
    state = state * 6364136223846793005U + 1442695040888963407U;
    value += perturbation * (0.5 + static_cast<Real>(state >> 11) * 0x1p-54);
  }
  rows_.resize(n_);
  columns_.resize(n_ + 1);
  places_.resize(2 * n_ + 1);
  z_.resize(n_);
  for (std::size_t k = 0; k < n_; ++k) {
    std::copy_n(matrix_.begin() + static_cast<std::ptrdiff_t>(k * n_), n_,
                tableau_.begin() + static_cast<std::ptrdiff_t>(k * (n_ + 1)));
    tableau_[k * (n_ + 1) + n_] = 1;  // of z_0
    rows_[k] = k;
    columns_[k] = n_ + k;
    places_[k] = {true, k};
    places_[n_ + k] = {false, k};
  }
  columns_[n_] = 2 * n_;
  places_[2 * n_] = {false, n_};
  pivots_ = 0;
}

Lemke::End Lemke::solve(int most_pivots, Real perturbation) {
  start(perturbation);
  End end = End::Solved;
  std::size_t row = most_violated_row(), column = n_;
  while (row != kNone) {
    const std::size_t left = rows_[row];
    exchange(row, column);
    ++pivots_;
    if (left == 2 * n_) break;
    column = places_[complement(left)].index;
    row = leaving_row(column);
    if (row == kNone) end = End::Ray;
    if (pivots_ < most_pivots || end == End::Ray) continue;
    end = End::Limit;
    break;
  }
  read_solution();
  return end;
}

/// Where z_0 enters; none if nothing is violated. Of equal ones the last is lexicographically the smallest.
std::size_t Lemke::most_violated_row() const {
  std::size_t found = kNone;
  for (std::size_t i = 0; i < n_; ++i)
    if (values_[i] < 0 && (found == kNone || values_[i] <= values_[found])) found = i;
  return found;
}

/// How far a perturbation of q_k moves the variable of a row.
Real Lemke::inverse_entry(std::size_t row, std::size_t k) const {
  const Place& place = places_[k];
  if (!place.is_basic) return -at(row, place.index);
  return place.index == row ? 1 : 0;
}

/// The basic variable that reaches zero first as the column's grows; of several, the first in lexicographic order, as
/// if q were perturbed by (ε, ε², …). None if nothing stops it.
std::size_t Lemke::leaving_row(std::size_t column) {
  Real largest = 0;
  for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, std::abs(at(i, column)));
  ties_.clear();
  for (std::size_t i = 0; i < n_; ++i)
    if (at(i, column) < -kPivotSize * largest) ties_.push_back(i);
  ratios_.resize(n_);
  const auto keep_smallest = [&](auto&& entry) {
    Real least = 0;
    for (std::size_t i = 0; i < ties_.size(); ++i) {
      ratios_[i] = entry(ties_[i]) / -at(ties_[i], column);
      least = i == 0 ? ratios_[i] : std::min(least, ratios_[i]);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < ties_.size(); ++i)
      if (ratios_[i] <= least + kTie * (1 + std::abs(least))) ties_[kept++] = ties_[i];
    ties_.resize(kept);
  };
  keep_smallest([&](std::size_t row) { return std::max(values_[row], 0.0); });
  for (const std::size_t row : ties_)
    if (rows_[row] == 2 * n_) return row;  // the end
  for (std::size_t k = 0; k < n_ && ties_.size() > 1; ++k)
    keep_smallest([&](std::size_t row) { return inverse_entry(row, k); });
  return ties_.empty() ? kNone : ties_.front();
}

/// The row's variable leaves, the column's enters.
void Lemke::exchange(std::size_t row, std::size_t column) {
  const std::size_t stride = n_ + 1;
  Real* pivot_row = &tableau_[row * stride];
  const Real inverse = 1 / pivot_row[column];
  for (std::size_t k = 0; k < stride; ++k) pivot_row[k] *= -inverse;
  pivot_row[column] = inverse;
  values_[row] *= -inverse;
  for (std::size_t i = 0; i < n_; ++i) {
    Real* target = &tableau_[i * stride];
    const Real factor = target[column];
    if (i == row || factor == 0) continue;
    target[column] = 0;
    for (std::size_t k = 0; k < stride; ++k) target[k] += factor * pivot_row[k];
    values_[i] += factor * values_[row];
  }
  std::swap(rows_[row], columns_[column]);
  places_[rows_[row]] = {true, row};
  places_[columns_[column]] = {false, column};
}

void Lemke::read_solution() {
  std::fill(z_.begin(), z_.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i)
    if (rows_[i] >= n_ && rows_[i] < 2 * n_) z_[rows_[i] - n_] = std::max(values_[i], 0.0);
}

}  // namespace carom
