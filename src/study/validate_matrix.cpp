#include "study/validate_matrix.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "io/json_view.h"
#include "io/text_file.h"
#include "study/html_page.h"
#include "study/text_table.h"

namespace carom {
namespace {

const char* cell_text(const std::optional<Verdict>& verdict) {
  if (!verdict || *verdict == Verdict::Unsupported) return "-";
  return verdict_name(*verdict);
}

bool counts(const std::optional<Verdict>& verdict) { return verdict == Verdict::Pass || verdict == Verdict::Miss; }

/// Cases that need no suite: how many of a kind there are, and how many of them miss.
struct KindCount {
  std::string kind;
  Tally tally;
};

std::vector<KindCount> kinds_without_suite(const std::vector<CaseResult>& results) {
  std::vector<KindCount> counts;
  for (const CaseResult& result : results) {
    if (result.suite) continue;
    if (counts.empty() || counts.back().kind != result.kind) counts.push_back({result.kind, {}});
    const Tally one = tally({result});
    counts.back().tally.pass += one.pass;
    counts.back().tally.miss += one.miss;
    counts.back().tally.measured += one.measured;
    counts.back().tally.unsupported += one.unsupported;
  }
  return counts;
}

std::string kind_text(const KindCount& count) {
  const Tally& t = count.tally;
  if (t.pass + t.miss + t.measured == 0) return count.kind + ": not supported yet";
  return fmt::format("{}: {} of {} pass", count.kind, t.pass, t.pass + t.miss);
}

/// A key that missed, and where.
struct Missed {
  const CaseResult* result;
  const KeyResult* key;
};

std::vector<Missed> missed_keys(const std::vector<CaseResult>& results) {
  std::vector<Missed> missed;
  for (const CaseResult& result : results)
    for (const KeyResult& key : result.results)
      if (key.verdict == Verdict::Miss) missed.push_back({&result, &key});
  return missed;
}

std::string value_or_dash(const std::optional<CaseValue>& value) {
  constexpr std::size_t kWidest = 40;
  if (!value) return "none";
  const std::string text = value_text(*value, 4);
  return text.size() > kWidest ? text.substr(0, kWidest - 4) + " ..." : text;
}

std::vector<std::string> missed_cells(const Missed& m) {
  return {m.result->id,
          m.result->suite.value_or("-"),
          m.key->key,
          value_or_dash(m.key->measured),
          value_or_dash(m.key->expected),
          m.key->error ? short_number(*m.key->error) : "-",
          short_number(m.key->good)};
}

/// The most particular reason: for the case before that for its kind and that for all cases, for the suite before that
/// for all suites.
std::string reason_for(const CaseResult& result, const std::vector<MissReason>& reasons) {
  if (result.gave_up) return fmt::format("not finished within {:.0f} s", result.seconds);
  for (const std::string& which : {result.id, result.kind, std::string("*")})
    for (const std::string& suite : {result.suite.value_or(""), std::string("*")})
      for (const MissReason& reason : reasons)
        if (reason.which == which && reason.suite == suite) return reason.why;
  return "not explained yet";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string markdown_head(const std::vector<std::string>& heads) {
  return markdown_row(heads) + markdown_row(std::vector<std::string>(heads.size(), "---"));
}

std::vector<std::string> score_row(const SuiteMatrix& matrix) {
  std::vector<std::string> cells;
  cells.reserve(matrix.suites.size());
  for (std::size_t i = 0; i < matrix.suites.size(); ++i)
    cells.push_back(fmt::format("{}/{}", matrix.passed(i), matrix.tried(i)));
  return cells;
}

}  // namespace

int SuiteMatrix::passed(std::size_t suite) const {
  return static_cast<int>(std::ranges::count_if(rows, [&](const Row& r) { return r.cells[suite] == Verdict::Pass; }));
}

int SuiteMatrix::tried(std::size_t suite) const {
  return static_cast<int>(std::ranges::count_if(rows, [&](const Row& r) { return counts(r.cells[suite]); }));
}

SuiteMatrix suite_matrix(const std::vector<CaseResult>& results) {
  SuiteMatrix matrix;
  for (const CaseResult& result : results)
    if (result.suite && std::ranges::find(matrix.suites, *result.suite) == matrix.suites.end())
      matrix.suites.push_back(*result.suite);
  for (const CaseResult& result : results) {
    if (!result.suite) continue;
    if (matrix.rows.empty() || matrix.rows.back().id != result.id) {
      matrix.rows.push_back({result.id, result.kind, {}});
      matrix.rows.back().cells.resize(matrix.suites.size());
    }
    const auto column = std::ranges::find(matrix.suites, *result.suite) - matrix.suites.begin();
    matrix.rows.back().cells[static_cast<std::size_t>(column)] = result.verdict();
  }
  return matrix;
}

Result<std::vector<MissReason>> load_reasons(const std::string& path) {
  using Reasons = Result<std::vector<MissReason>>;
  const Result<std::string> text = read_text_file(path);
  if (!text) return Reasons::failure(text.message());
  const Result<JsonDocument> document = parse_json(text.value(), path);
  if (!document) return Reasons::failure(document.message());
  std::string error;
  std::vector<MissReason> reasons;
  for (const JsonView& view : JsonView(document.value(), error).items()) {
    MissReason reason;
    for (const auto& [key, part] :
         {std::pair{"case", &reason.which}, std::pair{"suite", &reason.suite}, std::pair{"why", &reason.why}}) {
      if (const auto found = view.find(key))
        *part = found->text();
      else
        view.missing(key, "a string");
    }
    reasons.push_back(std::move(reason));
  }
  if (!error.empty()) return Reasons::failure(error);
  return reasons;
}

std::string matrix_text(const std::vector<CaseResult>& results) {
  const SuiteMatrix matrix = suite_matrix(results);
  std::vector<std::string> heads{"<case", "<kind"};
  for (const std::string& suite : matrix.suites) heads.push_back("<" + suite);
  TextTable table(heads);
  for (const SuiteMatrix::Row& row : matrix.rows) {
    std::vector<std::string> cells{row.id, row.kind};
    for (const auto& cell : row.cells) cells.emplace_back(cell_text(cell));
    table.add(std::move(cells));
  }
  std::vector<std::string> last{"passed", ""};
  for (std::string& cell : score_row(matrix)) last.push_back(std::move(cell));
  table.add(std::move(last));
  std::string text = table.text();
  if (const auto alone = kinds_without_suite(results); !alone.empty()) {
    text += "without a suite:\n";
    for (const KindCount& count : alone) text += "  " + kind_text(count) + "\n";
  }
  TextTable misses({"<case", "<suite", "<key", "<measured", "<expected", "error", "tolerance"});
  for (const Missed& m : missed_keys(results)) misses.add(missed_cells(m));
  if (!misses.empty()) text += "missed:\n" + misses.text(2);
  return text;
}

std::string matrix_html(const std::vector<CaseResult>& results) {
  const SuiteMatrix matrix = suite_matrix(results);
  std::string text = "<div class=\"scroll\"><table>\n<tr><th>case</th><th>kind</th>";
  for (const std::string& suite : matrix.suites) text += fmt::format("<th>{}</th>", html_text(suite));
  text += "</tr>\n";
  for (const SuiteMatrix::Row& row : matrix.rows) {
    text += fmt::format("<tr><td><a href=\"#{0}\">{0}</a></td><td>{1}</td>", html_text(row.id), html_text(row.kind));
    for (const auto& cell : row.cells) {
      const char* tone = cell == Verdict::Pass ? "good" : cell == Verdict::Miss ? "bad" : "faint";
      text += fmt::format("<td class=\"{}\">{}</td>", tone, cell_text(cell));
    }
    text += "</tr>\n";
  }
  text += "<tr><th>passed</th><th></th>";
  for (const std::string& cell : score_row(matrix)) text += fmt::format("<th>{}</th>", cell);
  return text + "</tr>\n</table></div>\n";
}

std::string matrix_markdown(const std::vector<CaseResult>& results, const std::vector<MissReason>& reasons) {
  const SuiteMatrix matrix = suite_matrix(results);
  std::vector<std::string> heads{"case", "kind"};
  for (const std::string& suite : matrix.suites) heads.push_back("`" + suite + "`");
  std::string text = markdown_head(heads);
  for (const SuiteMatrix::Row& row : matrix.rows) {
    std::vector<std::string> cells{row.id, "`" + row.kind + "`"};
    for (const auto& cell : row.cells)
      cells.emplace_back(cell == Verdict::Miss ? "**miss**" : counts(cell) ? cell_text(cell) : "–");
    text += markdown_row(cells);
  }
  std::vector<std::string> last{"passed", ""};
  for (std::string& cell : score_row(matrix)) last.push_back(std::move(cell));
  text += markdown_row(last);
  if (const auto alone = kinds_without_suite(results); !alone.empty()) {
    text += "\nWithout a suite:";
    for (std::size_t i = 0; i < alone.size(); ++i) text += (i > 0 ? "; " : " ") + kind_text(alone[i]);
    text += ".\n";
  }
  const std::vector<Missed> missed = missed_keys(results);
  if (missed.empty()) return text;
  text += "\nWhat misses, and why:\n\n";
  text += markdown_head({"case", "suite", "key", "measured", "expected", "error", "good", "why"});
  for (const Missed& m : missed) {
    std::vector<std::string> cells = missed_cells(m);
    cells.push_back(reason_for(*m.result, reasons));
    text += markdown_row(cells);
  }
  return text;
}

}  // namespace carom
