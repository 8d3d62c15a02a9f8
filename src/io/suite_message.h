// What to say of a suite that does not exist, or of an option that it does not have.
#pragma once

#include <string>

namespace carom {

/// Empty if there is a suite of that name; else that it is unknown, and which ones there are.
std::string suite_message(const std::string& name);

/// For the end of a message about an option: where the suite has none of that name and was not named by anybody
/// (`reason` as in `DefaultSuite`), that it was chosen by default, and a suite that has the option. Else empty.
std::string other_suite_hint(const std::string& suite, const std::string& reason, const std::string& option);

}  // namespace carom
