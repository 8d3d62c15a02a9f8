#include "math/block_pattern.h"

#include <algorithm>

#include "carom/base/error.h"
#include "math/block_ordering.h"

namespace carom {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Of the blocks of a panel, this share may be zero. It counts all zeros in the panel, not only those of the last
/// merge: else one merge would pave the way for the next until everything is one dense matrix.
constexpr double kZeroShare = 0.1;

}  // namespace

/// The factor's columns one by one, then joined into supernodes. Positions are in order of elimination.
class BlockPattern::Columns {
 public:
  Columns(const BodyGraph& graph, const std::vector<std::int32_t>& order)
      : parent_(order.size(), -1), below_(order.size()) {
    std::vector<std::int32_t> position(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) position[at(order[k])] = static_cast<std::int32_t>(k);
    std::vector<std::vector<std::int32_t>> children(order.size());
    std::vector<std::int32_t> seen(order.size(), -1);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto column = static_cast<std::int32_t>(k);
      std::vector<std::int32_t>& rows = below_[k];
      const auto take = [&](std::int32_t row) {
        if (row <= column || seen[at(row)] == column) return;
        seen[at(row)] = column;
        rows.push_back(row);
      };
      for (std::int32_t n = graph.begin[at(order[k])]; n < graph.begin[at(order[k]) + 1]; ++n)
        take(position[at(graph.neighbours[at(n)])]);
      for (const std::int32_t child : children[k])
        for (const std::int32_t row : below_[at(child)]) take(row);
      std::sort(rows.begin(), rows.end());
      if (rows.empty()) continue;
      parent_[k] = rows.front();
      children[at(rows.front())].push_back(column);
    }
    merge(children);
  }

  /// Columns that were joined, as positions, and the positions below them. Children come before parents.
  struct Group {
    std::vector<std::int32_t> columns;
    std::vector<std::int32_t> below;
    std::int32_t parent = -1;  // among the groups
  };
  std::vector<Group> groups() {
    std::vector<Group> result;
    std::vector<std::int32_t> number(columns_.size(), -1);
    // Depth first, without recursion: a chain of bodies would be as deep as it is long.
    std::vector<std::pair<std::int32_t, std::size_t>> path;
    for (std::size_t root = 0; root < columns_.size(); ++root) {
      if (columns_[root].empty() || parent_[root] >= 0) continue;
      path.emplace_back(static_cast<std::int32_t>(root), 0);
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next < kept_children_[at(node)].size()) {
          const std::int32_t child = kept_children_[at(node)][next++];
          path.emplace_back(child, 0);
          continue;
        }
        number[at(node)] = static_cast<std::int32_t>(result.size());
        for (const std::int32_t child : kept_children_[at(node)])
          result[at(number[at(child)])].parent = number[at(node)];
        result.push_back({std::move(columns_[at(node)]), std::move(below_[at(node)]), -1});
        path.pop_back();
      }
    }
    return result;
  }

 private:
  /// Joins columns to their parents, going up the tree: when it is a column's turn, all below it is settled.
  void merge(const std::vector<std::vector<std::int32_t>>& children) {
    const std::size_t count = parent_.size();
    columns_.resize(count);
    kept_children_.resize(count);
    std::vector<double> filled(count);  // blocks that are not zero, over all columns of the group
    for (std::size_t k = 0; k < count; ++k) {
      columns_[k] = {static_cast<std::int32_t>(k)};
      filled[k] = 1 + static_cast<double>(below_[k].size());
      std::vector<std::int32_t> candidates = children[k];
      // The child that overlaps most comes first: merged into it, the others have the most to gain.
      std::sort(candidates.begin(), candidates.end(), [&](std::int32_t a, std::int32_t b) {
        const std::size_t of_a = below_[at(a)].size(), of_b = below_[at(b)].size();
        return of_a != of_b ? of_a > of_b : a < b;
      });
      std::vector<std::int32_t> own;
      for (const std::int32_t child : candidates) {
        const double columns = static_cast<double>(columns_[k].size() + columns_[at(child)].size() + own.size());
        const double blocks = columns * (columns + 1) / 2 + columns * static_cast<double>(below_[k].size());
        const double nonzero = filled[k] + filled[at(child)];
        if (blocks - nonzero > kZeroShare * blocks) {
          kept_children_[k].push_back(child);
          continue;
        }
        filled[k] = nonzero;
        own.insert(own.end(), columns_[at(child)].begin(), columns_[at(child)].end());
        kept_children_[k].insert(kept_children_[k].end(), kept_children_[at(child)].begin(),
                                 kept_children_[at(child)].end());
        columns_[at(child)].clear();
      }
      // A column comes after all that it depends on: the merged ones, in their order, then itself.
      own.push_back(static_cast<std::int32_t>(k));
      columns_[k] = std::move(own);
    }
  }

  std::vector<std::int32_t> parent_;
  std::vector<std::vector<std::int32_t>> below_;    // rows below the diagonal, ascending
  std::vector<std::vector<std::int32_t>> columns_;  // of a group, by its last column; empty if merged into another
  std::vector<std::vector<std::int32_t>> kept_children_;
};

