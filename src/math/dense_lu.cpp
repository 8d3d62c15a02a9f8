#include "math/dense_lu.h"

#include <algorithm>
#include <cmath>

namespace carom {

void DenseLu::start(std::size_t n) {
  n_ = n;
  a_.assign(n * n, 0);
  pivot_.resize(n);
}

bool DenseLu::factor() {
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n_; ++i)
      if (std::abs(row(i)[k]) > std::abs(row(p)[k])) p = i;
    pivot_[k] = p;
    if (p != k) std::swap_ranges(row(k), row(k) + n_, row(p));
    const Real* top = row(k);
    if (!(std::abs(top[k]) > 0)) return false;
    const Real inverse = 1 / top[k];
    for (std::size_t i = k + 1; i < n_; ++i) {
      Real* low = row(i);
      if (low[k] == 0) continue;  // contacts that share no body: most of the matrix
      const Real factor = low[k] * inverse;
      low[k] = factor;
      for (std::size_t j = k + 1; j < n_; ++j) low[j] -= factor * top[j];
    }
  }
  return true;
}

void DenseLu::solve(std::span<Real> x) const {
  for (std::size_t k = 0; k < n_; ++k) std::swap(x[k], x[pivot_[k]]);
  for (std::size_t i = 1; i < n_; ++i) {
    const Real* low = &a_[i * n_];
    Real sum = x[i];
    for (std::size_t j = 0; j < i; ++j) sum -= low[j] * x[j];
    x[i] = sum;
  }
  for (std::size_t i = n_; i-- > 0;) {
    const Real* up = &a_[i * n_];
    Real sum = x[i];
    for (std::size_t j = i + 1; j < n_; ++j) sum -= up[j] * x[j];
    x[i] = sum / up[i];
  }
}

}  // namespace carom
