#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "carom/base/error.h"
#include "commands.h"

namespace {

using namespace carom::program;

/// CLI11 has statuses of its own; ours are 0 for help and 2 for any mistake.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error) == 0 ? kSuccess : kNotMet;
  std::fprintf(stderr, "carom: %s\nRun 'carom --help' or 'carom help COMMAND' for how to use it.\n", error.what());
  return kBadInput;
}

/// CLI11 says only that a command is missing when it does not know the word.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return {};
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "there is no command named \"" + word + "\", expected one of " + names;
}

int run_program(int argc, char** argv) {
  CLI::App app{"Carom: rigid bodies in contact, with the error of every answer stated.", "carom"};
  app.set_version_flag("--version", std::string("carom ") + CAROM_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success; 1 ran but did not do all that was asked (also: interrupted, or a file could\n"
      "not be written to the end); 2 bad input or usage; 3 the simulation failed.\n"
      "Example: carom run hourglass --html hourglass.html");
  int status = kSuccess;
  add_run(app, status);
  add_info(app, status);
  add_export(app, status);
  add_solve(app, status);
  add_impact(app, status);
  add_compare(app, status);
  add_validate(app, status);
  add_reproduce(app, status);
  add_list(app);
  add_suites(app);
  add_solvers(app);
  add_schema(app);
  add_help(app);
  try {
    if (argc > 1 && argv[1][0] != '-') {
      const std::string message = unknown_command(app, argv[1]);
      if (!message.empty()) throw CLI::ValidationError(message);
    }
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  int status = kSuccess;
  try {
    status = run_program(argc, argv);
  } catch (const carom::Error& error) {
    std::fprintf(stderr, "carom: %s\n", error.what());
    status = kBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carom: unexpected failure: %s\n", error.what());
    status = kNotMet;
  }
  // A full disk behind standard output shows up only here.
  if (std::fflush(stdout) != 0 && status == kSuccess) {
    std::perror("carom: cannot write to standard output");
    status = kNotMet;
  }
  return status;
}
