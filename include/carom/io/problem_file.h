// Contact problems as files (`*.problem.json`).
#pragma once

#include <string>
#include <string_view>

#include "carom/base/error.h"
#include "carom/contact/problem.h"

namespace carom {

/// Reads a problem. The message of a failure names the file, the JSON path, what was found and what is expected.
/// Rows that follow each other with the same `id` (not 0) and the same bodies make one block. `note`, if given, gets
/// what a reader should know of a problem that was taken: normals that were not quite of unit length; else it is empty.
Result<ContactProblem> load_problem(const std::string& path, std::string* note = nullptr);
/// The same from text; `origin` stands for the file name in messages.
Result<ContactProblem> parse_problem(std::string_view text, const std::string& origin, std::string* note = nullptr);

/// The file's text. Every number that is written is read back bit for bit; mass and inertia are written in place of
/// their inverses, which come back to within rounding.
std::string problem_json(const ContactProblem& problem, const std::string& description = {});
/// Empty when the file was written, else why not.
[[nodiscard]] std::string save_problem(const ContactProblem& problem, const std::string& path,
                                       const std::string& description = {});

}  // namespace carom
