// What `carom run` writes and how it ends.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "carom/io/problem_file.h"
#include "program.h"

namespace carom::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kStackBodies = 11;

TEST(Run, JsonSummaryHasEveryKeyAndNothingElseIsPrinted) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", "stack", "--duration", "0.5", "--threads", "1", "--json"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  for (const char* key : {"scene",
                          "suite",
                          "threads",
                          "steps",
                          "sim_seconds",
                          "wall_seconds",
                          "real_time_factor",
                          "mean_contacts",
                          "peak_contacts",
                          "mean_step_ms",
                          "p99_step_ms",
                          "worst_penetration",
                          "worst_residual_model",
                          "worst_residual_coulomb",
                          "mean_residual_coulomb",
                          "energy_start",
                          "energy_end",
                          "largest_energy_rise",
                          "momentum_error",
                          "stops",
                          "limited_steps",
                          "frozen_end",
                          "state_hash",
                          "version"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["scene"], "stack");
  EXPECT_EQ(summary["threads"], 1);
  EXPECT_EQ(summary["steps"], 30);
  EXPECT_NEAR(summary["sim_seconds"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(folder.is_empty());
}

TEST(Run, TrajectoryHoldsEveryBodyAtEverySampleWithTimeZero) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", "stack", "--duration", "0.5", "--trajectory", "t.csv"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(read_file(folder.file("t.csv")));
  ASSERT_EQ(lines.size(), 1 + 31 * kStackBodies);
  EXPECT_EQ(lines[0], "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,frozen");
  EXPECT_EQ(fields_of(lines[1])[0], "0");
  EXPECT_EQ(fields_of(lines[2])[1], "cube0");
  std::set<std::string> times;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    ASSERT_EQ(fields_of(lines[i]).size(), 16U) << lines[i];
    times.insert(fields_of(lines[i])[0]);
  }
  EXPECT_EQ(times.size(), 31U);
}

TEST(Run, EveryTakesSamplesAtTheInterval) {
  const TemporaryFolder folder;
  // A rounded interval: two steps of 1/60 s.
  const Outcome outcome = run_program(
      {"run", "slide", "--duration", "1", "--every", "0.033333333", "--trajectory", "t.csv", "--contacts", "c.csv"},
      folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines_of(read_file(folder.file("t.csv"))).size(), 1U + 31 * 2);
  std::set<std::string> times;
  const std::vector<std::string> rows = lines_of(read_file(folder.file("c.csv")));
  EXPECT_EQ(rows[0], "time,id,body_a,body_b,px,py,pz,nx,ny,nz,gap,jx,jy,jz,kx,ky,kz,mode");
  for (std::size_t i = 1; i < rows.size(); ++i) times.insert(fields_of(rows[i])[0]);
  EXPECT_EQ(times.size(), 30U) << "no contacts are known before the first step";
}

TEST(Run, MetricsHasOneRowAStep) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", "slide", "--duration", "0.5", "--metrics", "m.csv"}, folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(read_file(folder.file("m.csv")));
  ASSERT_EQ(lines.size(), 31U);
  EXPECT_EQ(
      lines[0],
      "time,contacts,active_contacts,frozen,collision_seconds,contact_seconds,detect_seconds,step_seconds,kinetic_"
      "energy,"
      "potential_energy,momentum_x,momentum_y,momentum_z,max_penetration,residual_model,residual_coulomb,iterations");
  for (const std::string& line : lines) EXPECT_EQ(fields_of(line).size(), 17U) << line;
}

TEST(Run, DumpedProblemHoldsTheContactsOfItsStep) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", "stack", "--duration", "1", "--contacts", "c.csv", "--dump-problem",
                                       "p.problem.json", "--at", "0.5", "--stage", "contacts"},
                                      folder.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Result<ContactProblem> problem = load_problem(folder.file("p.problem.json"));
  ASSERT_TRUE(problem) << problem.message();
  // The rows of the step that begins at 0.5 s carry the time of its end.
  std::size_t rows = 0;
  for (const std::string& line : lines_of(read_file(folder.file("c.csv")))) {
    const double time = std::strtod(line.c_str(), nullptr);
    rows += std::abs(time - (0.5 + 1.0 / 60)) < 1e-6 ? 1 : 0;
  }
  EXPECT_GT(rows, 0U);
  EXPECT_EQ(problem.value().contacts.size(), rows);
  EXPECT_EQ(problem.value().bodies.size(), kStackBodies);
  EXPECT_DOUBLE_EQ(problem.value().gravity, 9.81);
}

