// What a run comes to: the figures of `carom run --json`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"

namespace carom {

class PairTally;
struct StepEvents;

/// What two bodies have done to each other.
struct PairSummary {
  std::string a, b;          ///< names
  std::int64_t events = 0;   ///< impacts, microcollisions included
  std::int64_t micro = 0;    ///< of those: microcollisions
  Real impulse = 0;          ///< N s, sum of the normal impulses
  Real largest_impulse = 0;  ///< N s, normal, of one impact
  Real mean_force = 0;       ///< N: `impulse` over the time of the run
  Real energy_loss = 0;      ///< J, of both bodies together
};

/// Of a run by an event-driven suite.
struct EventSummary {
  static constexpr std::size_t kMostPairs = 1000;

  std::int64_t count = 0;            ///< impacts, microcollisions included
  std::int64_t micro = 0;            ///< of those: microcollisions
  std::int64_t limited_steps = 0;    ///< frames with more impacts than allowed: the rest was left to a solver
  std::int64_t solved_steps = 0;     ///< frames in which a contact solver moved bodies
  std::int64_t most_solved = 0;      ///< bodies so moved in one frame, at most
  std::size_t pair_count = 0;        ///< pairs of bodies that have met
  std::vector<PairSummary> pairs{};  ///< those with the largest impulse first, at most kMostPairs
};

struct RunSummary {
  std::string scene, suite, version;
  std::string suite_reason;  ///< why that suite, if nobody named one (`DefaultSuite`)
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
  std::optional<EventSummary> events;  ///< none: a suite of fixed steps
  std::uint64_t state_hash = 0;
  bool interrupted = false;  ///< ended before its time by the user

  double real_time_factor() const { return wall_seconds > 0 ? sim_seconds / wall_seconds : 0; }
};

/// Gathers the summary of a run step by step.
class SummaryAccumulator {
 public:
  /// The world as it is before its first step.
  explicit SummaryAccumulator(const World& world, bool event_driven = false);
  ~SummaryAccumulator();

  /// A step that was taken.
  void add(const StepReport& report);
  /// Its impacts.
  void add(const StepEvents& events);
  /// Impacts so far; none: a suite of fixed steps.
  std::optional<std::int64_t> event_count() const;
  /// Everything but the names, the threads and the wall time.
  RunSummary finish(const World& world) const;

 private:
  void finish_pairs(const World& world, EventSummary& events) const;

  Real start_time_;  // s
  RunSummary sums_;
  std::vector<double> step_seconds_;
  double contacts_ = 0, seconds_ = 0, residuals_ = 0;
  Real external_work_ = 0;  // J, so far
  Real lowest_energy_ = 0;  // J, the least so far of energy less external work
  std::unique_ptr<PairTally> pairs_;
};

/// `fast (default for 200 bodies and more)`, or the name alone where there is no reason to give.
std::string suite_text(const std::string& suite, const std::string& reason);

/// One JSON object with the keys of the file format.
std::string summary_json(const RunSummary& summary);

}  // namespace carom
