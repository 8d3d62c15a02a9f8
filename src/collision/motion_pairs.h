// Which moving bodies may meet: pairs whose boxes, swept over the whole motion, touch (Mirtich and Canny 1995, section
// 3.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "collision/broad_phase.h"
#include "collision/detector.h"
#include "collision/motion.h"
#include "collision/time_of_impact.h"

namespace carom {

/// A body on its way, as the search sees it.
struct Mover {
  Motion motion;  ///< null geometry: no body here
  PairRole role;
  bool asks = false;  ///< its pairs are wanted; those of two bodies that both do not ask are left out
  Real stray = 0;     ///< m: how far it may come off that way
};

/// The box around everything that the shape passes through from time zero to `end`. Requires a bounded shape.
Aabb swept_bounds(const Motion& motion, Real end);

/// True unless spheres around the two centres show that they stay farther apart than `margin`.
bool may_meet(const Motion& a, const Motion& b, Real from, Real to, Real margin);

class MotionPairs {
 public:
  using Pair = BroadPhase::Pair;

  /// Pairs of bodies that are awake (ascending), and of these with others, that come nearer than `margin` by their
  /// boxes: sorted, a body that is awake first. Others are asked of the detector; of their movers nothing is read.
  /// Valid until the next call.
  std::span<const Pair> find(std::span<const Mover> movers, std::span<const std::int32_t> awake,
                             const Detector& detector, Real end, Real margin, ThreadPool* threads);
  /// Of the last `find`: whether a body was awake, and the pairs that hold one that was, as indices.
  bool is_awake(std::int32_t body) const { return rank_[static_cast<std::size_t>(body)] >= 0; }
  std::span<const std::int32_t> of(std::int32_t body) const;

 private:
  void rank(std::span<const std::int32_t> awake, std::size_t bodies);
  void place(std::span<const Mover> movers, Real end, Real margin);
  void find_of(std::int32_t body, std::span<const Mover> movers, const Detector& detector, Real end, Real margin,
               std::vector<Pair>& out) const;
  void index_pairs();

  BroadPhase broad_;                  // of bodies that are awake
  std::vector<std::int32_t> awake_;   // those of the last `find`
  std::vector<std::int32_t> rank_;    // per body: its place in awake_, or −1
  std::vector<std::int32_t> placed_;  // bodies in broad_, ascending
  std::vector<std::int32_t> asking_;
  std::vector<std::vector<Pair>> chunks_;
  std::vector<Pair> pairs_;
  std::vector<std::int32_t> first_, next_, entries_;  // per body that is awake: its pairs
};

/// An impact of two bodies.
struct FirstImpact {
  std::int32_t a = 0, b = 0;
  Impact impact;
};

/// The earliest impact of all pairs at which the bodies approach faster than `least_approach`, but for the pairs in
/// `without` (sorted) and those that touch at the start and do not part. Where times are equal, that of the first pair.
std::optional<FirstImpact> first_impact(std::span<const Mover> movers, std::span<const BroadPhase::Pair> pairs,
                                        std::span<const BroadPhase::Pair> without, const ImpactQuery& query,
                                        Real least_approach);

}  // namespace carom
