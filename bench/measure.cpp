#include "measure.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "child.h"

namespace carom::bench {
namespace {

constexpr double kTurn = 0.25;  // s

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double least(const std::vector<StepCost>& repeats, double StepCost::* clock) {
  return (*std::ranges::min_element(repeats, {}, clock)).*clock;
}

/// One contender over all repeats.
class Runner {
 public:
  Runner(const Contender& contender, const Scene& scene, const ScenePlan& plan, const MeasureSettings& settings)
      : contender_(contender),
        scene_(scene),
        settings_(settings),
        judge_(scene, settings.steps * scene.dt, plan.task, plan.neck) {
    costs_.resize(static_cast<std::size_t>(settings.steps));
    result_.scene = scene.name;
    result_.engine = contender.engine;
    result_.version = contender.version;
    result_.variant = contender.variant;
    result_.threads = contender.threads;
    result_.planned_steps = settings.steps;
    result_.dt = scene.dt;
  }

  bool can_run() const { return result_.not_run.empty() && result_.cut.empty() && result_.quality.finite; }
  bool is_running() const { return child_ != nullptr; }
  int repeats() const { return result_.repeats; }
  double repeat_seconds() const { return first_repeat_seconds_; }
  double spent() const { return spent_; }
  const Measurement& result() const { return result_; }

  void start() {
    const double start = now();
    child_ = std::make_unique<Child>(contender_, scene_);
    step_ = 0;
    if (!child_->wait_until_loaded(settings_.step_seconds)) return give_up(child_->end());
    result_.settings = child_->settings();
    if (const std::string missing = child_->not_run(); !missing.empty()) {
      result_.not_run = "the scene has " + missing;
      child_.reset();
    }
    spent_ = now() - start;
  }

  void take_turn() {
    const double start = now();
    const bool came_back = child_->take_turn(settings_.steps - step_, kTurn, settings_.step_seconds);
    const std::span<const StepCost> costs = child_->costs();
    const bool is_first = result_.repeats == 0;
    for (std::size_t i = 0; i < costs.size(); ++i) costs_[static_cast<std::size_t>(step_) + i].push_back(costs[i]);
    spent_ += now() - start;
    for (std::size_t i = 0; is_first && i < costs.size(); ++i) judge_.add(child_->poses(static_cast<int>(i)));
    step_ += static_cast<int>(costs.size());
    if (is_first) result_.steps = step_;
    if (!came_back) return give_up(child_->end());
    if (is_first && !judge_.quality(false).finite) return give_up("the state is no longer finite");
    if (step_ == settings_.steps) finish_repeat();
  }

  /// It has had twice its share, and at this pace would need more than twice the time that is left for all: others can
  /// use that better. Twice, since a few steps of an impact may cost more than all that follow.
  bool is_hopeless(double share, double left) const {
    return result_.repeats == 0 && step_ > 0 && spent_ > 2 * share &&
           spent_ / step_ * (settings_.steps - step_) > 2 * left;
  }

  void cut(const char* why) {
    if (result_.repeats == 0)
      result_.cut =
          fmt::format("cut at {:.2f} s of {:.2f} s: {}", step_ * result_.dt, settings_.steps * result_.dt, why);
    remember_own_report();
    child_.reset();
  }

  Measurement summary() {
    const bool complete = result_.repeats > 0 && result_.cut.empty();
    result_.quality = judge_.quality(complete);
    std::vector<double> main;
    for (const std::vector<StepCost>& step : costs_) {
      if (step.empty()) break;
      const double wall_ms = 1e3 * least(step, &StepCost::wall), cpu_ms = 1e3 * least(step, &StepCost::cpu);
      result_.wall_ms += wall_ms;
      result_.cpu_ms += cpu_ms;
      main.push_back(result_.threads > 1 ? wall_ms : cpu_ms);
    }
    if (main.empty()) return result_;
    const auto count = static_cast<double>(main.size());
    result_.wall_ms /= count;
    result_.cpu_ms /= count;
    result_.ms = std::accumulate(main.begin(), main.end(), 0.0) / count;
    std::sort(main.begin(), main.end());
    result_.p99_ms = main[std::min(main.size() - 1, main.size() * 99 / 100)];
    return result_;
  }

