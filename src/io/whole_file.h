// A file that comes into being whole or not at all: written under a name beside its own and renamed at the end.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace carom {

class WholeFile {
 public:
  /// What stands at the path stays as it is until `commit`. A device or a pipe is written to directly.
  explicit WholeFile(std::string path);
  /// Without a successful `commit` nothing is left behind.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// After a failure nothing more is written.
  void write(std::string_view bytes);
  /// Once, at the end. Empty when every byte has reached the file, else why not.
  [[nodiscard]] std::string commit();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void note_failure(const char* what);

  std::string path_;     ///< as the user knows it, for messages
  std::string target_;   ///< where it will stand; behind links
  std::string written_;  ///< where it is written
  std::unique_ptr<std::FILE, Closer> file_;
  bool committed_ = false;
  std::string error_;
};

}  // namespace carom
