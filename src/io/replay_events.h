// The impacts of an event-driven suite in a replay page. There may be thousands in a frame, most of them between the
// same bodies at nearly the same place, so they are merged: one arrow a pair of bodies and kind, with the sum of its
// impulses at their centre. Sums are exact; when and how often is told by counts.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "io/frame.h"
#include "io/pair_tally.h"
#include "io/replay_impulses.h"

namespace carom::replay {

class EventTrack {
 public:
  /// `step`: of the grid of points, m.
  EventTrack(const Cast& cast, Real step) : arrows_(cast, step) {}

  void add(const StepEvents& events);
  /// Impacts up to the frame's time are drawn in it.
  void add(const Frame& frame);
  /// Appends sections `EVNT`, the arrows, and `EVCT`, how many impacts and microcollisions each frame stands for;
  /// nothing where there were none.
  void finish(std::string& out);

  const ImpulseTrack& arrows() const { return arrows_; }
  const PairTally& pairs() const { return pairs_; }

 private:
  ImpulseTrack arrows_;
  PairTally pairs_;
  std::deque<StepEvents> waiting_;              ///< for the frame they are drawn in
  std::vector<std::uint32_t> impacts_, micro_;  ///< per frame
};

/// One for all impacts of a pair and kind, bodies in the order of the cast: the sum of their impulses, at the mean of
/// their points weighted by size.
std::vector<Impulse> merged_impulses(const std::vector<FrameEvent>& events);

}  // namespace carom::replay
