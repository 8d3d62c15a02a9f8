// `carom compare` as a user sees it.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "contact_commands.h"
#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> registered_solvers() {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(run_program({"solvers"}, "/").out))
    if (!line.empty() && line.front() != ' ') names.push_back(line);
  return names;
}

TEST(Compare, ListsEverySolverWithItsErrorsOrItsRefusal) {
  const TemporaryFolder folder;
  write_json(folder.file("p.problem.json"), falling_ball());
  const Outcome outcome = run_program({"compare", "p.problem.json", "--json"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["restitution_acts"], true);
  std::vector<std::string> names;
  for (const Json& row : answer["solvers"]) {
    names.push_back(row["solver"]);
    if (row.contains("refusal")) continue;
    EXPECT_TRUE(row["residual_coulomb"].is_null()) << row;
    EXPECT_NEAR(row["kinetic_energy_before"], 13.0, 1e-12);
    EXPECT_LT(row["kinetic_energy_after"], 13.0);
    EXPECT_LT(row["momentum_error"], 1e-12) << "one contact with the ground leaves nothing unexplained";
    EXPECT_GE(row["seconds"], 0);
  }
  EXPECT_EQ(names, registered_solvers());
  EXPECT_TRUE(contains(outcome.out, "asks for friction"));
}

TEST(Compare, PageHasACurveASolverAndNeedsNothingElse) {
  const TemporaryFolder folder;
  Json problem = falling_ball();
  problem["contacts"][0]["restitution"] = 0;
  write_json(folder.file("p.problem.json"), problem);
  const Outcome outcome =
      run_program({"compare", "p.problem.json", "--solvers", "sequential,pq", "--html", "c.html"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "wrote c.html"));
  const std::string page = read_file(folder.file("c.html"));
  EXPECT_TRUE(contains(page, "<svg"));
  EXPECT_TRUE(contains(page, "prefers-color-scheme: dark"));
  for (const char* name : {">sequential</text>", ">pq</text>", "<title>sequential: "})
    EXPECT_TRUE(contains(page, name)) << name;
  for (const char* foreign : {"<script", "http://", "https://", "shock"})
    EXPECT_FALSE(contains(page, foreign)) << foreign;
}

TEST(Compare, RefusesUnknownSolvers) {
  const TemporaryFolder folder;
  write_json(folder.file("p.problem.json"), falling_ball());
  const Outcome outcome = run_program({"compare", "p.problem.json", "--solvers", "pq,shok"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "did you mean shock?")) << outcome.err;
}

std::vector<std::string> registered_suites() {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(run_program({"suites"}, "/").out)) {
    if (line.empty()) break;  // below: the options of all
    if (line.front() != ' ') names.push_back(line.substr(0, line.find(' ')));
  }
  return names;
}

TEST(CompareSuites, EverySuiteRunsTheSceneAsARunOfItsOwnWould) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"compare", "stack", "--duration", "0.3", "--json"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  EXPECT_EQ(answer["scene"], "stack");
  EXPECT_EQ(answer["reference"], "exact");
  std::vector<std::string> names;
  for (const Json& row : answer["suites"]) {
    const std::string name = row["suite"];
    names.push_back(name);
    const Outcome alone = run_program({"run", "stack", "--suite", name, "--duration", "0.3", "--json"}, folder.path());
    const Json summary = Json::parse(alone.out);
    EXPECT_EQ(row["end"], "complete");
    for (const char* key : {"state_hash", "steps", "worst_penetration", "largest_energy_rise", "momentum_error"})
      EXPECT_EQ(row[key], summary[key]) << name << ": " << key;
    EXPECT_FALSE(row["summary"].get<std::string>().empty());
    EXPECT_GT(row["median_step_ms"], 0);
  }
  EXPECT_EQ(names, registered_suites());
  EXPECT_TRUE(folder.is_empty());
}

