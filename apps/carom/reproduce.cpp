#include "study/reproduce.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.h"
#include "output_options.h"
#include "study/output_file.h"
#include "study/text_table.h"
#include "terminal.h"

namespace carom::program {
namespace {

struct ReproduceArguments {
  std::string paper;
  std::string folder = "reproduced";
  bool tiny = false, quick = false, full = false;
  int threads = 0;
};

std::string paper_names() {
  std::string names;
  for (const PaperPlan& paper : paper_registry()) names += paper.name + ", ";
  return names + "all";
}

int refuse(const std::string& message) {
  fmt::print(stderr, "carom reproduce: {}\n", message);
  return kBadInput;
}

/// What the sections come to, and where to read more.
void print_findings(const std::vector<PaperReport>& reports) {
  TextTable table({"<paper", "<section", "<finding"});
  for (const PaperReport& report : reports)
    for (const ReportSection& section : report.sections)
      table.add({report.name, section.title, finding_name(section.finding)});
  fmt::print("{}", table.text());
}

int write_reports(const std::vector<PaperReport>& reports, const std::string& folder) {
  std::vector<std::string> written;
  std::string refusal;
  for (const PaperReport& report : reports)
    if (refusal.empty()) refusal = write_report(report, folder, written);
  const std::string index = (std::filesystem::path(folder) / "index.html").string();
  if (refusal.empty() && reports.size() > 1) refusal = write_output(index, report_index(reports));
  if (!refusal.empty()) {
    fmt::print(stderr, "carom reproduce: {}\n", refusal);
    return kNotMet;
  }
  std::vector<std::string> pages;
  if (reports.size() > 1) pages.push_back(index);
  std::ranges::copy_if(written, std::back_inserter(pages), [](const std::string& p) { return p.ends_with(".html"); });
  print_written(pages);
  fmt::print("and {} of their tables and plots as CSV beside them\n", written.size() - reports.size());
  return kSuccess;
}

int reproduce_papers(const ReproduceArguments& arguments) {
  ReproduceSettings settings;
  if (arguments.paper == "all") {
    for (const PaperPlan& paper : paper_registry()) settings.papers.push_back(&paper);
  } else if (const PaperPlan* paper = find_paper(arguments.paper)) {
    settings.papers.push_back(paper);
  } else {
    return refuse(fmt::format("found \"{}\", expected one of {}", arguments.paper, paper_names()));
  }
  settings.effort = arguments.tiny ? Effort::Tiny : arguments.full ? Effort::Full : Effort::Quick;
  settings.threads = arguments.threads > 0 ? arguments.threads
                                           : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 2U));
  std::error_code error;
  std::filesystem::create_directories(arguments.folder, error);
  if (error)
    return refuse(fmt::format("{}: cannot make the folder for the reports: {}", arguments.folder, error.message()));
  const std::string page = (std::filesystem::path(arguments.folder) / (settings.papers[0]->name + ".html")).string();
  if (const std::string reason = check_output(page, ""); !reason.empty()) return refuse(reason);

  ProgressLine line("reproduce");
  const std::vector<PaperReport> reports =
      reproduce(settings, [&](double share, const std::string& what) { line.show_share(share, what.c_str()); });
  line.clear();
  print_findings(reports);
  return write_reports(reports, arguments.folder);
}

}  // namespace

void add_reproduce(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("reproduce", "Run a paper's experiments again and write a report");
  auto arguments = std::make_shared<ReproduceArguments>();
  command->add_option("PAPER", arguments->paper, "One of " + paper_names())->required();
  command->add_option("--out", arguments->folder, "Folder for the pages and tables")->capture_default_str();
  CLI::Option* quick = command->add_flag("--quick", arguments->quick, "All papers in about ten minutes (the default)");
  CLI::Option* full = command->add_flag("--full", arguments->full, "At the papers' own sizes and durations, or longer");
  CLI::Option* tiny =
      command->add_flag("--tiny", arguments->tiny, "A few seconds: shows that it runs, and little else");
  quick->excludes(full)->excludes(tiny);
  full->excludes(tiny);
  command->add_option("--threads", arguments->threads, "Sections that run at the same time; 0: up to two")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->footer(
      "Each report says, section by section, what the paper claims, what was run, what came out and whether that\n"
      "agrees. Open PAPER.html in a browser; the numbers are in the CSV files beside it.\n"
      "Example: carom reproduce lembcke --out reports");
  command->callback([arguments, &status] { status = reproduce_papers(*arguments); });
}

}  // namespace carom::program
