// The suite of a run that names none: by the number of dynamic bodies, said, recorded and kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

/// A scene of so many cubes that come to rest on a floor, each by itself.
void write_crowd(const TemporaryFolder& folder, int cubes, const std::string& more = "") {
  std::ofstream(folder.file("crowd.scene.json")) << R"({"carom": 1, "duration": 0.1, )" << more << R"("bodies": [
      {"name": "floor", "type": "fixed", "shape": {"plane": {"normal": [0, 0, 1]}}},
      {"name": "cube", "shape": {"box": {"size": [1, 1, 1]}}, "position": [0, 0, 0.5],
       "copies": {"count": [)" << cubes << R"(, 1, 1], "spacing": [3, 0, 0]}}]})";
}

Outcome run_crowd(const TemporaryFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"run", "crowd.scene.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_program(arguments, folder.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome;
}

std::string first_line(const Outcome& outcome) { return lines_of(outcome.out).front(); }

TEST(DefaultSuite, IsNamedInTheSummaryWithItsReason) {
  const TemporaryFolder folder;
  write_crowd(folder, 199);
  EXPECT_EQ(first_line(run_crowd(folder, {})), "crowd, suite exact (default below 200 bodies)");
  write_crowd(folder, 200);
  EXPECT_EQ(first_line(run_crowd(folder, {})), "crowd, suite fast (default for 200 bodies and more)");
  EXPECT_EQ(first_line(run_crowd(folder, {"--suite", "fast"})), "crowd, suite fast");
  EXPECT_EQ(first_line(run_crowd(folder, {"--suite", "sequential"})), "crowd, suite sequential");
  write_crowd(folder, 200, R"("suite": "exact", )");
  EXPECT_EQ(first_line(run_crowd(folder, {})), "crowd, suite exact");
}

TEST(DefaultSuite, IsAPlainNameInTheJsonWithItsReasonBesideIt) {
  const TemporaryFolder folder;
  write_crowd(folder, 200);
  const Json chosen = Json::parse(run_crowd(folder, {"--json"}).out);
  EXPECT_EQ(chosen["suite"], "fast");
  EXPECT_EQ(chosen["suite_reason"], "default for 200 bodies and more");
  const Json named = Json::parse(run_crowd(folder, {"--json", "--suite", "exact"}).out);
  EXPECT_EQ(named["suite"], "exact");
  EXPECT_EQ(named["suite_reason"], "");
}

TEST(DefaultSuite, IsKeptByARecordingAndByTheRunThatGoesOnFromIt) {
  const TemporaryFolder folder;
  write_crowd(folder, 200);
  run_crowd(folder, {"--record", "r.carom", "-q"});
  const Outcome info = run_program({"info", "r.carom"}, folder.path());
  EXPECT_TRUE(contains(info.out, "fast (default for 200 bodies and more)")) << info.out;
  const Json contents = Json::parse(run_program({"info", "r.carom", "--json"}, folder.path()).out);
  EXPECT_EQ(contents["suite"], "fast");
  EXPECT_EQ(contents["suite_reason"], "default for 200 bodies and more");
  const Outcome resumed = run_program({"run", "--resume", "r.carom", "--duration", "0.2", "--json"}, folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(Json::parse(resumed.out)["suite"], "fast");
  EXPECT_EQ(Json::parse(resumed.out)["steps"], 6);
  EXPECT_EQ(run_program({"export", "r.carom", "--trajectory", "t.csv", "-q"}, folder.path()).status, 0);
}

TEST(DefaultSuite, GivesWayInARecordingToTheSuiteThatWasAskedFor) {
  const TemporaryFolder folder;
  // Options of `exact`, which the default of so many bodies does not have.
  write_crowd(folder, 200, R"("options": {"iterations": 50}, )");
  run_crowd(folder, {"--suite", "exact", "--record", "r.carom", "-q"});
  const Json contents = Json::parse(run_program({"info", "r.carom", "--json"}, folder.path()).out);
  EXPECT_EQ(contents["suite"], "exact");
  EXPECT_EQ(contents["suite_reason"], "");
  const Outcome resumed = run_program({"run", "--resume", "r.carom", "--duration", "0.2", "--json"}, folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(Json::parse(resumed.out)["suite"], "exact");
  EXPECT_EQ(run_program({"export", "r.carom", "--trajectory", "t.csv", "-q"}, folder.path()).status, 0);
}

TEST(DefaultSuite, IsNamedWhereAnOptionIsForAnother) {
  const TemporaryFolder folder;
  const std::string reason =
      "; the suite is fast (default for 200 bodies and more), and exact has this option: --suite exact";
  write_crowd(folder, 200);
  const Outcome set = run_program({"run", "crowd.scene.json", "--set", "iterations=50"}, folder.path());
  EXPECT_EQ(set.status, 2);
  EXPECT_TRUE(contains(set.err, "--set: unknown option \"iterations\"" + reason)) << set.err;
  run_crowd(folder, {"--set", "iterations=50", "--suite", "exact", "-q"});

  write_crowd(folder, 200, R"("options": {"iterations": 50}, )");
  const Outcome scene = run_program({"run", "crowd.scene.json"}, folder.path());
  EXPECT_EQ(scene.status, 2);
  EXPECT_TRUE(contains(scene.err, "crowd.scene.json: options.iterations: ") && contains(scene.err, reason))
      << scene.err;
  run_crowd(folder, {"--suite", "exact", "-q"});
}

TEST(DefaultSuite, IsNoMatterOfAComparison) {
  const TemporaryFolder folder;
  // The options are those of `exact`, and go with it.
  write_crowd(folder, 200, R"("options": {"iterations": 50}, )");
  const Outcome outcome = run_program(
      {"compare", "crowd.scene.json", "--suites", "sequential,exact", "--duration", "0.05", "--json"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["reference"], "exact");
}

TEST(DefaultSuite, IsMarkedInTheList) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(run_program({"suites"}, folder.path()).out);
  for (const char* line : {"exact (default below 200 bodies)", "fast (default for 200 bodies and more)", "sequential"})
    EXPECT_NE(std::find(lines.begin(), lines.end(), line), lines.end()) << line;
}

}  // namespace
}  // namespace carom::test
