#include "carom/io/schema.h"

#include <CLI/CLI.hpp>

#include "commands.h"

namespace carom::program {

void add_schema(CLI::App& app) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of a file format");
  command->footer("Example: carom schema scene > scene.schema.json");
  auto format = std::make_shared<std::string>();
  command->add_option("FORMAT", *format, "scene, problem, impact or cases")
      ->required()
      ->check(CLI::IsMember({"scene", "problem", "impact", "cases"}));
  command->callback([format] {
    const std::string text = *format == "scene"     ? scene_schema()
                             : *format == "problem" ? problem_schema()
                             : *format == "impact"  ? impact_schema()
                                                    : cases_schema();
    std::fputs(text.c_str(), stdout);
  });
}

}  // namespace carom::program