void BlockPattern::analyse(std::int32_t bodies, std::span<const BodyPair> pairs, bool twins) {
  if (bodies == given_bodies_ && twins == twins_ &&
      std::equal(pairs.begin(), pairs.end(), pairs_.begin(), pairs_.end()))
    return;
  bodies_ = given_bodies_ = bodies;
  twins_ = twins;
  pairs_.assign(pairs.begin(), pairs.end());
  number_slots(pairs_);
  std::vector<std::int32_t> order = elimination_order(graph());
  if (twins) {
    bodies_ = 2 * bodies;
    std::vector<BodyPair> doubled = pairs_;
    for (const BodyPair& pair : pairs_) doubled.push_back({pair.i + bodies, pair.j + bodies});
    for (std::int32_t i = 0; i < bodies; ++i) doubled.push_back({i + bodies, i});
    number_slots(doubled);
    std::vector<std::int32_t> with_twins;
    for (const std::int32_t body : order) with_twins.insert(with_twins.end(), {body, body + bodies});
    order = std::move(with_twins);
  }
  place_supernodes(graph(), order);
  place_entries();
  plan_work_space();
}

BodyGraph BlockPattern::graph() const {
  BodyGraph graph;
  graph.begin.assign(at(bodies_) + 1, 0);
  for (const BodyPair& pair : slots_) {
    ++graph.begin[at(pair.i) + 1];
    ++graph.begin[at(pair.j) + 1];
  }
  for (std::size_t k = 0; k < at(bodies_); ++k) graph.begin[k + 1] += graph.begin[k];
  graph.neighbours.resize(2 * slots_.size());
  // Slots are sorted by j, then i: this order fills each list in ascending order, the lower neighbours first.
  std::vector<std::int32_t> next(graph.begin.begin(), graph.begin.end() - 1);
  for (const BodyPair& pair : slots_) graph.neighbours[at(next[at(pair.i)]++)] = pair.j;
  for (const BodyPair& pair : slots_) graph.neighbours[at(next[at(pair.j)]++)] = pair.i;
  return graph;
}

std::size_t BlockPattern::slot(std::int32_t i, std::int32_t j) const {
  if (i == j) return at(i);
  const BodyPair wanted{std::max(i, j), std::min(i, j)};
  const auto begin = slots_.begin() + slots_begin_[at(wanted.j)], end = slots_.begin() + slots_begin_[at(wanted.j) + 1];
  const auto found =
      std::lower_bound(begin, end, wanted, [](const BodyPair& a, const BodyPair& b) { return a.i < b.i; });
  require(found != end && *found == wanted, "BlockPattern::slot: a pair that the analysis was not given");
  return at(bodies_) + static_cast<std::size_t>(found - slots_.begin());
}

void BlockPattern::number_slots(std::span<const BodyPair> pairs) {
  slots_.clear();
  for (const BodyPair& pair : pairs)
    if (pair.i != pair.j) slots_.push_back({std::max(pair.i, pair.j), std::min(pair.i, pair.j)});
  std::sort(slots_.begin(), slots_.end(),
            [](const BodyPair& a, const BodyPair& b) { return a.j != b.j ? a.j < b.j : a.i < b.i; });
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  slots_begin_.assign(at(bodies_) + 1, 0);
  for (const BodyPair& pair : slots_) ++slots_begin_[at(pair.j) + 1];
  for (std::size_t k = 0; k < at(bodies_); ++k) slots_begin_[k + 1] += slots_begin_[k];
}

