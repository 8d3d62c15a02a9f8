// Dense LU factors with partial pivoting, in memory that is kept: solvers factor again and again without allocating.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "carom/math/types.h"

namespace carom {

class DenseLu {
 public:
  /// An n × n matrix of zeros, to be filled in.
  void start(std::size_t n);
  Real* row(std::size_t i) { return &a_[i * n_]; }
  /// False if a pivot vanishes.
  bool factor();
  /// x holds the right-hand side and gets the solution.
  void solve(std::span<Real> x) const;

 private:
  std::size_t n_ = 0;
  std::vector<Real> a_;
  std::vector<std::size_t> pivot_;
};

}  // namespace carom
