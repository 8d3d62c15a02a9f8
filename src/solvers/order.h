// In which order a sweep visits the pairs of bodies, where that is not the schedule's own.
#pragma once

#include <string_view>
#include <vector>

#include "solvers/packed.h"

namespace carom {

enum class SweepOrder : std::uint8_t {
  Found,     ///< by colours, in parallel
  Gravity,   ///< the lowest contact first
  Velocity,  ///< the fastest approach first, at the start
  Level      ///< by level of the contact graph
};

/// "found", "gravity", "velocity", "level". Requires one of these.
SweepOrder sweep_order(std::string_view name);

/// The schedule's groups in the order asked for; of equal ones the schedule's own order stands.
std::vector<std::size_t> ordered_groups(SweepOrder order, const ContactProblem& problem, const PackedProblem& packed);

}  // namespace carom
