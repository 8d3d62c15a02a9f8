// What pairs of bodies have done to each other: impulses and energy of all impacts of an event-driven run. B. Mirtich
// and J. Canny, "Impulse-based dynamic simulation", 1994, wish for such statistics of impulses in their last section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "io/frame.h"

namespace carom {

struct PairTotals {
  std::int32_t a = 0, b = 0;  ///< into `Cast::bodies`, a < b
  std::int64_t events = 0;    ///< impacts, microcollisions included
  std::int64_t micro = 0;     ///< of those: microcollisions
  Real impulse = 0;           ///< N s, sum of the normal impulses
  Real largest = 0;           ///< N s, normal, of one impact
  Real energy_loss = 0;       ///< J, of both bodies together
};

class PairTally {
 public:
  void add(const StepEvents& events);
  std::size_t size() const { return totals_.size(); }
  /// Those with the largest impulse first; equal ones in the order of bodies.
  std::vector<PairTotals> strongest(std::size_t most) const;

 private:
  std::unordered_map<std::uint64_t, std::size_t> places_;  // of a pair in `totals_`; never walked
  std::vector<PairTotals> totals_;
};

}  // namespace carom
