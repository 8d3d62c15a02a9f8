#include "study/validate.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "output_options.h"
#include "study/output_file.h"
#include "study/validate_matrix.h"
#include "terminal.h"

namespace carom::program {
namespace {

struct ValidateArguments {
  ValidateSettings settings;
  std::string html, artifacts, markdown, reasons;
  bool json = false;
};

using Reasons = std::vector<MissReason>;

/// Empty when everything asked for was written, else why not.
std::string write_files(const ValidateArguments& arguments, const Reasons& reasons,
                        const std::vector<CaseResult>& results) {
  std::string refusal;
  if (!arguments.artifacts.empty()) refusal = write_artifacts(results, arguments.artifacts);
  if (refusal.empty() && !arguments.markdown.empty())
    refusal = write_output(arguments.markdown, matrix_markdown(results, reasons));
  if (refusal.empty() && !arguments.html.empty()) refusal = write_output(arguments.html, validation_html(results));
  return refusal;
}

int validate_cases(const ValidateArguments& arguments) {
  const auto refuse = [](const std::string& message) {
    fmt::print(stderr, "carom validate: {}\n", message);
    return kBadInput;
  };
  for (const std::string& path : {arguments.html, arguments.markdown})
    if (const std::string reason = check_output(path, arguments.settings.file); !reason.empty()) return refuse(reason);
  const Result<Reasons> reasons =
      arguments.reasons.empty() ? Result<Reasons>(Reasons()) : load_reasons(arguments.reasons);
  if (!reasons) return refuse(reasons.message());
  ProgressLine progress("validate");
  const Result<std::vector<CaseResult>> results = validate(
      arguments.settings, [&](double share, const std::string& id) { progress.show_share(share, id.c_str()); });
  progress.clear();
  if (!results) return refuse(results.message());
  fmt::print("{}", arguments.json ? validation_json(results.value()) : validation_text(results.value()));
  if (const std::string reason = write_files(arguments, reasons.value(), results.value()); !reason.empty()) {
    fmt::print(stderr, "carom validate: {}\n", reason);
    return kNotMet;
  }
  if (!arguments.json)
    for (const std::string& path : {arguments.artifacts, arguments.markdown, arguments.html})
      if (!path.empty()) print_written({path});
  return tally(results.value()).miss == 0 ? kSuccess : kNotMet;
}

}  // namespace

void add_validate(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("validate", "Run cases with known answers and say how far off Carom is");
  auto arguments = std::make_shared<ValidateArguments>();
  command->add_option("FILE", arguments->settings.file, "Cases (carom-cases-1); default: those built in");
  command->add_option("--suite", arguments->settings.suite,
                      "A suite for cases that run a scene (default: exact, or what all keys of a case name); all: a "
                      "matrix of suites against cases");
  command->add_option("--set", arguments->settings.options, "Set an option of the suite, KEY=VALUE; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--kind", arguments->settings.kind, "Only cases of this kind");
  command
      ->add_option("--time-limit", arguments->settings.time_limit,
                   "Seconds for each scene that a case runs, then it is a miss; 0: none; default: 300")
      ->check(CLI::Range(0.0, 86400.0));
  command->add_option("--html", arguments->html, "Write the results as a page");
  command->add_option("--markdown", arguments->markdown, "Write the matrix of suites against cases as Markdown");
  command->add_option("--reasons", arguments->reasons, "Why what misses does, for --markdown: see cases/reasons.json");
  command->add_option("--artifacts", arguments->artifacts, "Write what was run into this folder");
  command->add_flag("--json", arguments->json, "Print the results as JSON");
  command->footer(
      "Exit status 1: a case missed its tolerance. What is not supported yet is listed and does not count.\n"
      "Example: carom validate --kind impact3d --artifacts impacts");
  command->callback([arguments, &status] { status = validate_cases(*arguments); });
}

}  // namespace carom::program
