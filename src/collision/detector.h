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
#include "collision/recycle.h"

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

  Placed placed() const { return {geometry, position, rotation}; }
};

/// What the last `detect` did.
struct DetectionCounts {
  std::int64_t pairs = 0;      ///< pairs of bodies that the narrow phase looked at
  std::int64_t manifolds = 0;  ///< with points
  std::int64_t reused = 0;     ///< of those, manifolds whose points followed their bodies without a new search
  double broad_seconds = 0;    ///< wall time of the broad phase
  double narrow_seconds = 0;   ///< wall time of the narrow phase, persistence included
};

class Detector {
 public:
  /// Contacts that exist or may come to exist within the sweeps, in an order that depends on body indices alone. A pair
  /// of bodies has one manifold, or several in a row where a compound is in it. The result is valid until the next
  /// call.
  std::span<const Manifold> detect(std::span<const Proxy> proxies, ThreadPool* threads);
  std::span<const Manifold> manifolds() const { return now_.manifolds; }
  const DetectionCounts& counts() const { return counts_; }

  /// Overlaps deeper than `depth` at other poses, of pairs in which a body has moved there (sweep and reach) by more
  /// than `least_motion`. Points have no history, and `manifolds()` stays as it is. Requires a `detect` of these
  /// bodies.
  std::span<const Manifold> detect_overlaps(std::span<const Proxy> moved, Real least_motion, Real depth,
                                            ThreadPool* threads);

  /// To be called when a body that does not move was added, removed or placed anew.
  void fixed_bodies_changed() { fixed_changed_ = true; }
  /// Contacts of this body are new in the next step.
  void forget(std::int32_t body);
  /// Contacts of all bodies are new in the next step.
  void clear() { now_.clear(); }

  /// What the next detection takes from this one: names, preferred axes, and where the points sit on their bodies.
  void save(ByteWriter& out) const;
  /// Requires a detector of the same bodies. False, and nothing changed, where the bytes cannot be what `save` wrote.
  bool restore(ByteReader& in, std::size_t bodies);

 private:
  using Pair = BroadPhase::Pair;

  /// Manifolds with what is remembered of them; the lists run side by side.
  struct Found {
    std::vector<Manifold> manifolds;
    std::vector<Pair> pairs;                   // per manifold
    std::vector<ContactReference> references;  // per manifold
    std::vector<PointAnchor> anchors;          // per point, in the order of `first_point`
    std::int64_t reused = 0;

    void clear();
    void append(const Found& other);
    /// Numbers the points of all manifolds.
    void number_points();
    /// Appends manifold m with what is remembered of it; points keep their old numbers as their previous ones.
    void take_over(const Found& before, std::size_t m);
  };

  /// Swept by the motion to come.
  void place_boxes(std::span<const Proxy> proxies);
  void find_previous();
  void find_contacts(std::span<const Proxy> proxies, ThreadPool* threads);
  void find_pair(const Pair& pair, std::span<const Proxy> proxies, std::size_t previous, Found& out) const;
  void find_overlap_pairs(ThreadPool* threads);

  bool fixed_changed_ = true;
  BroadPhase broad_;
  Found now_, before_;
  DetectionCounts counts_;
  std::vector<Pair> pairs_;            // sorted
  std::vector<std::size_t> previous_;  // per pair: the first of its manifolds in before_, or their number
  std::vector<Found> chunks_;
  std::vector<std::int32_t> fast_;  // of the bodies of detect_overlaps
  std::vector<char> queried_;       // per body: it asks for its pairs itself
  std::vector<Pair> overlap_pairs_;
  std::vector<std::vector<Pair>> overlap_pair_chunks_;
  std::vector<std::vector<Manifold>> overlap_chunks_;
  std::vector<Manifold> overlaps_;
};

}  // namespace carom
