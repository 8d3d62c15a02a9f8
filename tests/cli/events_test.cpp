// The impacts of an event-driven suite through the program: the table, the summary, recordings, resuming.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "program.h"

namespace carom::test {
namespace {

using Json = nlohmann::json;

constexpr double kBallMass = 2, kGravity = 9.81;

/// Balls that fall on the floor and on each other, and a block that slides to rest: impacts and microcollisions.
constexpr const char* kScene = R"({
  "carom": 1, "name": "bounces", "gravity": [0, 0, -9.81], "dt": 0.0125, "duration": 2, "suite": "mirtich",
  "materials": { "default": { "friction": 0.3, "restitution": 0.7 } },
  "bodies": [
    { "name": "floor", "type": "fixed", "shape": { "plane": { "normal": [0, 0, 1], "offset": 0 } } },
    { "name": "ball", "shape": { "sphere": { "radius": 0.2 } }, "mass": 2, "position": [0, 0, 0.5],
      "copies": { "count": [2, 1, 3], "spacing": [0.43, 0, 0.6], "jitter": 0.01, "seed": 5 } },
    { "name": "block", "shape": { "box": { "size": [0.3, 0.3, 0.3] } }, "mass": 1, "position": [3, 0, 0.15001],
      "velocity": [0.5, 0, 0] }
  ] })";

/// A folder with the scene.
class Events : public ::testing::Test {
 protected:
  Events() { std::ofstream(folder_.file("bounces.scene.json")) << kScene; }

  Outcome run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"run", "bounces.scene.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_program(arguments, folder_.path());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome;
  }
  std::string text(const std::string& name) const { return read_file(folder_.file(name)); }
  std::vector<std::vector<std::string>> rows(const std::string& name) const {
    std::vector<std::vector<std::string>> rows;
    for (const std::string& line : lines_of(text(name))) rows.push_back(fields_of(line));
    rows.erase(rows.begin());
    return rows;
  }

  TemporaryFolder folder_;
};

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

TEST_F(Events, TheTableExplainsTheMomentumOfEveryBall) {
  run({"--events", "e.csv", "--trajectory", "t.csv", "--every", "2"});
  // z alone: what balls gain is the impulses on them less their weight.
  std::map<std::string, double> impulse;
  for (const auto& row : rows("e.csv")) {
    ASSERT_EQ(row.size(), 16U);
    impulse[row[2]] += number(row[12]);
    impulse[row[1]] -= number(row[12]);
  }
  std::map<std::string, double> first, last;
  for (const auto& row : rows("t.csv")) (number(row[0]) == 0 ? first : last)[row[1]] = number(row[11]);
  int balls = 0;
  for (const auto& [name, velocity] : last) {
    if (!contains(name, "ball")) continue;
    ++balls;
    const double change = kBallMass * (velocity - first[name] + 2 * kGravity);
    // A few thousand additions, each right to a rounding of 1e-16 of the sum, and as many flights between them.
    EXPECT_NEAR(impulse[name], change, 1e-11 * change) << name;
  }
  EXPECT_EQ(balls, 6);
}

TEST_F(Events, TheSummaryAddsTheTableUp) {
  const Json summary = Json::parse(run({"--events", "e.csv", "--json"}).out);
  const Json& events = summary["events"];
  std::map<std::pair<std::string, std::string>, std::array<double, 3>> pairs;  // impacts, impulse, energy
  std::int64_t micro = 0;
  double last = 0, energy = 0;
  const auto table = rows("e.csv");
  for (const auto& row : table) {
    EXPECT_GE(number(row[0]), last) << "in order of time";
    last = number(row[0]);
    micro += row[3] == "impact" ? 0 : 1;
    auto& pair = pairs[row[1] < row[2] ? std::pair(row[1], row[2]) : std::pair(row[2], row[1])];
    pair[0] += 1;
    for (std::size_t axis = 0; axis < 3; ++axis) pair[1] += number(row[7 + axis]) * number(row[10 + axis]);
    pair[2] += number(row[15]);
    energy += number(row[15]);
  }
  EXPECT_EQ(events["count"], table.size());
  EXPECT_EQ(events["micro"], micro);
  EXPECT_GT(micro, 0);
  EXPECT_LT(micro, table.size());
  EXPECT_EQ(events["pair_count"], pairs.size());
  double before = std::numeric_limits<double>::infinity();
  for (const Json& pair : events["pairs"]) {
    const std::string a = pair["a"], b = pair["b"];
    const auto& sums = pairs.at(a < b ? std::pair(a, b) : std::pair(b, a));
    EXPECT_EQ(pair["events"], sums[0]);
    EXPECT_NEAR(pair["impulse"].get<double>(), sums[1], 1e-12 * sums[1]);
    EXPECT_NEAR(pair["mean_force"].get<double>(), sums[1] / 2, 1e-12 * sums[1]);
    EXPECT_NEAR(pair["energy_loss"].get<double>(), sums[2], 1e-12 * std::abs(energy));
    EXPECT_LE(pair["impulse"].get<double>(), before) << "the largest first";
    before = pair["impulse"].get<double>();
  }
  const double lost = summary["energy_start"].get<double>() - summary["energy_end"].get<double>();
  // Flights that turn keep their energy to the accuracy of their integration, the others to rounding.
  EXPECT_NEAR(energy, lost, 1e-9 * lost) << "flights keep the energy, impacts tell what they take";
}

TEST_F(Events, TheTableIsTheSameInEveryRunAndForAnyNumberOfThreads) {
  run({"--events", "a.csv", "--threads", "1", "-q"});
  run({"--events", "b.csv", "--threads", "2", "-q"});
  EXPECT_GT(text("a.csv").size(), 1000U);
  EXPECT_EQ(text("a.csv"), text("b.csv"));
}

TEST_F(Events, AResumedRunWritesTheRestAndTheRecordingHoldsAll) {
  run({"--events", "whole.csv", "-q"});
  run({"--duration", "0.7", "--record", "r.carom", "--record-events", "--events", "begin.csv", "-q"});
  const Outcome resumed = run_program(
      {"run", "--resume", "r.carom", "--record", "r.carom", "--duration", "2", "--events", "rest.csv", "-q"},
      folder_.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  const std::string rest = text("rest.csv");
  EXPECT_EQ(text("begin.csv") + rest.substr(rest.find('\n') + 1), text("whole.csv"));
  const Outcome exported = run_program({"export", "r.carom", "--events", "back.csv", "-q"}, folder_.path());
  ASSERT_EQ(exported.status, 0) << exported.err;
  EXPECT_EQ(text("back.csv"), text("whole.csv"));
  const Json info = Json::parse(run_program({"info", "r.carom", "--json"}, folder_.path()).out);
  EXPECT_EQ(info["events"], rows("whole.csv").size());
}

TEST_F(Events, AKilledRunLeavesTheRowsOfTheFramesItFinished) {
  run({"--events", "whole.csv", "-q"});
  Process process({"run", "bounces.scene.json", "--duration", "100000", "--events", "e.csv", "-q"}, folder_.path());
  EXPECT_TRUE(wait_for_bytes(folder_.file("e.csv"), 5000));
  kill(process.id(), SIGKILL);
  process.wait();
  const std::string whole = text("whole.csv"), killed = text("e.csv");
  const std::size_t common = std::min(whole.size(), killed.size());
  EXPECT_EQ(killed.substr(0, common), whole.substr(0, common));
}

}  // namespace
}  // namespace carom::test
