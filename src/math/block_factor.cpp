#include "math/block_factor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/simd.h"
#include "carom/base/error.h"

namespace carom {
namespace {

/// A pivot below this share of what the matrix had in its place is rounding and nothing else.
constexpr double kLostPivot = 1e-15;

constexpr int kUnmoved[6] = {0, 1, 2, 3, 4, 5};

long aligned_down(long row) { return row / 8 * 8; }

/// sign d = l lᵀ; `t` is lᵀ with the reciprocals of its diagonal in their place. `matrix` has the pivot as it was.
bool cholesky_pivot(const double* d, long stride, double sign, const double* matrix, double* t) {
  for (int c = 0; c < 6; ++c) {
    double rest = sign * d[c + c * stride];
    for (int m = 0; m < c; ++m) rest -= t[m + 6 * c] * t[m + 6 * c];
    if (!(rest > kLostPivot * sign * matrix[7 * c]) || !std::isfinite(rest)) return false;
    const double inverse_root = 1 / std::sqrt(rest);
    t[7 * c] = inverse_root;
    for (int r = c + 1; r < 6; ++r) {
      double entry = sign * d[r + c * stride];
      for (int m = 0; m < c; ++m) entry -= t[m + 6 * r] * t[m + 6 * c];
      t[c + 6 * r] = entry * inverse_root;
    }
  }
  return true;
}

/// P d = l u with row exchanges; `lower` is lᵀ with ones on its diagonal, `upper` is u with reciprocals on its own.
bool lu_pivot(const double* d, long stride, const double* matrix, double* lower, double* upper, int* order) {
  double a[6][6], scale = 0;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) {
      a[r][c] = d[r + c * stride];
      scale = std::max(scale, std::abs(matrix[r + 6 * c]));
    }
  for (int c = 0; c < 6; ++c) {
    int largest = c;
    for (int r = c + 1; r < 6; ++r)
      if (std::abs(a[r][c]) > std::abs(a[largest][c])) largest = r;
    if (!(std::abs(a[largest][c]) > kLostPivot * scale) || !std::isfinite(a[largest][c])) return false;
    std::swap(order[c], order[largest]);
    std::swap(a[c], a[largest]);
    const double inverse = 1 / a[c][c];
    for (int r = c + 1; r < 6; ++r) {
      a[r][c] *= inverse;
      for (int k = c + 1; k < 6; ++k) a[r][k] -= a[r][c] * a[c][k];
    }
  }
  for (int c = 0; c < 6; ++c) {
    lower[7 * c] = 1;
    upper[7 * c] = 1 / a[c][c];
    for (int m = 0; m < c; ++m) {
      lower[m + 6 * c] = a[c][m];
      upper[m + 6 * c] = a[m][c];
    }
  }
  return true;
}

void copy_block(const double* block, bool transposed, double* to, long stride) {
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 6; ++r) to[r + c * stride] = transposed ? block[c + 6 * r] : block[r + 6 * c];
}

}  // namespace

BlockFactor::BlockFactor()
    : kernels_(choose(widest_simd(), baseline::kBlockKernels, avx2::kBlockKernels, avx512::kBlockKernels)) {}

bool BlockFactor::factor(const BlockPattern& pattern, const BlockMatrix& matrix) {
  pattern_ = &pattern;
  symmetric_ = matrix.symmetric();
  // Panels and updates are whole lines; one more gives empty ones a place.
  const auto lines = [](std::size_t numbers) { return numbers / 8 + 1; };
  lower_.resize(lines(pattern.factor_size()));
  lower_update_.resize(lines(pattern.work_size()));
  upper_.resize(symmetric_ && !matrix.quasidefinite() ? 0 : lower_.size());
  upper_update_.resize(symmetric_ ? 0 : lower_update_.size());
  pivots_.resize(static_cast<std::size_t>(pattern.bodies()));
  negative_.clear();
  if (matrix.quasidefinite())
    for (const std::int32_t body : pattern.order()) negative_.push_back(matrix.negative(body) ? 1 : 0);
  long longest = 0;
  for (const Supernode& node : pattern.supernodes()) longest = std::max(longest, node.stride());
  local_.resize(lines(static_cast<std::size_t>(2 * longest)));
  x_.resize(6 * static_cast<std::size_t>(pattern.bodies()));

  for (const Supernode& node : pattern.supernodes()) {
    gather(node, matrix, lower_, lower_update_, false);
    if (!symmetric_) gather(node, matrix, upper_, upper_update_, true);
    if (!eliminate(node, matrix)) {
      pattern_ = nullptr;
      return false;
    }
  }
  return true;
}

