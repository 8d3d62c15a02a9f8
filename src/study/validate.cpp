#include "study/validate.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "carom/dynamics/suite.h"
#include "io/closest.h"
#include "io/suite_message.h"
#include "study/kind.h"
#include "study/output_file.h"

namespace carom {
namespace {

constexpr Real kStandardStep = 1.0 / 240;  // s: of cases that name none
constexpr Real kFar = std::numeric_limits<Real>::infinity();

using Failure = Result<std::vector<CaseResult>>;

// ---- Comparing ----

std::vector<Real> numbers_of(const CaseValue& value) {
  if (const Real* number = std::get_if<Real>(&value)) return {*number};
  if (const auto* numbers = std::get_if<std::vector<Real>>(&value)) return *numbers;
  return {};
}

Real length(const std::vector<Real>& x) {
  Real sum = 0;
  for (const Real c : x) sum += c * c;
  return std::sqrt(sum);
}

/// Relative to the reference, or to one where the reference is zero.
Real relative(Real difference, Real reference) {
  return std::abs(difference) / (reference != 0 ? std::abs(reference) : 1);
}

Real quaternion_angle(const std::vector<Real>& a, const std::vector<Real>& b) {
  if (a.size() != 4) return kFar;
  const Quat between = normalized(conjugate({a[0], a[1], a[2], a[3]})) * normalized(Quat{b[0], b[1], b[2], b[3]});
  return 2 * std::atan2(norm(between.vector()), std::abs(between.w));
}

/// Requires numbers; infinite where they do not even have the same count.
Real number_error(ScoreMode mode, const CaseValue& measured, const CaseValue& expected) {
  const std::vector<Real> x = numbers_of(measured), reference = numbers_of(expected);
  if (x.empty() || x.size() != reference.size()) return kFar;
  if (mode == ScoreMode::Quat) return quaternion_angle(x, reference);
  std::vector<Real> difference;
  Real largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference.push_back(x[i] - reference[i]);
    const Real error = mode == ScoreMode::Rel ? relative(difference[i], reference[i]) : std::abs(difference[i]);
    if (!(error <= largest) && !std::isnan(largest)) largest = error;  // what is not a number is taken and kept
  }
  return mode == ScoreMode::RelVec ? relative(length(difference), length(reference)) : largest;
}

Real error_of(const CaseScore& score, const CaseValue& measured) {
  switch (score.mode) {
    case ScoreMode::Exact:
      return measured == *score.expected ? 0 : 1;
    case ScoreMode::Jamb:
      return measured == CaseValue(std::string(kJamb)) ? 0 : 1;
    case ScoreMode::Le: {
      const std::vector<Real> x = numbers_of(measured);
      return x.empty() ? kFar : *std::ranges::max_element(x);
    }
    case ScoreMode::Rel:
    case ScoreMode::Abs:
    case ScoreMode::RelVec:
    case ScoreMode::Quat:
      break;
  }
  return number_error(score.mode, measured, *score.expected);
}

// ---- Running ----

/// Whether a score may be had with every suite.
bool is_for_any_suite(const std::string& by) {
  if (by.empty() || by.starts_with("any suite") || by.starts_with("bisection")) return true;
  // Whatever the suite, kinds that ask for it run with step=toi.
  return by.find("step=toi") != std::string::npos || by.find("to the time of impact") != std::string::npos;
}

/// The suite that a score insists on, or nothing: a key "by suite schmidl" says nothing about any other.
std::string named_suite(const std::string& by) {
  constexpr std::string_view kSuite = "suite ";
  const std::size_t at = by.find(kSuite);
  if (is_for_any_suite(by) || at == std::string::npos) return {};
  const std::size_t start = at + kSuite.size();
  return by.substr(start, by.find_first_of(", ", start) - start);
}

bool may_be_tried_with(const std::string& by, const std::string& suite) {
  return is_for_any_suite(by) || named_suite(by) == suite;
}

/// A suite with the options asked for.
struct Choice {
  std::string suite, label;
  SuiteOptions options;
};

Result<std::vector<std::string>> choose_suites(const std::string& asked) {
  std::vector<std::string> suites;
  if (asked.empty()) return std::vector<std::string>{std::string(kDefaultSuite)};
  if (asked == "all") {
    for (const SuiteInfo& suite : suite_registry()) suites.push_back(suite.name);
    return suites;
  }
  if (const std::string refusal = suite_message(asked); !refusal.empty())
    return Result<std::vector<std::string>>::failure("--suite: " + refusal);
  return std::vector<std::string>{asked};
}

/// `key=value` as the suite understands it.
Result<SuiteOptions> choose_suite_options(const std::string& suite, const std::vector<std::string>& settings) {
  Options known(find_suite(suite)->options);
  SuiteOptions options;
  for (const std::string& setting : settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::string key = setting.substr(0, equals);
    const std::string refusal = equals == setting.size()
                                    ? fmt::format("found \"{}\", expected key=value", setting)
                                    : known.set_text(key, std::string_view(setting).substr(equals + 1));
    if (!refusal.empty()) return Result<SuiteOptions>::failure(fmt::format("--set: {}: {}", suite, refusal));
    options.emplace_back(key, known.value_of(key));
  }
  return options;
}

Result<std::vector<Choice>> choose(const std::vector<std::string>& suites, const std::vector<std::string>& settings) {
  using Failed = Result<std::vector<Choice>>;
  const std::string with = settings.empty() ? "" : " " + joined(settings);
  std::vector<Choice> choices;
  for (const std::string& suite : suites) {
    const Result<SuiteOptions> options = choose_suite_options(suite, settings);
    if (!options) return Failed::failure(options.message());
    choices.push_back({suite, suite + with, options.value()});
  }
  return choices;
}

/// Where the user has asked for no suite, a case all of whose keys name others is tried with those.
std::vector<std::string> suites_for(const ValidationCase& entry, const std::vector<std::string>& asked) {
  std::vector<std::string> named;
  for (const CaseScore& score : entry.scores) {
    const std::string suite = named_suite(score.by);
    if (find_suite(suite) == nullptr) return asked;
    if (std::ranges::find(named, suite) == named.end()) named.push_back(suite);
  }
  return named.empty() ? asked : named;
}

CaseResult begin_result(const ValidationCase& entry) {
  CaseResult result;
  result.id = entry.id;
  result.kind = entry.kind;
  result.title = entry.title;
  result.dt = entry.dt;
  return result;
}

void judge(const ValidationCase& entry, const std::string& suite, const Measurements& measured, CaseResult& result) {
  const auto value_of = [&](const std::string& key) -> std::optional<CaseValue> {
    const auto found = measured.values.find(key);
    return found != measured.values.end() ? std::optional(found->second) : std::nullopt;
  };
  for (const CaseScore& score : entry.scores) {
    const bool tried = !result.suite || may_be_tried_with(score.by, suite);
    result.results.push_back(compare(score, tried ? value_of(score.key) : std::nullopt));
    KeyResult& key = result.results.back();
    if (tried && measured.ran && !key.measured && key.expected) key.verdict = Verdict::Miss;
  }
  if (!entry.scores.empty()) return;
  for (const auto& [key, value] : measured.values) {
    KeyResult only_measured;
    only_measured.key = key;
    only_measured.measured = value;
    only_measured.verdict = Verdict::Measured;
    result.results.push_back(only_measured);
  }
}

/// One run of a case. The message is about the setup, and empty where all went well.
std::string run_case(const CaseFile& file, const ValidationCase& entry, const KindInfo& kind, const Choice& choice,
                     double time_limit, CaseResult& result) {
  std::string error;
  const KindInput input{entry.id,
                        JsonView(*file.document, error, entry.setup),
                        entry.dt.value_or(kStandardStep),
                        choice.suite,
                        choice.options,
                        time_limit};
  Measurements measured;
  Stopwatch watch;
  kind.measure(input, measured);
  result.seconds = watch.lap();
  if (!error.empty()) return error;
  result.gave_up = measured.gave_up;
  judge(entry, choice.suite, measured, result);
  result.artifacts = std::move(measured.artifacts);
  return {};
}

/// Ids come from a file and must not lead out of the folder.
std::string file_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_') c = '_';
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

std::string unknown_kind(const CaseFile& file, const std::string& kind) {
  std::set<std::string> kinds;
  for (const ValidationCase& entry : file.cases) kinds.insert(entry.kind);
  const std::vector<std::string> names(kinds.begin(), kinds.end());
  return fmt::format("--kind: found \"{}\", expected one of {}{}", kind, joined(names), did_you_mean(kind, names));
}

}  // namespace

