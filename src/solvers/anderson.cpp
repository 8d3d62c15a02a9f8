#include "solvers/anderson.h"

#include <algorithm>

#include "math/eigen.h"

namespace carom {
namespace {

Real weighted_dot(std::span<const Real> w, const std::vector<Real>& a, const std::vector<Real>& b) {
  // Four partial sums, in a fixed order: faster than one chain of additions, and the same everywhere.
  Real sum[4] = {0, 0, 0, 0};
  const std::size_t n = w.size();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += w[i + k] * a[i + k] * b[i + k];
  for (; i < n; ++i) sum[0] += w[i] * a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

void Anderson::start(std::span<const Real> metric, std::size_t size, int depth) {
  metric_ = metric;
  size_ = size;
  depth_ = std::min<std::size_t>(static_cast<std::size_t>(depth), kMostDepth);
  count_ = 0;
  has_last_ = false;
  f_.resize(metric.size());
  last_f_.resize(metric.size());
  last_g_.resize(size);
  for (std::size_t i = 0; i < depth_; ++i) {
    delta_f_[i].resize(metric.size());
    delta_g_[i].resize(size);
  }
}

void Anderson::remember(std::span<const Real> x, std::span<const Real> g) {
  for (std::size_t i = 0; i < f_.size(); ++i) f_[i] = g[i] - x[i];
  if (has_last_) {
    newest_ = count_ == 0 ? 0 : (newest_ + 1) % depth_;
    count_ = std::min(count_ + 1, depth_);
    for (std::size_t i = 0; i < f_.size(); ++i) delta_f_[newest_][i] = f_[i] - last_f_[i];
    for (std::size_t i = 0; i < size_; ++i) delta_g_[newest_][i] = g[i] - last_g_[i];
  }
  std::copy(f_.begin(), f_.end(), last_f_.begin());
  std::copy(g.begin(), g.end(), last_g_.begin());
  has_last_ = true;
}

void Anderson::next(std::span<Real> x, std::span<const Real> g, ThreadPool* threads) {
  remember(x, g);
  const Real norm2 = weighted_dot(metric_, f_, f_);
  constexpr Real kMuchWorse = 4;  // in squares: twice the best
  if (count_ > 0 && norm2 > kMuchWorse * best_) {
    count_ = 0;
    best_ = norm2;
  }
  best_ = count_ == 0 ? norm2 : std::min(best_, norm2);

  std::array<Real, kMostDepth> gamma{};
  if (count_ > 0) {
    for_chunks(threads, count_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        gram_[newest_][i] = gram_[i][newest_] = weighted_dot(metric_, delta_f_[newest_], delta_f_[i]);
        right_[i] = weighted_dot(metric_, delta_f_[i], f_);
      }
    });
    solve(gamma);
  }
  constexpr std::size_t kEntriesPerChunk = 4096;
  for_chunks(threads, size_, kEntriesPerChunk, [&](std::size_t begin, std::size_t end) {
    std::copy(g.begin() + static_cast<std::ptrdiff_t>(begin), g.begin() + static_cast<std::ptrdiff_t>(end),
              x.begin() + static_cast<std::ptrdiff_t>(begin));
    for (std::size_t k = 0; k < count_; ++k) {
      const Real s = gamma[k];
      const std::vector<Real>& d = delta_g_[k];
      for (std::size_t i = begin; i < end; ++i) x[i] -= s * d[i];
    }
  });
}

void Anderson::solve(std::array<Real, kMostDepth>& gamma) const {
  const auto n = static_cast<Eigen::Index>(count_);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostDepth, kMostDepth> a(n, n);
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostDepth, 1> b(n);
  Real trace = 0;
  for (std::size_t i = 0; i < count_; ++i) trace += gram_[i][i];
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t k = 0; k < count_; ++k)
      a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = gram_[i][k];
    // A touch of regularisation: columns become nearly parallel as the iteration converges.
    a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += 1e-10 * trace;
    b(static_cast<Eigen::Index>(i)) = right_[i];
  }
  if (!(trace > 0)) return;
  const auto solution = a.ldlt().solve(b).eval();
  for (std::size_t i = 0; i < count_; ++i) gamma[i] = solution(static_cast<Eigen::Index>(i));
}

}  // namespace carom
