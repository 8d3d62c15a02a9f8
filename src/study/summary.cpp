#include "study/summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace carom {

SummaryAccumulator::SummaryAccumulator(const World& world) : start_time_(world.time()) {
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

  // What forces and kinematic bodies put in is not the engine's rise.
  external_work_ += report.external_work;
  sums_.energy_end = report.kinetic_energy + report.potential_energy;
  const Real own = sums_.energy_end - external_work_;
  sums_.largest_energy_rise = std::max(sums_.largest_energy_rise, own - lowest_energy_);
  lowest_energy_ = std::min(lowest_energy_, own);
}

RunSummary SummaryAccumulator::finish(const World& world) const {
  RunSummary summary = sums_;
  summary.state_hash = world.state_hash();
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

std::string summary_json(const RunSummary& s) {
  const nlohmann::ordered_json json = {
      {"scene", s.scene},
      {"suite", s.suite},
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
      {"state_hash", fmt::format("{:016x}", s.state_hash)},  // a string: 64 bits do not fit in a JSON reader's double
      {"version", s.version},
      {"interrupted", s.interrupted},
  };
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace carom
