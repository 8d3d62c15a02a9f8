// The report on a paper: sections that each say what the paper claims, what was run, what came out, and whether that
// agrees. Written as one page that needs nothing else, and as a CSV file for every table and plot.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "study/plot.h"

namespace carom {

/// What a section comes to.
enum class Finding : std::uint8_t {
  Agrees,
  Partly,   ///< in some of its claims, or in kind and not in size
  Differs,  ///< and the text says why
  Shown     ///< the paper gives nothing to compare with
};
const char* finding_name(Finding finding);  ///< "agrees", "partly agrees", "differs", "shown"

/// Texts are plain, apart from `code` between backquotes.
struct ReportText {
  std::string label;  ///< "The paper", "Run", …; empty: an ordinary paragraph
  std::string text;
};

/// What a reader types to see the same.
struct ReportCommands {
  std::vector<std::string> lines;
};

struct ReportTable {
  struct Column {
    std::string head;
    bool published = false;  ///< numbers out of the paper, not ours
  };
  std::string name;  ///< as a file name without ending
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

struct ReportPicture {
  std::string svg, caption;
};

struct ReportSection {
  std::string title;
  std::vector<std::variant<ReportText, ReportCommands, ReportTable, Plot, ReportPicture>> parts;
  Finding finding = Finding::Shown;
  std::string verdict;

  /// What the paper says, with the place.
  void claim(std::string text) { parts.emplace_back(ReportText{"The paper", std::move(text)}); }
  /// What was run, and the commands that repeat it or the main part of it.
  void ran(std::string text, std::vector<std::string> commands = {});
  void note(std::string text) { parts.emplace_back(ReportText{"", std::move(text)}); }
  void add(ReportTable table) { parts.emplace_back(std::move(table)); }
  void add(Plot plot) { parts.emplace_back(std::move(plot)); }
  void add_picture(std::string svg, std::string caption) {
    parts.emplace_back(ReportPicture{std::move(svg), std::move(caption)});
  }
  void conclude(Finding found, std::string text) { finding = found, verdict = std::move(text); }
};

struct PaperReport {
  std::string name;          ///< of its files
  std::string title;         ///< of the paper
  std::string citation;      ///< authors, where, when
  std::string introduction;  ///< what holds for all sections
  std::string setting;       ///< how long and how large: "quick", …
  double seconds = 0;        ///< that it took
  std::vector<ReportSection> sections;
};

std::string report_html(const PaperReport& report);
std::string table_csv(const ReportTable& table);
/// A page with all reports and what their sections come to.
std::string report_index(const std::vector<PaperReport>& reports);

/// Writes `NAME.html` and `NAME-TABLE.csv` for every table and plot into an existing folder, and adds the paths to
/// `written`. Empty when done, else why not.
[[nodiscard]] std::string write_report(const PaperReport& report, const std::string& folder,
                                       std::vector<std::string>& written);

}  // namespace carom
