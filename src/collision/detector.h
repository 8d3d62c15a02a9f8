// Detection: broad phase, narrow phase, and manifolds that persist from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/bvh.h"
#include "collision/manifold.h"
#include "collision/pairs.h"

namespace carom {

/// A body as detection sees it.
struct Proxy {
  const Shape::Geometry* geometry = nullptr;  ///< null: no body here
  Vec3 position;                              ///< of the shape's frame
  Mat3 rotation;
  Vec3 sweep;            ///< m: the motion of the coming step, as far as it is known
  Real reach = 0;        ///< m: what the surface may move beyond the sweep (turning, being hit, a base margin)
  bool bounded = true;   ///< false for planes
  bool moves = false;    ///< false: never pairs with another that does not move
  bool dynamic = false;  ///< takes impulses; a pair needs at least one that does
};

class Detector {
 public:
  /// Contacts that exist or may come to exist within the sweeps, in an order that depends on body indices alone.
  /// The result is valid until the next call.
  std::span<const Manifold> detect(std::span<const Proxy> proxies, ThreadPool* threads);
  std::span<const Manifold> manifolds() const { return manifolds_; }

  /// To be called when a body that does not move was added, removed or placed anew.
  void fixed_bodies_changed() { fixed_changed_ = true; }
  /// Contacts of this body are new in the next step.
  void forget(std::int32_t body);
  void clear() { manifolds_.clear(); }

 private:
  /// `first` is a moving body, the smaller index where both move; pairs are sorted by (first, second).
  struct Pair {
    std::int32_t first = 0, second = 0;
    auto operator<=>(const Pair&) const = default;
  };

  void build_trees(std::span<const Proxy> proxies);
  void find_pairs(std::span<const Proxy> proxies, ThreadPool* threads);
  void pairs_of(std::span<const Proxy> proxies, std::int32_t body, std::vector<Pair>& out) const;
  void find_previous();
  void find_contacts(std::span<const Proxy> proxies, ThreadPool* threads);

  bool fixed_changed_ = true;
  Bvh moving_tree_, fixed_tree_;
  std::vector<Bvh::Item> items_;
  std::vector<Aabb> boxes_;                    // swept, per body
  std::vector<std::int32_t> moving_, planes_;  // body indices
  std::vector<Pair> pairs_, previous_pairs_;   // sorted; previous_pairs_ belongs to previous_
  std::vector<std::int32_t> previous_index_;   // per pair: its manifold in previous_, or −1
  std::vector<Manifold> manifolds_, previous_;
  std::vector<Pair> manifold_pairs_;           // per manifold
  std::vector<std::vector<Pair>> pair_chunks_;
  std::vector<std::vector<Manifold>> manifold_chunks_;
};

}  // namespace carom
