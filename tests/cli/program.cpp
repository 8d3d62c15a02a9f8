#include "program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace carom::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "carom-cli-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Process::Process(const std::vector<std::string>& arguments, const fs::path& folder,
                 const std::map<std::string, std::string>& environment, int terminal) {
  std::vector<std::string> words = {CAROM_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = capture_.file("out"), err = capture_.file("err");

  id_ = fork();
  if (id_ != 0) return;
  const int out_file = terminal >= 0 ? terminal : open(out.c_str(), O_WRONLY | O_CREAT, 0600);
  const int err_file = terminal >= 0 ? terminal : open(err.c_str(), O_WRONLY | O_CREAT, 0600);
  if (out_file < 0 || err_file < 0) _exit(127);
  dup2(out_file, STDOUT_FILENO);
  dup2(err_file, STDERR_FILENO);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (chdir(folder.c_str()) == 0) execv(argv[0], argv.data());
  _exit(127);
}

Outcome Process::wait() {
  int status = 0;
  waitpid(id_, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_file(capture_.file("out"));
  outcome.err = read_file(capture_.file("err"));
  return outcome;
}

Outcome run_program(const std::vector<std::string>& arguments, const fs::path& folder) {
  return Process(arguments, folder).wait();
}

bool wait_for_bytes(const fs::path& path, std::uintmax_t bytes) {
  for (int i = 0; i < 60'000; ++i) {
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(path, missing);
    if (!missing && size >= bytes) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace carom::test