void BlockPattern::place_supernodes(const BodyGraph& graph, const std::vector<std::int32_t>& first_order) {
  std::vector<Columns::Group> groups = Columns(graph, first_order).groups();

  // Merging and going depth first changes the order a little, not what fills in.
  std::vector<std::int32_t> position(first_order.size());  // new from old
  order_.clear();
  for (const Columns::Group& group : groups)
    for (const std::int32_t column : group.columns) {
      position[at(column)] = static_cast<std::int32_t>(order_.size());
      order_.push_back(first_order[at(column)]);
    }

  supernodes_.clear();
  rows_.clear();
  factor_size_ = 0;
  std::int32_t first = 0;
  for (Columns::Group& group : groups) {
    Supernode& node = supernodes_.emplace_back();
    node.first = first;
    node.count = static_cast<std::int32_t>(group.columns.size());
    first += node.count;
    node.parent = group.parent;
    node.rows_begin = static_cast<std::int32_t>(rows_.size());
    for (const std::int32_t row : group.below) rows_.push_back(position[at(row)]);
    node.rows_end = static_cast<std::int32_t>(rows_.size());
    std::sort(rows_.begin() + node.rows_begin, rows_.end());
    node.panel = factor_size_;
    factor_size_ += static_cast<std::size_t>(node.stride()) * 6 * at(node.count);
  }

  relative_.resize(rows_.size());
  for (const Supernode& node : supernodes_)
    for (std::int32_t r = node.rows_begin; r < node.rows_end; ++r)
      relative_[at(r)] = local_row(supernodes_[at(node.parent)], rows_[at(r)]);
}

std::int32_t BlockPattern::local_row(const Supernode& node, std::int32_t position) const {
  if (position < node.first + node.count) return position - node.first;
  const auto begin = rows_.begin() + node.rows_begin, end = rows_.begin() + node.rows_end;
  return node.count + static_cast<std::int32_t>(std::lower_bound(begin, end, position) - begin);
}

void BlockPattern::place_entries() {
  std::vector<std::int32_t> position(order_.size()), owner(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) position[at(order_[k])] = static_cast<std::int32_t>(k);
  for (std::size_t s = 0; s < supernodes_.size(); ++s)
    for (std::int32_t k = 0; k < supernodes_[s].count; ++k)
      owner[at(supernodes_[s].first + k)] = static_cast<std::int32_t>(s);

  // Counted, then placed: entries of a supernode stand together.
  const auto each = [&](auto&& visit) {
    for (std::int32_t i = 0; i < bodies_; ++i) visit(i, BodyPair{i, i});
    for (std::size_t k = 0; k < slots_.size(); ++k) visit(bodies_ + static_cast<std::int32_t>(k), slots_[k]);
  };
  const auto owner_of = [&](const BodyPair& pair) {
    return owner[at(std::min(position[at(pair.i)], position[at(pair.j)]))];
  };
  for (Supernode& node : supernodes_) node.entries_end = 0;
  each([&](std::int32_t, const BodyPair& pair) { ++supernodes_[at(owner_of(pair))].entries_end; });
  std::int32_t total = 0;
  for (Supernode& node : supernodes_) {
    node.entries_begin = total;
    total += node.entries_end;
    node.entries_end = node.entries_begin;
  }
  entries_.resize(at(total));
  each([&](std::int32_t slot, const BodyPair& pair) {
    Supernode& node = supernodes_[at(owner_of(pair))];
    const std::int32_t row = position[at(pair.i)], column = position[at(pair.j)];
    const long local_column = std::min(row, column) - node.first;
    const long start = 6 * local_column * node.stride() + node.row(local_row(node, std::max(row, column)));
    entries_[at(node.entries_end++)] = {slot, row < column, node.panel + static_cast<std::size_t>(start)};
  });
}

void BlockPattern::plan_work_space() {
  children_.clear();
  for (Supernode& node : supernodes_) node.children_end = 0;
  for (const Supernode& node : supernodes_)
    if (node.parent >= 0) ++supernodes_[at(node.parent)].children_end;
  std::int32_t total = 0;
  for (Supernode& node : supernodes_) {
    node.children_begin = total;
    total += node.children_end;
    node.children_end = node.children_begin;
  }
  children_.resize(at(total));
  for (std::size_t s = 0; s < supernodes_.size(); ++s)
    if (supernodes_[s].parent >= 0)
      children_[at(supernodes_[at(supernodes_[s].parent)].children_end++)] = static_cast<std::int32_t>(s);

  // First fit among what is alive: from when a supernode is eliminated until its parent has been.
  struct Piece {
    std::size_t begin, end;
    std::int32_t node;
  };
  std::vector<Piece> alive;  // by place
  work_size_ = 0;
  for (std::size_t s = 0; s < supernodes_.size(); ++s) {
    Supernode& node = supernodes_[s];
    const std::size_t size = static_cast<std::size_t>(node.update_rows() * 6 * node.updates());
    std::size_t begin = 0;
    auto where = alive.begin();
    for (; where != alive.end() && where->begin < begin + size; ++where) begin = where->end;
    node.update = begin;
    if (size > 0) alive.insert(where, {begin, begin + size, static_cast<std::int32_t>(s)});
    work_size_ = std::max(work_size_, begin + size);
    std::erase_if(
        alive, [&](const Piece& piece) { return supernodes_[at(piece.node)].parent == static_cast<std::int32_t>(s); });
  }
}

}  // namespace carom