 private:
  void give_up(const std::string& reason) {
    if (result_.steps == 0 && result_.repeats == 0)
      result_.not_run = reason;
    else
      result_.cut = result_.repeats == 0 ? fmt::format("{}, after {} steps", reason, step_) : reason + ", in a repeat";
    remember_own_report();
    child_.reset();
  }

  void remember_own_report() {
    if (result_.repeats == 0) result_.own = child_->own_report();
  }

  /// Two repeats of a deterministic engine must agree; a difference would make the judged run another than the timed.
  void finish_repeat() {
    const std::optional<OwnReport> own = child_->own_report();
    if (own && result_.own && own->state_hash != result_.own->state_hash)
      result_.cut = "two repeats ended in different states";
    if (result_.repeats == 0) {
      result_.own = own;
      first_repeat_seconds_ = spent_;
    }
    ++result_.repeats;
    child_.reset();
  }

  const Contender& contender_;
  const Scene& scene_;
  const MeasureSettings& settings_;
  QualityJudge judge_;
  std::unique_ptr<Child> child_;
  Measurement result_;
  std::vector<std::vector<StepCost>> costs_;  // [step][repeat]
  int step_ = 0;                              // of the current repeat
  double spent_ = 0;                          // s, wall time of the current repeat
  double first_repeat_seconds_ = 0;
};

using Runners = std::vector<std::unique_ptr<Runner>>;

/// One repeat of these, in turns: always the one that has had the least time, so that a slow engine takes no more of it
/// than the others.
void run_repeat(const std::vector<Runner*>& runners, double until, const std::function<void()>& tell) {
  const double share = (until - now()) / static_cast<double>(runners.size());
  for (Runner* runner : runners) runner->start();
  while (true) {
    Runner* next = nullptr;
    for (Runner* runner : runners)
      if (runner->is_running() && (next == nullptr || runner->spent() < next->spent())) next = runner;
    if (next == nullptr) return;
    const double left = until - now();
    if (left < 0)
      next->cut("the scene's time was used up");
    else if (next->is_hopeless(share, left))
      next->cut("too slow");
    else
      next->take_turn();
    tell();
  }
}

/// Those that can be run once more in the time that is left, the quick ones first, so that as many as possible get it.
std::vector<Runner*> those_that_fit(const Runners& runners, double seconds) {
  std::vector<Runner*> able;
  for (const auto& runner : runners)
    if (runner->can_run() && runner->repeats() > 0) able.push_back(runner.get());
  std::stable_sort(able.begin(), able.end(),
                   [](const Runner* a, const Runner* b) { return a->repeat_seconds() < b->repeat_seconds(); });
  std::vector<Runner*> chosen;
  for (Runner* runner : able) {
    seconds -= 1.2 * runner->repeat_seconds();
    if (seconds < 0) break;
    chosen.push_back(runner);
  }
  return chosen;
}

}  // namespace

std::vector<Measurement> measure_scene(const Scene& scene, const ScenePlan& plan,
                                       const std::vector<Contender>& contenders, const MeasureSettings& settings,
                                       const Progress& progress) {
  Runners runners;
  for (const Contender& contender : contenders)
    runners.push_back(std::make_unique<Runner>(contender, scene, plan, settings));
  const double start = now(), until = start + settings.seconds;
  std::vector<Runner*> chosen;
  for (const auto& runner : runners) chosen.push_back(runner.get());
  for (int repeat = 0; repeat < settings.most_repeats && !chosen.empty(); ++repeat) {
    run_repeat(chosen, until, [&] {
      const auto left = std::ranges::count_if(chosen, [](const Runner* runner) { return runner->is_running(); });
      progress((now() - start) / settings.seconds,
               fmt::format("{}, repeat {}, {} of {} still running", scene.name, repeat + 1, left, chosen.size()));
    });
    chosen = those_that_fit(runners, until - now());
  }
  std::vector<Measurement> results;
  results.reserve(runners.size());
  for (const auto& runner : runners) results.push_back(runner->summary());
  return results;
}

}  // namespace carom::bench