TEST(CompareSuites, ASuiteThatFailsIsARowThatSaysSo) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("wild.json"))
      << R"({"carom": 1, "bodies": [{"name": "mote", "shape": {"sphere": {"radius": 1}}, "mass": 1e-300, "force": [1e300, 0, 0]}]})";
  const Outcome outcome = run_program({"compare", "wild.json", "--suites", "exact,lcp", "--json"}, folder.path());
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  ASSERT_EQ(answer["suites"].size(), 2U);
  for (const Json& row : answer["suites"]) {
    EXPECT_EQ(row["end"], "failed");
    EXPECT_TRUE(contains(row["message"], "no longer finite")) << row;
  }
  const Outcome table = run_program({"compare", "wild.json", "--suites", "exact,lcp"}, folder.path());
  EXPECT_TRUE(contains(table.out, "lcp failed: the simulation failed in the step after 0 s")) << table.out;
  EXPECT_FALSE(std::filesystem::exists(folder.file("wild-failed.json"))) << "two suites would share the file";
}

/// Whether a process has its own answer to a signal by now.
bool catches(pid_t process, int signal) {
  for (const std::string& line : lines_of(read_file("/proc/" + std::to_string(process) + "/status")))
    if (line.starts_with("SigCgt:")) return ((std::stoull(line.substr(7), nullptr, 16) >> (signal - 1)) & 1U) != 0;
  return false;
}

TEST(CompareSuites, CtrlCKeepsWhatIsDone) {
  const TemporaryFolder folder;
  Process process({"compare", "stack", "--suites", "sequential,exact", "--duration", "1e6", "--json"}, folder.path());
  for (int i = 0; i < 2000 && !catches(process.id(), SIGINT); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // for a few steps
  kill(process.id(), SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const Json answer = Json::parse(outcome.out);
  EXPECT_NE(answer["suites"][0]["end"], "complete");
  EXPECT_EQ(answer["suites"][1]["end"], "not run");
}

TEST(CompareSuites, OptionsOfTheOtherKindOfFileAreMistakes) {
  const TemporaryFolder folder;
  write_json(folder.file("p.json"), falling_ball());
  const auto refusal = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = run_program(arguments, folder.path());
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_TRUE(contains(refusal({"compare", "stack", "--solvers", "exact"}), "--solvers: found a scene"));
  EXPECT_TRUE(contains(refusal({"compare", "p.json", "--suites", "exact"}), "--suites: found a contact problem"));
  EXPECT_TRUE(contains(refusal({"compare", "p.json", "--duration", "2"}), "--duration: found a contact problem"));
  EXPECT_TRUE(contains(refusal({"compare", "stak"}), "did you mean stack?"));
  EXPECT_TRUE(contains(refusal({"compare", "stack", "--suites", "exakt"}), "did you mean"));
  EXPECT_TRUE(contains(refusal({"compare", "stack", "--html", "nowhere/c.html"}), "nowhere"));
}

TEST(CompareSuites, PageHoldsEveryRunAndNeedsNothingElse) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      {"compare", "stack", "--suites", "sequential,exact", "--duration", "0.2", "--html", "c.html"}, folder.path());
  if (contains(outcome.err, "CAROM_WEB")) {
    EXPECT_EQ(outcome.status, 2);
    GTEST_SKIP() << "SKIPPED: this build of Carom has no pages (./dev setup web, then configure again)";
  }
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "wrote c.html"));
  const std::string page = read_file(folder.file("c.html"));
  EXPECT_TRUE(contains(page, "<title>stack: suites compared"));
  EXPECT_TRUE(contains(page, "\"replays\":{\"sequential\":\""));
  EXPECT_TRUE(contains(page, "Carom's own, after De Saxc")) << "every suite names its source";
  EXPECT_LT(page.size(), 1'000'000U) << "the program of the page is 0.7 MB, a short run of ten cubes next to nothing";
}

}  // namespace
}  // namespace carom::test
