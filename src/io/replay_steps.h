// The figures of every step, for the plots of a replay page.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "carom/dynamics/report.h"

namespace carom::replay {

class StepTrack {
 public:
  /// In the order of the section's columns; times in ms.
  static constexpr std::array<std::string_view, 14> kColumns{
      "time",     "contacts",       "active_contacts",  "frozen",          "step_ms",          "detect_ms",
      "solve_ms", "kinetic_energy", "potential_energy", "max_penetration", "residual_coulomb", "residual_model",
      "events",   "micro_events"};

  void add(const StepReport& report);
  /// Appends a section `STEP`. Very long runs are thinned: a bucket of steps becomes its least and its largest values.
  void finish(std::string& out);

  std::size_t steps() const { return rows_.size(); }
  std::size_t rows_written() const { return written_; }  ///< after `finish`
  float largest(std::string_view column) const;          ///< over all steps

 private:
  using Row = std::array<float, kColumns.size()>;

  std::vector<Row> rows_;
  std::size_t written_ = 0;
};

}  // namespace carom::replay
