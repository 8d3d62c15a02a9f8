#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "engine.h"
#include "study/pose_audit.h"

namespace carom::bench {
namespace {

std::string text_of(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

class CaromEngine final : public Engine {
 public:
  CaromEngine(int threads, std::vector<std::string> set) : threads_(threads), set_(std::move(set)) {}

  std::string name() const override { return "Carom"; }
  std::string version() const override { return CAROM_VERSION; }
  int threads() const override { return threads_; }

  std::string settings() const override {
    std::string text = suite_;
    for (const std::string& entry : scene_set_) text += " " + entry;
    for (const std::string& entry : set_) text += " " + entry;
    return text + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
  }

  std::string load(const Scene& scene) override {
    suite_ = scene.suite;
    scene_set_.clear();
    for (const auto& [key, value] : scene.options) scene_set_.push_back(key + "=" + text_of(value));
    Options options = scene_options(scene);
    for (const std::string& entry : set_) {
      const std::size_t split = entry.find('=');
      const std::string error = split == std::string::npos
                                    ? "expected key=value, found " + entry
                                    : options.set_text(entry.substr(0, split), entry.substr(split + 1));
      require(error.empty(), error.c_str());
    }
    world_.emplace(make_world(scene, options, threads_));
    return {};
  }

  void step(Real dt) override {
    const StepReport report = world_->step(dt);
    ++steps_;
    own_.seconds.detect += report.seconds.detect;
    own_.seconds.collisions += report.seconds.collisions;
    own_.seconds.contacts += report.seconds.contacts;
    own_.seconds.positions += report.seconds.positions;
    own_.seconds.total += report.seconds.total;
    own_.residual_final = report.residual_coulomb;
    own_.residual_worst = std::max(own_.residual_worst, report.residual_coulomb);
    residual_sum_ += report.residual_coulomb;
    iteration_sum_ += report.iterations;
  }

  void poses(std::vector<Pose>& out) const override { out = shape_poses(*world_); }

  std::optional<OwnReport> own_report() const override {
    OwnReport report = own_;
    const Real steps = std::max(1, steps_);
    report.residual_mean = residual_sum_ / steps;
    report.iterations_mean = iteration_sum_ / steps;
    report.state_hash = world_->state_hash();
    return report;
  }

 private:
  int threads_;
  std::vector<std::string> set_;
  std::vector<std::string> scene_set_;  // what the scene itself sets
  std::string suite_;
  std::optional<World> world_;
  OwnReport own_;
  int steps_ = 0;
  Real residual_sum_ = 0, iteration_sum_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_carom(int threads, const std::vector<std::string>& set) {
  return std::make_unique<CaromEngine>(threads, set);
}

}  // namespace carom::bench
