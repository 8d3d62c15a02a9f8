#include "io/whole_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace carom {

namespace fs = std::filesystem;

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(path_), written_(path_ + ".part") {
  std::error_code unknown;
  if (fs::exists(path_, unknown)) {
    // Renaming onto a link would replace the link, and onto a device the device.
    const fs::path real = fs::canonical(path_, unknown);
    if (!unknown) target_ = real.string();
    written_ = fs::is_regular_file(path_, unknown) ? target_ + ".part" : target_;
  }
  file_.reset(std::fopen(written_.c_str(), "wb"));
  if (!file_) note_failure("cannot open the file for writing");
}

WholeFile::~WholeFile() {
  file_.reset();
  std::error_code ignored;
  if (!committed_ && written_ != target_) fs::remove(written_, ignored);
}

void WholeFile::write(std::string_view bytes) {
  if (!error_.empty()) return;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) note_failure("cannot write the file");
}

std::string WholeFile::commit() {
  if (error_.empty() && std::fclose(file_.release()) != 0) note_failure("cannot write the file");
  if (error_.empty() && written_ != target_ && std::rename(written_.c_str(), target_.c_str()) != 0)
    note_failure("cannot move the finished file to its place");
  committed_ = error_.empty();
  return error_;
}

void WholeFile::note_failure(const char* what) {
  if (error_.empty()) error_ = path_ + ": " + what + ": " + std::strerror(errno);
}

}  // namespace carom
