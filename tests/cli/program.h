// Runs the program as a user would: its own process, its own folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace carom::test {

struct Outcome {
  int status = -1;  ///< exit status; 128 + signal if killed by one
  std::string out, err;
};

/// An empty folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

/// The program at work. Its outputs go to files outside its folder, so that they cannot be mistaken for what it writes.
class Process {
 public:
  /// `terminal`: a file descriptor for standard output and error instead.
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::map<std::string, std::string>& environment = {}, int terminal = -1);
  pid_t id() const { return id_; }
  Outcome wait();

 private:
  TemporaryFolder capture_;
  pid_t id_ = -1;
};

/// Runs to the end.
Outcome run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// Waits, a minute at most, until a program has written that many bytes; false if it has not. The file need not exist
/// yet, and may come and go: programs try whether they can write one before they begin.
bool wait_for_bytes(const std::filesystem::path& path, std::uintmax_t bytes);

std::string read_file(const std::filesystem::path& path);
std::vector<std::string> lines_of(const std::string& text);
/// Fields of a CSV line without quotes.
std::vector<std::string> fields_of(const std::string& line);

bool contains(const std::string& text, const std::string& part);

}  // namespace carom::test
