// carom_bench: the scenes on Carom, Bullet and ODE in one run; cost and error side by side. Method: docs/benchmarks.md.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>

#include "measure.h"
#include "report.h"

namespace carom::bench {
namespace {

struct Arguments {
  std::vector<std::string> scenes{"stack",     "tower100", "cubejam",   "csstack", "pyramid",
                                  "cubeglass", "cubeflow", "hourglass", "pile5000"};
  std::vector<std::string> engines{"carom", "bullet", "ode"};
  std::vector<std::string> set;
  std::string scaling;
  std::string json;
  double duration = 10;
  int steps = 0;
  int repeats = 2;
  int threads = 1;
};

/// A built-in scene by name, else a file.
Scene find_scene(const std::string& name) {
  for (const BuiltInScene& built_in : built_in_scenes()) {
    if (built_in.name != name) continue;
    Result<Scene> parsed = parse_scene(built_in.json, name);
    if (!parsed) fail(parsed.message());
    return parsed.value();
  }
  Result<Scene> loaded = load_scene(name);
  if (!loaded) fail(loaded.message());
  return loaded.value();
}

int steps_of(const Scene& scene, const Arguments& arguments) {
  if (arguments.steps > 0) return arguments.steps;
  return std::max(1, static_cast<int>(std::lround(std::min(arguments.duration, scene.duration) / scene.dt)));
}

void show_progress(const std::string& line) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::cerr << "\r\x1b[K" << line << std::flush;
}

void end_progress() {
  if (isatty(STDERR_FILENO) != 0) std::cerr << "\r\x1b[K";
}

std::vector<EngineFactory> factories(const Arguments& arguments) {
  std::vector<EngineFactory> engines;
  for (const std::string& name : arguments.engines) {
    if (name == "carom") engines.emplace_back([&] { return make_carom(arguments.threads, arguments.set); });
    if (name == "bullet") engines.emplace_back(make_bullet);
    if (name == "ode") engines.emplace_back(make_ode);
  }
  return engines;
}

void run(const Arguments& arguments) {
  const Circumstances where = circumstances();
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json, std::ios::app);
    require(json.good(), "carom_bench: the file given with --json cannot be written");
  }
  const auto measured = [&](const std::string& name, const std::vector<EngineFactory>& engines) {
    const Scene scene = find_scene(name);
    if (isatty(STDERR_FILENO) == 0) std::cerr << "running " << name << '\n';
    auto results = measure_scene(scene, engines, steps_of(scene, arguments), arguments.repeats, show_progress);
    end_progress();
    if (json.is_open()) write_json_lines(json, results, where);
    return results;
  };

  if (!arguments.scaling.empty()) {
    const std::vector<EngineFactory> engines{[&] { return make_carom(1, arguments.set); },
                                             [&] { return make_carom(std::max(2, arguments.threads), arguments.set); }};
    print_scaling(std::cout, measured(arguments.scaling, engines));
    return;
  }
  print_header(std::cout, where);
  for (const std::string& name : arguments.scenes) print_rows(std::cout, measured(name, factories(arguments)));
}

int main_function(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Scenes on Carom, Bullet and ODE in one run, interleaved: milliseconds a step with the error beside it.");
  app.add_option("--scenes", arguments.scenes, "built-in scenes or scene files")->delimiter(',')->capture_default_str();
  app.add_option("--engines", arguments.engines, "carom, bullet, ode")
      ->delimiter(',')
      ->check(CLI::IsMember({"carom", "bullet", "ode"}))
      ->capture_default_str();
  app.add_option("--duration", arguments.duration, "simulated seconds, at most the scene's own")->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps instead of a duration");
  app.add_option("--repeats", arguments.repeats, "interleaved repeats; each step counts with its least time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "of Carom; the others have one")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--set", arguments.set, "option of Carom's suite, key=value");
  app.add_option("--scaling", arguments.scaling,
                 "this scene on Carom with one thread and with several (two, or --threads)");
  app.add_option("--json", arguments.json, "append one JSON line a run to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "carom_bench: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::main_function(argc, argv); }
