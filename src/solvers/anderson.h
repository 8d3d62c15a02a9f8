// Anderson acceleration of a fixed-point iteration x ← g(x).
//
// D. G. Anderson, "Iterative procedures for nonlinear integral equations", 1965, in the difference form: with f = g − x
// and the differences ΔF, ΔG of the last few iterations, x ← g − ΔG γ where γ minimises |f − ΔF γ|. On a linear problem
// this is as good as GMRES; on sweeps over a stack it turns "one body a sweep" into a few sweeps for all. A step that
// makes the residual much worse forgets the history, since active sets do change.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "carom/math/types.h"

namespace carom {

class Anderson {
 public:
  /// `metric` are positive weights of the first metric.size() entries of x: the norm in which γ is sought. The entries
  /// after them follow along.
  void start(std::span<const Real> metric, std::size_t size, int depth);

  /// `x` went into the sweep and `g` came out. Overwrites `x` with where to sweep next.
  void next(std::span<Real> x, std::span<const Real> g, ThreadPool* threads);

 private:
  static constexpr std::size_t kMostDepth = 10;

  void remember(std::span<const Real> x, std::span<const Real> g);
  void solve(std::array<Real, kMostDepth>& gamma) const;

  std::size_t size_ = 0, depth_ = 0;
  std::size_t count_ = 0, newest_ = 0;  // columns held, and where the newest is
  bool has_last_ = false;
  Real best_ = 0;  // smallest |f|² since the last restart
  std::span<const Real> metric_;
  std::vector<Real> last_f_, last_g_, f_;
  std::array<std::vector<Real>, kMostDepth> delta_f_, delta_g_;
  std::array<std::array<Real, kMostDepth>, kMostDepth> gram_{};  // ΔFᵀ ΔF in the metric
  std::array<Real, kMostDepth> right_{};                         // ΔFᵀ f
};

}  // namespace carom
