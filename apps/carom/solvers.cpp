#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/solvers/solver.h"
#include "commands.h"
#include "study/scene_lookup.h"

namespace carom::program {

void add_solvers(CLI::App& app) {
  CLI::App* command = app.add_subcommand("solvers", "List the solvers of contact problems");
  command->footer("Example: carom solvers");
  command->callback([] {
    for (const SolverInfo& solver : solver_registry()) {
      fmt::print("{}\n  {}\n", solver.name, solver.solves);
      if (!solver.source.empty()) fmt::print("  Source: {}\n", solver.source);
      if (!solver.fails.empty()) fmt::print("  Weak where: {}\n", solver.fails);
      for (const OptionSpec& option : solver.options) fmt::print("    {}\n", option_text(option));
    }
  });
}

}  // namespace carom::program
