// Bad problems and impacts through the program: the specified message, exit status 2, nothing written.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "program.h"

namespace carom::test {
namespace {

namespace fs = std::filesystem;

/// The message begins with the file as it was given and names every part expected of it.
void expect_refused(std::vector<std::string> command, const std::string& file, const std::vector<std::string>& parts) {
  const TemporaryFolder folder;
  const std::string prefix = "carom " + command.front() + ": " + file + ": ";
  command.insert(command.begin() + 1, file);
  const Outcome outcome = run_program(command, folder.path());
  EXPECT_EQ(outcome.status, 2) << file << "\n" << outcome.err;
  EXPECT_EQ(outcome.out, "") << file;
  EXPECT_TRUE(outcome.err.starts_with(prefix)) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << "one error, one line: " << outcome.err;
  for (const std::string& part : parts) EXPECT_TRUE(contains(outcome.err, part)) << part << " not in: " << outcome.err;
  EXPECT_TRUE(folder.is_empty()) << file << " left something behind";
}

/// Every file of the folder, by the table that stands beside them.
void expect_all_refused(const std::string& folder, const std::vector<std::string>& command) {
  const fs::path data = fs::path(CAROM_TEST_DATA_DIR) / folder;
  std::ifstream file(data / "expected.json");
  const nlohmann::json expected = nlohmann::json::parse(file);
  EXPECT_GE(expected.size(), 30U);
  for (const auto& [name, parts] : expected.items())
    expect_refused(command, (data / name).string(), parts.get<std::vector<std::string>>());
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "expected.json" || expected.contains(name)) << name << " has no expectation";
  }
}

TEST(BrokenProblems, EveryStoredOneIsRefusedBySolveWithItsPath) {
  expect_all_refused("broken_problems", {"solve", "--solver", "sequential", "--json"});
}

TEST(BrokenImpacts, EveryStoredOneIsRefusedByImpactWithItsPath) {
  expect_all_refused("broken_impacts", {"impact", "--law", "poisson", "--trace", "t.csv", "--json"});
}

TEST(BrokenProblems, CompareRefusesWhatNoSolverCouldRead) {
  const std::string file = CAROM_TEST_DATA_DIR "/broken_problems/zero_mass.problem.json";
  expect_refused({"compare", "--html", "c.html"}, file, {"bodies[0].mass", "positive"});
}

TEST(BrokenProblems, MissingFilesAndFoldersAreRefused) {
  expect_refused({"solve", "--solver", "pq"}, "missing.problem.json", {"No such file"});
  expect_refused({"solve", "--solver", "pq"}, "/tmp/", {"directory"});
  expect_refused({"impact", "--law", "newton"}, "missing.impact.json", {"No such file"});
  expect_refused({"compare"}, "missing.problem.json", {"No such file"});
  expect_refused({"solve", "--solver", "pq"}, "missing.hdf5", {"No such file"});
  expect_refused({"compare"}, "missing.hdf5", {"No such file"});
  expect_refused({"compare"}, "missing.scene.json", {"No such file"});
  expect_refused({"validate", "--html", "v.html"}, "missing.json", {"No such file"});
}

}  // namespace
}  // namespace carom::test
