#include "collision/wide_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr Real kLargest = 1e38;       // m: beyond that a box has no end
constexpr float kOutward = 0x1p-22F;  // of a coordinate: more than two roundings

/// No larger than x, by no more than its rounding.
float below(Real x) {
  if (x < -kLargest) return -kInfinite;
  const float near = static_cast<float>(std::min(x, kLargest));
  return near - kOutward * std::abs(near) - std::numeric_limits<float>::min();
}

}  // namespace

WideTree::Box::Box(const Aabb& box)
    : low{below(box.min.x), below(box.min.y), below(box.min.z)},
      high{-below(-box.max.x), -below(-box.max.y), -below(-box.max.z)} {}

WideTree::Node::Node() {
  for (std::array<float, kWidth>& row : low) row.fill(kInfinite);
  for (std::array<float, kWidth>& row : high) row.fill(-kInfinite);
  children.fill(kNone);
}

std::uint32_t WideTree::Node::overlaps(const Box& box) const {
  static constexpr std::array<std::int32_t, kWidth> kBits{1, 2, 4, 8, 16, 32, 64, 128};
  const auto [low_x, low_y, low_z] = box.low;
  const auto [high_x, high_y, high_z] = box.high;
  std::int32_t hits = 0;
  // Without branches, and in a function of its own, for the compiler to take several lanes at once.
  for (std::size_t i = 0; i < kWidth; ++i) {
    const std::int32_t hit = (low[0][i] <= high_x) & (low_x <= high[0][i]) & (low[1][i] <= high_y) &
                             (low_y <= high[1][i]) & (low[2][i] <= high_z) & (low_z <= high[2][i]);
    hits |= -hit & kBits[i];
  }
  return static_cast<std::uint32_t>(hits);
}

WideTree::Box WideTree::Node::box(std::size_t lane) const {
  Box box;
  for (std::size_t i = 0; i < 3; ++i) {
    box.low[i] = low[i][lane];
    box.high[i] = high[i][lane];
  }
  return box;
}

void WideTree::Node::set(std::size_t lane, const Box& box) {
  for (std::size_t i = 0; i < 3; ++i) {
    low[i][lane] = box.low[i];
    high[i][lane] = box.high[i];
  }
}

void WideTree::build(std::span<const std::int32_t> bodies, std::span<const Aabb> boxes,
                     std::span<std::int32_t> leaves) {
  nodes_.clear();
  items_.clear();
  boxes_ = boxes;
  leaves_ = leaves;
  for (const std::int32_t body : bodies) {
    const Vec3 center = boxes[static_cast<std::size_t>(body)].center();
    items_.push_back(
        {{static_cast<float>(center.x), static_cast<float>(center.y), static_cast<float>(center.z)}, body});
  }
  if (!items_.empty()) make_node(items_, kNone);
}

std::int32_t WideTree::make_node(std::span<Item> items, std::int32_t parent) {
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_.back().parent = parent;
  if (items.size() > kWidth) {
    nodes_.back().lowest = false;
    std::size_t size = kWidth;
    while (size * kWidth < items.size()) size *= kWidth;
    // Next to each other in space, not in memory: asked for together.
    if (size == kWidth)
      for (const Item& item : items) prefetch(boxes_[static_cast<std::size_t>(item.body)]);
    split(items, size, index);
    return index;
  }
  Node& node = nodes_.back();
  for (const Item& item : items) {
    const auto lane = static_cast<std::size_t>(node.count++);
    node.set(lane, Box(boxes_[static_cast<std::size_t>(item.body)]));
    node.children[lane] = item.body;
    leaves_[static_cast<std::size_t>(item.body)] = leaf_of(index, lane);
  }
  return index;
}

void WideTree::split(std::span<Item> items, std::size_t size, std::int32_t node) {
  if (items.size() <= size) {
    const auto lane = static_cast<std::size_t>(nodes_[static_cast<std::size_t>(node)].count++);
    const std::int32_t below = make_node(items, leaf_of(node, lane));
    Node& above = nodes_[static_cast<std::size_t>(node)];
    above.children[lane] = below;
    above.set(lane, bounds_of(nodes_[static_cast<std::size_t>(below)]));
    return;
  }
  // Across the widest spread of centres; equal ones fall back on the body's index, so that the tree is unique.
  std::array<float, 3> low = items[0].center, high = low;
  for (const Item& item : items) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], item.center[i]);
      high[i] = std::max(high[i], item.center[i]);
    }
  }
  const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
  const std::size_t axis = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
  const std::size_t parts = (items.size() + size - 1) / size;
  const std::size_t half = parts / 2 * size;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                   [axis](const Item& a, const Item& b) {
                     return a.center[axis] != b.center[axis] ? a.center[axis] < b.center[axis] : a.body < b.body;
                   });
  split(items.first(half), size, node);
  split(items.subspan(half), size, node);
}

WideTree::Box WideTree::bounds_of(const Node& node) const {
  Box all = node.box(0);
  for (std::size_t lane = 1; lane < static_cast<std::size_t>(node.count); ++lane) {
    for (std::size_t i = 0; i < 3; ++i) {
      all.low[i] = std::min(all.low[i], node.low[i][lane]);
      all.high[i] = std::max(all.high[i], node.high[i][lane]);
    }
  }
  return all;
}

void WideTree::change(std::int32_t leaf, const Aabb& box) {
  const Box changed(box);
  Node& own = node_of(leaf);
  own.set(static_cast<std::size_t>(leaf) % kWidth, changed);
  for (std::int32_t above = own.parent; above != kNone; above = node_of(above).parent) {
    Node& node = node_of(above);
    const std::size_t lane = static_cast<std::size_t>(above) % kWidth;
    bool wider = false;
    for (std::size_t i = 0; i < 3; ++i) {
      wider = wider || changed.low[i] < node.low[i][lane] || changed.high[i] > node.high[i][lane];
      node.low[i][lane] = std::min(node.low[i][lane], changed.low[i]);
      node.high[i][lane] = std::max(node.high[i][lane], changed.high[i]);
    }
    if (!wider) return;  // nodes above may stay wider than they need to be
  }
}

bool WideTree::contains(std::int32_t leaf, const Aabb& box) const {
  const Box own = node_of(leaf).box(static_cast<std::size_t>(leaf) % kWidth);
  return own.low[0] <= box.min.x && own.low[1] <= box.min.y && own.low[2] <= box.min.z && own.high[0] >= box.max.x &&
         own.high[1] >= box.max.y && own.high[2] >= box.max.z;
}

}  // namespace carom
