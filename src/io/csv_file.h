// Buffered writing of CSV files, a quarter of a second behind at most: a run that is killed leaves what it has done.
// Failures (a full disk) are kept until asked for: the first one counts.
#pragma once

#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace carom {

/// Empty when every file can be opened for writing, else which one cannot and why. Files that did not exist before do
/// not exist afterwards either, and those that did are left as they are: a command checks all before it writes one.
[[nodiscard]] std::string check_writable(const std::vector<std::string>& paths);

class CsvFile {
 public:
  /// Opens the file, emptied, and writes the line of column names.
  CsvFile(std::string path, std::string_view columns);

  /// One row or a part of one. Numbers come out as the shortest text that reads back bit for bit.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() > kBufferSize || (ends_a_row() && Clock::now() - last_flush_ >= kFlushTime)) flush();
  }

  void flush();
  const std::string& path() const { return path_; }
  /// Empty while everything written so far has reached the file (after `flush`) or the buffer.
  const std::string& error() const { return error_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kBufferSize = std::size_t{1} << 16;
  static constexpr std::chrono::milliseconds kFlushTime{250};
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool ends_a_row() const { return buffer_.size() > 0 && buffer_.data()[buffer_.size() - 1] == '\n'; }
  void note_failure(const char* what);

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  fmt::memory_buffer buffer_;
  Clock::time_point last_flush_ = Clock::now();
  std::string error_;
};

/// A field of a CSV file: in quotes where it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace carom
