// carom_bench: the scenes on Carom and other engines in one run; cost and error side by side. Method:
// docs/performance.md.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <random>

#include <fmt/format.h>

#include "docs_table.h"
#include "field.h"
#include "measure.h"
#include "page.h"
#include "report.h"
#include "study/scene_lookup.h"

namespace carom::bench {
namespace {

constexpr double kQuickMinutes = 4.3, kFullMinutes = 54;  // a turn and the judge may go over it a little

constexpr std::size_t kManyBodies = 100;  // such scenes get more of the time

/// Threads that wait for each other measure the other work of a machine that has too much of it. A build just before is
/// not too much.
bool is_busy(const Circumstances& where) { return where.load > 2.5 * where.cores; }

struct Arguments {
  std::vector<std::string> scenes, suites, engines;
  Field field;
  bool quick = false;
  bool without_freezing = false;
  double minutes = 0;
  double duration = 0;
  int repeats = 0;
  std::uint64_t shake = 0;
  std::string json, html, docs;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// One line that is redrawn on a terminal; elsewhere a plain line a scene.
class ProgressLine {
 public:
  void scene(std::size_t number, std::size_t count, const std::string& name) {
    head_ = fmt::format("[{}/{}]", number, count);
    if (!redraws_) std::cerr << head_ << ' ' << name << '\n';
  }
  void show(double share, const std::string& what) {
    if (!redraws_ || seconds_now() - last_ < 0.1) return;
    last_ = seconds_now();
    constexpr int kCells = 24;
    const int full = std::clamp(static_cast<int>(kCells * share), 0, kCells);
    std::string bar;
    for (int i = 0; i < kCells; ++i) bar += i < full ? "█" : "░";
    std::cerr << "\r\x1b[K" << head_ << ' ' << bar << ' ' << what << std::flush;
  }
  void clear() const {
    if (redraws_) std::cerr << "\r\x1b[K" << std::flush;
  }

 private:
  bool redraws_ = isatty(STDERR_FILENO) != 0;
  std::string head_;
  double last_ = 0;
};

/// Moves every dynamic body by up to a micrometre on each axis.
void shake(Scene& scene, std::uint64_t seed) {
  constexpr Real kReach = 1e-6;
  std::mt19937_64 random(seed);
  const auto amount = [&] { return kReach * (2 * std::ldexp(static_cast<Real>(random() >> 11), -53) - 1); };
  for (SceneBody& body : scene.bodies)
    if (body.def.type == BodyType::Dynamic)
      for (int axis = 0; axis < 3; ++axis) body.def.pose.position[axis] += amount();
}

class Bench {
 public:
  explicit Bench(const Arguments& arguments)
      : arguments_(arguments),
        field_(arguments.field),
        where_(circumstances()),
        missing_(missing_engines(arguments.field)) {
    if (is_busy(where_)) field_.threads.resize(1);
    if (!arguments.docs.empty() && names().size() > kMostDocsScenes)
      fail(fmt::format("the table of --docs has at most {} scenes, not {}", kMostDocsScenes, names().size()));
    for (const std::string& name : names()) {
      Result<Scene> scene = find_scene(name);
      if (!scene) fail(scene.message());
      scenes_.push_back(std::move(scene.value()));
      if (arguments.shake > 0) shake(scenes_.back(), arguments.shake);
      plans_.push_back(plan_for(scenes_.back().name));
      if (scenes_.back().bodies.size() > kManyBodies) plans_.back().weight = std::max(plans_.back().weight, 3.0);
    }
    require_known(field_, scenes_.front());
    if (!arguments.json.empty()) {
      json_.open(arguments.json, std::ios::app);
      if (!json_) fail(arguments.json + " (--json) cannot be written");
    }
  }

  void run() {
    std::cout << text_of(where_) << '\n';
    for (const Peer& peer : missing_)
      std::cout << fmt::format("{} is missing and left out ({})\n", peer.engine, peer.source);
    if (field_.threads.size() < arguments_.field.threads.size())
      std::cout << "The machine is busy: runs with several threads are left out, they would measure the other work\n";
    const double minutes = arguments_.minutes > 0 ? arguments_.minutes
                           : arguments_.quick     ? kQuickMinutes
                                                  : kFullMinutes;
    const double until = seconds_now() + 60 * minutes;
    for (std::size_t i = 0; i < scenes_.size(); ++i) {
      double weights = 0;
      for (std::size_t j = i; j < plans_.size(); ++j) weights += plans_[j].weight;
      measure(i, std::max(1.0, until - seconds_now()) * plans_[i].weight / weights);
    }
    if (!arguments_.docs.empty()) write_file(arguments_.docs, "--docs", docs_table(results_, where_, missing_));
    print_profile(std::cout, results_);
    print_losses(std::cout, results_);
    if (!arguments_.html.empty()) std::cout << "\nThe page: " << arguments_.html << '\n';
  }

 private:
  std::vector<std::string> names() const {
    if (!arguments_.scenes.empty()) return arguments_.scenes;
    if (!arguments_.docs.empty()) return docs_scenes();
    return arguments_.quick ? quick_scenes() : all_scenes();
  }

