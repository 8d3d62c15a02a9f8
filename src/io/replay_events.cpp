#include "io/replay_events.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "io/replay_bytes.h"

namespace carom::replay {
namespace {

/// The same for both directions of a pair.
auto group_of(const FrameEvent& event) {
  const auto [a, b] = std::minmax(event.a, event.b);
  return std::tuple(a, b, event.kind);
}

}  // namespace

std::vector<Impulse> merged_impulses(const std::vector<FrameEvent>& events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return group_of(events[x]) < group_of(events[y]); });
  std::vector<Impulse> merged;
  for (std::size_t begin = 0; begin < order.size();) {
    const auto [a, b, kind] = group_of(events[order[begin]]);
    Impulse& sum = merged.emplace_back();
    sum.a = a;
    sum.b = b;
    sum.kind = static_cast<std::uint8_t>(kind);
    Vec3 weighted;
    Real weight = 0;
    for (; begin < order.size() && group_of(events[order[begin]]) == std::tuple(a, b, kind); ++begin) {
      const FrameEvent& event = events[order[begin]];
      const Real size = norm(event.impulse);
      sum.impulse += (event.a == a ? 1 : -1) * event.impulse;
      weighted += size * event.point;
      weight += size;
    }
    if (weight > 0) sum.point = (1 / weight) * weighted;
  }
  return merged;
}

void EventTrack::add(const StepEvents& events) {
  pairs_.add(events);
  waiting_.push_back(events);
}

void EventTrack::add(const Frame& frame) {
  std::vector<FrameEvent> now;
  for (; !waiting_.empty() && waiting_.front().time <= frame.time; waiting_.pop_front())
    now.insert(now.end(), waiting_.front().events.begin(), waiting_.front().events.end());
  const auto impacts =
      std::count_if(now.begin(), now.end(), [](const FrameEvent& event) { return event.kind == EventKind::Impact; });
  impacts_.push_back(static_cast<std::uint32_t>(impacts));
  micro_.push_back(static_cast<std::uint32_t>(now.size()) - impacts_.back());
  arrows_.add(frame, merged_impulses(now));
}

void EventTrack::finish(std::string& out) {
  if (pairs_.size() == 0) return;
  arrows_.finish("EVNT", out);
  std::string counts;
  for (const std::vector<std::uint32_t>* column : {&impacts_, &micro_})
    for (const std::uint32_t count : *column) put_u32(counts, count);
  append_section(out, "EVCT", counts);
}

}  // namespace carom::replay
