// Recordings through the program: killed, out of space, resumed, exported.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "program.h"
#include "support/random.h"
#include "support/slow_build.h"

namespace carom::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kCubejamBodies = 117;

/// The trajectory in a recording, as the program writes it.
Outcome export_trajectory(const TemporaryFolder& folder, const std::string& recording) {
  fs::remove(folder.file("back.csv"));
  return run_program({"export", recording, "--trajectory", "back.csv", "-q"}, folder.path());
}

/// Rows of `part` that are complete frames and equal to the beginning of `whole`.
std::size_t frames_that_agree(const std::string& part, const std::string& whole) {
  EXPECT_EQ(whole.compare(0, part.size(), part), 0) << "a row differs from the uninterrupted run's";
  const std::size_t rows = lines_of(part).size() - 1;
  EXPECT_EQ(rows % kCubejamBodies, 0U) << "a frame is incomplete";
  return rows / kCubejamBodies;
}

TEST(Record, ExportGivesWhatTheRunWouldHaveWritten) {
  const TemporaryFolder folder;
  const Outcome run = run_program({"run", "cubejam", "--duration", "1", "--record", "r.carom", "--record-contacts",
                                   "--trajectory", "t.csv", "--metrics", "m.csv", "--contacts", "c.csv", "-q"},
                                  folder.path());
  ASSERT_EQ(run.status, 0) << run.err;
  const Outcome exported = run_program(
      {"export", "r.carom", "--trajectory", "t2.csv", "--metrics", "m2.csv", "--contacts", "c2.csv"}, folder.path());
  ASSERT_EQ(exported.status, 0) << exported.err;
  EXPECT_TRUE(contains(exported.out, "61 frames, 60 steps")) << exported.out;
  EXPECT_EQ(read_file(folder.file("t.csv")), read_file(folder.file("t2.csv")));
  EXPECT_EQ(read_file(folder.file("m.csv")), read_file(folder.file("m2.csv")));
  EXPECT_EQ(read_file(folder.file("c.csv")), read_file(folder.file("c2.csv")));
}

TEST(Record, AnimationsFromARecordingEqualThoseOfTheRun) {
  const TemporaryFolder folder;
  const Outcome run = run_program({"run", "cradle", "--duration", "1", "--record", "r.carom", "--record-contacts",
                                   "--gltf", "a.glb", "--usd", "a.usda", "-q"},
                                  folder.path());
  ASSERT_EQ(run.status, 0) << run.err;
  const Outcome exported = run_program({"export", "r.carom", "--gltf", "b.glb", "--usd", "b.usda"}, folder.path());
  ASSERT_EQ(exported.status, 0) << exported.err;
  EXPECT_GT(read_file(folder.file("a.glb")).size(), 1000U);
  EXPECT_EQ(read_file(folder.file("a.glb")), read_file(folder.file("b.glb")));
  EXPECT_GT(read_file(folder.file("a.usda")).size(), 1000U);
  EXPECT_EQ(read_file(folder.file("a.usda")), read_file(folder.file("b.usda")));
}

TEST(Record, KilledAtAnyMomentItHoldsTheFramesOfTheUninterruptedRun) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {"run", "cubejam",  "--suite", "sequential", "--duration",
                                              "3",   "--record", "r.carom", "-q"};
  const auto start = Clock::now();
  ASSERT_EQ(run_program(arguments, folder.path()).status, 0);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ASSERT_EQ(export_trajectory(folder, "r.carom").status, 0);
  const std::string whole = read_file(folder.file("back.csv"));

  Random random(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()));
  constexpr int kKills = CAROM_SLOW_BUILD ? 8 : 50;
  int with_frames = 0, cut_short = 0;
  for (int i = 0; i < kKills; ++i) {
    fs::remove(folder.file("r.carom"));
    Process process(arguments, folder.path());
    std::this_thread::sleep_for(std::chrono::duration<double>(random.uniform(0, seconds)));
    kill(process.id(), SIGKILL);
    process.wait();
    if (!fs::exists(folder.file("r.carom"))) continue;  // killed before it began
    const Outcome info = run_program({"info", "r.carom"}, folder.path());
    const Outcome exported = export_trajectory(folder, "r.carom");
    if (exported.status == 2) {
      // Killed between opening the file and its first chunk.
      EXPECT_LT(fs::file_size(folder.file("r.carom")), 10'000U) << exported.err;
      EXPECT_TRUE(contains(exported.err, "recording")) << exported.err;
      continue;
    }
    ASSERT_EQ(exported.status, 0) << exported.err;
    EXPECT_FALSE(contains(info.out, "DAMAGED")) << info.out;
    cut_short += contains(info.out, "was killed") ? 1 : 0;
    with_frames += frames_that_agree(read_file(folder.file("back.csv")), whole) > 0 ? 1 : 0;
  }
  std::printf("[ FIGURE   ] of %d killed runs, %d left frames, %d without an end\n", kKills, with_frames, cut_short);
  EXPECT_GT(with_frames, kKills / 3);
  EXPECT_GT(cut_short, kKills / 3);
}

