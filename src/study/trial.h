// One run of a scene inside an experiment: the scene, how it is run, and the command that repeats it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/contact/problem.h"
#include "carom/io/scene.h"

namespace carom {

struct TrialSetup {
  std::string scene;                  ///< a built-in one
  std::string suite = {};             ///< empty: the scene's own
  std::vector<std::string> settings;  ///< `key=value`, of the suite
  std::optional<Real> dt = {}, duration = {};
};

/// `carom run SCENE --suite …`: what repeats it.
std::string command(const TrialSetup& setup);

/// Steps are timed in CPU seconds of the thread, so that other work on the machine does not count.
class Trial {
 public:
  /// `change` may alter the scene before the world is made. Fails where there is no such scene, suite or option.
  explicit Trial(const TrialSetup& setup, const std::function<void(Scene&)>& change = nullptr);

  World& world() { return world_; }
  const World& world() const { return world_; }
  const Scene& scene() const { return scene_; }
  Real dt() const { return dt_; }
  Real duration() const { return duration_; }
  double cpu_seconds() const { return cpu_seconds_; }  ///< of all steps so far

  /// Fails where the state is no longer finite.
  StepReport step();
  /// To the end, or until `each` returns false; `progress` gets the share of the duration that is done.
  void run(const std::function<bool(const StepReport&)>& each, const std::function<void(double)>& progress = nullptr);

  /// The first body of a name; fails where there is none.
  BodyHandle body(const std::string& name) const;

 private:
  Scene scene_;
  Real dt_, duration_;
  World world_;
  double cpu_seconds_ = 0;
};

/// Takes all dynamic bodies out of a scene but the lowest ones: for a smaller version of a large scene.
void keep_lowest(Scene& scene, std::size_t bodies);

/// CPU seconds of the calling thread.
double thread_seconds();

/// The problems of a stage, step after step, as they are before they are solved.
std::vector<ContactProblem> problems_of(Trial& trial, Stage stage, int steps);

/// The impulses of a solved problem for another one, by the ids of their contacts; zero for contacts that are new.
std::vector<Vec3> matched_by_id(const ContactProblem& solved, const std::vector<Vec3>& impulses,
                                const ContactProblem& problem);

}  // namespace carom
