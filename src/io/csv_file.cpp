#include "io/csv_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace carom {

std::string check_writable(const std::vector<std::string>& paths) {
  std::string error;
  std::vector<std::string> created;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const bool existed = std::filesystem::exists(path, ignored);
    // Opened for appending: that creates a file but does not empty one.
    std::FILE* file = std::fopen(path.c_str(), "ab");
    if (file == nullptr) {
      error = path + ": cannot open the file for writing: " + std::strerror(errno);
      break;
    }
    std::fclose(file);
    if (!existed) created.push_back(path);
  }
  for (const std::string& path : created) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  return error;
}

CsvFile::CsvFile(std::string path, std::string_view columns)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) note_failure("cannot open the file for writing");
  print("{}\n", columns);
}

void CsvFile::note_failure(const char* what) {
  if (error_.empty()) error_ = path_ + ": " + what + ": " + std::strerror(errno);
}

void CsvFile::flush() {
  if (error_.empty()) {
    const bool written = std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) == buffer_.size();
    if (!written || std::fflush(file_.get()) != 0) note_failure("cannot write the file");
  }
  buffer_.clear();
  last_flush_ = Clock::now();
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace carom