TEST(Record, AKilledRunIsContinuedToTheSameEnd) {
  const TemporaryFolder folder;
  const Outcome whole = run_program({"run", "cubejam", "--duration", "3", "--json"}, folder.path());
  Process process({"run", "cubejam", "--duration", "3", "--record", "r.carom", "--snapshot-every", "0.1", "-q"},
                  folder.path());
  EXPECT_TRUE(wait_for_bytes(folder.file("r.carom"), 200'000));
  kill(process.id(), SIGKILL);
  process.wait();
  const Outcome resumed = run_program({"run", "--resume", "r.carom", "--record", "r.carom", "--json"}, folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(Json::parse(resumed.out)["state_hash"], Json::parse(whole.out)["state_hash"]);
  const Outcome info = run_program({"info", "r.carom", "--json"}, folder.path());
  EXPECT_EQ(Json::parse(info.out)["frames"], 181);
  EXPECT_EQ(Json::parse(info.out)["steps"], 180);
  EXPECT_EQ(Json::parse(info.out)["end"]["reason"], "complete");
}

TEST(Record, ResumeWritesTheRestOfTheTables) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({"run", "stack", "--duration", "2", "--record", "r.carom", "--trajectory", "all.csv", "-q"},
                        folder.path())
                .status,
            0);
  const Outcome resumed =
      run_program({"run", "--resume", "r.carom", "--from", "1.2", "--trajectory", "rest.csv"}, folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.out, "Resuming stack from 1 s (step 60)")) << resumed.out;
  const std::string all = read_file(folder.file("all.csv")), rest = read_file(folder.file("rest.csv"));
  const std::string rows = rest.substr(rest.find('\n') + 1);
  EXPECT_EQ(lines_of(rows).size(), 61U * 11);
  EXPECT_EQ(all.substr(all.size() - rows.size()), rows);
}

