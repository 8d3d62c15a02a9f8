// The loops that the real-time step spends its time in, in versions for every vector width that this machine may have.
//
// All versions give the same bits: a lane holds a manifold, lanes never mix, and nothing is contracted or approximated.
#pragma once

#include <cstddef>

#include "base/simd.h"
#include "fast/batches.h"
#include "fast/records.h"

namespace carom::fast {

/// What sweeps need to know.
struct SweepSettings {
  float h = 0;              ///< s, of a substep
  float share = 0;          ///< of a penetration that is taken back in a substep
  float leak = 0;           ///< of an impulse, in a soft sweep: what makes contacts soft
  float most_push = 0;      ///< m/s: penetrations are taken back no faster
  int normal_passes = 2;    ///< over the points of a manifold, in the soft sweep: with one, piles creep
  int friction_passes = 1;  ///< likewise, for friction
};

/// One version of each kernel. Ranges of batches lie within a colour wherever motions are written.
struct Kernels {
  std::size_t lanes = 0;
  const char* name = "";

  /// Fills in the batches' fields from their records and the bodies' frames and velocities. Patches that slide faster
  /// than `still`, m/s, have the dynamic friction in this step, the others the static one.
  void (*prepare)(Batches& batches, const Record* records, const Frame* frames, const Motion* motions, float still,
                  std::size_t begin, std::size_t end) = nullptr;
  /// flags[place]: whether a patch has a point that may meet within `dt`, s, and rebound faster than `least_rebound`.
  void (*find_approaching)(const Batches& batches, const Motion* motions, float least_rebound, float dt,
                           std::uint8_t* flags, std::size_t begin, std::size_t end) = nullptr;
  /// Adds the impulses that the batches hold to the motions.
  void (*apply)(const Batches& batches, Motion* motions, std::size_t begin, std::size_t end) = nullptr;
  /// Normal impulses, soft, with bias. Finds the patches that have anything to do in the substep.
  void (*push)(Batches& batches, const SweepSettings& settings, Motion* motions, const Motion* shifts,
               std::size_t begin, std::size_t end) = nullptr;
  /// After the move: normal impulses without bias, then friction; adds to the sums. Requires a `push` of the substep.
  void (*relax)(Batches& batches, const SweepSettings& settings, Motion* motions, std::size_t begin,
                std::size_t end) = nullptr;
};

/// Of that width, or the next narrower one that was built.
const Kernels& kernels(SimdWidth width);

}  // namespace carom::fast
