#include "io/suite_message.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "carom/dynamics/suite.h"
#include "io/closest.h"
#include "io/json_document.h"

namespace carom {
namespace {

/// Named by the format, and not in this version.
constexpr std::string_view kPlanned[] = {"fast"};

}  // namespace

std::string suite_message(const std::string& name) {
  if (find_suite(name) != nullptr) return {};
  std::vector<std::string> names;
  for (const SuiteInfo& info : suite_registry()) names.push_back(info.name);
  if (std::find(std::begin(kPlanned), std::end(kPlanned), name) != std::end(kPlanned))
    return fmt::format("the suite \"{}\" is not supported yet; expected one of {}", name, joined(names));
  return fmt::format("found the unknown suite \"{}\", expected one of {}{}", printable(name), joined(names),
                     did_you_mean(name, names));
}

}  // namespace carom
