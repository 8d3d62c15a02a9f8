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
    std::fputs(topic->help().c_str(), stdout);
  });
}

}  // namespace carom::program