TEST(Record, InterruptedItSaysSoInTheRecording) {
  const TemporaryFolder folder;
  Process process({"run", "cubejam", "--duration", "1000", "--record", "r.carom", "-q"}, folder.path());
  EXPECT_TRUE(wait_for_bytes(folder.file("r.carom"), 10'000));
  kill(process.id(), SIGINT);
  EXPECT_EQ(process.wait().status, 1);
  const Outcome info = run_program({"info", "r.carom", "--json"}, folder.path());
  EXPECT_EQ(info.status, 0) << info.err;
  const Json contents = Json::parse(info.out);
  EXPECT_EQ(contents["end"]["reason"], "interrupted");
  // The last snapshot is the last moment.
  EXPECT_EQ(contents["snapshots"].back(), contents["end"]["time"]);
}

/// Runs a shell command in the folder; its exit status.
int shell(const TemporaryFolder& folder, const std::string& command) {
  const int status = std::system(("cd '" + folder.path().string() + "' && { " + command + "; }").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void expect_message_and_readable_file(const TemporaryFolder& folder, const std::string& reason) {
  EXPECT_EQ(read_file(folder.file("status")), "1\n");
  EXPECT_TRUE(contains(read_file(folder.file("err")), "cannot write the file: " + reason))
      << read_file(folder.file("err"));
  const Outcome info = run_program({"info", "out.carom", "--json"}, folder.path());
  ASSERT_EQ(info.status, 0) << info.out << info.err;
  const Json contents = Json::parse(info.out);
  EXPECT_GT(contents["frames"], 10);
  EXPECT_EQ(contents["unfinished_bytes"], 0) << "the unfinished chunk was to be cut off";
  ASSERT_EQ(run_program({"run", "cubejam", "--duration", "3", "--trajectory", "whole.csv", "-q"}, folder.path()).status,
            0);
  ASSERT_EQ(export_trajectory(folder, "out.carom").status, 0);
  frames_that_agree(read_file(folder.file("back.csv")), read_file(folder.file("whole.csv")));
}

TEST(Record, AFullDiskEndsTheRunWithAMessageAndAReadableFile) {
  const TemporaryFolder folder;
  // A file system of half a megabyte, in a mount namespace of its own. Needs root or user namespaces.
  const std::string own_mounts = geteuid() == 0 ? "unshare -m" : "unshare -rm";
  const std::string script =
      "mount -t tmpfs -o size=500k tmpfs disk && { " CAROM_PROGRAM
      " run cubejam --duration 3 --record disk/r.carom -q 2>err; echo $? >status; cp disk/r.carom out.carom; }";
  if (shell(folder, "mkdir disk && " + own_mounts + " sh -c '" + script + "' 2>mount_err") != 0)
    GTEST_SKIP() << "SKIPPED: no small file system can be mounted here: " << read_file(folder.file("mount_err"))
                 << "The limit on file sizes below tries the same way out.";
  expect_message_and_readable_file(folder, "No space left on device");
}

TEST(Record, ALimitOnFileSizesEndsTheRunWithAMessageAndAReadableFile) {
  const TemporaryFolder folder;
  const std::string run = CAROM_PROGRAM " run cubejam --duration 3 --record out.carom -q";
  ASSERT_EQ(shell(folder, "(ulimit -f 1000; " + run + " 2>err; echo $? >status)"), 0);  // blocks of 512 bytes
  expect_message_and_readable_file(folder, "File too large");
}

TEST(Record, BadUseIsRefusedWithAReason) {
  const TemporaryFolder folder;
  const auto expect_refusal = [&](const std::vector<std::string>& arguments, const std::string& reason) {
    const Outcome outcome = run_program(arguments, folder.path());
    EXPECT_EQ(outcome.status, 2) << reason;
    EXPECT_TRUE(contains(outcome.err, reason)) << outcome.err;
  };
  ASSERT_EQ(run_program({"run", "stack", "--duration", "0.2", "--record", "r.carom", "-q"}, folder.path()).status, 0);
  const std::string before = read_file(folder.file("r.carom"));
  std::ofstream(folder.file("t.txt")) << "no recording";
  expect_refusal({"run"}, "neither SCENE nor --resume");
  expect_refusal({"run", "stack", "--resume", "r.carom"}, "excludes");
  expect_refusal({"run", "--resume", "r.carom", "--dt", "0.1"}, "excludes");
  expect_refusal({"run", "--resume", "missing.carom"}, "missing.carom: cannot read the file");
  expect_refusal({"run", "--resume", "t.txt"}, "no recording of Carom");
  expect_refusal({"run", "--resume", "r.carom"}, "longer duration");
  expect_refusal({"run", "--resume", "r.carom", "--duration", "1", "--trajectory", "r.carom"}, "another file");
  expect_refusal({"run", "--resume", "r.carom", "--duration", "1", "--dump-problem", "p.json", "--at", "0.1"},
                 "the run goes from 0.2 to 1 s");
  expect_refusal({"run", "stack", "--record", "r.carom", "--snapshot-every", "0"}, "between snapshots");
  expect_refusal({"run", "stack", "--gltf", "a.glb", "--fps", "0"}, "frame rate");
  expect_refusal({"info", "t.txt"}, "no recording of Carom");
  expect_refusal({"export", "r.carom"}, "no output");
  expect_refusal({"export", "r.carom", "--contacts", "c.csv"}, "holds no contacts");
  expect_refusal({"export", "r.carom", "--events", "e.csv"}, "holds no events");
  expect_refusal({"run", "stack", "--events", "e.csv"}, "which takes fixed steps and has no events");
  expect_refusal({"run", "stack", "--record", "s.carom", "--record-events"},
                 "which takes fixed steps and has no events");
  expect_refusal({"export", "r.carom", "--trajectory", "r.carom"}, "the recording itself");
  expect_refusal({"export", "r.carom", "--trajectory", "no/such/folder/t.csv"}, "cannot open");
  EXPECT_EQ(read_file(folder.file("r.carom")), before) << "a refused command has changed the recording";
}

TEST(Record, DamageIsReportedAndTheRestExported) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({"run", "cubejam", "--duration", "2", "--record", "r.carom", "-q"}, folder.path()).status, 0);
  {
    std::fstream file(folder.file("r.carom"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(fs::file_size(folder.file("r.carom")) / 2));
    file << "damage";
  }
  const Outcome info = run_program({"info", "r.carom"}, folder.path());
  EXPECT_EQ(info.status, 1);
  EXPECT_TRUE(contains(info.out, "DAMAGED") && contains(info.out, "checksum is wrong")) << info.out;
  const Outcome exported = run_program({"export", "r.carom", "--trajectory", "t.csv"}, folder.path());
  EXPECT_EQ(exported.status, 1);
  EXPECT_TRUE(contains(exported.err, "checksum is wrong")) << exported.err;
  EXPECT_GT(lines_of(read_file(folder.file("t.csv"))).size(), kCubejamBodies);
}

}  // namespace
}  // namespace carom::test
