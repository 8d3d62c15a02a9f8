// Cholesky's factor of a matrix whose rows and columns come and go: RᵀR = H, one column appended or removed at a time,
// each for the price of a triangular solution.
//
// Removal by plane rotations: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., section 6.5.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "carom/math/types.h"

namespace carom {

class GrowingFactor {
 public:
  void start(std::size_t most) {
    size_ = 0;
    most_ = most;
    r_.resize(most * most);
    for (std::vector<Real>* list : {&cross_, &cosines_, &sines_}) list->resize(most);
  }

  std::size_t size() const { return size_; }
  bool full() const { return size_ == most_; }

  /// For a column that may be appended: what is left of its own square beside the span of the others, given its
  /// products with them.
  Real distance_square(std::span<const Real> products, Real own) {
    for (std::size_t i = 0; i < size_; ++i) cross_[i] = products[i];
    forward(cross_);
    return own - dot(cross_.data(), cross_.data(), size_);
  }
  /// After `distance_square`: appends that column.
  void append(Real distance_square) {
    std::copy_n(cross_.begin(), size_, column(size_));
    column(size_)[size_] = std::sqrt(distance_square);
    ++size_;
  }
  /// After `distance_square`: the column as a combination of the others, or the one nearest to it.
  void combination(std::span<Real> factors) const {
    std::copy_n(cross_.begin(), size_, factors.begin());
    backward(factors);
  }

  void remove(std::size_t which) {
    for (std::size_t j = which + 1; j < size_; ++j) std::copy_n(column(j), j + 1, column(j - 1));
    --size_;
    // Each of these columns has one entry below its diagonal now; a rotation of two rows takes it away.
    for (std::size_t j = which; j < size_; ++j) {
      Real* x = column(j);
      for (std::size_t k = which; k < j; ++k) {
        const Real upper = x[k], lower = x[k + 1];
        x[k] = cosines_[k] * upper + sines_[k] * lower;
        x[k + 1] = cosines_[k] * lower - sines_[k] * upper;
      }
      const Real length = std::sqrt(x[j] * x[j] + x[j + 1] * x[j + 1]);
      cosines_[j] = x[j] / length;
      sines_[j] = x[j + 1] / length;
      x[j] = length;
    }
  }

  /// x → H⁻¹ x.
  void solve(std::span<Real> x) const {
    forward(x);
    backward(x);
  }

 private:
  /// In four sums, which wait for each other less than one would.
  static Real dot(const Real* a, const Real* b, std::size_t count) {
    Real sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
      for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (std::size_t k = 0; i + k < count; ++k) sums[k] += a[i + k] * b[i + k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  const Real* column(std::size_t j) const { return r_.data() + j * most_; }
  Real* column(std::size_t j) { return r_.data() + j * most_; }

  void forward(std::span<Real> x) const {
    for (std::size_t j = 0; j < size_; ++j) x[j] = (x[j] - dot(column(j), x.data(), j)) / column(j)[j];
  }
  void backward(std::span<Real> x) const {
    for (std::size_t j = size_; j-- > 0;) {
      x[j] /= column(j)[j];
      for (std::size_t i = 0; i < j; ++i) x[i] -= column(j)[i] * x[j];
    }
  }

  std::size_t size_ = 0, most_ = 0;
  std::vector<Real> r_;                // column by column
  std::vector<Real> cross_;            // R⁻ᵀ times the products of a column
  std::vector<Real> cosines_, sines_;  // of rotations
};

}  // namespace carom
