#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "carom/dynamics/suite.h"
#include "commands.h"
#include "study/scene_lookup.h"
#include "study/summary.h"

namespace carom::program {

namespace {

void print_suite(const SuiteInfo& suite) {
  std::string reason;
  for (const DefaultSuite& standard : {default_suite(0), default_suite(kFastFromBodies)})
    if (standard.name == suite.name) reason = standard.reason;
  fmt::print("{}\n  {}\n", suite_text(suite.name, reason), suite.summary);
  if (!suite.source.empty()) fmt::print("  Source: {}\n", suite.source);
}

void print_options(const SuiteInfo& suite) {
  for (const OptionSpec& option : suite.options) fmt::print("    {}\n", option_text(option));
}

/// Whether they take the same options, whatever their defaults.
bool are_alike(const SuiteInfo& a, const SuiteInfo& b) {
  return std::ranges::equal(a.options, b.options, {}, &OptionSpec::name, &OptionSpec::name);
}

/// Of suites that are alike: the defaults that differ.
void print_differences(const SuiteInfo& suite, const SuiteInfo& standard) {
  for (std::size_t i = 0; i < suite.options.size(); ++i)
    if (suite.options[i].standard != standard.options[i].standard)
      fmt::print("    {}\n", default_text(suite.options[i]));
}

/// Most suites take the same options: they are told once, with the defaults of one of them, and of each suite what
/// differs. The others have their own.
void print_all() {
  const SuiteInfo& standard = *find_suite(kDefaultSuite);
  std::vector<std::string> alike;
  for (const SuiteInfo& suite : suite_registry()) {
    print_suite(suite);
    if (!are_alike(suite, standard)) {
      print_options(suite);
      continue;
    }
    alike.push_back(suite.name);
    print_differences(suite, standard);
  }
  fmt::print("\nOptions of {}, with the defaults of {}; above is where others differ:\n", fmt::join(alike, ", "),
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
  command->footer(fmt::format(
      "Where neither a scene nor --suite names one, 'carom run' takes {} from {} dynamic bodies on, else {}.\n"
      "An option is set by 'carom run stack --set NAME=VALUE' or in a scene's \"options\".\n"
      "Examples: carom suites\n          carom suites exact",
      default_suite(kFastFromBodies).name, kFastFromBodies, default_suite(0).name));
  command->callback([name] {
    if (name->empty()) return print_all();
    print_suite(*find_suite(*name));
    print_options(*find_suite(*name));
  });
}

}  // namespace carom::program
