#include "carom/io/cases_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "io/cases_keys.h"
#include "io/embedded_texts.h"
#include "io/json_view.h"
#include "io/text_file.h"

namespace carom {
namespace {

/// `a.b` is a member of a member. Keys may hold dots themselves, so a whole key goes before its parts.
std::optional<JsonView> find_path(const JsonView& view, std::string_view path) {
  if (view.kind() != JsonKind::Object) return {};
  if (auto found = view.find(path)) return found;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
    if (const auto inner = view.find(path.substr(0, dot)))
      if (auto found = find_path(*inner, path.substr(dot + 1))) return found;
  return {};
}

/// Lists of vectors count as one list.
void append_numbers(const JsonView& list, std::vector<Real>& numbers) {
  for (const JsonView& item : list.items())
    if (item.kind() == JsonKind::Array)
      append_numbers(item, numbers);
    else
      numbers.push_back(item.number());
}

std::optional<CaseValue> read_value(const JsonView& view) {
  switch (view.kind()) {
    case JsonKind::Number:
      return view.number();
    case JsonKind::Boolean:
      return view.flag();
    case JsonKind::String:
      return view.text();
    case JsonKind::Array: {
      std::vector<Real> numbers;
      append_numbers(view, numbers);
      return numbers;
    }
    case JsonKind::Null:
      return {};
    case JsonKind::Object:
      break;
  }
  view.expected("a number, a list of numbers, true, false or a string");
  return {};
}

CaseScore read_score(const JsonView& view, const std::optional<JsonView>& expected) {
  CaseScore score;
  if (!view.matches(cases_keys::kScore)) return score;
  const std::vector<std::string>& modes = cases_keys::mode_names();
  const std::string mode = view.find("mode")->word(modes);
  score.key = view.find("key")->text();
  score.good = view.find("good")->non_negative();
  if (const auto by = view.find("by")) score.by = by->text();
  if (!view.ok()) return score;
  score.mode = static_cast<ScoreMode>(std::ranges::find(modes, mode) - modes.begin());
  if (!expected) return score;
  if (const auto value = find_path(*expected, score.key)) score.expected = read_value(*value);
  return score;
}

void check_notes(const JsonView& view) {
  for (const char* key : {"measure", "formula", "notes"})
    if (const auto note = view.find(key); note && note->kind() != JsonKind::Null) note->text();
  if (const auto seeds = view.find("seeds"))
    for (const JsonView& seed : seeds->items()) seed.text();
}

ValidationCase read_case(const JsonView& view) {
  ValidationCase result;
  if (!view.matches(cases_keys::kCase)) return result;
  result.id = view.find("id")->text();
  result.kind = view.find("kind")->text();
  if (const auto title = view.find("title")) result.title = title->text();
  if (const auto dt = view.find("dt")) result.dt = dt->positive();
  check_notes(view);
  const JsonView setup = *view.find("setup");
  setup.members();  // complains where it is not an object
  result.setup = setup.index();
  const auto expected = view.find("expected");
  if (expected) expected->members();
  if (const auto scores = view.find("score"))
    for (const JsonView& score : scores->items()) result.scores.push_back(read_score(score, expected));
  return result;
}

void read_file(const JsonView& root, CaseFile& file) {
  if (!root.matches(cases_keys::kCases)) return;
  root.find("schema")->word({"carom-cases-1"});
  for (const char* key : {"description", "units"})
    if (const auto text = root.find(key)) text->text();
  if (const auto count = root.find("count")) count->natural();
  std::set<std::string> ids;
  for (const JsonView& view : root.find("cases")->items()) {
    file.cases.push_back(read_case(view));
    if (!root.ok()) return;
    if (!ids.insert(file.cases.back().id).second) view.find("id")->complain("an id for the second time", "a new one");
  }
}

}  // namespace

const char* score_mode_name(ScoreMode mode) { return cases_keys::mode_names()[static_cast<std::size_t>(mode)].c_str(); }

Result<CaseFile> parse_cases(std::string_view text, const std::string& origin) {
  Result<JsonDocument> document = parse_json(text, origin);
  if (!document) return Result<CaseFile>::failure(document.message());
  CaseFile file;
  file.document = std::make_shared<const JsonDocument>(std::move(document.value()));
  std::string error;
  read_file(JsonView(*file.document, error), file);
  if (!error.empty()) return Result<CaseFile>::failure(error);
  return file;
}

Result<CaseFile> load_cases(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Result<CaseFile>::failure(text.message());
  return parse_cases(text.value(), path);
}

Result<CaseFile> built_in_cases() {
  for (const detail::EmbeddedText& text : detail::embedded_cases())
    if (text.name == "cases") return parse_cases(text.text, "built-in cases");
  return Result<CaseFile>::failure("the library was built without validation cases");
}

}  // namespace carom
