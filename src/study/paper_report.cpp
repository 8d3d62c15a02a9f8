#include "study/paper_report.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "carom/base/error.h"
#include "io/csv_file.h"
#include "study/html_page.h"
#include "study/output_file.h"

namespace carom {
namespace {

constexpr const char* kStyle = R"(
@media (prefers-color-scheme: light) { :root { --panel: #fff; --quiet: #f1efe9; } }
@media (prefers-color-scheme: dark) { :root { --panel: #1e2026; --quiet: #26282f; } }
body { max-width: 60rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin-bottom: 0.3rem; }
h2 { font-size: 1.25rem; margin: 0 0 0.6rem; line-height: 1.3; }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1.2rem 1.4rem;
  margin: 1.4rem 0; }
.label { font-weight: 600; }
.badge { display: inline-block; border-radius: 999px; padding: 0.05rem 0.7rem; font-size: 0.85rem; font-weight: 600;
  border: 1.5px solid currentColor; white-space: nowrap; }
.agrees { color: var(--good); } .partly { color: #a9820a; } .differs { color: var(--bad); } .shown { color: var(--faint); }
.verdict { background: var(--quiet); border-radius: 8px; padding: 0.6rem 0.9rem; margin: 1rem 0 0; }
.contents { list-style: none; padding: 0; } .contents li { margin: 0.3rem 0; display: flex; gap: 0.8rem; }
.contents .badge { flex: none; width: 7.2rem; text-align: center; height: 1.5rem; }
pre { background: var(--quiet); border-radius: 6px; padding: 0.6rem 0.8rem; white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: 0.85rem; }
code { font-size: 0.9em; background: var(--quiet); border-radius: 4px; padding: 0 0.25em; }
pre code { background: none; padding: 0; font-size: inherit; }
figure { margin: 1.1rem 0; } figcaption { color: var(--faint); font-size: 0.92rem; margin: 0.2rem 0 0.4rem; }
figure > .scroll > .plot { min-width: 34rem; display: block; }
.picture { width: 100%; height: auto; border-radius: 8px; display: block; }
th { white-space: normal; vertical-align: bottom; } th.number { text-align: right; }
td.published, th.published { font-style: italic; color: var(--faint); }
@media (max-width: 40rem) { section { padding: 0.9rem; } .contents li { flex-direction: column; gap: 0.1rem; } }
)";

const char* finding_class(Finding finding) {
  switch (finding) {
    case Finding::Agrees:
      return "agrees";
    case Finding::Partly:
      return "partly";
    case Finding::Differs:
      return "differs";
    case Finding::Shown:
      break;
  }
  return "shown";
}

std::string badge(Finding finding) {
  return fmt::format("<span class=\"badge {}\">{}</span>", finding_class(finding), finding_name(finding));
}

/// Escaped, with what stands between backquotes as code.
std::string rich_text(const std::string& text) {
  std::string out;
  bool code = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('`', begin), text.size());
    out += html_text(text.substr(begin, end - begin));
    if (end == text.size()) break;
    out += code ? "</code>" : "<code>";
    code = !code;
    begin = end + 1;
  }
  return out;
}

bool is_number(const std::string& cell) {
  return !cell.empty() && (cell.find_first_of("0123456789") == 0 || cell == "–" || cell[0] == '-' || cell[0] == '+' ||
                           cell.starts_with("−") || cell[0] == '<' || cell[0] == '>');
}

/// Columns in which most cells are numbers are aligned to the right.
std::vector<bool> number_columns(const ReportTable& table) {
  std::vector<bool> numbers;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto count = std::ranges::count_if(table.rows, [c](const auto& row) { return is_number(row[c]); });
    numbers.push_back(2 * count > static_cast<std::ptrdiff_t>(table.rows.size()));
  }
  return numbers;
}

std::string cell_html(const char* tag, const ReportTable::Column& column, bool number, const std::string& text) {
  return fmt::format("<{0} class=\"{1}{2}\">{3}</{0}>", tag, number ? "number" : "",
                     column.published ? " published" : "", rich_text(text));
}

std::string part_html(const ReportText& part) {
  const std::string label =
      part.label.empty() ? "" : fmt::format("<span class=\"label\">{}.</span> ", html_text(part.label));
  return fmt::format("<p>{}{}</p>\n", label, rich_text(part.text));
}

std::string part_html(const ReportCommands& part) {
  std::string text;
  for (const std::string& line : part.lines) text += html_text(line) + "\n";
  return "<pre><code>" + text + "</code></pre>\n";
}

std::string part_html(const ReportTable& table) {
  const std::vector<bool> numbers = number_columns(table);
  std::string text =
      fmt::format("<figure><figcaption>{}</figcaption><div class=\"scroll\"><table>\n<tr>", rich_text(table.caption));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += cell_html("th", table.columns[c], numbers[c], table.columns[c].head);
  text += "</tr>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) text += cell_html("td", table.columns[c], numbers[c], row[c]);
    text += "</tr>\n";
  }
  return text + "</table></div></figure>\n";
}

std::string part_html(const Plot& plot) {
  return fmt::format("<figure><div class=\"scroll\">{}</div><figcaption>{}</figcaption></figure>\n", plot_svg(plot),
                     rich_text(plot.caption));
}

std::string part_html(const ReportPicture& picture) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture.svg, rich_text(picture.caption));
}

