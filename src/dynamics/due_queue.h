// When to look at which pair again: the earliest first.
//
// A heap of everything that is due in a frame is large, and every turn at it is a walk through memory. So the frame is
// cut into slices of time (after R. Brown, "Calendar queues", 1988): what is due in a later slice waits in no order,
// and only the present slice is a heap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "carom/math/types.h"

namespace carom {

/// When to look at a pair again.
struct Due {
  Real time = 0;
  std::int32_t a = 0, b = 0;  // bodies: they decide where times are equal, so that the order has no history
  std::int32_t pair = 0;
  std::uint32_t stamp = 0;
  bool at_apex = false;  // they stop parting: nothing has to happen, but the floor can be told

  /// Later first, as heaps want it.
  bool operator<(const Due& o) const { return std::tie(time, a, b, at_apex) > std::tie(o.time, o.a, o.b, o.at_apex); }
};

class DueQueue {
 public:
  /// Empty, for what is due from `start` to `end`.
  void begin(Real start, Real end) {
    slices_.resize(kSlices);
    for (std::vector<Due>& slice : slices_) slice.clear();
    present_ = 0;
    start_ = start;
    per_second_ = end > start ? static_cast<Real>(kSlices) / (end - start) : 0;
  }

  void push(const Due& due) {
    const std::size_t slice = std::max(slice_of(due.time), present_);
    slices_[slice].push_back(due);
    if (slice == present_) std::push_heap(slices_[slice].begin(), slices_[slice].end());
  }

  /// The earliest, into `due`; false if there is none.
  bool pop(Due& due) {
    while (slices_[present_].empty()) {
      if (present_ + 1 == kSlices) return false;
      ++present_;
      std::make_heap(slices_[present_].begin(), slices_[present_].end());
    }
    std::vector<Due>& slice = slices_[present_];
    std::pop_heap(slice.begin(), slice.end());
    due = slice.back();
    slice.pop_back();
    return true;
  }

  /// What comes next, as far as it is in the present slice: the first is first, and the others soon.
  std::span<const Due> soon() const { return slices_[present_]; }

 private:
  static constexpr std::size_t kSlices = 256;

  /// Grows with time: what is in an earlier slice is earlier.
  std::size_t slice_of(Real time) const {
    const Real slice = (time - start_) * per_second_;
    return slice >= static_cast<Real>(kSlices - 1) ? kSlices - 1 : static_cast<std::size_t>(std::max(slice, 0.0));
  }

  std::vector<std::vector<Due>> slices_;
  std::size_t present_ = 0;
  Real start_ = 0, per_second_ = 0;
};

}  // namespace carom