void BlockFactor::gather(const Supernode& node, const BlockMatrix& matrix, Lines& panel, Lines& update, bool upper) {
  std::fill_n(data(panel) + node.panel, node.stride() * 6 * node.count, 0.0);
  std::fill_n(data(update) + node.update, node.update_rows() * 6 * node.updates(), 0.0);
  for (std::int32_t e = node.entries_begin; e < node.entries_end; ++e) {
    const BlockPattern::Entry& entry = pattern_->entries()[static_cast<std::size_t>(e)];
    const auto slot = static_cast<std::size_t>(entry.slot);
    const bool diagonal = entry.slot < pattern_->bodies();
    // With rows and columns exchanged, what was above the diagonal is below it, and the other way round.
    const double* block = !diagonal && upper != entry.transposed ? matrix.upper(slot) : matrix.lower(slot);
    copy_block(block, entry.transposed, data(panel) + entry.place, node.stride());
  }
  for (std::int32_t c = node.children_begin; c < node.children_end; ++c) {
    const auto child = static_cast<std::size_t>(pattern_->children()[static_cast<std::size_t>(c)]);
    add_child(node, pattern_->supernodes()[child], panel, update);
  }
}

void BlockFactor::add_child(const Supernode& node, const Supernode& child, Lines& panel, Lines& update) {
  const std::int32_t* to = pattern_->relative().data() + child.rows_begin;
  const long updates = child.updates(), stride = child.update_rows();
  for (long j = 0; j < updates; ++j) {
    const bool own = to[j] < node.count;
    const long to_stride = own ? node.stride() : node.update_rows();
    double* column = own ? data(panel) + node.panel + 6 * to[j] * to_stride
                         : data(update) + node.update + 6 * (to[j] - node.count) * to_stride - node.own_rows();
    const double* from = data(update) + child.update + 6 * j * stride;
    // Rows that follow each other here and there go together.
    for (long i = j; i < updates;) {
      long last = i + 1;
      while (last < updates && to[last] == to[last - 1] + 1 && to[last] != node.count) ++last;
      kernels_.add(column + node.row(to[i]), to_stride, from + 6 * i, stride, 6 * (last - i));
      i = last;
    }
  }
}

bool BlockFactor::eliminate(const Supernode& node, const BlockMatrix& matrix) {
  double* lower = data(lower_) + node.panel;
  double* upper = upper_.empty() ? lower : data(upper_) + node.panel;
  const long stride = node.stride();
  for (long k = 0; k < node.count; ++k) {
    const long start = aligned_down(6 * k);
    double* column = lower + 6 * k * stride;
    kernels_.subtract_product(column + start, stride, lower + start, upper + 6 * k, stride, stride - start, 6 * k);

    const auto position = static_cast<std::size_t>(node.first + k);
    Pivot& pivot = pivots_[position];
    std::iota(pivot.order, pivot.order + 6, 0);
    const double* original = matrix.lower(static_cast<std::size_t>(pattern_->order()[position]));
    const double* d = column + 6 * k;
    if (symmetric_) {
      if (!cholesky_pivot(d, stride, is_negative(node.first + k) ? -1 : 1, original, pivot.lower)) return false;
      std::copy_n(pivot.lower, 36, pivot.upper);
    } else {
      if (!lu_pivot(d, stride, original, pivot.lower, pivot.upper, pivot.order)) return false;
      double* row = upper + 6 * k * stride;
      kernels_.subtract_product(row + start, stride, upper + start, lower + 6 * k, stride, stride - start, 6 * k);
      eliminate_column(node, row, k, pivot.lower, pivot.order);
    }
    eliminate_column(node, column, k, pivot.upper, kUnmoved);
    if (!negative_.empty()) apply_sign(node, lower, upper, k);
  }
  if (node.updates() == 0) return true;
  update_rest(node, lower, upper, data(lower_update_) + node.update);
  if (!symmetric_) update_rest(node, upper, lower, data(upper_update_) + node.update);
  return true;
}

void BlockFactor::eliminate_column(const Supernode& node, double* column, long k, const double* t, const int* order) {
  const long stride = node.stride(), start = aligned_down(6 * k);
  kernels_.divide(column + start, stride, t, order, stride - start);
  // Whole vectors reach above what counts; zeros there are no trouble to anyone.
  for (long c = 0; c < 6; ++c) std::fill(column + c * stride + start, column + c * stride + 6 * k + 6, 0.0);
}