std::string contents(const PaperReport& report, const std::string& page) {
  std::string text = "<ul class=\"contents\">\n";
  for (std::size_t i = 0; i < report.sections.size(); ++i)
    text += fmt::format("<li>{}<a href=\"{}#s{}\">{}</a></li>\n", badge(report.sections[i].finding), page, i + 1,
                        html_text(report.sections[i].title));
  return text + "</ul>\n";
}

std::string page_of(const std::string& title, const std::string& body) {
  return html_page(title, plot_style() + kStyle, body);
}

}  // namespace

const char* finding_name(Finding finding) {
  switch (finding) {
    case Finding::Agrees:
      return "agrees";
    case Finding::Partly:
      return "partly agrees";
    case Finding::Differs:
      return "differs";
    case Finding::Shown:
      break;
  }
  return "shown";
}

void ReportSection::ran(std::string text, std::vector<std::string> commands) {
  parts.emplace_back(ReportText{"Run", std::move(text)});
  if (!commands.empty()) parts.emplace_back(ReportCommands{std::move(commands)});
}

std::string report_html(const PaperReport& report) {
  std::string body = fmt::format("<h1>{}</h1>\n<p class=\"faint\">{}</p>\n<p>{}</p>\n", html_text(report.title),
                                 html_text(report.citation), rich_text(report.introduction));
  body += fmt::format(
      "<p class=\"faint\">Made by <code>carom reproduce {} --{}</code> in {:.0f} s. Every number is measured in that "
      "run, apart from those in <em>italics</em> and the hollow markers, which are the paper's.</p>\n",
      html_text(report.name), html_text(report.setting), report.seconds);
  if (report.setting == "tiny")
    body += "<p class=\"bad\">The tiny setting only shows that everything runs: its findings say nothing.</p>\n";
  body += contents(report, "");
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    const ReportSection& section = report.sections[i];
    body += fmt::format("<section id=\"s{}\">\n<h2>{}. {}</h2>\n", i + 1, i + 1, html_text(section.title));
    for (const auto& part : section.parts) body += std::visit([](const auto& one) { return part_html(one); }, part);
    body +=
        fmt::format("<p class=\"verdict\">{} {}</p>\n</section>\n", badge(section.finding), rich_text(section.verdict));
  }
  return page_of("Carom: " + report.title, body);
}

std::string report_index(const std::vector<PaperReport>& reports) {
  std::string body = "<h1>The papers, reproduced</h1>\n<p>What each paper reports, run again with Carom.</p>\n";
  for (const PaperReport& report : reports) {
    const std::string page = report.name + ".html";
    body += fmt::format("<section>\n<h2><a href=\"{}\">{}</a></h2>\n<p class=\"faint\">{}</p>\n{}</section>\n",
                        html_text(page), html_text(report.title), html_text(report.citation), contents(report, page));
  }
  return page_of("Carom: the papers, reproduced", body);
}

std::string table_csv(const ReportTable& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += (c == 0 ? "" : ",") + csv_field(table.columns[c].head + (table.columns[c].published ? " (published)" : ""));
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c == 0 ? "" : ",") + csv_field(row[c]);
    text += "\n";
  }
  return text;
}

std::string write_report(const PaperReport& report, const std::string& folder, std::vector<std::string>& written) {
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (std::ranges::find(written, path) != written.end())
      fail("write_report: two tables or plots have one name, " + name);
    std::string refusal = write_output(path, text);
    if (refusal.empty()) written.push_back(path);
    return refusal;
  };
  std::string refusal = write(report.name + ".html", report_html(report));
  for (const ReportSection& section : report.sections)
    for (const auto& part : section.parts) {
      if (!refusal.empty()) return refusal;
      if (const auto* table = std::get_if<ReportTable>(&part))
        refusal = write(fmt::format("{}-{}.csv", report.name, table->name), table_csv(*table));
      else if (const auto* plot = std::get_if<Plot>(&part))
        refusal = write(fmt::format("{}-{}.csv", report.name, plot->name), plot_csv(*plot));
    }
  return refusal;
}

}  // namespace carom
