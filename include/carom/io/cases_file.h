// Validation cases (`carom-cases-1`): experiments, each with what to build and, mostly, what must come out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "carom/base/error.h"
#include "carom/math/types.h"

namespace carom {

struct JsonDocument;

/// What a case compares: a number, several, yes or no, a word.
using CaseValue = std::variant<Real, std::vector<Real>, bool, std::string>;

enum class ScoreMode : std::uint8_t {
  Rel,     ///< |x − ref| / |ref|, the largest over the components
  Abs,     ///< |x − ref|, the largest over the components
  RelVec,  ///< |x − ref| / |ref| of vectors
  Exact,   ///< equal
  Quat,    ///< angle between two rotations, in rad, whatever the signs
  Le,      ///< the measured value itself must be at most the tolerance
  Jamb     ///< the law must say that it does not apply
};
const char* score_mode_name(ScoreMode mode);

struct CaseScore {
  std::string key;
  ScoreMode mode = ScoreMode::Abs;
  Real good = 0;                      ///< tolerance
  std::string by;                     ///< what must produce the value
  std::optional<CaseValue> expected;  ///< where the case has it
};

struct ValidationCase {
  std::string id, kind, title;
  std::optional<Real> dt;  ///< s
  std::vector<CaseScore> scores;
  std::int32_t setup = 0;  ///< where it stands in the document; its keys belong to the kind
};

struct CaseFile {
  std::shared_ptr<const JsonDocument> document;  ///< what the setups are read from
  std::vector<ValidationCase> cases;
};

/// Reads a file of cases. The message of a failure names the file, the JSON path, what was found and what is expected.
Result<CaseFile> load_cases(const std::string& path);
Result<CaseFile> parse_cases(std::string_view text, const std::string& origin);
/// The cases compiled into the library.
Result<CaseFile> built_in_cases();

}  // namespace carom