/// What division by lᵀ has left is L D: beside it goes L.
void BlockFactor::apply_sign(const Supernode& node, double* lower, double* upper, long k) {
  const long stride = node.stride(), begin = 6 * k * stride, end = begin + 6 * stride;
  const double sign = is_negative(node.first + k) ? -1 : 1;
  for (long i = begin; i < end; ++i) {
    upper[i] = lower[i];
    lower[i] *= sign;
  }
}

void BlockFactor::update_rest(const Supernode& node, const double* panel, const double* other, double* update) {
  const long stride = node.stride(), rows = node.update_rows();
  for (long j = 0; j < node.updates(); ++j) {
    const long start = aligned_down(6 * j);
    kernels_.subtract_product(update + 6 * j * rows + start, rows, panel + node.own_rows() + start,
                              other + node.own_rows() + 6 * j, stride, rows - start, 6 * node.count);
  }
}

void BlockFactor::solve(std::span<Real> x) {
  require(pattern_ != nullptr, "BlockFactor::solve: there is no factor");
  require(x.size() == x_.size(), "BlockFactor::solve: the vector has another size than the matrix");
  const std::vector<std::int32_t>& order = pattern_->order();
  for (std::size_t k = 0; k < order.size(); ++k) std::copy_n(&x[6 * static_cast<std::size_t>(order[k])], 6, &x_[6 * k]);
  const std::vector<Supernode>& nodes = pattern_->supernodes();
  for (const Supernode& node : nodes) forward(node);
  for (std::size_t s = nodes.size(); s-- > 0;) backward(nodes[s]);
  for (std::size_t k = 0; k < order.size(); ++k) std::copy_n(&x_[6 * k], 6, &x[6 * static_cast<std::size_t>(order[k])]);
}

void BlockFactor::forward(const Supernode& node) {
  const double* panel = data(lower_) + node.panel;
  const long stride = node.stride(), own = node.own_rows();
  double* rest = data(local_);  // right-hand side, less what is known
  double* known = rest + stride;
  double* x = &x_[6 * static_cast<std::size_t>(node.first)];
  std::fill_n(rest, stride, 0.0);
  std::copy_n(x, 6 * node.count, rest);
  for (long k = 0; k < node.count; ++k) {
    const Pivot& pivot = pivots_[static_cast<std::size_t>(node.first + k)];
    double* z = known + 6 * k;
    for (int c = 0; c < 6; ++c) {
      z[c] = rest[6 * k + pivot.order[c]];
      for (int m = 0; m < c; ++m) z[c] -= z[m] * pivot.lower[m + 6 * c];
      z[c] *= pivot.lower[7 * c];
    }
    const long start = aligned_down(6 * k);
    kernels_.subtract_columns(rest + start, panel + 6 * k * stride + start, stride, own - start, z, 6);
  }
  for (long k = 0; k < 6 * node.count; ++k) x[k] = is_negative(node.first + k / 6) ? -known[k] : known[k];
  kernels_.subtract_columns(rest + own, panel + own, stride, stride - own, known, 6 * node.count);
  for (long r = 0; r < node.updates(); ++r) {
    double* to = &x_[6 * static_cast<std::size_t>(pattern_->rows()[static_cast<std::size_t>(node.rows_begin + r)])];
    for (long c = 0; c < 6; ++c) to[c] += rest[own + 6 * r + c];
  }
}

void BlockFactor::backward(const Supernode& node) {
  const double* panel = data(symmetric_ ? lower_ : upper_) + node.panel;
  const long stride = node.stride(), own = node.own_rows();
  double* known = data(local_);
  double* x = &x_[6 * static_cast<std::size_t>(node.first)];
  std::fill_n(known, stride, 0.0);
  for (long r = 0; r < node.updates(); ++r)
    std::copy_n(&x_[6 * static_cast<std::size_t>(pattern_->rows()[static_cast<std::size_t>(node.rows_begin + r)])], 6,
                known + own + 6 * r);
  for (long k = node.count; k-- > 0;) {
    const Pivot& pivot = pivots_[static_cast<std::size_t>(node.first + k)];
    double* z = x + 6 * k;
    const long start = aligned_down(6 * k);
    kernels_.subtract_dots(z, panel + 6 * k * stride + start, stride, stride - start, known + start);
    for (int c = 5; c >= 0; --c) {
      for (int m = c + 1; m < 6; ++m) z[c] -= z[m] * pivot.upper[c + 6 * m];
      z[c] *= pivot.upper[7 * c];
    }
    std::copy_n(z, 6, known + 6 * k);
  }
}

}  // namespace carom
