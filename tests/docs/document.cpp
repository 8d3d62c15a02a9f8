#include "document.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace carom::test {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// Without ` # what it is for`.
std::string without_remark(const std::string& line) {
  const std::size_t at = line.find(" #");
  return trimmed(at == std::string::npos ? line : line.substr(0, at));
}

/// What a comment says about the block behind it.
struct Directions {
  bool as_written = false, check_output = false, compile = false;
  int status = 0;
  std::string file;  ///< the block is this file
};

class Reader {
 public:
  explicit Reader(const std::string& text) : stream_(text) {}

  Document read() {
    std::string line;
    while (next(line)) {
      if (line.starts_with("<!-- test:") || line.starts_with("<!-- file:"))
        read_comment(line);
      else if (line.starts_with("```"))
        read_block(line.substr(3));
      else
        read_text(line);
    }
    return document_;
  }

 private:
  bool next(std::string& line) {
    ++number_;
    return static_cast<bool>(std::getline(stream_, line));
  }

  void read_comment(const std::string& line) {
    const bool is_test = line.starts_with("<!-- test:");
    const std::size_t from = std::string("<!-- test:").size(), end = line.find("-->");
    if (end == std::string::npos && !is_test) return read_hidden_file(trimmed(line.substr(from)));
    const std::string said = trimmed(line.substr(from, end - from));
    if (!is_test) {
      directions_.file = said;
      return;
    }
    std::istringstream parts(said);
    for (std::string part; std::getline(parts, part, ',');) read_direction(trimmed(part));
  }

  void read_direction(const std::string& said) {
    const std::vector<std::string> words = words_of(said);
    if (said == "as written")
      directions_.as_written = true;
    else if (said == "output")
      directions_.check_output = true;
    else if (said == "compile")
      directions_.compile = true;
    else if (words.size() == 2 && words[0] == "status")
      directions_.status = std::stoi(words[1]);
    else if (words.size() == 4 && words[0] == "with" && words[2] == "as")
      document_.files.push_back({words[3], {}, words[1]});
    else
      document_.mistakes.push_back("line " + std::to_string(number_) + ": " + said);
  }

  void read_hidden_file(const std::string& name) {
    std::string content, line;
    while (next(line) && line != "-->") content += line + "\n";
    document_.files.push_back({name, content, {}});
  }

  void read_block(const std::string& language) {
    const Directions directions = std::exchange(directions_, {});
    const bool is_shell = language.empty() || language == "sh" || language == "console";
    const int first = number_ + 1;
    std::string content, line;
    bool shows_output = false;
    while (next(line) && !line.starts_with("```")) {
      content += line + "\n";
      if (!is_shell || !directions.file.empty()) continue;
      const bool prompted = line.starts_with("$ ");
      // Below a prompt, a line that begins like a command is the program's own message.
      shows_output = shows_output || prompted;
      if (prompted || (!shows_output && (line.starts_with("carom ") || line.starts_with("./dev "))))
        document_.commands.push_back({number_,
                                      without_remark(prompted ? line.substr(2) : line),
                                      {},
                                      directions.as_written,
                                      directions.check_output,
                                      directions.status,
                                      document_.files.size()});
      else if (shows_output)
        document_.commands.back().shown.push_back(line);
    }
    if (directions.compile) document_.snippets.push_back({first, content});
    if (!directions.file.empty()) document_.files.push_back({directions.file, content, {}});
  }

  void read_text(const std::string& line) {
    for (std::size_t at = line.find("`carom "); at != std::string::npos; at = line.find("`carom ", at + 1)) {
      const std::size_t end = line.find('`', at + 1);
      if (end != std::string::npos) document_.mentions.push_back({number_, line.substr(at + 1, end - at - 1), {}});
    }
    for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
      const std::size_t end = line.find(')', at);
      if (end != std::string::npos) document_.links.push_back(line.substr(at + 2, end - at - 2));
    }
  }

  std::istringstream stream_;
  int number_ = 0;
  Directions directions_;  // for the next block
  Document document_;
};

/// Sets an option to a value, whether or not the command has it already.
void set_option(std::vector<std::string>& words, const std::string& name, const std::string& value) {
  const auto at = std::find(words.begin(), words.end(), name);
  if (at != words.end() && at + 1 != words.end())
    *(at + 1) = value;
  else
    words.insert(words.end(), {name, value});
}

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string seconds_text(double seconds) {
  std::ostringstream text;
  text << seconds;
  return text.str();
}

}  // namespace

Document read_document(const std::string& text) { return Reader(text).read(); }

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string shortened(const std::string& command, double seconds) {
  std::vector<std::string> words = words_of(command);
  if (words.size() < 2 || words[0] != "carom") return command;
  const bool on_problem = words.size() > 2 && (words[2].ends_with(".problem.json") || words[2].ends_with(".hdf5"));
  if (words[1] == "run" || (words[1] == "compare" && !on_problem)) {
    set_option(words, "--duration", seconds_text(seconds));
    for (const char* moment : {"--at", "--from"})
      if (has(words, moment)) set_option(words, moment, seconds_text(seconds / 2));
  }
  if (words[1] == "validate" && !has(words, "--kind")) set_option(words, "--kind", "impact_sphere");
  if (words[1] == "reproduce") {
    std::erase(words, "--full");
    if (!has(words, "--tiny")) words.emplace_back("--tiny");
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace carom::test
