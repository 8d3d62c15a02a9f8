// What a run comes to: the figures of `carom run --json`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"

namespace carom {

struct RunSummary {
  std::string scene, suite, version;
  int threads = 1;
  std::int64_t steps = 0;
  Real sim_seconds = 0;
  double wall_seconds = 0;  ///< stepping and writing, without set-up
  double mean_contacts = 0;
  std::int64_t peak_contacts = 0;
  double mean_step_ms = 0, p99_step_ms = 0;
  Real worst_penetration = 0;     ///< m
  Real worst_residual_model = 0;  ///< in units of v_ref
  Real worst_residual_coulomb = 0, mean_residual_coulomb = 0;
  Real energy_start = 0, energy_end = 0;  ///< J, kinetic and potential
  Real largest_energy_rise = 0;           ///< J, above the running minimum, external work taken off
  Real momentum_error = 0;                ///< largest of all steps, relative
  std::int64_t stops = 0;                 ///< times of impact at which steps were cut
  std::int64_t limited_steps = 0;         ///< steps with more of them than allowed
  std::int64_t unconverged_steps = 0;     ///< steps in which a solver did not reach its tolerance
  std::int64_t frozen_end = 0;
  std::uint64_t state_hash = 0;
  bool interrupted = false;  ///< ended before its time by the user

  double real_time_factor() const { return wall_seconds > 0 ? sim_seconds / wall_seconds : 0; }
};

/// Gathers the summary of a run step by step.
class SummaryAccumulator {
 public:
  /// The world as it is before its first step.
  explicit SummaryAccumulator(const World& world);

  /// A step that was taken.
  void add(const StepReport& report);
  /// Everything but the names, the threads and the wall time.
  RunSummary finish(const World& world) const;

 private:
  Real start_time_;  // s
  RunSummary sums_;
  std::vector<double> step_seconds_;
  double contacts_ = 0, seconds_ = 0, residuals_ = 0;
  Real external_work_ = 0;  // J, so far
  Real lowest_energy_ = 0;  // J, the least so far of energy less external work
};

/// One JSON object with the keys of the file format.
std::string summary_json(const RunSummary& summary);

}  // namespace carom
