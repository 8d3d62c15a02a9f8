#include "io/pair_tally.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace carom {

void PairTally::add(const StepEvents& events) {
  for (const FrameEvent& event : events.events) {
    const auto [a, b] = std::minmax(event.a, event.b);
    const std::uint64_t key = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
    const auto [place, is_new] = places_.try_emplace(key, totals_.size());
    if (is_new) totals_.push_back({.a = a, .b = b});
    PairTotals& totals = totals_[place->second];
    const Real impulse = event.normal_impulse();
    ++totals.events;
    totals.micro += event.kind == EventKind::Impact ? 0 : 1;
    totals.impulse += impulse;
    totals.largest = std::max(totals.largest, impulse);
    totals.energy_loss += event.energy_loss;
  }
}

std::vector<PairTotals> PairTally::strongest(std::size_t most) const {
  std::vector<PairTotals> sorted = totals_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(most, sorted.size()));
  std::partial_sort(sorted.begin(), middle, sorted.end(), [](const PairTotals& x, const PairTotals& y) {
    return std::tuple(-x.impulse, x.a, x.b) < std::tuple(-y.impulse, y.a, y.b);
  });
  sorted.erase(middle, sorted.end());
  return sorted;
}

}  // namespace carom
