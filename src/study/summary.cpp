#include "study/summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/pair_tally.h"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

Json events_json(const std::optional<EventSummary>& events) {
  if (!events) return nullptr;
  Json pairs = Json::array();
  for (const PairSummary& pair : events->pairs)
    pairs.push_back({{"a", pair.a},
                     {"b", pair.b},
                     {"events", pair.events},
                     {"micro", pair.micro},
                     {"impulse", pair.impulse},
                     {"largest_impulse", pair.largest_impulse},
                     {"mean_force", pair.mean_force},
                     {"energy_loss", pair.energy_loss}});
  return {{"count", events->count},
          {"micro", events->micro},
          {"limited_steps", events->limited_steps},
          {"solved_steps", events->solved_steps},
          {"most_solved", events->most_solved},
          {"pair_count", events->pair_count},
          {"pairs", pairs}};
}

}  // namespace

SummaryAccumulator::SummaryAccumulator(const World& world, bool event_driven)
    : start_time_(world.time()), pairs_(std::make_unique<PairTally>()) {
  if (event_driven) sums_.events.emplace();
  sums_.energy_start = sums_.energy_end = lowest_energy_ = world.kinetic_energy() + world.potential_energy();
}

void SummaryAccumulator::add(const StepReport& report) {
  ++sums_.steps;
  sums_.sim_seconds = report.time - start_time_;
  sums_.peak_contacts = std::max(sums_.peak_contacts, report.contacts);
  sums_.worst_penetration = std::max(sums_.worst_penetration, report.max_penetration);
  sums_.worst_residual_model = std::max(sums_.worst_residual_model, report.residual_model);
  sums_.worst_residual_coulomb = std::max(sums_.worst_residual_coulomb, report.residual_coulomb);
  sums_.momentum_error = std::max(sums_.momentum_error, report.momentum_error);
  sums_.stops += report.stops;
  sums_.limited_steps += report.stops_limited ? 1 : 0;
  sums_.unconverged_steps += report.converged ? 0 : 1;
  sums_.frozen_end = report.frozen;
  contacts_ += static_cast<double>(report.contacts);
  seconds_ += report.seconds.total;
  residuals_ += report.residual_coulomb;
  step_seconds_.push_back(report.seconds.total);

  if (sums_.events) {
    sums_.events->count += report.events;
    sums_.events->micro += report.micro_events;
    sums_.events->limited_steps += report.events_limited ? 1 : 0;
    sums_.events->solved_steps += report.solved > 0 ? 1 : 0;
    sums_.events->most_solved = std::max(sums_.events->most_solved, report.solved);
  }

  // What forces and kinematic bodies put in is not the engine's rise.
  external_work_ += report.external_work;
  sums_.energy_end = report.kinetic_energy + report.potential_energy;
  const Real own = sums_.energy_end - external_work_;
  sums_.largest_energy_rise = std::max(sums_.largest_energy_rise, own - lowest_energy_);
  lowest_energy_ = std::min(lowest_energy_, own);
}

SummaryAccumulator::~SummaryAccumulator() = default;

void SummaryAccumulator::add(const StepEvents& events) { pairs_->add(events); }

std::optional<std::int64_t> SummaryAccumulator::event_count() const {
  if (!sums_.events) return std::nullopt;
  return sums_.events->count;
}

void SummaryAccumulator::finish_pairs(const World& world, EventSummary& events) const {
  const std::vector<BodyHandle> bodies = world.bodies();
  const auto name = [&](std::int32_t body) { return world.name(bodies[static_cast<std::size_t>(body)]); };
  events.pair_count = pairs_->size();
  for (const PairTotals& totals : pairs_->strongest(EventSummary::kMostPairs))
    events.pairs.push_back({.a = name(totals.a),
                            .b = name(totals.b),
                            .events = totals.events,
                            .micro = totals.micro,
                            .impulse = totals.impulse,
                            .largest_impulse = totals.largest,
                            .mean_force = sums_.sim_seconds > 0 ? totals.impulse / sums_.sim_seconds : 0,
                            .energy_loss = totals.energy_loss});
}

RunSummary SummaryAccumulator::finish(const World& world) const {
  RunSummary summary = sums_;
  summary.state_hash = world.state_hash();
  if (summary.events) finish_pairs(world, *summary.events);
  if (step_seconds_.empty()) return summary;
  const auto count = static_cast<double>(step_seconds_.size());
  summary.mean_contacts = contacts_ / count;
  summary.mean_step_ms = 1e3 * seconds_ / count;
  summary.mean_residual_coulomb = residuals_ / count;
  // The nearest rank: the smallest time that at least 99 % of the steps do not exceed.
  std::vector<double> times = step_seconds_;
  const std::size_t rank = (99 * times.size() + 99) / 100 - 1;
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(rank), times.end());
  summary.p99_step_ms = 1e3 * times[rank];
  return summary;
}

std::string suite_text(const std::string& suite, const std::string& reason) {
  return reason.empty() ? suite : fmt::format("{} ({})", suite, reason);
}

std::string summary_json(const RunSummary& s) {
  const Json json = {
      {"scene", s.scene},
      {"suite", s.suite},
      {"suite_reason", s.suite_reason},
      {"threads", s.threads},
      {"steps", s.steps},
      {"sim_seconds", s.sim_seconds},
      {"wall_seconds", s.wall_seconds},
      {"real_time_factor", s.real_time_factor()},
      {"mean_contacts", s.mean_contacts},
      {"peak_contacts", s.peak_contacts},
      {"mean_step_ms", s.mean_step_ms},
      {"p99_step_ms", s.p99_step_ms},
      {"worst_penetration", s.worst_penetration},
      {"worst_residual_model", s.worst_residual_model},
      {"worst_residual_coulomb", s.worst_residual_coulomb},
      {"mean_residual_coulomb", s.mean_residual_coulomb},
      {"energy_start", s.energy_start},
      {"energy_end", s.energy_end},
      {"largest_energy_rise", s.largest_energy_rise},
      {"momentum_error", s.momentum_error},
      {"stops", s.stops},
      {"limited_steps", s.limited_steps},
      {"unconverged_steps", s.unconverged_steps},
      {"frozen_end", s.frozen_end},
      {"events", events_json(s.events)},
      {"state_hash", fmt::format("{:016x}", s.state_hash)},  // a string: 64 bits do not fit in a JSON reader's double
      {"version", s.version},
      {"interrupted", s.interrupted},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace carom
