// Engines that crash, hang or end the process must cost the benchmark nothing but their own figures.
#include "measure.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include <nlohmann/json.hpp>

#include "child.h"
#include "docs_table.h"
#include "field.h"
#include "page.h"
#include "report.h"
#include "study/scene_lookup.h"

namespace carom::bench {

// The test knows no other engines.
std::vector<Peer> peers() {
  return {{.name = "bullet", .engine = "Bullet"}, {.name = "box3d", .engine = "Box3D", .accurate = "tuned"}};
}

namespace {

enum class Fate : unsigned char { None, Crash, Hang, Exit, Throw, Refuse };

/// Bodies stay where they are, until fate has its day in step 40.
class StillEngine final : public Engine {
 public:
  explicit StillEngine(Fate fate) : fate_(fate) {}
  std::string settings() const override { return "still"; }
  std::string load(const Scene& scene) override {
    for (const SceneBody& body : scene.bodies) poses_.push_back(body.def.pose);
    return fate_ == Fate::Refuse ? "things it cannot do" : "";
  }
  void step(Real /*dt*/) override {
    if (++steps_ < 40) return;
    if (fate_ == Fate::Crash) std::raise(SIGABRT);
    if (fate_ == Fate::Hang) sleep(1000);
    if (fate_ == Fate::Exit) _exit(7);
    if (fate_ == Fate::Throw) fail("it will not go on");
  }
  void poses(std::vector<Pose>& out) const override { out = poses_; }

 private:
  Fate fate_;
  int steps_ = 0;
  std::vector<Pose> poses_;
};

Contender still(const std::string& name, Fate fate) {
  return {name, "1", "default", "", 1, [fate] { return std::make_unique<StillEngine>(fate); }};
}

Scene built_in(const std::string& name) {
  Result<Scene> scene = find_scene(name);
  EXPECT_TRUE(scene) << scene.message();
  return scene.value();
}

std::vector<Measurement> measured(const std::vector<Contender>& contenders, const MeasureSettings& settings) {
  return measure_scene(built_in("stack"), plan_for("stack"), contenders, settings, [](double, const std::string&) {});
}

MeasureSettings short_run() {
  MeasureSettings settings;
  settings.steps = 60;
  settings.seconds = 20;
  settings.step_seconds = 1.5;  // plenty for steps that do nothing, on a busy machine too
  settings.most_repeats = 2;
  return settings;
}

TEST(BenchMeasure, AnEngineThatDiesLosesNothingOfWhatWasMeasured) {
  const std::vector<Measurement> results =
      measured({still("sound", Fate::None), still("crash", Fate::Crash), still("hang", Fate::Hang),
                still("exit", Fate::Exit), still("throw", Fate::Throw), still("refuse", Fate::Refuse)},
               short_run());
  ASSERT_EQ(results.size(), 6u);
  EXPECT_TRUE(results[0].cut.empty());
  EXPECT_EQ(results[0].repeats, 2);
  EXPECT_EQ(results[0].steps, 60);
  for (const std::size_t i : {1, 2, 3, 4}) {
    EXPECT_EQ(results[i].steps, 39) << results[i].engine;
    EXPECT_EQ(results[i].quality.steps, 39) << results[i].engine;
    EXPECT_GT(results[i].wall_ms, 0) << results[i].engine;
  }
  EXPECT_NE(results[1].cut.find("signal 6"), std::string::npos) << results[1].cut;
  EXPECT_NE(results[2].cut.find("within 1.5 s"), std::string::npos) << results[2].cut;
  EXPECT_NE(results[3].cut.find("status 7"), std::string::npos) << results[3].cut;
  EXPECT_NE(results[4].cut.find("it will not go on"), std::string::npos) << results[4].cut;
  EXPECT_EQ(results[5].not_run, "the scene has things it cannot do");
}

TEST(BenchMeasure, WhoeverDoesNotFinishInTimeIsCutAndSaysSo) {
  MeasureSettings settings = short_run();
  settings.seconds = 0.3;
  settings.steps = 1'000'000;
  const std::vector<Measurement> results = measured({still("slow", Fate::None)}, settings);
  EXPECT_NE(results[0].cut.find("time was used up"), std::string::npos) << results[0].cut;
  EXPECT_GT(results[0].steps, 0);
  EXPECT_TRUE(results[0].quality.figures.empty());
}

/// Counts how often it was loaded, in memory that all processes see, and is slow the first time.
class WarmingEngine final : public Engine {
 public:
  explicit WarmingEngine(int* loads) : loads_(loads) {}
  std::string settings() const override {
    const char* value = std::getenv("CAROM_BENCH_TEST");
    return value != nullptr ? value : "not set";
  }
  std::string load(const Scene& scene) override {
    for (const SceneBody& body : scene.bodies) poses_.push_back(body.def.pose);
    is_cold_ = (*loads_)++ == 0;
    return {};
  }
  void step(Real /*dt*/) override {
    if (is_cold_) usleep(kColdStep);
  }
  void poses(std::vector<Pose>& out) const override { out = poses_; }
  static constexpr int kColdStep = 2000;  // µs

