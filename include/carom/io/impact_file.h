// Impacts as files (`*.impact.json`): one collision at one point, a contact problem with two bodies and one contact.
#pragma once

#include <string>
#include <string_view>

#include "carom/base/error.h"
#include "carom/contact/problem.h"

namespace carom {

/// Reads an impact, or a problem that is one. The message of a failure names the file, the JSON path, what was found
/// and what is expected. `note` is as in `load_problem`.
Result<ContactProblem> load_impact(const std::string& path, std::string* note = nullptr);
/// The same from text; `origin` stands for the file name in messages.
Result<ContactProblem> parse_impact(std::string_view text, const std::string& origin, std::string* note = nullptr);

}  // namespace carom
