// Sparse matrices of 6×6 blocks on a graph of bodies: a block for each body and one each way for each pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "carom/math/types.h"

namespace carom {

/// Two bodies that share blocks.
struct BodyPair {
  std::int32_t i = 0, j = 0;
  friend bool operator==(const BodyPair&, const BodyPair&) = default;
};

/// The values. Slots 0 … bodies − 1 are the diagonal blocks; a pair {i, j} with i > j has a slot (`BlockPattern::slot`)
/// for the block in rows i and columns j and, where the matrix is not symmetric, for the block in rows j and columns i.
/// A block is 36 numbers; the entry in row r and column c is number r + 6 c.
class BlockMatrix {
 public:
  /// All blocks zero. A symmetric matrix holds the lower blocks alone, and of a diagonal block its lower triangle
  /// counts; it is definite, negative for so many bodies from the first and positive for the others.
  void reset(std::size_t slots, bool symmetric, std::int32_t negative = 0) {
    symmetric_ = symmetric;
    negative_ = negative;
    lower_.assign(36 * slots, 0);
    upper_.assign(symmetric ? 0 : 36 * slots, 0);
  }

  bool symmetric() const { return symmetric_; }
  bool negative(std::int32_t body) const { return body < negative_; }
  bool quasidefinite() const { return negative_ > 0; }
  /// Rows i, columns j of the pair {i, j}, i ≥ j.
  Real* lower(std::size_t slot) { return &lower_[36 * slot]; }
  const Real* lower(std::size_t slot) const { return &lower_[36 * slot]; }
  /// Rows j, columns i, i > j, transposed: entry r + 6 c is in row c. Equal to `lower` where the matrix is symmetric.
  Real* upper(std::size_t slot) { return &upper_[36 * slot]; }
  const Real* upper(std::size_t slot) const { return symmetric_ ? lower(slot) : &upper_[36 * slot]; }

 private:
  bool symmetric_ = true;
  std::int32_t negative_ = 0;
  std::vector<Real> lower_, upper_;
};

}  // namespace carom
