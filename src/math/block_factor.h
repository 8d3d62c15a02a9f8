// Direct solution of sparse block systems A x = b: Cholesky where A is symmetric and positive definite, L D Lᵀ with
// D = ±1 where it is quasidefinite, LU where its pattern alone is symmetric.
//
// The multifrontal method (sources in block_pattern.h). Each supernode gathers its columns of A and what its children
// hand on, eliminates its columns, and hands the rest to its parent. LU keeps its upper factor transposed beside the
// lower one: both have the same shape, and each is updated by the very product that Cholesky uses, twice.
// Rows are exchanged inside a 6×6 pivot alone, so LU can fail, and so says, where A is far from definite. A
// quasidefinite matrix [−S, Bᵀ; B, H] has L D Lᵀ in any order, with signs that are known beforehand (R. J. Vanderbei,
// "Symmetric quasidefinite matrices", 1995); L D stands where the upper factor of LU does.
#pragma once

#include <span>
#include <vector>

#include "math/block_kernels.h"
#include "math/block_matrix.h"
#include "math/block_pattern.h"

namespace carom {

class BlockFactor {
 public:
  BlockFactor();
  explicit BlockFactor(const BlockKernels& kernels) : kernels_(kernels) {}

  /// False if a pivot is lost to rounding or is not a number (Cholesky: or not positive); then nothing can be solved.
  /// The pattern must live, and stay as it is, until the last call to `solve`.
  bool factor(const BlockPattern& pattern, const BlockMatrix& matrix);
  /// x ← A⁻¹ x, six numbers a body, in the bodies' own order.
  void solve(std::span<Real> x);

 private:
  /// A 6×6 pivot D = Pᵀ l u. Both are stored as what `BlockKernels::divide` takes: l transposed.
  struct Pivot {
    double lower[36], upper[36];
    int order[6];
  };
  /// Eight numbers at a multiple of 64 bytes.
  struct alignas(64) Line {
    double values[8];
  };
  using Lines = std::vector<Line>;

  void gather(const Supernode& node, const BlockMatrix& matrix, Lines& panel, Lines& update, bool upper);
  void add_child(const Supernode& node, const Supernode& child, Lines& panel, Lines& update);
  bool eliminate(const Supernode& node, const BlockMatrix& matrix);
  void eliminate_column(const Supernode& node, double* column, long k, const double* t, const int* order);
  void apply_sign(const Supernode& node, double* lower, double* upper, long k);
  bool is_negative(long position) const {
    return !negative_.empty() && negative_[static_cast<std::size_t>(position)] != 0;
  }
  void update_rest(const Supernode& node, const double* panel, const double* other, double* update);
  void forward(const Supernode& node);
  void backward(const Supernode& node);

  static double* data(Lines& lines) { return lines.data()->values; }

  BlockKernels kernels_;
  const BlockPattern* pattern_ = nullptr;
  bool symmetric_ = true;
  std::vector<char> negative_;         // per position: the sign of D, empty where all are positive
  Lines lower_, upper_;                // panels; the upper factor transposed, empty for Cholesky
  Lines lower_update_, upper_update_;  // what supernodes hand to their parents
  std::vector<Pivot> pivots_;
  Lines local_;          // one supernode's part of a vector
  std::vector<Real> x_;  // in order of elimination
};

}  // namespace carom
