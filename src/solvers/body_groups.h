// Bodies that act on each other, as disjoint sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace carom {

class BodyGroups {
 public:
  /// Each of the bodies alone; others must not be asked about.
  void reset(std::span<const std::int32_t> bodies, std::size_t slots) {
    parent_.resize(slots);
    for (const std::int32_t body : bodies) parent_[static_cast<std::size_t>(body)] = body;
  }
  void join(std::int32_t a, std::int32_t b) {
    const std::int32_t group_a = of(a), group_b = of(b);
    parent_[static_cast<std::size_t>(std::max(group_a, group_b))] = std::min(group_a, group_b);
  }
  /// The body that stands for the group.
  std::int32_t of(std::int32_t body) {
    std::int32_t& parent = parent_[static_cast<std::size_t>(body)];
    if (parent != body) parent = of(parent);
    return parent;
  }

 private:
  std::vector<std::int32_t> parent_;  // per body: another of its group, itself for one of them
};

}  // namespace carom
