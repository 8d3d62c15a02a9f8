// Freezing: what is frozen is supported, holds what lies on it, and does not move.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "acceptance.h"
#include "study/run.h"
#include "study/scene_lookup.h"

namespace carom::acceptance {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

/// Rows of a table by their time, as text: both files of a run write the same digits.
std::map<std::string, std::vector<std::vector<std::string>>> rows_by_time(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::map<std::string, std::vector<std::vector<std::string>>> rows;
  while (std::getline(file, line)) {
    std::vector<std::string> row = cells(line);
    rows[row[0]].push_back(std::move(row));
  }
  return rows;
}

/// Columns of the files.
enum Trajectory : std::uint8_t { kBody = 1, kFrozen = 15 };
enum Contacts : std::uint8_t { kBodyA = 2, kBodyB = 3, kNormalZ = 9, kGap = 10 };

/// Names of frozen bodies, by time.
std::map<std::string, std::set<std::string>> frozen_bodies(const std::string& trajectory) {
  std::map<std::string, std::set<std::string>> frozen;
  for (const auto& [time, rows] : rows_by_time(trajectory))
    for (const auto& row : rows)
      if (row[kFrozen] == "1") frozen[time].insert(row[kBody]);
  return frozen;
}

/// Walks the files of a run: every frozen body has a closed contact with a fixed or frozen body that can carry some of
/// its weight, by its normal or, beside a wall, by friction: it does not press down.
void expect_support(const Scene& made, const std::string& trajectory, const std::string& contacts) {
  std::set<std::string> fixed;
  for (const SceneBody& body : made.bodies)
    if (body.def.type == BodyType::Fixed) fixed.insert(body.def.name);
  constexpr Real kClosed = 2e-4;  // m: twice ε_c, for what has settled since
  constexpr Real kLevel = 1e-3;   // a normal that is level but for rounding and the tilt of what leans on a wall
  const auto frozen = frozen_bodies(trajectory);
  const auto rows = rows_by_time(contacts);
  std::size_t seen = 0;
  for (const auto& [time, names] : frozen) {
    const auto holds = [&](const std::string& name) { return fixed.contains(name) || names.contains(name); };
    std::set<std::string> supported;
    if (const auto now = rows.find(time); now != rows.end())
      for (const auto& row : now->second) {
        const Real up = std::stod(row[kNormalZ]);
        if (std::stod(row[kGap]) > kClosed) continue;
        if (up > -kLevel && holds(row[kBodyA])) supported.insert(row[kBodyB]);
        if (up < kLevel && holds(row[kBodyB])) supported.insert(row[kBodyA]);
      }
    for (const std::string& name : names) {
      ++seen;
      ASSERT_TRUE(supported.contains(name)) << made.name << ", " << made.suite << ": " << name << " at " << time;
    }
  }
  figure(made.name + ", " + made.suite + ": frozen bodies seen, over all steps", static_cast<double>(seen));
  EXPECT_GT(seen, 0u) << "nothing froze: the test saw nothing";
}

/// Runs a scene with freezing and its files.
void run_with_files(const Scene& made, std::vector<std::string> set, Real duration, const std::string& trajectory,
                    const std::string& contacts) {
  RunSettings settings;
  set.emplace_back("freezing=true");
  const Result<Options> options = choose_options(made, set);
  if (!options) fail(options.message());
  settings.options = options.value();
  settings.dt = made.dt;
  settings.duration = duration;
  settings.outputs.trajectory = trajectory;
  settings.outputs.contacts = contacts;
  const RunResult result = run_scene(made, settings);
  ASSERT_EQ(result.end, RunEnd::Complete) << result.message;
  figure(made.name + ", " + made.suite + ": frozen at the end", static_cast<double>(result.summary.frozen_end));
}

TEST(Freezing, NoBodyIsFrozenWithoutSupport) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const auto folder = std::filesystem::temp_directory_path();
  const std::string trajectory = (folder / "carom_frozen_trajectory.csv").string(),
                    contacts = (folder / "carom_frozen_contacts.csv").string();
  const auto walk = [&](const std::string& suite, const std::string& name, const std::vector<std::string>& set) {
    Scene made = scene(name);
    ASSERT_EQ(choose_suite(made, suite), "");
    run_with_files(made, set, 5, trajectory, contacts);
    expect_support(made, trajectory, contacts);
  };
  walk("sequential", "stack", {});
  walk("schmidl", "stack", {});
  walk("exact", "csstack", {});
  walk("schmidl", "csstack", {});
  walk("sequential", "cubejam", {});
  walk("schmidl", "cubejam", {});
  // As the paper measures, and as soon as can be.
  walk("schmidl", "cubejam", {"collisions=qp", "c_f=1"});
  walk("sequential", "cubejam", {"c_f=1"});
  std::filesystem::remove(trajectory);
  std::filesystem::remove(contacts);
}

/// m: how far a cube sinks into a frozen one in a hundred steps of a thirtieth of a second.
Real sinking(const std::string& suite) {
  WorldDef def;
  def.suite = suite;
  def.options = Options(find_suite(suite)->options);
  // The upper cube is never quiet for long enough.
  for (const auto& [name, value] : std::vector<std::pair<std::string, OptionValue>>{{"freezing", true}, {"c_f", 1e6}})
    if (const std::string refusal = def.options.set(name, value); !refusal.empty()) fail(refusal);
  World world(def);
  BodyDef floor;
  floor.type = BodyType::Fixed;
  floor.shape = Shape::plane({0, 0, 1}, 0);
  world.add_body(floor);
  std::vector<BodyHandle> cubes;
  for (const Real height : {0.5, 1.5}) {
    BodyDef cube;
    cube.shape = Shape::box({1, 1, 1});
    cube.pose.position = {0, 0, height};
    cubes.push_back(world.add_body(cube));
  }
  world.freeze(cubes[0]);
  for (int step = 0; step < 100; ++step) world.step(1.0 / 30);
  EXPECT_TRUE(world.is_frozen(cubes[0])) << suite;
  return 1.5 - world.state(cubes[1]).position.z;
}

TEST(Freezing, ACubeOnAFrozenCubeDoesNotSink) {
  for (const SuiteInfo& suite : suite_registry()) {
    if (suite.event_driven) continue;
    if (suite.name == "penalty") continue;  // soft by nature
    const Real sunk = sinking(suite.name);
    figure(suite.name + ": cube on a frozen cube sinks in 100 steps", 1e3 * sunk, "mm");
    // Contacts of `fast` are soft: under one weight they give way by leak/share of what gravity does in a substep.
    constexpr Real kSubstep = 1.0 / 30 / 12, kSoft = 0.15 / 0.3 * 9.81 * kSubstep * kSubstep;
    EXPECT_LE(std::abs(sunk), suite.name == "fast" ? 1.01 * kSoft : 1e-5) << suite.name;
  }
}

}  // namespace
}  // namespace carom::acceptance
