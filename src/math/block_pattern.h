// What factoring a sparse block matrix needs to know of its graph alone: the order of elimination, which columns are
// eliminated together (supernodes), and where every block goes. It is worth keeping while the graph stays the same.
//
// I. S. Duff, J. K. Reid, "The multifrontal solution of indefinite sparse symmetric linear equations", 1983; J. W. H.
// Liu, "The multifrontal method for sparse matrix solution", 1992. Supernodes are merged with their parents while few
// blocks of the result are zero (C. Ashcraft, R. Grimes, 1989): larger dense pieces are worth some work on zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "math/block_matrix.h"

namespace carom {

struct BodyGraph;

/// Columns that are eliminated together: a dense panel over their own rows, then over the rows that they update.
struct Supernode {
  std::int32_t first = 0, count = 0;                // block columns, in order of elimination
  std::int32_t rows_begin = 0, rows_end = 0;        // of the rows to update, in BlockPattern::rows
  std::int32_t entries_begin = 0, entries_end = 0;  // of the matrix's blocks, in BlockPattern::entries
  std::int32_t parent = -1;
  std::int32_t children_begin = 0, children_end = 0;  // in BlockPattern::children
  std::size_t panel = 0;                              // where its panel starts in the factor, in numbers
  std::size_t update = 0;  // where what it hands to its parent starts in the work space, in numbers

  long updates() const { return rows_end - rows_begin; }
  /// Padded to whole vectors, so that both parts of a column start at multiples of 64 bytes.
  long own_rows() const { return padded(6 * count); }
  long update_rows() const { return padded(6 * updates()); }
  long stride() const { return own_rows() + update_rows(); }
  /// Where the block in local row r starts: own columns are 0 … count − 1, the others follow.
  long row(long r) const { return r < count ? 6 * r : own_rows() + 6 * (r - count); }

  static long padded(long rows) { return (rows + 7) / 8 * 8; }
};

class BlockPattern {
 public:
  /// Pairs may repeat and come either way round. Does nothing if all are those of the last call. With twins, body
  /// k + bodies is one more for each body k: linked to it, and to the twins of its neighbours, and eliminated next
  /// after it. From then on they are bodies like the others.
  void analyse(std::int32_t bodies, std::span<const BodyPair> pairs, bool twins = false);

  std::int32_t bodies() const { return bodies_; }
  std::size_t slot_count() const { return static_cast<std::size_t>(bodies_) + slots_.size(); }
  /// The slot of a body (i = j) or of a pair that was given.
  std::size_t slot(std::int32_t i, std::int32_t j) const;

  /// A block of the matrix and its place in the factor.
  struct Entry {
    std::int32_t slot = 0;
    bool transposed = false;  // the pair's rows and columns change places in the order of elimination
    std::size_t place = 0;    // in numbers
  };

  const std::vector<Supernode>& supernodes() const { return supernodes_; }  // children come before parents
  const std::vector<std::int32_t>& order() const { return order_; }         // body that is eliminated k-th
  const std::vector<std::int32_t>& rows() const { return rows_; }           // in order of elimination
  const std::vector<std::int32_t>& relative() const { return relative_; }   // the same rows as local rows of the parent
  const std::vector<std::int32_t>& children() const { return children_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t factor_size() const { return factor_size_; }  // numbers
  std::size_t work_size() const { return work_size_; }

 private:
  class Columns;

  void number_slots(std::span<const BodyPair> pairs);
  BodyGraph graph() const;
  void place_supernodes(const BodyGraph& graph, const std::vector<std::int32_t>& first_order);
  std::int32_t local_row(const Supernode& node, std::int32_t position) const;
  void place_entries();
  void plan_work_space();

  std::int32_t bodies_ = -1;  // twins included
  std::int32_t given_bodies_ = -1;
  bool twins_ = false;
  std::vector<BodyPair> pairs_;            // as given
  std::vector<BodyPair> slots_;            // i > j, sorted by j, then i
  std::vector<std::int32_t> slots_begin_;  // per j
  std::vector<Supernode> supernodes_;
  std::vector<std::int32_t> order_, rows_, relative_, children_;
  std::vector<Entry> entries_;
  std::size_t factor_size_ = 0, work_size_ = 0;
};

}  // namespace carom
