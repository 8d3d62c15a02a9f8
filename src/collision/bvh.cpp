#include "collision/bvh.h"

#include <algorithm>

namespace carom {

void Bvh::build(std::vector<Item>& items) {
  nodes_.clear();
  items_.clear();
  if (items.empty()) return;
  split(items, 0);
  items_.assign(items.begin(), items.end());
}

void Bvh::split(std::span<Item> items, std::size_t offset) {
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  Aabb box, centers;
  for (const Item& item : items) {
    box.include(item.box);
    centers.include({item.box.center(), item.box.center()});
  }
  if (items.size() <= kLeafSize) {
    nodes_[index] = {box, static_cast<std::int32_t>(nodes_.size()), static_cast<std::int32_t>(offset),
                     static_cast<std::int32_t>(offset + items.size())};
    return;
  }
  // Halve along the widest spread of centres; equal centres fall back on the body's index, so that the tree is unique.
  const Vec3 spread = centers.max - centers.min;
  const int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : (spread.y >= spread.z ? 1 : 2);
  const std::size_t half = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(half), items.end(),
                   [axis](const Item& a, const Item& b) {
                     const Real ca = a.box.min[axis] + a.box.max[axis], cb = b.box.min[axis] + b.box.max[axis];
                     return ca != cb ? ca < cb : a.body < b.body;
                   });
  split(items.first(half), offset);
  split(items.subspan(half), offset + half);
  nodes_[index].box = box;
  nodes_[index].skip = static_cast<std::int32_t>(nodes_.size());
}

}  // namespace carom
