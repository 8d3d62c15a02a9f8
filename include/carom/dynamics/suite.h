// Suites: a choice for each part of the step, by name.
#pragma once

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
};

/// Every suite there is, in a fixed order.
const std::vector<SuiteInfo>& suite_registry();
/// Null if there is none of that name.
const SuiteInfo* find_suite(std::string_view name);

inline constexpr std::string_view kDefaultSuite = "exact";

}  // namespace carom
