#include "collision/bvh.h"

#include <algorithm>

namespace carom {
namespace {

/// Half the surface.
Real surface(const Aabb& box) {
  const Vec3 d = box.max - box.min;
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

Aabb joined(const Aabb& a, const Aabb& b) {
  Aabb both = a;
  both.include(b);
  return both;
}

}  // namespace

void Bvh::clear() {
  nodes_.clear();
  free_.clear();
  root_ = kNone;
}

void Bvh::build(std::span<Item> items, std::span<std::int32_t> leaves) {
  clear();
  if (items.empty()) return;
  nodes_.reserve(2 * items.size());
  root_ = split(items, leaves);
}

std::int32_t Bvh::split(std::span<Item> items, std::span<std::int32_t> leaves) {
  const std::int32_t index = take_node();
  if (items.size() == 1) {
    Node& leaf = at(index);
    leaf.box = items[0].box;
    leaf.right = items[0].body;
    leaves[static_cast<std::size_t>(items[0].body)] = index;
    return index;
  }
  // Halve along the widest spread of centres; equal centres fall back on the body's index, so that the tree is unique.
  Aabb centers;
  for (const Item& item : items) centers.include({item.box.center(), item.box.center()});
  const Vec3 spread = centers.max - centers.min;
  const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : (spread.y >= spread.z ? 1 : 2);
  const std::size_t half = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                   [axis](const Item& a, const Item& b) {
                     const Real ca = a.box.min[axis] + a.box.max[axis], cb = b.box.min[axis] + b.box.max[axis];
                     return ca != cb ? ca < cb : a.body < b.body;
                   });
  const std::int32_t left = split(items.first(half), leaves);
  const std::int32_t right = split(items.subspan(half), leaves);
  at(index).left = left;
  at(index).right = right;
  at(left).parent = at(right).parent = index;
  refit(index);
  return index;
}

std::int32_t Bvh::take_node() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<std::int32_t>(nodes_.size() - 1);
  }
  const std::int32_t node = free_.back();
  free_.pop_back();
  at(node) = {};
  return node;
}

std::int32_t Bvh::insert(const Aabb& box, std::int32_t body) {
  const std::int32_t leaf = take_node();
  at(leaf).box = box;
  at(leaf).right = body;
  if (root_ == kNone) {
    root_ = leaf;
    return leaf;
  }
  const std::int32_t sibling = best_sibling(box);
  const std::int32_t parent = take_node();
  replace(sibling, parent);
  at(parent).left = sibling;
  at(parent).right = leaf;
  at(sibling).parent = at(leaf).parent = parent;
  repair_upwards(parent);
  return leaf;
}

void Bvh::remove(std::int32_t leaf) {
  const std::int32_t parent = at(leaf).parent;
  free_.push_back(leaf);
  if (parent == kNone) {
    root_ = kNone;
    return;
  }
  const std::int32_t sibling = at(parent).left == leaf ? at(parent).right : at(parent).left;
  replace(parent, sibling);
  free_.push_back(parent);
  repair_upwards(at(sibling).parent);
}

std::int32_t Bvh::best_sibling(const Aabb& box) {
  std::int32_t i = root_;
  while (!at(i).is_leaf()) {
    ++steps_;
    const Node& node = at(i);
    const Real grown = surface(joined(node.box, box));
    // To stop here makes a parent of that surface; to go on enlarges this node by the difference.
    const Real inherited = grown - surface(node.box);
    const auto cost_below = [&](std::int32_t child) {
      const Node& c = at(child);
      const Real whole = surface(joined(c.box, box));
      return inherited + (c.is_leaf() ? whole : whole - surface(c.box));
    };
    const Real left = cost_below(node.left), right = cost_below(node.right);
    if (grown < left && grown < right) break;
    // Equal boxes: towards the lower side, so that fewer rotations are needed.
    const bool go_left = left != right ? left < right : at(node.left).height <= at(node.right).height;
    i = go_left ? node.left : node.right;
  }
  return i;
}

void Bvh::replace(std::int32_t node, std::int32_t by) {
  const std::int32_t parent = at(node).parent;
  at(by).parent = parent;
  if (parent == kNone) {
    root_ = by;
  } else if (at(parent).left == node) {
    at(parent).left = by;
  } else {
    at(parent).right = by;
  }
}

void Bvh::refit(std::int32_t i) {
  Node& node = at(i);
  const Node &left = at(node.left), &right = at(node.right);
  node.box = joined(left.box, right.box);
  node.height = 1 + std::max(left.height, right.height);
}

void Bvh::repair_upwards(std::int32_t node) {
  while (node != kNone) {
    ++steps_;
    node = at(balance(node)).parent;
  }
}

std::int32_t Bvh::balance(std::int32_t node) {
  const Node& n = at(node);
  const int lean = at(n.right).height - at(n.left).height;
  if (lean >= -kMostLean && lean <= kMostLean) {
    refit(node);
    return node;
  }
  // The node goes under its taller child. A leaf that was put beside a whole tree sinks into it by recursion, which
  // ends since the node gets lower every time; the child then leans no more than it did.
  const std::int32_t child = lean > 0 ? n.right : n.left;
  raise(node, child);
  ++steps_;
  balance(node);
  refit(child);
  return child;
}

/// The child takes the node's place and keeps its own taller child; the other goes to the node.
void Bvh::raise(std::int32_t node, std::int32_t child) {
  const std::int32_t left = at(child).left, right = at(child).right;
  const bool keep_left = at(left).height > at(right).height;
  const std::int32_t kept = keep_left ? left : right, given = keep_left ? right : left;
  replace(node, child);
  at(child).left = node;
  at(child).right = kept;
  at(node).parent = child;
  if (at(node).left == child) {
    at(node).left = given;
  } else {
    at(node).right = given;
  }
  at(given).parent = node;
}

}  // namespace carom
