// Everything that the documentation tells a reader to type is typed: commands run, with the options they name and on
// the files they speak of; links lead somewhere; the index knows every page.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "cli/program.h"
#include "document.h"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = CAROM_SOURCE_DIR;

/// Simulated seconds of the first run of a page; every later one goes on a little longer, so that what is resumed does.
constexpr double kFirstRun = 0.05, kMore = 0.02;
/// A command that takes longer, in wall seconds, is too long for a test: see the comments of document.h.
constexpr int kPatience = 100;

/// README, CONTRIBUTING and all of docs, by name.
std::vector<fs::path> pages() {
  std::vector<fs::path> found{kSource / "README.md", kSource / "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(kSource / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::sort(found.begin() + 2, found.end());
  return found;
}

std::string title_of(const fs::path& page) {
  std::string title = page.parent_path().filename() == "docs" ? "docs_" : "";
  for (const char c : page.stem().string()) title += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return title;
}

/// The folder a reader works in: the files of the repository are at hand, and the program is on the path.
class Desk {
 public:
  Desk() {
    for (const char* name : {"examples", "scenes", "cases"}) fs::create_symlink(kSource / name, folder_.file(name));
  }

  void put(const GivenFile& file) const {
    if (file.source.empty())
      std::ofstream(folder_.file(file.name)) << file.content;
    else
      fs::copy_file(kSource / file.source, folder_.file(file.name), fs::copy_options::overwrite_existing);
  }

  Outcome type(const std::string& command) const {
    std::ofstream(paper_.file("command.sh"))
        << "cd '" << folder_.path().string() << "' && PATH='" << fs::path(CAROM_PROGRAM).parent_path().string()
        << "':\"$PATH\" && export PATH && " << command << "\n";
    const std::string run = "timeout " + std::to_string(kPatience) + " sh '" + paper_.file("command.sh") + "' > '" +
                            paper_.file("out") + "' 2>&1 < /dev/null";
    const int status = std::system(run.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(paper_.file("out")), {}};
  }

 private:
  TemporaryFolder folder_, paper_;
};

/// The help text of a command of the program; empty where there is no such command.
const std::string& help_of(const std::string& command) {
  static std::map<std::string, std::string> known;
  const auto at = known.find(command);
  if (at != known.end()) return at->second;
  const Outcome outcome = run_program({"help", command}, "/");
  return known[command] = outcome.status == 0 ? outcome.out : std::string();
}

/// What is wrong with a command's name and options; empty: nothing.
std::string usage_mistake(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() < 2 || words[1].starts_with("-")) return {};
  const std::string& help = help_of(words[1]);
  if (help.empty()) return "there is no command " + words[1];
  for (std::string word : words) {
    const std::size_t dashes = word.find("--");
    if (dashes == std::string::npos) continue;
    word = word.substr(dashes);
    const std::size_t end = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
    if (end != std::string::npos) word.resize(end);
    if (word.size() > 2 && !contains(help, word)) return words[1] + " has no option " + word;
  }
  return {};
}

/// Commands of ./dev are named in its help.
std::string dev_mistake(const std::string& text) {
  static const std::string help = Desk().type("'" + (kSource / "dev").string() + "' help").out;
  const std::vector<std::string> words = words_of(text);
  const std::string name = words.size() > 1 ? words[1] : "help";
  return contains(help, "\n  " + name + " ") ? "" : "./dev has no command " + name;
}

/// A build may be made without pages or without HDF5, and then says so.
bool is_left_out(const std::string& message) {
  return contains(message, "CAROM_WEB") || contains(message, "CAROM_HDF5");
}

/// The lines shown are in the output, in their order.
std::string missing_line(const std::vector<std::string>& shown, const std::string& output) {
  std::size_t from = 0;
  for (const std::string& line : shown) {
    const std::size_t at = output.find(line, from);
    if (at == std::string::npos) return line;
    from = at + line.size();
  }
  return {};
}

class Page : public testing::TestWithParam<fs::path> {};

TEST_P(Page, EveryCommandRuns) {
  const Document page = read_document(read_file(GetParam()));
  EXPECT_TRUE(page.mistakes.empty()) << page.mistakes.front();
  const Desk desk;
  std::size_t files = 0;
  double seconds = kFirstRun;
  std::set<std::string> done;
  for (const Command& command : page.commands) {
    while (files < command.files) desk.put(page.files[files++]);
    const std::string place = GetParam().filename().string() + ":" + std::to_string(command.line) + ": ";
    if (command.text.starts_with("./dev")) {
      EXPECT_EQ(dev_mistake(command.text), "") << place << command.text;
      continue;
    }
    const std::string typed = command.as_written ? command.text : shortened(command.text, seconds);
    if (typed.starts_with("carom run")) seconds += kMore;
    // Cut short, two commands may be the same one.
    if (!done.insert(typed).second && !command.check_output) continue;
    const Outcome outcome = desk.type(typed);
    if (outcome.status == 2 && is_left_out(outcome.out)) continue;
    EXPECT_EQ(outcome.status, command.status) << place << typed << "\n" << outcome.out;
    if (command.check_output) {
      EXPECT_EQ(missing_line(command.shown, outcome.out), "") << place << outcome.out;
    }
  }
}

TEST_P(Page, EveryProgramCompiles) {
  const Document page = read_document(read_file(GetParam()));
  const Desk desk;
  for (const Snippet& snippet : page.snippets) {
    std::string text = snippet.text;
    if (!contains(text, "int main")) text.insert(0, "#include <carom/carom.h>\nint main() {\n").append("}\n");
    desk.put({"snippet.cpp", text, {}});
    const std::string include = (kSource / "include").string();
    const Outcome outcome = desk.type("'" CAROM_COMPILER "' -std=c++20 -fsyntax-only -I'" + include + "' snippet.cpp");
    EXPECT_EQ(outcome.status, 0) << GetParam().filename() << ":" << snippet.line << "\n" << outcome.out;
  }
}

TEST_P(Page, EveryUsageNamesRealCommandsAndOptions) {
  const Document page = read_document(read_file(GetParam()));
  for (const std::vector<Command>* list : {&page.mentions, &page.commands}) {
    for (const Command& command : *list) {
      if (!command.text.starts_with("carom ")) continue;
      EXPECT_EQ(usage_mistake(command.text), "") << GetParam().filename() << ":" << command.line;
    }
  }
}

TEST_P(Page, EveryLinkLeadsSomewhere) {
  const Document page = read_document(read_file(GetParam()));
  for (const std::string& link : page.links) {
    if (link.starts_with("http") || link.starts_with("#")) continue;
    const fs::path target = GetParam().parent_path() / link.substr(0, link.find('#'));
    EXPECT_TRUE(fs::exists(target)) << GetParam().filename() << " links to " << link;
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, Page, testing::ValuesIn(pages()), [](const auto& page) { return title_of(page.param); });

TEST(DocsIndex, KnowsEveryPage) {
  const Document index = read_document(read_file(kSource / "docs" / "README.md"));
  const std::set<std::string> links(index.links.begin(), index.links.end());
  for (const fs::path& page : pages()) {
    if (page.parent_path().filename() != "docs" || page.filename() == "README.md") continue;
    EXPECT_TRUE(links.contains(page.filename().string())) << page.filename();
  }
}

}  // namespace
}  // namespace carom::test
