#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/io/scene.h"
#include "commands.h"

namespace carom::program {

void add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "List the built-in scenes");
  command->footer("Example: carom list");
  command->callback([] {
    std::size_t width = 0;
    for (const BuiltInScene& scene : built_in_scenes()) width = std::max(width, scene.name.size());
    for (const BuiltInScene& scene : built_in_scenes())
      fmt::print("{:<{}}  {}\n", scene.name, width, scene.description);
  });
}

}  // namespace carom::program
