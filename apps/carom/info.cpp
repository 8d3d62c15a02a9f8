#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "study/recording_tools.h"

namespace carom::program {
namespace {

int info(const std::string& path, bool json) {
  const Result<RecordingContents> contents = survey(path);
  if (!contents) {
    fmt::print(stderr, "carom info: {}\n", contents.message());
    return kBadInput;
  }
  fmt::print("{}", json ? contents_json(contents.value()) : contents_text(contents.value()));
  return contents.value().damage.empty() ? kSuccess : kNotMet;
}

}  // namespace

void add_info(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("info", "Say what is in a recording, and whether it is whole");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("FILE", *path, "A recording (.carom)")->required();
  command->add_flag("--json", *json, "Print it as JSON");
  command->footer(
      "Every chunk is read and its checksum compared. Exit status 1: a part is damaged; what is left can be used.\n"
      "Example: carom info jam.carom");
  command->callback([path, json, &status] { status = info(*path, *json); });
}

}  // namespace carom::program
