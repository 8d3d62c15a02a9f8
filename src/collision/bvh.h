// A tree of boxes that follows what moves: insertion and removal of single boxes in logarithmic time, whatever the
// boxes are (equal ones too), and searches that cost what they find plus the height of the tree.
//
// A box goes where it enlarges the surface of its ancestors least (J. Goldsmith and J. Salmon, "Automatic creation of
// object hierarchies for ray tracing", 1987); rotations keep the heights of two siblings within three of each other
// (after G. Adelson-Velsky and E. Landis, 1962, who allow one), which bounds the height by 2.2 log2 n even where all
// boxes are the same, and leaves room to put boxes where they fit.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "geometry/bounds.h"

namespace carom {

class Bvh {
 public:
  static constexpr std::int32_t kNone = -1;

  struct Item {
    Aabb box;
    std::int32_t body = 0;
  };

  /// Anew from all items, by median splits, in n log n. Reorders `items`; leaves[body] becomes the body's leaf.
  void build(std::span<Item> items, std::span<std::int32_t> leaves);
  /// The new leaf. Leaves of other bodies stay what they are.
  std::int32_t insert(const Aabb& box, std::int32_t body);
  void remove(std::int32_t leaf);
  void clear();

  const Aabb& box(std::int32_t leaf) const { return at(leaf).box; }
  int height() const { return root_ == kNone ? 0 : at(root_).height; }
  std::int64_t steps() const { return steps_; }  ///< nodes looked at by all insertions and removals so far

  /// Calls visit(body) for every leaf that touches(box) accepts; it must accept the box of every ancestor too.
  template <class Touches, class Visit>
  void search(const Touches& touches, Visit&& visit) const {
    std::array<std::int32_t, kMostHeight> stack;
    std::size_t waiting = 0;
    for (std::int32_t i = root_; i != kNone;) {
      const Node& node = at(i);
      const bool inside = touches(node.box);
      if (inside && !node.is_leaf()) {
        stack[waiting++] = node.right;
        i = node.left;
        continue;
      }
      if (inside) visit(node.right);
      i = waiting > 0 ? stack[--waiting] : kNone;
    }
  }
  /// Every body whose box overlaps.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    search([&box](const Aabb& other) { return other.overlaps(box); }, visit);
  }

  /// Nearest boxes first: enter(box) is a lower bound for everything in it, and visit(body) returns the limit beyond
  /// which nothing is asked for any more.
  template <class Enter, class Visit>
  void search_nearest(Real limit, const Enter& enter, Visit&& visit) const {
    struct Waiting {
      std::int32_t node;
      Real from;
    };
    std::array<Waiting, kMostHeight> stack;
    std::size_t waiting = 0;
    if (root_ != kNone) stack[waiting++] = {root_, enter(at(root_).box)};
    while (waiting > 0) {
      const Waiting next = stack[--waiting];
      if (!(next.from <= limit)) continue;
      const Node& node = at(next.node);
      if (node.is_leaf()) {
        limit = visit(node.right);
        continue;
      }
      const Real left = enter(at(node.left).box), right = enter(at(node.right).box);
      const bool left_first = left <= right;
      stack[waiting++] = left_first ? Waiting{node.right, right} : Waiting{node.left, left};
      stack[waiting++] = left_first ? Waiting{node.left, left} : Waiting{node.right, right};
    }
  }

 private:
  static constexpr int kMostLean = 3;
  /// A search keeps at most one node a level waiting, and one more. 2^31 leaves are at most 67 high.
  static constexpr std::size_t kMostHeight = 72;

  /// One cache line.
  struct alignas(64) Node {
    Aabb box;
    std::int32_t parent = kNone;
    std::int32_t left = kNone;   // none: a leaf
    std::int32_t right = kNone;  // of a leaf: its body
    std::int32_t height = 0;
    bool is_leaf() const { return left == kNone; }
  };

  Node& at(std::int32_t i) { return nodes_[static_cast<std::size_t>(i)]; }
  const Node& at(std::int32_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
  std::int32_t take_node();
  std::int32_t split(std::span<Item> items, std::span<std::int32_t> leaves);
  std::int32_t best_sibling(const Aabb& box);
  /// `by` takes the place of `node` under node's parent.
  void replace(std::int32_t node, std::int32_t by);
  void refit(std::int32_t node);
  void repair_upwards(std::int32_t node);
  /// Returns what now stands in the node's place.
  std::int32_t balance(std::int32_t node);
  void raise(std::int32_t node, std::int32_t child);

  std::vector<Node> nodes_;
  std::vector<std::int32_t> free_;
  std::int32_t root_ = kNone;
  std::int64_t steps_ = 0;
};

}  // namespace carom
