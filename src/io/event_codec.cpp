#include "io/event_codec.h"

#include "base/bytes.h"
#include "io/number_table.h"

namespace carom {
namespace {

using CountRow = NumberRow<5>;
using EventRow = NumberRow<12>;

// Counts are doubles here too: they are exact up to 2⁵³.
CountRow to_row(const StepReport& s) {
  return {s.time, static_cast<double>(s.events), static_cast<double>(s.micro_events), s.events_limited ? 1.0 : 0.0,
          static_cast<double>(s.solved)};
}

EventCounts to_counts(const CountRow& r) {
  return {.time = r[0],
          .events = static_cast<std::int64_t>(r[1]),
          .micro = static_cast<std::int64_t>(r[2]),
          .solved = static_cast<std::int64_t>(r[4]),
          .limited = r[3] != 0};
}

EventRow to_row(const FrameEvent& e) {
  const Vec3 &p = e.point, &n = e.normal, &j = e.impulse;
  return {e.time, p.x, p.y, p.z, n.x, n.y, n.z, j.x, j.y, j.z, e.approach, e.energy_loss};
}

void set_numbers(FrameEvent& e, const EventRow& r) {
  e.time = r[0];
  e.point = {r[1], r[2], r[3]};
  e.normal = {r[4], r[5], r[6]};
  e.impulse = {r[7], r[8], r[9]};
  e.approach = r[10];
  e.energy_loss = r[11];
}

/// A byte that must not be larger than `most`.
std::uint8_t get_code(ByteReader& in, std::uint8_t most) {
  const auto code = in.get<std::uint8_t>();
  if (code > most) in.fail();
  return code > most ? 0 : code;
}

std::vector<FrameEvent> get_events(ByteReader& in, std::size_t count, std::size_t bodies) {
  constexpr std::size_t kLeastBytes = 4 + 4 + 1 + 1 + sizeof(EventRow);
  if (!in.fits(count, kLeastBytes)) return {};
  std::vector<FrameEvent> events(count);
  const auto body = [&] {
    const auto index = in.get<std::int32_t>();
    if (index < 0 || static_cast<std::size_t>(index) >= bodies) in.fail();
    return index;
  };
  for (FrameEvent& e : events) e.a = body();
  for (FrameEvent& e : events) e.b = body();
  for (FrameEvent& e : events)
    e.kind = static_cast<EventKind>(get_code(in, static_cast<std::uint8_t>(EventKind::Reversed)));
  for (FrameEvent& e : events) e.mode_count = get_code(in, static_cast<std::uint8_t>(e.modes.size()));
  for (FrameEvent& e : events)
    for (std::size_t i = 0; i < e.mode_count; ++i)
      e.modes[i] = static_cast<ImpactMode>(get_code(in, static_cast<std::uint8_t>(ImpactMode::Jamb)));
  const std::vector<EventRow> rows = get_table<12>(in, count);
  if (!in.ok()) return {};
  for (std::size_t i = 0; i < count; ++i) set_numbers(events[i], rows[i]);
  return events;
}

}  // namespace

std::string encode_events(const std::vector<StepReport>& steps, const std::vector<StepEvents>& kept) {
  std::vector<CountRow> counts;
  for (const StepReport& step : steps)
    if (step.events > 0 || step.events_limited || step.solved > 0) counts.push_back(to_row(step));
  if (counts.empty() && kept.empty()) return {};
  ByteWriter out;
  out.put(static_cast<std::uint32_t>(counts.size()));
  put_table(out, counts, 1);
  out.put(static_cast<std::uint32_t>(kept.size()));
  std::vector<EventRow> rows;
  for (const StepEvents& step : kept) {
    out.put(step.time);
    out.put(static_cast<std::uint64_t>(step.events.size()));
    for (const FrameEvent& e : step.events) rows.push_back(to_row(e));
  }
  const auto for_each = [&](auto&& call) {
    for (const StepEvents& step : kept)
      for (const FrameEvent& e : step.events) call(e);
  };
  for_each([&](const FrameEvent& e) { out.put(e.a); });
  for_each([&](const FrameEvent& e) { out.put(e.b); });
  for_each([&](const FrameEvent& e) { out.put(static_cast<std::uint8_t>(e.kind)); });
  for_each([&](const FrameEvent& e) { out.put(e.mode_count); });
  for_each([&](const FrameEvent& e) {
    for (const ImpactMode mode : e.all_modes()) out.put(static_cast<std::uint8_t>(mode));
  });
  put_table(out, rows);
  return out.take();
}

Result<RecordedEvents> decode_events(std::string_view content, std::size_t bodies) {
  using Failure = Result<RecordedEvents>;
  constexpr const char* kTooShort = "impacts that do not fill their chunk";
  ByteReader in(content);
  RecordedEvents decoded;
  for (const CountRow& row : get_table<5>(in, in.get<std::uint32_t>(), 1)) decoded.counts.push_back(to_counts(row));
  const std::size_t steps = in.get<std::uint32_t>();
  if (!in.fits(steps, sizeof(double) + sizeof(std::uint64_t))) return Failure::failure(kTooShort);
  decoded.steps.resize(steps);
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  for (StepEvents& step : decoded.steps) {
    step.time = in.get<double>();
    sizes.push_back(in.get<std::uint64_t>());
    if (!in.fits(sizes.back(), 1)) return Failure::failure(kTooShort);
    total += sizes.back();
  }
  const std::vector<FrameEvent> events = get_events(in, total, bodies);
  if (!in.ok() || !in.at_end()) return Failure::failure(kTooShort);
  auto next = events.begin();
  for (std::size_t i = 0; i < steps; ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(sizes[i]);
    decoded.steps[i].events.assign(next, end);
    next = end;
  }
  return decoded;
}

void add_counts(const std::vector<EventCounts>& counts, std::vector<StepReport>& steps) {
  auto next = counts.begin();
  for (StepReport& step : steps) {
    while (next != counts.end() && next->time < step.time) ++next;
    if (next == counts.end()) return;
    if (next->time != step.time) continue;
    step.events = next->events;
    step.micro_events = next->micro;
    step.events_limited = next->limited;
    step.solved = next->solved;
  }
}

}  // namespace carom
