#include "io/suite_message.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "carom/dynamics/suite.h"
#include "io/closest.h"
#include "io/json_document.h"

namespace carom {
namespace {

bool takes(const SuiteInfo& suite, const std::string& option) {
  return std::ranges::any_of(suite.options, [&](const OptionSpec& spec) { return spec.name == option; });
}

/// A suite with that option, `exact` first: most suites have its options. Null if there is none.
const SuiteInfo* find_suite_with(const std::string& option) {
  if (const SuiteInfo* exact = find_suite(kDefaultSuite); takes(*exact, option)) return exact;
  for (const SuiteInfo& suite : suite_registry())
    if (takes(suite, option)) return &suite;
  return nullptr;
}

}  // namespace

std::string suite_message(const std::string& name) {
  if (find_suite(name) != nullptr) return {};
  std::vector<std::string> names;
  for (const SuiteInfo& info : suite_registry()) names.push_back(info.name);
  return fmt::format("found the unknown suite \"{}\", expected one of {}{}", printable(name), joined(names),
                     did_you_mean(name, names));
}

std::string other_suite_hint(const std::string& suite, const std::string& reason, const std::string& option) {
  const SuiteInfo* chosen = find_suite(suite);
  if (reason.empty() || chosen == nullptr || takes(*chosen, option)) return {};
  const SuiteInfo* other = find_suite_with(option);
  if (other == nullptr) return {};
  return fmt::format("; the suite is {} ({}), and {} has this option: --suite {}, or \"suite\": \"{}\" in the scene",
                     suite, reason, other->name, other->name, other->name);
}

}  // namespace carom
