// A tree of boxes, built by median splits: the broad phase. Building costs n log n, a query what it finds plus log n.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/bounds.h"

namespace carom {

class Bvh {
 public:
  struct Item {
    Aabb box;
    std::int32_t body = 0;
  };

  /// Reorders `items` and keeps a copy in tree order.
  void build(std::vector<Item>& items);

  /// Calls visit(body) for every item whose box overlaps.
  template <class Visit>
  void query(const Aabb& box, Visit&& visit) const {
    const auto end = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t i = 0; i < end;) {
      const Node& node = nodes_[static_cast<std::size_t>(i)];
      if (!node.box.overlaps(box)) {
        i = node.skip;
        continue;
      }
      for (std::int32_t k = node.first; k < node.last; ++k) {
        const Item& item = items_[static_cast<std::size_t>(k)];
        if (item.box.overlaps(box)) visit(item.body);
      }
      ++i;
    }
  }

 private:
  static constexpr std::size_t kLeafSize = 4;

  /// In depth-first order, so that a query needs no stack: `skip` is the node after this one's subtree.
  struct Node {
    Aabb box;
    std::int32_t skip = 0;
    std::int32_t first = 0, last = 0;  // items of a leaf; empty for an inner node
  };

  void split(std::span<Item> items, std::size_t offset);

  std::vector<Node> nodes_;
  std::vector<Item> items_;
};

}  // namespace carom
