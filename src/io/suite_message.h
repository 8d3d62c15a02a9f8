// What to say of a suite that does not exist.
#pragma once

#include <string>

namespace carom {

/// Empty if there is a suite of that name; else that it is unknown, or known to the format but not supported yet, and
/// which ones there are.
std::string suite_message(const std::string& name);

}  // namespace carom
