// carom_bench_events: what an impact of the event-driven suite costs. A gas of equal balls at equal density, of growing
// number: the time of an impact should grow no faster than the logarithm of it. Then a crowd of rods and boxes in a
// closed room, watched for bodies that leave it or overlap, and the scenes of the paper against real time.
#include <time.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "study/log_plot.h"
#include "study/run.h"
#include "study/scene_lookup.h"
#include "support/random.h"

namespace carom::bench {
namespace {

using test::Random;

constexpr Real kFrame = 1.0 / 60;
constexpr Real kSettle = 0.25;  // s
constexpr Real kPitch = 0.3;    // m: every body has a cell of this size

struct Arguments {
  std::vector<int> sides{10, 21, 46};  // balls along an edge of the room: 1000, 9261, 97 336
  int impacts = 100'000;               // at least so many for each size
  int crowd = 13;                      // rods and boxes along an edge: 2197
  Real crowd_seconds = 1;
  std::vector<std::string> scenes{"coins", "bowling", "marbles"};
  std::string plot;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

World make_room(Real half, Real friction) {
  WorldDef def;
  def.suite = "mirtich";
  def.gravity = {};
  World world(def);
  world.set_default_material({friction, friction, 1});
  for (int axis = 0; axis < 3; ++axis) {
    for (const Real side : {-1.0, 1.0}) {
      Vec3 normal;
      normal[axis] = -side;
      BodyDef wall;
      wall.type = BodyType::Fixed;
      wall.shape = Shape::plane(normal, -half);
      world.add_body(wall);
    }
  }
  return world;
}

/// Bodies on a grid, shapes in turn; walls this far beyond the cells.
World make_crowd(int side, Real walls, Real speed, Real spin, const std::vector<ShapePtr>& shapes) {
  const Real half = 0.5 * side * kPitch;
  World world = make_room(half + walls, 0);
  Random random(1);
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell{static_cast<Real>(i % side), static_cast<Real>(i / side % side),
                    static_cast<Real>(i / side / side)};
    BodyDef body;
    body.shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
    body.pose.position = kPitch * (cell + Vec3{0.5, 0.5, 0.5}) - Vec3{half, half, half};
    body.velocity = random.vector(speed);
    body.angular_velocity = random.vector(spin);
    world.add_body(body);
  }
  return world;
}

void measure_gas(const Arguments& arguments) {
  PlotCurve curve{"gas of balls", {}};
  constexpr Real kRadius = 0.1;
  fmt::print("Gas: balls of {} m, one in each cell of {} m, up to 2 m/s along each axis, no friction\n", kRadius,
             kPitch);
  fmt::print("{:>10} {:>10} {:>16} {:>12} {:>16} {:>18}\n", "balls", "impacts", "a ball and s", "CPU s", "us an impact",
             "us / log2 balls");
  for (const int side : arguments.sides) {
    // Centres reach to the end of the cells and no further, so that small gases are not denser than large ones.
    World world = make_crowd(side, kRadius, 2, 0, {Shape::sphere(kRadius)});
    // It starts as a lattice, in which fewer meet: all sizes are measured after the same time.
    for (int frame = 0; frame * kFrame < kSettle; ++frame) world.step(kFrame);
    std::int64_t impacts = 0;
    const Real from = world.time();
    const double start = cpu_seconds();
    while (impacts < arguments.impacts) impacts += world.step(kFrame).events;
    const double seconds = cpu_seconds() - start, count = static_cast<double>(impacts);
    const double balls = std::pow(side, 3), each = 1e6 * seconds / count;
    fmt::print("{:>10} {:>10} {:>16.1f} {:>12.2f} {:>16.2f} {:>18.2f}\n", balls, impacts,
               count / balls / (world.time() - from), seconds, each, each / std::log2(balls));
    curve.points.push_back({balls, each, fmt::format("{} balls: {:.1f} us", balls, each)});
  }
  if (arguments.plot.empty() || curve.points.empty()) return;
  // Through the first measurement, to compare with.
  PlotCurve slope{"log n", {}};
  for (const PlotPoint& point : curve.points)
    slope.points.push_back(
        {point.x, curve.points[0].y * std::log2(point.x) / std::log2(curve.points[0].x), "growth of log n"});
  std::ofstream(arguments.plot) << log_plot_picture({curve, slope}, "balls", "µs an impact");
  fmt::print("plot: {}\n", arguments.plot);
}

void measure_crowd(const Arguments& arguments) {
  const Real half = 0.5 * arguments.crowd * kPitch;
  World world =
      make_crowd(arguments.crowd, 0, 5, 25, {Shape::box({0.175, 0.175, 0.175}), Shape::box({0.12, 0.16, 0.28})});
  const Real energy = world.kinetic_energy();
  std::int64_t impacts = 0, outside = 0;
  Real deepest = 0;
  const double start = cpu_seconds();
  for (int frame = 0; frame * kFrame < arguments.crowd_seconds; ++frame) {
    const StepReport report = world.step(kFrame);
    impacts += report.events;
    deepest = std::max(deepest, report.max_penetration);
    for (const BodyHandle body : world.bodies())
      for (const Vec3& corner : world.shape(body)->corners())
        for (int i = 0; i < 3; ++i) outside += std::abs(transform(world.shape_pose(body), corner)[i]) > half ? 1 : 0;
  }
  fmt::print(
      "\nCrowd: {} rods and boxes, a fifth of a closed room, {} s\n  {} impacts, {:.0f} s CPU; corners outside: {}; "
      "deepest overlap at an impact: {:.2g} m (envelope 1.2e-05 m); energy changed by {:.1e} of itself\n",
      world.body_count() - 6, arguments.crowd_seconds, impacts, cpu_seconds() - start, outside, deepest,
      world.kinetic_energy() / energy - 1);
}

void measure_scene(const Scene& scene) {
  World world = make_world(scene, scene_options(scene));
  const double start = cpu_seconds();
  std::int64_t impacts = 0;
  for (std::int64_t step = 0; step < step_count(scene.duration, scene.dt); ++step)
    impacts += world.step(scene.dt).events;
  const double seconds = cpu_seconds() - start;
  fmt::print("{:>10} {:>10} {:>12.2f} {:>12.2f} {:>16.1f}\n", scene.name, impacts, world.time(), seconds,
             world.time() / seconds);
}

void measure_all(const Arguments& arguments) {
  std::vector<Scene> scenes;  // found before anything is measured: a wrong name costs no run
  for (const std::string& name : arguments.scenes) {
    Result<Scene> scene = find_scene(name);
    if (!scene) fail(scene.message());
    scenes.push_back(std::move(scene.value()));
  }
  measure_gas(arguments);
  if (arguments.crowd > 0) measure_crowd(arguments);
  fmt::print("\n{:>10} {:>10} {:>12} {:>12} {:>16}\n", "scene", "impacts", "simulated s", "CPU s", "times real time");
  for (const Scene& scene : scenes) measure_scene(scene);
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) {
  using namespace carom;
  using namespace carom::bench;
  Arguments arguments;
  CLI::App app("Times the event-driven suite: a gas of balls, a crowd of rods and boxes, scenes against real time");
  app.add_option("--sides", arguments.sides, "balls along an edge of the room, one run each")->capture_default_str();
  app.add_option("--impacts", arguments.impacts, "least number of impacts of each gas")->capture_default_str();
  app.add_option("--crowd", arguments.crowd, "rods and boxes along an edge of the room; 0: none")
      ->capture_default_str();
  app.add_option("--crowd-seconds", arguments.crowd_seconds, "simulated, s")->capture_default_str();
  app.add_option("--scenes", arguments.scenes, "scenes against real time")->delimiter(',')->capture_default_str();
  app.add_option("--plot", arguments.plot, "SVG file for the cost of an impact over the number of balls");
  CLI11_PARSE(app, argc, argv);
  try {
    measure_all(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "carom_bench_events: {}\n", error.what());
    return 2;
  }
  return 0;
}
