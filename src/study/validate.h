// Validation: runs cases, compares what was measured with what is known: `carom validate`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "carom/io/cases_file.h"
#include "study/artifact.h"

namespace carom {

struct ValidateSettings {
  std::string file;                  ///< empty: the cases compiled into the program
  std::string kind;                  ///< empty: all
  std::string suite;                 ///< a suite, `all`, or empty for the default one
  std::vector<std::string> options;  ///< of the suite, each `key=value`
  double time_limit = 300;           ///< s of wall time for each scene that a case runs; 0: none
};

enum class Verdict : std::uint8_t {
  Pass,
  Miss,
  Measured,    ///< nothing is known to compare with
  Unsupported  ///< needs a part that does not exist yet: does not count
};

/// One compared value.
struct KeyResult {
  std::string key, by;
  std::optional<ScoreMode> mode;  ///< none where a case names no keys
  Real good = 0;
  std::optional<CaseValue> measured, expected;
  std::optional<Real> error;  ///< in the sense of the mode
  Verdict verdict = Verdict::Unsupported;
};

/// A case, run with one suite or with none.
struct CaseResult {
  std::string id, kind, title;
  std::optional<std::string> suite;  ///< its name, and behind it the options asked for
  std::optional<Real> dt;            ///< s
  double seconds = 0;
  bool gave_up = false;  ///< the time limit ended a scene before it showed what is asked for
  std::vector<KeyResult> results;
  std::vector<Artifact> artifacts;

  /// Unsupported where no key could be tried, Measured where none could be compared, else Miss if one missed.
  Verdict verdict() const;
};

/// Runs the cases in file order; `progress` gets the share done and the case at hand. A bad file, setup, kind or suite
/// fails with a located message.
Result<std::vector<CaseResult>> validate(const ValidateSettings& settings,
                                         const std::function<void(double, const std::string&)>& progress = nullptr);

/// Compares by the mode of the score. Requires an expected value.
KeyResult compare(const CaseScore& score, const std::optional<CaseValue>& measured);

/// How many cases ended with each verdict.
struct Tally {
  int pass = 0, miss = 0, measured = 0, unsupported = 0;
};
Tally tally(const std::vector<CaseResult>& results);

std::string validation_json(const std::vector<CaseResult>& results);
std::string validation_text(const std::vector<CaseResult>& results);
std::string validation_html(const std::vector<CaseResult>& results);
/// `1.25`, `[0, 1]`, `true`, `tips`: with so many significant digits.
std::string value_text(const CaseValue& value, int digits);
const char* verdict_name(Verdict verdict);

/// Writes what was run into a folder, which is made where there is none. Empty when done, else why not.
[[nodiscard]] std::string write_artifacts(const std::vector<CaseResult>& results, const std::string& folder);

}  // namespace carom
