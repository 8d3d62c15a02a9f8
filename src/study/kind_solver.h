// Solvers by name, for kinds of cases that a solver must answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"

namespace carom {

/// The answer of a solver that is asked for all it can do: as close as it gets, whatever the cost. `cone` for those
/// that have a choice. Nothing where there is no such solver, or where it refuses the problem.
std::optional<ContactSolution> solve_closely(std::string_view solver, const ContactProblem& problem,
                                             std::string_view cone = {});

/// The same with words for options.
std::optional<ContactSolution> solve_closely_with(std::string_view solver, const ContactProblem& problem,
                                                  const std::vector<std::pair<std::string, std::string>>& words);

/// J, of the bodies that take impulses.
Real kinetic_energy_after(const ContactProblem& problem, const ContactSolution& solution);

}  // namespace carom
