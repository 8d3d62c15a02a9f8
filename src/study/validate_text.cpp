// The results of a validation as JSON, for a terminal and as a page.
#include <fmt/format.h>

#include "io/json_number.h"
#include "study/html_page.h"
#include "study/text_table.h"
#include "study/validate.h"
#include "study/validate_matrix.h"

namespace carom {
namespace {

std::string value_json(const std::optional<CaseValue>& value) {
  if (!value) return "null";
  if (const Real* number = std::get_if<Real>(&*value)) return json_number(*number);
  if (const bool* flag = std::get_if<bool>(&*value)) return *flag ? "true" : "false";
  if (const auto* word = std::get_if<std::string>(&*value)) return json_string(*word);
  std::string text = "[";
  for (const Real number : std::get<std::vector<Real>>(*value))
    text += (text.size() > 1 ? "," : "") + json_number(number);
  return text + "]";
}

const char* pass_json(Verdict verdict) {
  if (verdict == Verdict::Pass) return "true";
  return verdict == Verdict::Miss ? "false" : "null";
}

std::string key_json(const KeyResult& result) {
  return fmt::format(
      "{{\"key\": {}, \"by\": {}, \"mode\": {}, \"measured\": {}, \"expected\": {}, \"error\": {}, \"good\": {}, "
      "\"pass\": {}, \"verdict\": \"{}\"}}",
      json_string(result.key), json_string(result.by),
      result.mode ? json_string(score_mode_name(*result.mode)) : "null", value_json(result.measured),
      value_json(result.expected), result.error ? json_number(*result.error) : "null", json_number(result.good),
      pass_json(result.verdict), verdict_name(result.verdict));
}

std::string short_value(const std::optional<CaseValue>& value) {
  constexpr std::size_t kWidest = 52;
  if (!value) return "-";
  std::string text = value_text(*value, 6);
  if (text.size() > kWidest) text = text.substr(0, kWidest - 4) + " ...";
  return text;
}

std::string good_text(const KeyResult& result) {
  return result.mode ? fmt::format("{} {}", score_mode_name(*result.mode), short_number(result.good)) : "-";
}

std::string error_text(const KeyResult& result) { return result.error ? short_number(*result.error) : "-"; }

std::string head_text(const CaseResult& result) {
  std::string text = fmt::format("{}  {}", result.id, result.kind);
  if (result.suite) text += fmt::format("  suite {}", *result.suite);
  if (result.suite && result.dt) text += fmt::format("  dt {:.6g}", *result.dt);
  if (result.gave_up) text += "  gave up at the time limit";
  return text;
}

std::string tally_text(const std::vector<CaseResult>& results) {
  const Tally count = tally(results);
  std::string text = fmt::format("{} passed, {} missed", count.pass, count.miss);
  if (count.measured > 0) text += fmt::format(", {} measured only", count.measured);
  if (count.unsupported > 0) text += fmt::format(", {} not supported yet", count.unsupported);
  return text;
}

std::string section_html(const CaseResult& result) {
  std::string text = fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"faint\">{}{}</p>\n", html_text(result.id),
                                 html_text(head_text(result)), html_text(result.title),
                                 result.verdict() == Verdict::Unsupported ? " (not supported yet)" : "");
  if (result.verdict() == Verdict::Unsupported) return text;
  text +=
      "<div class=\"scroll\"><table>\n<tr><th>key</th><th>measured</th><th>expected</th><th>error</th>"
      "<th>tolerance</th><th>by</th><th>verdict</th></tr>\n";
  for (const KeyResult& r : result.results) {
    const char* tone = r.verdict == Verdict::Pass ? "good" : r.verdict == Verdict::Miss ? "bad" : "faint";
    const auto full = [](const std::optional<CaseValue>& value) {
      return html_text(value ? value_text(*value, 17) : "-");
    };
    text += fmt::format(
        "<tr><td>{}</td><td title=\"{}\">{}</td><td title=\"{}\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
        html_text(r.key), full(r.measured), html_text(short_value(r.measured)), full(r.expected),
        html_text(short_value(r.expected)), error_text(r), good_text(r), html_text(r.by), tone,
        verdict_name(r.verdict));
  }
  return text + "</table></div>\n";
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass:
      return "pass";
    case Verdict::Miss:
      return "miss";
    case Verdict::Measured:
      return "measured";
    case Verdict::Unsupported:
      break;
  }
  return "not supported yet";
}

std::string value_text(const CaseValue& value, int digits) {
  if (const Real* number = std::get_if<Real>(&value)) return fmt::format("{:.{}g}", *number, digits);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  std::string text = "[";
  for (const Real number : std::get<std::vector<Real>>(value))
    text += fmt::format("{}{:.{}g}", text.size() > 1 ? ", " : "", number, digits);
  return text + "]";
}

std::string validation_json(const std::vector<CaseResult>& results) {
  std::string text = "[";
  for (const CaseResult& result : results) {
    text += text.size() > 1 ? ",\n" : "\n";
    text += fmt::format("{{\"id\": {}, \"kind\": {}, \"suite\": {}, \"dt\": {}, \"seconds\": {}, \"results\": [",
                        json_string(result.id), json_string(result.kind),
                        result.suite ? json_string(*result.suite) : "null",
                        result.dt ? json_number(*result.dt) : "null", json_number(result.seconds));
    for (std::size_t i = 0; i < result.results.size(); ++i)
      text += (i > 0 ? ",\n  " : "\n  ") + key_json(result.results[i]);
    text += fmt::format("], \"pass\": {}, \"verdict\": \"{}\"{}}}", pass_json(result.verdict()),
                        verdict_name(result.verdict()), result.gave_up ? ", \"gave_up\": true" : "");
  }
  return text + "\n]\n";
}

std::string validation_text(const std::vector<CaseResult>& results) {
  if (suite_matrix(results).suites.size() > 1) return matrix_text(results) + tally_text(results) + "\n";
  std::string text;
  std::string unsupported;
  for (const CaseResult& result : results) {
    if (result.verdict() == Verdict::Unsupported) {
      unsupported += fmt::format("  {}\n", head_text(result));
      continue;
    }
    text += fmt::format("{}  {}  ({} s)\n", head_text(result), verdict_name(result.verdict()),
                        short_number(result.seconds));
    TextTable table({"<key", "<measured", "<expected", "error", "tolerance", "<verdict"});
    for (const KeyResult& r : result.results)
      table.add({r.key, short_value(r.measured), short_value(r.expected), error_text(r), good_text(r),
                 verdict_name(r.verdict)});
    text += table.text(2);
  }
  if (!unsupported.empty()) text += "not supported yet, not counted:\n" + unsupported;
  return text + tally_text(results) + "\n";
}

std::string validation_html(const std::vector<CaseResult>& results) {
  std::string missed;
  for (const CaseResult& result : results)
    if (result.verdict() == Verdict::Miss) missed += fmt::format(" <a href=\"#{0}\">{0}</a>", html_text(result.id));
  std::string body = fmt::format(
      "<h1>Carom: validation</h1>\n<p>{}. Every value was measured from what the case's setup describes; "
      "hold the pointer over a value for all its digits.</p>\n",
      tally_text(results));
  if (!missed.empty()) body += "<p class=\"bad\">Missed:" + missed + "</p>\n";
  if (suite_matrix(results).suites.size() > 1) body += matrix_html(results);
  for (const CaseResult& result : results) body += section_html(result);
  return html_page("Carom: validation", "", body);
}

}  // namespace carom
