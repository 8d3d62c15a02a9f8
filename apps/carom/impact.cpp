#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "carom/io/impact_file.h"
#include "commands.h"
#include "output_options.h"
#include "study/impact_report.h"
#include "study/output_file.h"

namespace carom::program {
namespace {

struct ImpactArguments {
  std::string impact, law, trace;
  bool json = false;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "carom impact: {}\n", message);
  return kBadInput;
}

int impact(const ImpactArguments& arguments) {
  std::string note;
  const Result<ContactProblem> problem = load_impact(arguments.impact, &note);
  if (!problem) return refuse(problem.message());
  if (!note.empty()) fmt::print(stderr, "carom impact: {}\n", note);
  if (const std::string reason = check_output(arguments.trace, arguments.impact); !reason.empty())
    return refuse(reason);
  const ImpactReport report = report_impact(problem.value(), *find_impact_law(arguments.law));
  fmt::print("{}", arguments.json ? impact_json(report) : impact_text(report));
  if (!report.outcome.applies) return kNotMet;
  if (arguments.trace.empty()) return kSuccess;
  if (const std::string reason = write_output(arguments.trace, trace_csv(report)); !reason.empty()) {
    fmt::print(stderr, "carom impact: {}\n", reason);
    return kNotMet;
  }
  if (!arguments.json) print_written({arguments.trace});
  return kSuccess;
}

}  // namespace

void add_impact(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("impact", "Resolve one collision at one point by an impact law");
  auto arguments = std::make_shared<ImpactArguments>();
  std::vector<std::string> laws;
  for (const ImpactLaw law : impact_laws()) laws.emplace_back(impact_law_name(law));
  command->add_option("FILE", arguments->impact, "An impact (.impact.json), or a problem with one contact")->required();
  command->add_option("--law", arguments->law, "How the bodies bounce")->required()->check(CLI::IsMember(laws));
  command->add_option("--trace", arguments->trace, "Write impulse and velocity along the impact to this CSV file");
  command->add_flag("--json", arguments->json, "Print the outcome as JSON");
  command->footer(
      "Exit status 1: the law has no answer here (newton_eq6 in a jamb).\n"
      "Example: carom impact rod.impact.json --law stronge --trace rod.csv");
  command->callback([arguments, &status] { status = impact(*arguments); });
}

}  // namespace carom::program
