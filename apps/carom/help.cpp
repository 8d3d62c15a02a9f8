#include <CLI/CLI.hpp>

#include "commands.h"

namespace carom::program {

void add_help(CLI::App& app) {
  CLI::App* command = app.add_subcommand("help", "Explain the program or one command");
  command->footer("Example: carom help run");
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "The command to explain");
  command->callback([&app, name] {
    CLI::App* topic = &app;
    if (!name->empty()) {
      const auto found = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == *name; });
      topic = found.empty() ? nullptr : found.front();
      if (topic == nullptr) throw CLI::ValidationError("help", "there is no command named \"" + *name + "\"");
    }
    // Not App::help: the parser would explain the command that was called, which is this one.
    const std::string name_line = topic == &app ? app.get_name() : app.get_name() + " " + topic->get_name();
    std::fputs(topic->get_formatter()->make_help(topic, name_line, CLI::AppFormatMode::Normal).c_str(), stdout);
  });
}

}  // namespace carom::program
