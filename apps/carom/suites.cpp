#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/dynamics/suite.h"
#include "commands.h"
#include "study/scene_lookup.h"

namespace carom::program {

void add_suites(CLI::App& app) {
  CLI::App* command = app.add_subcommand("suites", "List the suites and what can be set on each");
  command->footer(
      "Example: carom suites\nAn option is set by 'carom run stack --set NAME=VALUE' or in a scene's \"options\".");
  command->callback([] {
    for (const SuiteInfo& suite : suite_registry()) {
      fmt::print("{}{}\n  {}\n", suite.name, suite.name == kDefaultSuite ? " (default)" : "", suite.summary);
      if (!suite.source.empty()) fmt::print("  Source: {}\n", suite.source);
      for (const OptionSpec& option : suite.options) fmt::print("    {}\n", option_text(option));
    }
  });
}

}  // namespace carom::program
