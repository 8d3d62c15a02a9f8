// Newton's second law, checked from outside: the program writes the trajectory and the contacts, and this test
// recomputes the momentum balance from the two files and the scene file alone, without any of the engine's code.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "acceptance.h"

namespace carom::acceptance {
namespace {

using Json = nlohmann::json;
using Row = std::vector<std::string>;

constexpr double kTolerance = 1e-9;

/// Fields of one line; a field in quotes may hold commas, and doubled quotes.
Row split(const std::string& line) {
  Row row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        row.back() += line[++i];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      row.emplace_back();
    } else {
      row.back() += line[i];
    }
  }
  return row;
}

std::vector<Row> read_csv(const std::filesystem::path& path, const std::string& header) {
  std::ifstream file(path);
  std::string line;
  EXPECT_TRUE(std::getline(file, line)) << path;
  EXPECT_EQ(line, header);
  std::vector<Row> rows;
  while (std::getline(file, line)) rows.push_back(split(line));
  return rows;
}

Vec3 vector_at(const Row& row, std::size_t first) {
  return {std::stod(row.at(first)), std::stod(row.at(first + 1)), std::stod(row.at(first + 2))};
}

/// The masses of the scene's dynamic bodies by name: density 1000 times the volume. The scenes here name each body
/// singly.
std::map<std::string, double> masses_of(const Json& scene) {
  std::map<std::string, double> masses;
  for (const Json& body : scene.at("bodies")) {
    EXPECT_FALSE(body.contains("copies") || body.contains("density") || body.contains("mass") ||
                 body.contains("force"));
    if (body.at("type") != "dynamic") continue;
    const Json& shape = body.at("shape");
    double volume = 0;
    if (shape.contains("box")) {
      const auto size = shape["box"]["size"].get<std::array<double, 3>>();
      volume = size[0] * size[1] * size[2];
    } else {
      volume = 4 * std::numbers::pi / 3 * std::pow(shape.at("sphere").at("radius").get<double>(), 3);
    }
    masses[body.at("name")] = 1000 * volume;
  }
  return masses;
}

/// What happened up to one sample of time.
struct Sample {
  std::map<std::string, Vec3> velocities;  // of the dynamic bodies
  std::map<std::string, Vec3> impulses;    // N s: on each dynamic body in the step that ended here
  Vec3 outer_impulse;                      // N s: from bodies that are not dynamic
};

struct Balance {
  double total = 0;     // |Δp − m g dt − impulses of fixed bodies|, relative as the formats say
  double per_body = 0;  // the same for the worst single body, with the impulses of all its contacts
  std::size_t steps = 0;
  std::size_t contacts = 0;
};