TEST(Run, EveryTimeOfTheRunHasAProblem) {
  for (const char* at : {"0", "0.0166", "0.0999", "0.09999999"}) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"run", "slide", "--duration", "0.1", "--dump-problem", "p.json", "--at", at, "-q"}, folder.path());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(load_problem(folder.file("p.json"))) << at;
  }
}

TEST(Run, SettingsReachTheEngine) {
  const TemporaryFolder folder;
  const auto hash = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "stack", "--duration", "0.5", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_program(arguments, folder.path());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out)["state_hash"].get<std::string>();
  };
  const std::string standard = hash({});
  EXPECT_EQ(hash({"--suite", "exact", "--threads", "2"}), standard);
  EXPECT_NE(hash({"--set", "iterations=1", "--set", "warm_start=false"}), standard);
  EXPECT_NE(hash({"--dt", "0.01"}), standard);
}

TEST(Run, InterruptKeepsWhatWasWritten) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Process process(
        {"run", "slide", "--duration", "1e6", "--every", "1", "--trajectory", "t.csv", "--metrics", "m.csv", "--json"},
        folder.path());
    EXPECT_TRUE(wait_for_bytes(folder.file("m.csv"), 1));
    kill(process.id(), signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(contains(outcome.err, "interrupted")) << outcome.err;
    const Json summary = Json::parse(outcome.out);
    EXPECT_TRUE(summary["interrupted"].get<bool>());
    // Every step of the summary is in the file, and the last line is whole.
    const std::string metrics = read_file(folder.file("m.csv"));
    EXPECT_EQ(metrics.back(), '\n');
    EXPECT_EQ(lines_of(metrics).size(), 1 + summary["steps"].get<std::size_t>());
    EXPECT_EQ((lines_of(read_file(folder.file("t.csv"))).size() - 1) % 2, 0U);
  }
}

TEST(Run, FailedSimulationLeavesItsLastGoodState) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("wild.scene.json"))
      << R"({"carom": 1, "bodies": [{"name": "mote", "shape": {"sphere": {"radius": 1}}, "mass": 1e-300, "force": [1e300, 0, 0]}]})";
  const Outcome outcome = run_program({"run", "wild.scene.json", "--trajectory", "t.csv", "--json"}, folder.path());
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "wild-failed.json")) << outcome.err;
  const Json failure = Json::parse(read_file(folder.file("wild-failed.json")));
  EXPECT_EQ(failure["last_good_state"][0]["name"], "mote");
  EXPECT_EQ(failure["last_good_state"][0]["position"], Json({0.0, 0.0, 0.0}));
  EXPECT_FALSE(failure["last_steps"].empty());
  EXPECT_EQ(lines_of(read_file(folder.file("t.csv"))).size(), 2U) << "time zero was good";
}

TEST(Run, UnwritableFileStopsTheRunBeforeItStarts) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"run", "stack", "--trajectory", "t.csv", "--metrics", "no/such/folder/m.csv"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "no/such/folder/m.csv: cannot open the file for writing")) << outcome.err;
  EXPECT_TRUE(folder.is_empty());
}

TEST(Run, FullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "SKIPPED: no /dev/full on this system, so a full disk cannot be played";
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", "slide", "--trajectory", "/dev/full"}, folder.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "/dev/full: cannot write the file")) << outcome.err;
}

TEST(Run, SceneFileIsNeverOverwritten) {
  const TemporaryFolder folder;
  fs::copy_file(fs::path(CAROM_SCENES_DIR) / "slide.scene.json", folder.file("s.scene.json"));
  const std::string before = read_file(folder.file("s.scene.json"));
  const Outcome outcome = run_program({"run", "s.scene.json", "--metrics", "./s.scene.json"}, folder.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(read_file(folder.file("s.scene.json")), before);
}

TEST(Run, ZeroDurationWritesTheStartAlone) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"run", "slide", "--duration", "0", "--trajectory", "t.csv", "--json"}, folder.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["steps"], 0);
  EXPECT_EQ(lines_of(read_file(folder.file("t.csv"))).size(), 3U);
}

TEST(Run, QuietPrintsNothing) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"run", "slide", "--duration", "0.1", "--quiet"}, folder.path());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

}  // namespace
}  // namespace carom::test
