// Suites: a choice for each part of the step, by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/options.h"

namespace carom {

struct SuiteInfo {
  std::string name;
  std::string summary;              ///< one line
  std::string source;               ///< paper and section
  std::vector<OptionSpec> options;  ///< everything that `--set` and a scene's `options` take
  /// Goes from impact to impact (`World::events`); what it takes are options of its own, not those of the fixed step.
  bool event_driven = false;
  /// Its steps solve contact problems that `World::set_problem_observer` gets to see.
  bool makes_problems = true;
};

/// Every suite there is, in a fixed order.
const std::vector<SuiteInfo>& suite_registry();
/// Null if there is none of that name.
const SuiteInfo* find_suite(std::string_view name);

/// The suite of a `World` whose definition names none: a world knows no scene.
inline constexpr std::string_view kDefaultSuite = "exact";

/// Dynamic bodies in a scene file, from which on it runs with `fast` where it names no suite. Measured: with so many
/// cubes that pour (`hourglass` with fewer of them), a step of 1/60 s takes `exact` as long as it lasts, with twice as
/// many three times as long (docs/suites.md).
inline constexpr std::size_t kFastFromBodies = 200;

/// A suite that nobody named.
struct DefaultSuite {
  std::string name;
  std::string reason;  ///< why this one, in a few words: "default for 200 bodies and more"
};

/// The suite of a scene file that names none. Only the number of dynamic bodies in the file decides, copies included,
/// so that the same file is run in the same way on every machine.
DefaultSuite default_suite(std::size_t dynamic_bodies);

}  // namespace carom
