#include "study/output_file.h"

#include <filesystem>
#include <system_error>

#include "io/csv_file.h"
#include "io/whole_file.h"

namespace carom {

std::string check_output(const std::string& path, const std::string& input) {
  if (path.empty()) return {};
  std::error_code ignored;
  if (!input.empty() && std::filesystem::equivalent(path, input, ignored))
    return path + ": found the file that is read, expected another one to write";
  return check_writable({path});
}

std::string write_output(const std::string& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  return file.commit();
}

}  // namespace carom
