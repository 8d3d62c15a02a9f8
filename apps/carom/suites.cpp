#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/dynamics/suite.h"
#include "commands.h"
#include "study/scene_lookup.h"

namespace carom::program {

namespace {

void print_suite(const SuiteInfo& suite) {
  fmt::print("{}{}\n  {}\n", suite.name, suite.name == kDefaultSuite ? " (default)" : "", suite.summary);
  if (!suite.source.empty()) fmt::print("  Source: {}\n", suite.source);
}

void print_options(const SuiteInfo& suite) {
  for (const OptionSpec& option : suite.options) fmt::print("    {}\n", option_text(option));
}

void print_differences(const SuiteInfo& suite, const SuiteInfo& standard) {
  for (const OptionSpec& option : suite.options) {
    const auto same = std::find_if(standard.options.begin(), standard.options.end(),
                                   [&](const OptionSpec& o) { return o.name == option.name; });
    if (same == standard.options.end() || same->standard != option.standard)
      fmt::print("    {}\n", default_text(option));
  }
}

/// Suites of the fixed step take the same options: they are told once, with the default suite's defaults, and of each
/// suite what differs. An event-driven one has its own.
void print_all() {
  const SuiteInfo& standard = *find_suite(kDefaultSuite);
  for (const SuiteInfo& suite : suite_registry()) {
    print_suite(suite);
    suite.event_driven ? print_options(suite) : print_differences(suite, standard);
  }
  fmt::print("\nOptions of all suites of the fixed step, with the defaults of {}; above is where others differ:\n",
             standard.name);
  print_options(standard);
}

}  // namespace

void add_suites(CLI::App& app) {
  CLI::App* command = app.add_subcommand("suites", "List the suites and what can be set on each");
  const auto name = std::make_shared<std::string>();
  command->add_option("SUITE", *name, "only this one, with all its options and its own defaults")
      ->check([](const std::string& suite) {
        Scene scene;
        return choose_suite(scene, suite);
      });
  command->footer(
      "Examples: carom suites\n          carom suites exact\nAn option is set by 'carom run stack --set NAME=VALUE' or "
      "in "
      "a scene's \"options\".");
  command->callback([name] {
    if (name->empty()) return print_all();
    print_suite(*find_suite(*name));
    print_options(*find_suite(*name));
  });
}

}  // namespace carom::program
