#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "engine.h"
#include "study/pose_audit.h"
#include "study/scene_lookup.h"

namespace carom::bench {
namespace {

std::string text_of(const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

class CaromEngine final : public Engine {
 public:
  CaromEngine(std::string suite, int threads, std::vector<std::string> set)
      : suite_(std::move(suite)), threads_(threads), set_(std::move(set)) {}

  std::string settings() const override { return settings_; }

  std::string load(const Scene& given) override {
    Scene scene = given;
    if (!suite_.empty()) {
      const std::string refusal = choose_suite(scene, suite_);
      require(refusal.empty(), refusal.c_str());
    }
    const Result<Options> options = choose_options(scene, set_);
    if (!options) fail(options.message());
    settings_ = scene.suite;
    for (const auto& [key, value] : scene.options) settings_ += " " + key + "=" + text_of(value);
    for (const std::string& entry : set_) settings_ += " " + entry;
    settings_ += fmt::format(", {} {}", threads_, threads_ == 1 ? "thread" : "threads");
    if (const char* width = std::getenv("CAROM_SIMD")) settings_ += fmt::format(", CAROM_SIMD={}", width);
    world_.emplace(make_world(scene, options.value(), threads_));
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
    own_.frozen = report.frozen;
    residual_sum_ += report.residual_coulomb;
    iteration_sum_ += report.iterations;
    contact_sum_ += static_cast<Real>(report.contacts);
  }

  void poses(std::vector<Pose>& out) const override { out = shape_poses(*world_); }

  std::optional<OwnReport> own_report() const override {
    OwnReport report = own_;
    const Real steps = std::max(1, steps_);
    report.residual_mean = residual_sum_ / steps;
    report.iterations_mean = iteration_sum_ / steps;
    report.contacts_mean = contact_sum_ / steps;
    report.state_hash = world_->state_hash();
    return report;
  }

 private:
  std::string suite_;
  int threads_;
  std::vector<std::string> set_;
  std::string settings_;
  std::optional<World> world_;
  OwnReport own_;
  int steps_ = 0;
  Real residual_sum_ = 0, iteration_sum_ = 0, contact_sum_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_carom(const std::string& suite, int threads, const std::vector<std::string>& set) {
  return std::make_unique<CaromEngine>(suite, threads, set);
}

}  // namespace carom::bench
