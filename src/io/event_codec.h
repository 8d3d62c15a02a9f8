// Impacts of an event-driven suite as the content of chunks. Numbers come back bit for bit. docs/recording.md has the
// layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/error.h"
#include "io/frame.h"

namespace carom {

/// What a step report tells of impacts.
struct EventCounts {
  Real time = 0;  ///< s, at the end of the step
  std::int64_t events = 0, micro = 0, solved = 0;
  bool limited = false;
};

struct RecordedEvents {
  std::vector<EventCounts> counts;  ///< of the steps that have something to count
  std::vector<StepEvents> steps;    ///< those whose impacts were kept
};

/// Empty where the steps have nothing to count. Requires `kept` to be impacts of these steps, in their order.
std::string encode_events(const std::vector<StepReport>& steps, const std::vector<StepEvents>& kept);
/// Fails where the content cannot be impacts of that many bodies.
Result<RecordedEvents> decode_events(std::string_view content, std::size_t bodies);

/// Puts counts into the reports of the same times; both in order of time.
void add_counts(const std::vector<EventCounts>& counts, std::vector<StepReport>& steps);

}  // namespace carom