 private:
  int* loads_;
  bool is_cold_ = false;
  std::vector<Pose> poses_;
};

int* shared_counter() {
  void* memory = mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "the test has no shared memory");
  return new (memory) int{0};
}

TEST(BenchMeasure, TheLeastOfAllRepeatsCounts) {
  int* loads = shared_counter();
  const Contender warming{"Warming", "1", "default", "", 2, [loads] { return std::make_unique<WarmingEngine>(loads); }};
  const Measurement result = measured({warming}, short_run()).front();
  EXPECT_EQ(result.repeats, 2);
  EXPECT_EQ(*loads, 2);
  EXPECT_GT(result.wall_ms, 0);
  EXPECT_LT(result.ms, 1e-3 * WarmingEngine::kColdStep / 2);  // with two threads: wall time
  munmap(loads, sizeof(int));
}

TEST(BenchMeasure, EnvironmentIsThatOfOneProcess) {
  int* loads = shared_counter();
  Contender with{"With", "1", "default", "", 1, [loads] { return std::make_unique<WarmingEngine>(loads); }};
  const Contender without = with;
  with.environment = {"CAROM_BENCH_TEST=wide"};
  const std::vector<Measurement> results = measured({with, without}, short_run());
  EXPECT_EQ(results[0].settings, "wide");
  EXPECT_EQ(results[1].settings, "not set");
  munmap(loads, sizeof(int));
}

TEST(BenchMeasure, CaromGivesTheSameStateOnOneThreadAndOnTwo) {
  Field field;
  field.engines = {"carom"};
  field.suites = {"sequential"};
  field.freezing = false;
  const Scene scene = built_in("tower100");
  MeasureSettings settings = short_run();
  settings.steps = 5;
  settings.step_seconds = 60;
  const auto results = measure_scene(scene, plan_for("tower100"), contenders_for(scene, field), settings,
                                     [](double, const std::string&) {});
  ASSERT_EQ(results.size(), 2u);
  ASSERT_TRUE(results[0].own && results[1].own);
  EXPECT_EQ(results[0].own->state_hash, results[1].own->state_hash);
  EXPECT_EQ(results[1].threads, 2);
}

TEST(BenchField, FewBodiesGetOneThreadAndManyBodiesNoPivots) {
  const Field field;
  const auto has = [&](const std::string& scene, const std::string& engine, const std::string& variant) {
    for (const Contender& contender : contenders_for(built_in(scene), field))
      if (contender.engine == engine && contender.variant == variant) return true;
    return false;
  };
  EXPECT_FALSE(has("stack", "Carom exact", "2 threads"));
  EXPECT_TRUE(has("pyramid", "Carom exact", "2 threads"));
  EXPECT_TRUE(has("stack", "Carom lcp", "1 thread"));
  EXPECT_FALSE(has("pyramid", "Carom lcp", "1 thread"));
  EXPECT_TRUE(has("stack", "Carom sequential", "1 thread, freezing"));
  EXPECT_FALSE(has("cradle", "Carom sequential", "1 thread, freezing"));  // nothing rests where nothing falls
}

TEST(BenchField, AnEntryNamesOneVariantAndItsSettings) {
  const EngineChoice choice = parse_choice("carom-exact:freezing=true:CAROM_SIMD=avx2");
  EXPECT_EQ(choice.name, "carom");
  EXPECT_EQ(choice.variant, "exact");
  EXPECT_EQ(choice.set, std::vector<std::string>{"freezing=true"});
  EXPECT_EQ(choice.environment, std::vector<std::string>{"CAROM_SIMD=avx2"});
  Field field;
  field.engines = {"carom-exact:freezing=true:CAROM_SIMD=avx2", "carom-lcp", "box3d-tuned"};
  const std::vector<Contender> contenders = contenders_for(built_in("pyramid"), field);
  ASSERT_EQ(contenders.size(), 2u);  // the peer was not found
  EXPECT_EQ(contenders[0].label(), "Carom exact, 1 thread, freezing=true, CAROM_SIMD=avx2");
  EXPECT_EQ(contenders[0].environment, choice.environment);
  EXPECT_EQ(contenders[1].label(), "Carom lcp, 1 thread");  // though the bodies are many: it was asked for
  ASSERT_EQ(missing_engines(field).size(), 1u);
  EXPECT_EQ(missing_engines(field).front().engine, "Box3D");
}

TEST(BenchField, WhatThereIsNotIsRefusedWithWhatThereIs) {
  const Scene scene = built_in("stack");
  const auto refusal = [&](const std::string& entry) -> std::string {
    Field field;
    field.engines = {entry};
    try {
      require_known(field, scene);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal("carom-exact:freezing=true"), "");
  EXPECT_EQ(refusal("box3d-tuned"), "");
  EXPECT_NE(refusal("bulet").find("there are carom, bullet, box3d"), std::string::npos);
  EXPECT_NE(refusal("carom-exakt").find("suites"), std::string::npos);
  EXPECT_NE(refusal("bullet-tuned").find("default, accurate, two-directions"), std::string::npos);
  EXPECT_NE(refusal("carom-exact:freezing").find("key=value"), std::string::npos);
  EXPECT_NE(refusal("carom-exact:frezing=true").find("frezing"), std::string::npos);
  EXPECT_NE(refusal("carom:freezing=true").find("one suite"), std::string::npos);
  EXPECT_NE(refusal("box3d:substeps=8").find("only a suite of Carom"), std::string::npos);
  Field field;
  field.engines = {"carom-exact"};
  field.set = {"frezing=true"};
  EXPECT_ANY_THROW(require_known(field, scene));
}

SceneResult some_result() {
  Measurement carom;
  carom.scene = "stack";
  carom.engine = "Carom exact";
  carom.variant = "1 thread";
  carom.steps = carom.planned_steps = carom.repeats = carom.quality.steps = 1;
  carom.ms = 2;
  carom.quality.figures = {{"drift_mm", 1e-9}};
  carom.own.emplace();
  Measurement peer = carom;
  peer.engine = "Bullet";
  peer.variant = "default";
  peer.version = "3.24";
  peer.settings = "10 iterations";
  peer.own.reset();
  peer.ms = 0.5;
  peer.quality.figures = {{"drift_mm", 300}};
  Measurement dead = peer;
  dead.engine = "DART <6>";
  dead.not_run = "crashed";
  return {plan_for("stack"), "Ten cubes", {carom, peer, dead}};
}

TEST(BenchReport, EveryRunIsOneLineOfJson) {
  std::ostringstream out;
  write_json_lines(out, some_result(), circumstances());
  std::istringstream lines(out.str());
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(rows.size(), 3u);
  for (const char* key : {"commit", "compiler", "cpu", "engine", "variant", "settings", "scene", "threads",
                          "ms_per_step", "quality", "stage_ms_per_step", "state_hash"})
    EXPECT_TRUE(rows[0].contains(key)) << key;
  EXPECT_EQ(rows[1]["quality"]["error"], 300);
  EXPECT_EQ(rows[2]["not_run"], "crashed");
  EXPECT_FALSE(rows[2].contains("ms_per_step"));
}

TEST(BenchReport, LossesNameWhoIsFasterAndByHowMuch) {
  const std::vector<std::string> found = losses(some_result());
  ASSERT_EQ(found.size(), 1u);  // the peer is faster, and not more accurate
  EXPECT_NE(found[0].find("slower by 4.0 times: Bullet, default"), std::string::npos) << found[0];
}

TEST(BenchReport, PageHoldsThePlotTheTableAndWhoIsMissing) {
  const std::vector<SceneResult> results{some_result()};
  const std::string page = bench_page(results, circumstances(), {{.name = "mujoco", .engine = "MuJoCo"}});
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("Bullet, default: 0.5 ms a step"), std::string::npos);
  EXPECT_NE(page.find("MuJoCo is missing"), std::string::npos);
  EXPECT_NE(page.find("DART &lt;6&gt;"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);  // it opens without a network
}

/// A scene on Carom and on one peer, with their times and drifts.
SceneResult two_runs(const std::string& scene, double carom_ms, double carom_mm, double peer_ms, double peer_mm) {
  SceneResult result = some_result();
  result.plan.name = scene;
  result.measurements.pop_back();
  result.measurements[0].ms = carom_ms;
  result.measurements[0].quality.figures = {{"drift_mm", carom_mm}};
  result.measurements[1].ms = peer_ms;
  result.measurements[1].quality.figures = {{"drift_mm", peer_mm}};
  return result;
}

TEST(BenchDocsTable, TheScenesThatCaromLosesComeFirst) {
  SceneResult cut = two_runs("cut", 1, 1, 2, 2);
  cut.measurements[0].cut = "too slow";
  const std::vector<SceneResult> results{two_runs("won", 1, 1, 2, 2),  two_runs("rough", 1, 3, 2, 2),
                                         two_runs("slow", 4, 1, 2, 2), two_runs("slower", 6, 1, 2, 2),
                                         two_runs("lost", 3, 3, 2, 2), cut};
  const std::string table = docs_table(results, circumstances(), {{.name = "ode", .engine = "ODE"}});
  std::size_t last = 0;
  for (const char* scene : {"| cut:", "| lost:", "| slower:", "| slow:", "| rough:", "| won:"}) {
    const std::size_t at = table.find(scene);
    ASSERT_NE(at, std::string::npos) << scene << '\n' << table;
    EXPECT_GT(at, last) << scene;
    last = at;
  }
  EXPECT_NE(table.find("| in both by Bullet, default (1.5 ×)"), std::string::npos) << table;
  EXPECT_NE(table.find("| 6; 1 | 2; 2 | in time by Bullet, default (3 ×) |"), std::string::npos) << table;
  EXPECT_NE(table.find("| 1; 1 | 2; 2 | – |"), std::string::npos) << table;
  EXPECT_NE(table.find("Not there: ODE."), std::string::npos);
  EXPECT_NE(table.find("\n- Bullet 3.24: default (10 iterations)\n"), std::string::npos) << table;
}

TEST(BenchDocsTable, TheScenesOfTheDocsFitOnThePage) { EXPECT_LE(docs_scenes().size(), kMostDocsScenes); }

}  // namespace
}  // namespace carom::bench
