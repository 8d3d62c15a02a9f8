#include "io/text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace carom {
namespace {

/// Far above any scene or problem that fits in memory as a world; keeps a mistaken path from filling the memory.
constexpr std::size_t kLargestFile = std::size_t{1} << 29;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, FileCloser>;

Result<std::string> unreadable(const std::string& path, const std::string& why) {
  return Result<std::string>::failure(path + ": cannot read the file: " + why);
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return unreadable(path, "found a directory, expected a file");
  const FilePtr file(std::fopen(path.c_str(), "rb"));
  if (!file) return unreadable(path, std::strerror(errno));

  std::string text;
  char buffer[1 << 16];
  while (std::feof(file.get()) == 0 && std::ferror(file.get()) == 0) {
    text.append(buffer, std::fread(buffer, 1, sizeof buffer, file.get()));
    if (text.size() > kLargestFile)
      return unreadable(path, "found more than " + std::to_string(kLargestFile) + " bytes, expected at most that many");
  }
  if (std::ferror(file.get()) != 0) return unreadable(path, std::strerror(errno));
  return text;
}

std::string write_text_file(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return path + ": cannot open the file for writing: " + std::strerror(errno);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed) return {};
  return path + ": cannot write the file: " + std::strerror(written ? errno : reason);
}

}  // namespace carom
