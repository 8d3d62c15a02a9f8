// A cone system laid out for kernels that work on eight contacts at a time (lane_kernels.h). Contacts of a batch share
// no moving body, so that a batch may be solved at once in a Gauss–Seidel sweep. Batches are filled first fit, in the
// order of the contacts, and do not depend on the machine.
#pragma once

#include <span>
#include <vector>

#include "solvers/cone_system.h"
#include "solvers/lane_kernels.h"

namespace carom {

/// Eight numbers: velocities of a body (six count), or one component of a batch's impulses.
struct alignas(64) LaneLine {
  Real value[kLaneCount];
};

class Lanes {
 public:
  /// `with_blocks`: also what Gauss–Seidel sweeps need.
  void build(const ConeSystem& system, bool with_blocks);

  std::span<const LaneBatch> batches() const { return batches_; }
  std::span<const LaneBlock> blocks() const { return blocks_; }
  /// Lines of an array of velocities: one a body, and one for bodies that are not there, which stays zero.
  std::size_t velocity_lines() const { return bodies_ + 1; }
  std::size_t impulse_lines() const { return 3 * batches_.size(); }

  void take_velocities(std::span<const Vec6> from, std::vector<LaneLine>& to) const;
  void give_velocities(std::span<const LaneLine> from, std::span<Vec6> to) const;
  void take_impulses(std::span<const Vec3> from, std::vector<LaneLine>& to) const;
  void give_impulses(std::span<const LaneLine> from, std::span<Vec3> to) const;
  /// Adds `shift` to the normal velocity of every contact, over what the system says.
  void set_normal_shift(const ConeSystem& system, std::span<const Real> shift);

 private:
  struct Place {
    std::int32_t batch = 0, lane = 0;
  };

  void assign(const ConeSystem& system);
  void fill(const ConeSystem& system, bool with_blocks);

  std::size_t bodies_ = 0;
  std::vector<Place> places_;  // per contact
  std::vector<LaneBatch> batches_;
  std::vector<LaneBlock> blocks_;
  std::vector<std::uint64_t> used_;  // scratch, per body: open batches that it is in
};

/// The kernels for this machine.
const LaneKernels& lane_kernels();

}  // namespace carom
