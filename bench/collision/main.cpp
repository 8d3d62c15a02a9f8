// carom_bench_collision: what a distance query costs, by the number of faces and by the motion between queries. Method:
// docs/collision.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "study/log_plot.h"
#include "support/marbles.h"
#include "support/rolling_marble.h"

namespace carom::bench {
namespace {

constexpr int kCuts[] = {1, 2, 4, 8, 16, 25};  // of the edges of an octahedron: 8 to 5000 faces
constexpr Real kRadian = 180 / 3.14159265358979;

struct Arguments {
  int queries = 20000, repeats = 7;
  std::vector<double> degrees{0.1, 0.5, 2};
  std::string plot;
};

struct Cost {
  double nanoseconds = 0;  // processor time a query, the least of the repeats
  double steps = 0;        // changes of features a query
};

/// The least of several runs: the machine may be shared.
template <class Run, class Query>
Cost cost_of(const Run& run, int repeats, const Query& query) {
  Cost cost{1e300, 0};
  for (int r = 0; r < repeats; ++r) {
    double steps = 0;
    const std::clock_t start = std::clock();
    for (int i = 0; i < run.queries(); ++i) steps += query(i);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    cost = {std::min(cost.nanoseconds, 1e9 * seconds / run.queries()), steps / run.queries()};
  }
  return cost;
}

Cost walk(const test::MarbleRun& run, int repeats) {
  FeaturePair features;
  closest_features(run.still(0), run.rolling(0), features);
  return cost_of(run, repeats, [&](int i) { return closest_features(run.still(i), run.rolling(i), features).steps; });
}

/// As an impulse-based simulation asks: at the times before which nothing can collide.
Cost walk_rolling(const test::RollingMarble& run, int repeats) {
  std::array<FeaturePair, 2> features;
  return cost_of(run, repeats, [&](int i) { return run.ask(i, features).steps; });
}

Cost gjk(const test::MarbleRun& run, int repeats) {
  const Shape::Geometry marble = Hull{run.polyhedron()};
  DistanceHint hint;
  return cost_of(run, repeats, [&](int i) {
    const PlacedPolyhedron &a = run.still(i), &b = run.rolling(i);
    signed_distance({&marble, a.position, a.rotation}, {&marble, b.position, b.rotation}, hint);
    return 0;
  });
}

void report(const Arguments& arguments) {
  std::vector<PlotCurve> curves;
  fmt::print("| faces | rolling: turn | steps | ns |");
  for (const double degrees : arguments.degrees) {
    fmt::print(" steps at {0}° | ns at {0}° |", degrees);
    curves.push_back({fmt::format("walk, {}° a query", degrees), {}});
  }
  curves.push_back({"GJK, 0.5° a query", {}});
  PlotCurve rolling{"walk, at times of impact", {}};
  fmt::print(" GJK, ns at 0.5° |\n|---|---|---|---|");
  for (std::size_t k = 0; k < arguments.degrees.size(); ++k) fmt::print("---|---|");
  fmt::print("---|\n");
  for (const int cuts : kCuts) {
    const std::size_t faces = test::marble(cuts)->faces().size();
    const test::RollingMarble roll(cuts, arguments.queries);
    const Cost rolled = walk_rolling(roll, arguments.repeats);
    rolling.points.push_back({static_cast<double>(faces), rolled.nanoseconds, {}});
    fmt::print("| {} | {:.3f}° | {:.2f} | {:.0f} |", faces, roll.turn_a_query() * kRadian, rolled.steps,
               rolled.nanoseconds);
    for (std::size_t k = 0; k < arguments.degrees.size(); ++k) {
      const test::MarbleRun run(cuts, arguments.queries, arguments.degrees[k] / kRadian);
      const Cost cost = walk(run, arguments.repeats);
      fmt::print(" {:.2f} | {:.0f} |", cost.steps, cost.nanoseconds);
      curves[k].points.push_back({static_cast<double>(faces), cost.nanoseconds, {}});
    }
    const Cost cost = gjk(test::MarbleRun(cuts, arguments.queries), arguments.repeats);
    fmt::print(" {:.0f} |\n", cost.nanoseconds);
    curves.back().points.push_back({static_cast<double>(faces), cost.nanoseconds, {}});
  }
  curves.insert(curves.begin(), rolling);
  if (!arguments.plot.empty())
    std::ofstream(arguments.plot) << log_plot_picture(curves, "faces of each marble", "nanoseconds a query");
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Times queries for the closest features of two marbles that roll past each other.");
  app.add_option("--queries", arguments.queries, "queries in a row")->capture_default_str();
  app.add_option("--repeats", arguments.repeats, "runs, of which the fastest counts")->capture_default_str();
  app.add_option("--degrees", arguments.degrees, "how far the marbles turn between queries")->capture_default_str();
  app.add_option("--plot", arguments.plot, "write the times as a picture (SVG)");
  CLI11_PARSE(app, argc, argv);
  report(arguments);
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::run(argc, argv); }
