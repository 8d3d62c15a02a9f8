#include "carom/io/schema.h"

#include <CLI/CLI.hpp>

#include "commands.h"

namespace carom::program {

void add_schema(CLI::App& app) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of a file format");
  command->footer("Example: carom schema scene > scene.schema.json");
  auto format = std::make_shared<std::string>();
  command->add_option("FORMAT", *format, "scene or problem")->required()->check(CLI::IsMember({"scene", "problem"}));
  command->callback([format] { std::fputs((*format == "scene" ? scene_schema() : problem_schema()).c_str(), stdout); });
}

}  // namespace carom::program
