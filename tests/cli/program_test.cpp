// Help, usage errors, and what is shown on a terminal.
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <nlohmann/json.hpp>

#include "program.h"

namespace carom::test {
namespace {

TEST(Program, EveryCommandExplainsItselfWithAnExample) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(run_program({"--help"}, folder.path()).out, "Exit status"));
  EXPECT_TRUE(contains(run_program({"help"}, folder.path()).out, "Exit status"));
  for (const char* command : {"run", "info", "export", "solve", "impact", "compare", "validate", "list", "suites",
                              "solvers", "schema", "help"}) {
    const Outcome flag = run_program({command, "--help"}, folder.path()),
                  help = run_program({"help", command}, folder.path());
    EXPECT_EQ(flag.status, 0);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(flag.out, help.out) << command;
    EXPECT_TRUE(contains(flag.out, "Example: carom ") || contains(flag.out, "Examples: carom ")) << flag.out;
  }
}

TEST(Program, ListsWhatThereIs) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(run_program({"--version"}, folder.path()).out, "carom "));
  EXPECT_TRUE(contains(run_program({"list"}, folder.path()).out, "stack "));
  const std::string suites = run_program({"suites"}, folder.path()).out;
  EXPECT_TRUE(contains(suites, "exact (default below 200 bodies)")) << suites;
  EXPECT_TRUE(contains(suites, "iterations = ")) << suites;
  const std::string exact = run_program({"suites", "exact"}, folder.path()).out;
  EXPECT_TRUE(contains(exact, "contacts = exact") && contains(exact, "c_f = ")) << exact;
  EXPECT_FALSE(contains(exact, "guendelman\n")) << exact;
  EXPECT_TRUE(contains(run_program({"solvers"}, folder.path()).out, "sequential"));
}

TEST(Program, PrintsSchemas) {
  const TemporaryFolder folder;
  for (const char* format : {"scene", "problem", "impact", "cases"}) {
    const Outcome outcome = run_program({"schema", format}, folder.path());
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["$schema"], "https://json-schema.org/draft/2020-12/schema");
  }
}

TEST(Program, BadUsageExitsWithTwoAndSaysWhatIsExpected) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const Case cases[] = {
      {{}, "subcommand is required"},
      {{"frobnicate"}, "there is no command named \"frobnicate\", expected one of run, info"},
      {{"help", "frobnicate"}, "there is no command named \"frobnicate\""},
      {{"run"}, "expected a scene ('carom list') or a recording"},
      {{"run", "stck"}, "did you mean stack?"},
      {{"run", "stack", "--suite", "sequental"}, "did you mean sequential?"},
      {{"run", "stack", "--set", "iteration=5"}, "unknown option \"iteration\"; did you mean iterations?"},
      {{"run", "stack", "--set", "iterations=many"}, "found 'many'\n  iterations = "},
      {{"run", "stack", "--set", "iterations"}, "expected key=value\n  iterations = "},
      {{"run", "stack", "--set", "=5"}, "`carom suites exact` lists the options"},
      {{"run", "stack", "--dt", "0"}, "dt must be a positive number"},
      {{"run", "stack", "--dt", "nan"}, "dt must be a positive number"},
      {{"run", "stack", "--dt", "1e-300"}, "expected at most"},
      {{"run", "stack", "--duration", "-1"}, "duration must be"},
      {{"run", "stack", "--duration", "soon"}, "--duration"},
      {{"run", "stack", "--every", "-1"}, "sampling interval"},
      {{"run", "stack", "--threads", "-2"}, "--threads"},
      {{"run", "stack", "--at", "1"}, "--dump-problem"},
      {{"run", "stack", "--dump-problem", "p.json"}, "--at"},
      {{"run", "stack", "--dump-problem", "p.json", "--at", "99"}, "no step contains 99 s"},
      {{"run", "stack", "--dump-problem", "p.json", "--at", "1", "--stage", "third"}, "--stage"},
      {{"run", "stack", "--metrics", "a.csv", "--contacts", "./a.csv"}, "same file"},
      {{"run", "stack", "--frob"}, "--frob"},
      {{"suites", "exakt"}, "did you mean exact?"},
      {{"schema", "poem"}, "scene"},
      {{"solve", "p.problem.json"}, "--solver is required"},
      {{"impact", "i.impact.json"}, "--law is required"},
      {{"compare"}, "FILE is required"},
  };
  for (const Case& c : cases) {
    const TemporaryFolder folder;
    const Outcome outcome = run_program(c.arguments, folder.path());
    EXPECT_EQ(outcome.status, 2) << c.message << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, c.message)) << c.message << " not in: " << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(folder.is_empty());
  }
}

/// False where the system gives no terminals (a chroot without /dev/pts).
bool has_terminals() {
  int main_side = -1, program_side = -1;
  if (openpty(&main_side, &program_side, nullptr, nullptr, nullptr) != 0) return false;
  close(main_side);
  close(program_side);
  return true;
}

/// Everything that the program writes to a terminal of the given width. `redraws` > 0: until it has redrawn a line that
/// often, when it is interrupted.
std::string on_terminal(const std::vector<std::string>& arguments, unsigned short columns,
                        const std::map<std::string, std::string>& environment, int redraws = 0) {
  const TemporaryFolder folder;
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 24;
  int main_side = -1, program_side = -1;
  if (openpty(&main_side, &program_side, nullptr, nullptr, &size) != 0) return {};
  Process process(arguments, folder.path(), environment, program_side);
  close(program_side);
  std::string text;
  char buffer[4096];
  int seen = 0;
  for (ssize_t count = 0; (count = read(main_side, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
    seen += static_cast<int>(std::count(buffer, buffer + count, '\r'));
    if (redraws > 0 && seen >= redraws) kill(process.id(), SIGINT);
    if (seen >= redraws) redraws = 0;
  }
  close(main_side);
  process.wait();
  return text;
}

TEST(Program, ProgressLineFitsTheTerminal) {
  if (!has_terminals()) GTEST_SKIP() << "SKIPPED: this system gives no terminals (is /dev/pts mounted?)";
  // Ended by the test, so that it is long enough on any machine.
  const std::vector<std::string> endless = {"run", "slide", "--duration", "1e6"};
  for (const unsigned short columns : {40, 100}) {
    const std::string text = on_terminal(endless, columns, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, 4);
    ASSERT_TRUE(contains(text, "\r\x1b[K")) << text;
    EXPECT_EQ(contains(text, "ETA"), columns == 100) << text;
    int lines = 0;
    for (std::size_t at = text.find("\x1b[K"); at != std::string::npos; at = text.find("\x1b[K", at + 1)) {
      const std::size_t start = at + 3, end = std::min(text.find('\r', start), text.size());
      const std::string line = text.substr(start, end - start);
      if (!line.starts_with("slide ")) continue;
      EXPECT_LT(line.size(), columns) << line;
      ++lines;
    }
    EXPECT_GE(lines, 3) << text;
  }
}

TEST(Program, NoColorIsRespected) {
  if (!has_terminals()) GTEST_SKIP() << "SKIPPED: this system gives no terminals (is /dev/pts mounted?)";
  const std::vector<std::string> short_run = {"run", "slide", "--duration", "0.1"};
  EXPECT_TRUE(contains(on_terminal(short_run, 80, {{"TERM", "xterm"}}), "\x1b[1m"));
  EXPECT_FALSE(contains(on_terminal(short_run, 80, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}), "\x1b[1m"));
  EXPECT_FALSE(contains(on_terminal(short_run, 80, {{"TERM", "dumb"}}), "\x1b"));
}

}  // namespace
}  // namespace carom::test
