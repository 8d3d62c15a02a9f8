// What a page of the documentation tells a reader to type, and what a test is to know about it.
//
// A comment in the Markdown, which no reader sees, speaks to the test:
//   <!-- test: as written -->      runs of the next block are not cut short
//   <!-- test: status 2 -->        its commands end with this status
//   <!-- test: output -->          the lines shown below its commands are in their output, in that order
//   <!-- test: compile -->         the next block is C++ that compiles: a program, or the inside of `main`
//   <!-- test: with PATH as NAME --> a file of the repository is there under this name
//   <!-- file: NAME -->            the next block is a file that the reader writes
//   <!-- file: NAME                the same, where the reader does not see it
//   ...content... -->
// Words of one comment stand with commas between them.
#pragma once

#include <string>
#include <vector>

namespace carom::test {

/// A file that is there before the commands that follow it.
struct GivenFile {
  std::string name;
  std::string content;
  std::string source;  ///< path in the repository, where it is a copy
};

/// A line that begins with `carom`, `./dev` or `$`.
struct Command {
  int line = 0;                    ///< in the page
  std::string text;                ///< without the prompt and the remark behind it
  std::vector<std::string> shown;  ///< the lines below it, up to the next command or the end of the block
  bool as_written = false;
  bool check_output = false;
  int status = 0;
  std::size_t files = 0;  ///< how many of the page's files come before it
};

/// C++ as a reader would write it.
struct Snippet {
  int line = 0;
  std::string text;
};

struct Document {
  std::vector<GivenFile> files;
  std::vector<Snippet> snippets;
  std::vector<Command> commands;      ///< of blocks
  std::vector<Command> mentions;      ///< `carom ...` in running text: usage, not always complete
  std::vector<std::string> links;     ///< targets of [text](target)
  std::vector<std::string> mistakes;  ///< comments that this does not understand
};

Document read_document(const std::string& text);

/// A command as it is run by the test: simulated times cut to `seconds`, studies to their smallest setting.
std::string shortened(const std::string& command, double seconds);

/// Words of a command, as a shell would split a simple one.
std::vector<std::string> words_of(const std::string& text);

}  // namespace carom::test