  int steps_of(const Scene& scene, const ScenePlan& plan) const {
    Real seconds = scene.duration;
    if (arguments_.quick) seconds = std::min(seconds, plan.quick_seconds);
    if (arguments_.duration > 0) seconds = std::min(seconds, arguments_.duration);
    return std::max(1, static_cast<int>(std::lround(seconds / scene.dt)));
  }

  void measure(std::size_t index, double seconds) {
    const Scene& scene = scenes_[index];
    const ScenePlan& plan = plans_[index];
    progress_.scene(index + 1, scenes_.size(), scene.name);
    MeasureSettings settings;
    settings.steps = steps_of(scene, plan);
    settings.most_repeats = arguments_.repeats > 0 ? arguments_.repeats : arguments_.quick ? 3 : 5;
    settings.seconds = seconds;
    settings.step_seconds = arguments_.quick ? 5 : 60;
    results_.push_back({plan, scene.description,
                        measure_scene(scene, plan, contenders_for(scene, field_), settings,
                                      [&](double share, const std::string& what) { progress_.show(share, what); })});
    progress_.clear();
    print_scene(std::cout, results_.back());
    // After every scene: whatever happens later, this is safe.
    if (json_.is_open()) write_json_lines(json_, results_.back(), where_);
    write_page();
  }

  void write_page() const {
    if (!arguments_.html.empty()) write_file(arguments_.html, "--html", bench_page(results_, where_, missing_));
  }

  static void write_file(const std::string& name, const char* option, const std::string& text) {
    std::ofstream file(name);
    file << text;
    if (!file.flush()) fail(fmt::format("{} ({}) cannot be written", name, option));
  }

  const Arguments& arguments_;
  Field field_;
  Circumstances where_;
  std::vector<Peer> missing_;
  std::vector<Scene> scenes_;
  std::vector<ScenePlan> plans_;
  std::ofstream json_;
  std::vector<SceneResult> results_;
  ProgressLine progress_;
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_flag("--quick", arguments.quick,
               "ten scenes, the long ones shortened, and the main suites, in less than five minutes");
  app.add_option("--scenes", arguments.scenes, "built-in scenes or scene files (default: all built-in scenes)")
      ->delimiter(',');
  app.add_option("--engines", arguments.engines,
                 "who takes part: engines, or one setting of one, as in carom-exact, box3d-tuned, "
                 "carom-sequential:iterations=50; a key in capitals is an environment variable")
      ->delimiter(',')
      ->default_str(fmt::format("{}", fmt::join(all_engines(), ",")));
  app.add_option("--suites", arguments.suites,
                 "of the engine carom, where they suit the scene (default: all; quick: " +
                     fmt::format("{}", fmt::join(quick_suites(), ", ")) + ")")
      ->delimiter(',')
      ->check(CLI::IsMember(all_suites()));
  app.add_option("--threads", arguments.field.threads, "of Carom; the others have one")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--efforts", arguments.field.efforts,
                 "settings of the other engines; two-directions: of Bullet's friction")
      ->delimiter(',')
      ->check(CLI::IsMember({"default", "accurate", "two-directions"}))
      ->capture_default_str();
  app.add_flag("--without-freezing", arguments.without_freezing, "Carom without its runs with freezing");
  app.add_option("--set", arguments.field.set, "option of Carom's suites, key=value");
  app.add_option("--minutes", arguments.minutes, "that it may take (default: 54; quick: 4.3)")
      ->check(CLI::PositiveNumber);
  app.add_option("--duration", arguments.duration, "simulated seconds, at most the scene's own")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeats", arguments.repeats, "at most this many runs each (default: 5; quick: 3)")
      ->check(CLI::PositiveNumber);
  app.add_option(
      "--shake", arguments.shake,
      "first move every body by up to a micrometre, at random from this seed: chaotic scenes show their spread");
  app.add_option("--json", arguments.json, "append one JSON line a run to this file")->take_last();
  app.add_option("--docs", arguments.docs,
                 "write the table of docs/performance.md to this file: its scenes, one suite of Carom and all others, "
                 "unless --scenes or --engines say otherwise")
      ->take_last();
  app.add_option("--html", arguments.html, "write the page with the plots to this file")->take_last();
  app.footer(
      "Example: ./dev bench --quick\n"
      "         ./dev bench --scenes stack,pyramid --engines carom-exact,bullet --repeats 9 --minutes 2\n"
      "         ./dev bench --peer box3d=DIR --engines carom-sequential,carom-sequential:iterations=50,box3d-tuned");
}

int main_function(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Scenes on Carom and other engines in one run, interleaved: milliseconds a step and the error beside it.");
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    arguments.field.freezing = !arguments.without_freezing;
    if (arguments.quick) arguments.field.suites = quick_suites();
    if (!arguments.suites.empty()) arguments.field.suites = arguments.suites;
    if (!arguments.docs.empty()) arguments.field.engines = docs_engines();
    if (!arguments.engines.empty()) arguments.field.engines = arguments.engines;
    Bench(arguments).run();
  } catch (const std::exception& error) {
    std::cerr << "carom_bench: " << error.what() << '\n';
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace carom::bench

int main(int argc, char** argv) { return carom::bench::main_function(argc, argv); }
