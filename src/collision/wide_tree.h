// A tree of boxes for one frame: built from all of them at once, searched many times here and there, with boxes that
// change where they are.
//
// What a search costs in a large scene is the wait for nodes to come from memory. So a node has eight children and
// holds their boxes, not its own (H. Dammertz, J. Hanika and A. Keller, "Shallow bounding volume hierarchies for fast
// SIMD ray tracing of incoherent rays", 2008): a search looks at them all at once and then fetches those that it will
// enter together, not one after the other. Boxes are in single precision, rounded outwards. All nodes but the last are
// full: all levels but the lowest of 100 000 boxes take half a megabyte. `Bvh` is the tree for boxes that come and go.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/prefetch.h"
#include "geometry/bounds.h"

namespace carom {

class WideTree {
 public:
  static constexpr std::int32_t kNone = -1;  ///< no leaf

  /// Anew, of the boxes of these bodies (`boxes` by body), by median splits in n log n. leaves[body] becomes the body's
  /// leaf.
  void build(std::span<const std::int32_t> bodies, std::span<const Aabb> boxes, std::span<std::int32_t> leaves);
  /// Another box for a leaf that stays where it is in the tree: for one that is not far from the old one.
  void change(std::int32_t leaf, const Aabb& box);
  /// Whether the box lies in that of the leaf.
  bool contains(std::int32_t leaf, const Aabb& box) const;
  /// Asks the memory for what these two will look at.
  void fetch(std::int32_t leaf) const { prefetch(node_of(leaf)); }

  /// Calls visit(body) once for every body whose box overlaps, and for some that miss it by a rounding.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    if (!nodes_.empty()) query_below(0, Box(box), visit);
  }

  /// Calls visit(body, other) once for every two bodies whose boxes overlap, and for some that miss by a rounding. Asks
  /// no box from the root on, as single queries would, and so costs what it finds and no logarithm.
  template <class Visit>
  void for_each_pair(Visit&& visit) const {
    if (!nodes_.empty()) pairs_within(nodes_[0], visit);
  }

 private:
  static constexpr std::size_t kWidth = 8;
  /// A search keeps at most seven nodes a level waiting, and eight on the last; 2^31 bodies take eleven levels.
  static constexpr std::size_t kMostWaiting = 96;

  /// Rounded outwards.
  struct Box {
    std::array<float, 3> low, high;
    Box() = default;
    explicit Box(const Aabb& box);
  };

  /// Of a child that is not there, a box that overlaps nothing.
  struct alignas(64) Node {
    std::array<std::array<float, kWidth>, 3> low, high;
    std::array<std::int32_t, kWidth> children;  // of the lowest nodes: bodies
    std::int32_t parent = kNone;                // leaf of the node above, as `leaf_of` says
    std::int32_t count = 0;
    bool lowest = true;

    Node();
    Box box(std::size_t lane) const;
    void set(std::size_t lane, const Box& box);
    /// A bit for each child that overlaps.
    std::uint32_t overlaps(const Box& box) const;
  };

  /// What splits are made by.
  struct Item {
    std::array<float, 3> center;
    std::int32_t body = 0;
  };

  static std::int32_t leaf_of(std::int32_t node, std::size_t lane) {
    return node * static_cast<std::int32_t>(kWidth) + static_cast<std::int32_t>(lane);
  }
  Node& node_of(std::int32_t leaf) { return nodes_[static_cast<std::size_t>(leaf) / kWidth]; }
  const Node& node_of(std::int32_t leaf) const { return nodes_[static_cast<std::size_t>(leaf) / kWidth]; }
  const Node& child(const Node& node, std::size_t lane) const {
    return nodes_[static_cast<std::size_t>(node.children[lane])];
  }
  template <class Visit>
  static void for_each_bit(std::uint32_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
  }

  template <class Visit>
  void query_below(std::int32_t from, const Box& box, Visit& visit) const {
    std::array<std::int32_t, kMostWaiting> stack;
    std::size_t waiting = 0;
    stack[waiting++] = from;
    while (waiting > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(stack[--waiting])];
      for_each_bit(node.overlaps(box), [&](std::size_t lane) {
        if (node.lowest) return visit(node.children[lane]);
        prefetch(child(node, lane));
        stack[waiting++] = node.children[lane];
      });
    }
  }

  template <class Visit>
  void pairs_within(const Node& node, Visit& visit) const {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(node.count); ++lane) {
      const Box box = node.box(lane);
      const std::uint32_t later = node.overlaps(box) & ~((2U << lane) - 1);
      for_each_bit(later, [&](std::size_t other) {
        if (node.lowest) return visit(node.children[lane], node.children[other]);
        pairs_between(child(node, lane), box, child(node, other), node.box(other), visit);
      });
      if (!node.lowest) pairs_within(child(node, lane), visit);
    }
  }
  template <class Visit>
  void pairs_between(const Node& a, const Box& box_a, const Node& b, const Box& box_b, Visit& visit) const {
    if (a.lowest && !b.lowest) return pairs_between(b, box_b, a, box_a, visit);
    for_each_bit(a.overlaps(box_b), [&](std::size_t lane) {
      const Box box = a.box(lane);
      if (!a.lowest) return pairs_between(b, box_b, child(a, lane), box, visit);
      for_each_bit(b.overlaps(box), [&](std::size_t other) { visit(a.children[lane], b.children[other]); });
    });
  }

  /// A node of these items, under the leaf `parent`.
  std::int32_t make_node(std::span<Item> items, std::int32_t parent);
  /// Parts of `size` items each, of which only the last may have fewer, as children of the node.
  void split(std::span<Item> items, std::size_t size, std::int32_t node);
  Box bounds_of(const Node& node) const;

  std::vector<Node> nodes_;  // the root first, then each child with all that is below it
  std::vector<Item> items_;
  std::span<const Aabb> boxes_;  // while it is built
  std::span<std::int32_t> leaves_;
};

}  // namespace carom