Verdict CaseResult::verdict() const {
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(results, [verdict](const KeyResult& r) { return r.verdict == verdict; });
  };
  for (const Verdict verdict : {Verdict::Miss, Verdict::Pass, Verdict::Measured})
    if (has(verdict)) return verdict;
  return Verdict::Unsupported;
}

KeyResult compare(const CaseScore& score, const std::optional<CaseValue>& measured) {
  KeyResult result{score.key, score.by, score.mode, score.good, measured, score.expected, {}, Verdict::Unsupported};
  if (!measured) return result;
  result.verdict = Verdict::Measured;
  if (!score.expected) return result;
  result.error = error_of(score, *measured);
  result.verdict = *result.error <= score.good ? Verdict::Pass : Verdict::Miss;
  return result;
}

Result<std::vector<CaseResult>> validate(const ValidateSettings& settings,
                                         const std::function<void(double, const std::string&)>& progress) {
  const Result<std::vector<std::string>> suites = choose_suites(settings.suite);
  if (!suites) return Failure::failure(suites.message());
  if (const Result<std::vector<Choice>> asked = choose(suites.value(), settings.options); !asked)
    return Failure::failure(asked.message());
  const Result<CaseFile> file = settings.file.empty() ? built_in_cases() : load_cases(settings.file);
  if (!file) return Failure::failure(file.message());
  const auto wanted = [&](const ValidationCase& entry) { return settings.kind.empty() || entry.kind == settings.kind; };
  const std::vector<ValidationCase>& cases = file.value().cases;
  if (!settings.kind.empty() && std::ranges::none_of(cases, wanted))
    return Failure::failure(unknown_kind(file.value(), settings.kind));

  std::vector<CaseResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ValidationCase& entry = cases[i];
    if (!wanted(entry)) continue;
    if (progress) progress(static_cast<double>(i) / static_cast<double>(cases.size()), entry.id);
    const KindInfo* kind = find_kind(entry.kind);
    if (kind == nullptr) {
      results.push_back(begin_result(entry));
      for (const CaseScore& score : entry.scores) results.back().results.push_back(compare(score, std::nullopt));
      continue;
    }
    const Result<std::vector<Choice>> choices =
        choose(settings.suite.empty() ? suites_for(entry, suites.value()) : suites.value(), settings.options);
    if (!choices) return Failure::failure(choices.message());
    const std::vector<Choice> none{{}};
    for (const Choice& choice : kind->runs_scenes ? choices.value() : none) {
      results.push_back(begin_result(entry));
      if (kind->runs_scenes) results.back().suite = choice.label;
      const std::string wrong = run_case(file.value(), entry, *kind, choice, settings.time_limit, results.back());
      if (!wrong.empty()) return Failure::failure(wrong);
    }
  }
  return results;
}

Tally tally(const std::vector<CaseResult>& results) {
  Tally count;
  for (const CaseResult& result : results) {
    const Verdict verdict = result.verdict();
    if (verdict == Verdict::Pass) ++count.pass;
    if (verdict == Verdict::Miss) ++count.miss;
    if (verdict == Verdict::Measured) ++count.measured;
    if (verdict == Verdict::Unsupported) ++count.unsupported;
  }
  return count;
}

std::string write_artifacts(const std::vector<CaseResult>& results, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return folder + ": cannot make the folder: " + error.message();
  for (const CaseResult& result : results)
    for (const Artifact& artifact : result.artifacts) {
      const std::string path = (std::filesystem::path(folder) / file_name(artifact.name)).string();
      if (std::string reason = write_output(path, artifact.text); !reason.empty()) return reason;
    }
  return {};
}

}  // namespace carom