class Momentum : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("carom_momentum_" + std::to_string(::getpid()) + "_" +
                                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// By the scene's own suite, or by the one given.
  Balance balance_of(const std::string& name, double duration, const std::string& suite = {}) {
    const auto trajectory = folder_ / "trajectory.csv", contacts = folder_ / "contacts.csv",
               summary = folder_ / "run.json";
    const std::string command = std::string("\"") + CAROM_PROGRAM + "\" run \"" + scene_path(name) + "\" --duration " +
                                std::to_string(duration) + " --trajectory \"" + trajectory.string() +
                                "\" --contacts \"" + contacts.string() + "\" --json " +
                                (suite.empty() ? "" : "--suite " + suite) + " > \"" + summary.string() + "\"";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream scene_file(scene_path(name)), summary_file(summary);
    const Json scene = Json::parse(scene_file), reported = Json::parse(summary_file);
    figure(name + ": momentum error that the program reports", reported.at("momentum_error").get<double>());
    return recompute(scene, trajectory, contacts);
  }

 private:
  static std::map<double, Sample> read_samples(const std::map<std::string, double>& masses,
                                               const std::filesystem::path& trajectory,
                                               const std::filesystem::path& contacts, std::size_t& contact_rows) {
    std::map<double, Sample> samples;
    for (const Row& row : read_csv(trajectory, "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,frozen")) {
      EXPECT_EQ(std::stod(row.at(15)), 0) << "a frozen body: its momentum needs another account";
      if (masses.contains(row.at(1))) samples[std::stod(row[0])].velocities[row[1]] = vector_at(row, 9);
    }
    for (const Row& row : read_csv(contacts, "time,id,body_a,body_b,px,py,pz,nx,ny,nz,gap,jx,jy,jz,kx,ky,kz,mode")) {
      const auto found = samples.find(std::stod(row[0]));
      EXPECT_NE(found, samples.end()) << "a contact at a time without a trajectory sample: " << row[0];
      if (found == samples.end()) continue;
      const Vec3 impulse = vector_at(row, 11) + vector_at(row, 14);
      const bool a = masses.contains(row.at(2)), b = masses.contains(row.at(3));
      if (a) found->second.impulses[row[2]] -= impulse;
      if (b) found->second.impulses[row[3]] += impulse;
      if (a != b) found->second.outer_impulse += b ? impulse : -impulse;
      ++contact_rows;
    }
    return samples;
  }

  static Balance recompute(const Json& scene, const std::filesystem::path& trajectory,
                           const std::filesystem::path& contacts) {
    const auto masses = masses_of(scene);
    const auto g = scene.at("gravity").get<std::array<double, 3>>();
    const Vec3 gravity{g[0], g[1], g[2]};
    double mass = 0;
    for (const auto& [name, m] : masses) mass += m;

    Balance balance;
    const auto samples = read_samples(masses, trajectory, contacts, balance.contacts);
    for (auto before = samples.begin(), now = std::next(before); now != samples.end(); ++before, ++now) {
      const double dt = now->first - before->first;
      Vec3 left = -now->second.outer_impulse - mass * dt * gravity;
      double largest_speed = 0, worst_body = 0;
      for (const auto& [name, m] : masses) {
        const Vec3 from = before->second.velocities.at(name), to = now->second.velocities.at(name);
        const Vec3 change = m * (to - from);
        left += change;
        const auto impulse = now->second.impulses.find(name);
        const Vec3 push = impulse == now->second.impulses.end() ? Vec3{} : impulse->second;
        worst_body = std::max(worst_body, norm(change - m * dt * gravity - push) / m);
        largest_speed = std::max({largest_speed, norm(from), norm(to)});
      }
      const double unit = std::max(norm(gravity) * dt, 1e-3 * largest_speed);
      balance.total = std::max(balance.total, norm(left) / (mass * unit));
      balance.per_body = std::max(balance.per_body, worst_body / unit);
      ++balance.steps;
    }
    return balance;
  }

  std::filesystem::path folder_;
};

void expect_balanced(const std::string& name, const Balance& balance, std::size_t steps) {
  figure(name + ": momentum error from the files alone", balance.total);
  figure(name + ": the same, worst single body", balance.per_body);
  EXPECT_EQ(balance.steps, steps);
  EXPECT_GT(balance.contacts, 0u);
  EXPECT_LE(balance.total, kTolerance);
  EXPECT_LE(balance.per_body, kTolerance);
}

TEST_F(Momentum, StackObeysNewtonFromItsFilesAlone) { expect_balanced("stack", balance_of("stack", 10), 600); }

TEST_F(Momentum, CradleObeysNewtonFromItsFilesAlone) { expect_balanced("cradle", balance_of("cradle", 4), 240); }

TEST_F(Momentum, CubejamObeysNewtonFromItsFilesAlone) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_balanced("cubejam", balance_of("cubejam", 10), 600);
}

TEST_F(Momentum, FirstSecondOfCubeglassObeysNewtonFromItsFilesAlone) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  expect_balanced("cubeglass", balance_of("cubeglass", 1, "exact"), 60);
}

}  // namespace
}  // namespace carom::acceptance
