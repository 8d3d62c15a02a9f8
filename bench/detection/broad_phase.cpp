// carom_bench_broad_phase: what an update of the broad phase costs when many bodies rest and a few move.
//
// A floor of touching cubes on one slab; over it fly cubes that touch what they pass. Reported: CPU time of placing the
// moving boxes and updating tree and pairs, the least, the median and the largest over the steps, and the number of
// boxes looked at, which does not depend on the machine.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include "carom/base/error.h"
#include "collision/broad_phase.h"

namespace carom::bench {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Aabb cube_at(const Vec3& center) { return {center - Vec3{0.5, 0.5, 0.5}, center + Vec3{0.5, 0.5, 0.5}}; }

void measure(int resting, int moving, double speed, int steps, bool frozen) {
  constexpr PairRole kDynamic{true, true};
  PairRole at_rest = kDynamic;
  at_rest.frozen = frozen;
  BroadPhase broad;
  const int side = std::max(1, static_cast<int>(std::lround(std::sqrt(resting))));
  for (int i = 0; i < resting; ++i) {
    const int row = i / side;
    broad.place(i, cube_at({1.0 * (i % side), 1.0 * row, 0.5}), {}, at_rest);
  }
  broad.place(resting, {{-1, -1, -1}, {1.0 * side, 1.0 * side, 0}}, {}, {});
  std::vector<Vec3> at;
  at.reserve(static_cast<std::size_t>(moving));
  for (int i = 0; i < moving; ++i) at.push_back({side * (i + 0.5) / moving, std::fmod(7.3 * i, side), 1.4});

  std::vector<double> seconds;
  std::int64_t boxes = 0, moved = 0;
  for (int step = 0; step <= steps; ++step) {
    const double start = cpu_seconds();
    for (int i = 0; i < moving; ++i) {
      Vec3& p = at[static_cast<std::size_t>(i)];
      const Vec3 sweep{i % 2 == 0 ? speed : -speed, 0.7 * speed, 0};
      p += sweep;
      broad.place(resting + 1 + i, cube_at(p).swept(sweep, 0.01), sweep, kDynamic);
    }
    broad.update(nullptr);
    if (step == 0) continue;  // everything is new
    seconds.push_back(cpu_seconds() - start);
    boxes += broad.work().box_tests + broad.work().tree_steps;
    moved += broad.work().moved;
  }
  require(!seconds.empty(), "no step was timed");
  std::sort(seconds.begin(), seconds.end());
  fmt::print("| {} | {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.1f} | {:.0f} |\n", resting, frozen ? "yes" : "no",
             moving, speed, 1e3 * seconds.front(), 1e3 * seconds[seconds.size() / 2], 1e3 * seconds.back(),
             static_cast<double>(moved) / steps, static_cast<double>(boxes) / steps);
}

int main_function(int argc, char** argv) {
  int steps = 200;
  CLI::App app("What an update of the broad phase costs when many bodies rest and a few move.");
  app.add_option("--steps", steps, "of each row")->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  fmt::print(
      "| at rest | frozen | moving | sizes a step | ms least | median | most | left their box | boxes looked at |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const int resting : {1000, 10000, 100000})
    for (const double speed : {0.01, 0.2, 2.0}) measure(resting, 100, speed, steps, false);
  for (const int moving : {10, 1000}) measure(100000, moving, 0.2, steps, false);
  for (const double speed : {0.01, 0.2, 2.0}) measure(100000, 100, speed, steps, true);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::main_function(argc, argv); }
