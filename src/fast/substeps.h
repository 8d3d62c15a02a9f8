// The substeps of the real-time step: everything between the search for contacts and the new poses.
//
// Each is the same: bounces; forces and the last substep's impulses once more; a soft sweep that presses bodies apart;
// the move; a sweep that takes the bias out of the velocities again and adds friction. The Jacobians stay as they are
// within the step, so that the impulses of the last substep act once more by repeating the change of velocity that they
// made then: no sweep is needed for a warm start.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "base/crew.h"
#include "fast/batches.h"
#include "fast/impacts.h"
#include "fast/kernels.h"

namespace carom::fast {

/// The motions of the bodies that are awake, from 1 on.
struct Motions {
  AlignedVector<Motion> velocities;
  AlignedVector<Motion> shifts;  ///< displacement since the start of the step
  AlignedVector<Motion> gains;   ///< what forces add to the velocities in a substep
  AlignedVector<Motion> means;   ///< of the velocities after each substep's last sweep, where they are asked for

  void resize(std::size_t count);
};

struct SubstepSettings {
  int count = 1;
  double dt = 0;             ///< s, of the whole step
  double least_rebound = 0;  ///< m/s: what would part more slowly does not bounce
  bool means = false;
};

class Substeps {
 public:
  explicit Substeps(const Kernels& kernels) : kernels_(&kernels) {}

  /// Requires batches that are prepared and records with their restitution.
  /// `active` are the records in the batches.
  void run(const SubstepSettings& settings, Batches& batches, std::span<const Record> records,
           std::span<const std::int32_t> active, Motions& motions, ThreadPool* threads);
  /// Patches that have bounced in the last run.
  const Impacts& impacts() const { return impacts_; }

 private:
  void advance(bool first, std::size_t begin, std::size_t end, Motions& motions);
  void find_approaching(const SubstepSettings& settings, const Batches& batches, std::span<const Record> records,
                        std::span<const std::int32_t> active, const Motions& motions);

  const Kernels* kernels_;
  AlignedVector<Motion> starts_;  // velocities at the start of the substep
  std::vector<std::uint8_t> flags_;
  Impacts impacts_;
  Crew crew_;
};

}  // namespace carom::fast
