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
template <class Number>
struct alignas(kLaneCount * sizeof(Number)) LaneLine {
  Number value[kLaneCount];
};
template <class Number>
using LaneLines = std::vector<LaneLine<Number>>;

/// The same numbers in another precision. `to` is resized.
template <class From, class To>
void convert(const LaneLines<From>& from, LaneLines<To>& to) {
  to.assign(from.size(), {});
  for (std::size_t i = 0; i < from.size(); ++i)
    for (int k = 0; k < kLaneCount; ++k) to[i].value[k] = static_cast<To>(from[i].value[k]);
}

class Lanes {
 public:
  void build(const ConeSystem& system);

  /// What the kernels take, in either precision.
  template <class Number>
  LaneContacts<Number> contacts() const;
  /// Lines of an array of velocities: one a body, and one for bodies that are not there, which stays zero.
  std::size_t velocity_lines() const { return bodies_ + 1; }
  std::size_t impulse_lines() const { return 3 * batch_count_; }

  void take_velocities(std::span<const Vec6> from, LaneLines<Real>& to) const;
  /// One number a contact; a line a batch.
  void take_scalars(std::span<const Real> from, LaneLines<Real>& to) const;
  void take_impulses(std::span<const Vec3> from, LaneLines<Real>& to) const;
  void give_velocities(std::span<const LaneLine<Real>> from, std::span<Vec6> to) const;
  template <class Number>
  void give_impulses(const LaneLines<Number>& from, std::span<Vec3> to) const;

 private:
  struct Place {
    std::int32_t batch = 0, lane = 0;
  };

  /// Contacts that two bodies share.
  struct Pair {
    std::int32_t a = 0, b = 0;          // as in ConeContact
    std::int32_t first = 0, count = 0;  // in order_
  };

  template <class Number>
  struct Data {
    std::vector<LaneBatch<Number>> batches;
    std::vector<LaneScale<Number>> scales;
  };

  void find_pairs(const ConeSystem& system);
  std::size_t contact_of(const Pair& pair, std::int32_t k) const;
  void add_group(std::span<const Pair> pairs);
  template <class Number>
  void fill(const ConeSystem& system, Data<Number>& data) const;

  std::size_t bodies_ = 0, batch_count_ = 0;
  std::vector<Place> places_;  // per contact
  std::vector<LaneGroup> groups_;
  Data<double> doubles_;
  Data<float> floats_;
  std::vector<std::int32_t> order_;  // contacts, pair by pair
  std::vector<Pair> pairs_;
};

/// The kernels for this machine.
template <class Number>
const LaneKernels<Number>& lane_kernels();

}  // namespace carom
