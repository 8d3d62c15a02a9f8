// Detection: broad phase, narrow phase, and manifolds that persist from step to step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "collision/broad_phase.h"
#include "collision/manifold.h"
#include "collision/pairs.h"

namespace carom {

/// A body as detection sees it.
struct Proxy {
  const Shape::Geometry* geometry = nullptr;  ///< null: no body here
  Vec3 position;                              ///< of the shape's frame
  Mat3 rotation;
  Vec3 sweep;                  ///< m: the motion of the coming step, as far as it is known
  Real reach = 0;              ///< m: what the surface may move beyond the sweep (turning, being hit, a base margin)
  bool bounded = true;         ///< false for planes
  bool moves = false;          ///< false: never pairs with another that does not move
  bool dynamic = false;        ///< takes impulses; a pair needs at least one that does
  std::uint64_t category = 1;  ///< as in PairRole
  std::uint64_t mask = ~std::uint64_t{0};
};

class Detector {
 public:
  /// Contacts that exist or may come to exist within the sweeps, in an order that depends on body indices alone.
  /// The result is valid until the next call.
  std::span<const Manifold> detect(std::span<const Proxy> proxies, ThreadPool* threads);
  std::span<const Manifold> manifolds() const { return manifolds_; }

  /// Overlaps deeper than `depth` at other poses, of pairs in which a body has moved there (sweep and reach) by more
  /// than `least_motion`. Points have no history, and `manifolds()` stays as it is.
  std::span<const Manifold> detect_overlaps(std::span<const Proxy> moved, Real least_motion, Real depth,
                                            ThreadPool* threads);

  /// To be called when a body that does not move was added, removed or placed anew.
  void fixed_bodies_changed() { fixed_changed_ = true; }
  /// Contacts of this body are new in the next step.
  void forget(std::int32_t body);
  /// Contacts of all bodies are new in the next step.
  void clear() {
    manifolds_.clear();
    manifold_pairs_.clear();
  }

  /// What the next detection takes from this one: names and preferred axes, not the points themselves.
  void save(ByteWriter& out) const;
  /// Requires a detector of the same bodies. False, and nothing changed, where the bytes cannot be what `save` wrote.
  bool restore(ByteReader& in, std::size_t bodies);

 private:
  using Pair = BroadPhase::Pair;

  /// Swept by the motion to come.
  void place_boxes(std::span<const Proxy> proxies);
  void find_overlap_pairs(ThreadPool* threads);
  void find_previous();
  void find_contacts(std::span<const Proxy> proxies, ThreadPool* threads);
  void number_points();
  static void name_bodies(const Pair& pair, std::span<const Proxy> proxies, Manifold& manifold);
  /// Calls find(index, manifold) for every pair; manifolds with points end up in `out`, in pair order.
  template <class Find>
  void for_each_pair(std::span<const Pair> pairs, ThreadPool* threads, std::vector<Manifold>& out, Find&& find);

  bool fixed_changed_ = true;
  BroadPhase broad_;
  std::vector<std::int32_t> fast_;                            // of the bodies of detect_overlaps
  std::vector<char> queried_;                                 // per body: it asks for its pairs itself
  std::vector<Pair> pairs_, overlap_pairs_, previous_pairs_;  // sorted; previous_pairs_ belongs to previous_
  std::vector<std::int32_t> previous_index_;                  // per pair: its manifold in previous_, or −1
  std::vector<Manifold> manifolds_, previous_, overlaps_;
  std::vector<Pair> manifold_pairs_;  // per manifold
  std::vector<std::vector<Pair>> pair_chunks_;
  std::vector<std::vector<Manifold>> manifold_chunks_;
};

}  // namespace carom
