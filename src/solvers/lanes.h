// A cone system laid out for kernels that work on eight contacts at a time (lane_kernels.h). Pairs of bodies with the
// same number of contacts go side by side, eight in a group, and the k-th contacts of all eight are a batch. The order
// depends on the contacts alone, not on the machine.
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
  void build(const ConeSystem& system);

  /// What the kernels take.
  LaneContacts contacts() const {
    return {batches_.data(), groups_.data(), static_cast<long>(groups_.size()), scales_.data(),
            static_cast<long>(scales_.size())};
  }
  /// Lines of an array of velocities: one a body, and one for bodies that are not there, which stays zero.
  std::size_t velocity_lines() const { return bodies_ + 1; }
  std::size_t impulse_lines() const { return 3 * batches_.size(); }

  void take_velocities(std::span<const Vec6> from, std::vector<LaneLine>& to) const;
  void give_velocities(std::span<const LaneLine> from, std::span<Vec6> to) const;
  /// One number a contact; a line a batch.
  void take_scalars(std::span<const Real> from, std::vector<LaneLine>& to) const;
  void take_impulses(std::span<const Vec3> from, std::vector<LaneLine>& to) const;
  void give_impulses(std::span<const LaneLine> from, std::span<Vec3> to) const;

 private:
  struct Place {
    std::int32_t batch = 0, lane = 0;
  };

  /// Contacts that two bodies share.
  struct Pair {
    std::int32_t a = 0, b = 0;          // as in ConeContact
    std::int32_t first = 0, count = 0;  // in order_
  };

  void find_pairs(const ConeSystem& system);
  std::size_t contact_of(const Pair& pair, std::int32_t k) const;
  void add_group(std::span<const Pair> pairs);
  void fill_batches(const ConeSystem& system);
  void fill_scales(const ConeSystem& system);

  std::size_t bodies_ = 0;
  std::vector<Place> places_;  // per contact
  std::vector<LaneBatch> batches_;
  std::vector<LaneGroup> groups_;
  std::vector<LaneScale> scales_;
  std::vector<std::int32_t> order_;  // contacts, pair by pair
  std::vector<Pair> pairs_;
};

/// The kernels for this machine.
const LaneKernels& lane_kernels();

}  // namespace carom
