#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "output_options.h"
#include "study/recording_tools.h"
#include "terminal.h"

namespace carom::program {
namespace {

struct ExportArguments {
  std::string recording;
  OutputSettings outputs;
  bool quiet = false;
};

int export_files(const ExportArguments& arguments) {
  ProgressLine progress(arguments.recording);
  const Result<ExportResult> exported = export_recording(arguments.recording, arguments.outputs, [&](double share) {
    if (!arguments.quiet) progress.show_share(share, "exporting");
  });
  progress.clear();
  if (!exported) {
    fmt::print(stderr, "carom export: {}\n", exported.message());
    return kBadInput;
  }
  const ExportResult& result = exported.value();
  for (const std::string& damage : result.damage)
    fmt::print(stderr, "carom export: {}: {}\n", arguments.recording, damage);
  if (!result.error.empty()) {
    fmt::print(stderr, "carom export: {}\n", result.error);
    return kNotMet;
  }
  if (!arguments.quiet) {
    fmt::print("{}: {} frames, {} steps\n", result.scene, result.frames, result.steps);
    print_written(output_paths(arguments.outputs));
  }
  return result.damage.empty() ? kSuccess : kNotMet;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("export", "Write a recording in other forms: page, animation, tables");
  auto arguments = std::make_shared<ExportArguments>();
  command->add_option("FILE", arguments->recording, "A recording (.carom)")->required();
  add_output_options(*command, arguments->outputs);
  command->add_flag("-q,--quiet", arguments->quiet, "No progress and no list of files");
  command->footer(
      "What comes out is what 'carom run' would have written. Damaged parts are left out and told of (exit status 1).\n"
      "Example: carom export jam.carom --html jam.html --trajectory jam.csv --every 0.1");
  command->callback([arguments, &status] { status = export_files(*arguments); });
}

}  // namespace carom::program
