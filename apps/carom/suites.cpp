#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/dynamics/suite.h"
#include "commands.h"
#include "study/scene_lookup.h"

namespace carom::program {

namespace {

/// Suites of the fixed step take the same options: they are told once, with the default suite's defaults, and of each
/// suite what differs. An event-driven one has its own.
void print_differences(const SuiteInfo& suite, const SuiteInfo& standard) {
  for (const OptionSpec& option : suite.options) {
    if (suite.event_driven) {
      fmt::print("    {}\n", option_text(option));
      continue;
    }
    const auto same = std::find_if(standard.options.begin(), standard.options.end(),
                                   [&](const OptionSpec& o) { return o.name == option.name; });
    if (same == standard.options.end() || same->standard != option.standard)
      fmt::print("    {}\n", option_text(option));
  }
}

}  // namespace

void add_suites(CLI::App& app) {
  CLI::App* command = app.add_subcommand("suites", "List the suites and what can be set on each");
  command->footer(
      "Example: carom suites\nAn option is set by 'carom run stack --set NAME=VALUE' or in a scene's \"options\".");
  command->callback([] {
    const SuiteInfo& standard = *find_suite(kDefaultSuite);
    for (const SuiteInfo& suite : suite_registry()) {
      const bool is_standard = suite.name == standard.name;
      fmt::print("{}{}\n  {}\n", suite.name, is_standard ? " (default)" : "", suite.summary);
      if (!suite.source.empty()) fmt::print("  Source: {}\n", suite.source);
      if (!is_standard) print_differences(suite, standard);
    }
    fmt::print("\nOptions of all suites of the fixed step, with the defaults of {}; above is where others differ:\n",
               standard.name);
    for (const OptionSpec& option : standard.options) fmt::print("    {}\n", option_text(option));
  });
}

}  // namespace carom::program
