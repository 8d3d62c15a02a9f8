// Suites against cases: which suite answers which case, as a table for a terminal, for a page and for the docs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/validate.h"

namespace carom {

/// A row for each case that was run with suites.
struct SuiteMatrix {
  struct Row {
    std::string id, kind;
    std::vector<std::optional<Verdict>> cells;  ///< by suite; none where the case was not run with it
  };
  std::vector<std::string> suites;  ///< in the order of the results
  std::vector<Row> rows;            ///< in the order of the results

  /// Cases that a suite answers, of those that it was tried with.
  int passed(std::size_t suite) const;
  int tried(std::size_t suite) const;
};
SuiteMatrix suite_matrix(const std::vector<CaseResult>& results);

/// Why a suite misses a case: written by people, kept beside the cases.
struct MissReason {
  std::string which;  ///< a case, a kind, or `*` for all of them
  std::string suite;  ///< or `*` for all of them
  std::string why;
};
/// Reads `[{"case": …, "suite": …, "why": …}, …]`; bad data fails with a located message.
Result<std::vector<MissReason>> load_reasons(const std::string& path);

/// The matrix, what no suite is asked for, and every key that missed.
std::string matrix_text(const std::vector<CaseResult>& results);
/// The matrix alone, each cell leading to its section.
std::string matrix_html(const std::vector<CaseResult>& results);
/// The same as text in Markdown, with the reason for each miss.
std::string matrix_markdown(const std::vector<CaseResult>& results, const std::vector<MissReason>& reasons);

}  // namespace carom
