// Whole files in and out, with messages a user can act on.
#pragma once

#include <string>
#include <string_view>

#include "carom/base/error.h"

namespace carom {

/// The bytes of a file. The message of a failure names the file and says why (missing, a directory, not readable).
Result<std::string> read_text_file(const std::string& path);

/// Empty when every byte reached the file, else why not.
[[nodiscard]] std::string write_text_file(const std::string& path, std::string_view text);

}  // namespace carom
