// A file that a command writes at its end.
#pragma once

#include <string>
#include <string_view>

namespace carom {

/// Empty when the file can be written and is not the one that is read (an empty path: nothing is asked for), else why
/// not. Nothing is written or left behind.
[[nodiscard]] std::string check_output(const std::string& path, const std::string& input);
/// Whole or not at all. Empty when every byte has reached the file, else why not.
[[nodiscard]] std::string write_output(const std::string& path, std::string_view text);

}  // namespace carom
