// One engine on one scene in a process of its own: an engine that crashes, ends the process or hangs takes nothing else
// with it, and what it had done until then stays known. Steps and poses come through shared memory.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine.h"

namespace carom::bench {

/// What a step cost, in seconds.
struct StepCost {
  double wall = 0;
  double cpu = 0;  ///< of all threads
};

class Child {
 public:
  static constexpr int kMostSteps = 30;  ///< of one turn

  /// Starts the process; the engine and the scene are loaded in it. Requires a parent with one thread.
  Child(const Contender& contender, const Scene& scene);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until the scene is loaded. False if it was not within `limit` seconds: see `end`.
  bool wait_until_loaded(double limit);
  /// Lets it take up to `steps` steps and stop early after `seconds`. False if it did not come back within `limit`
  /// seconds, or not at all: see `end`. The steps it had finished are in `costs` and `poses` all the same.
  bool take_turn(int steps, double seconds, double limit);

  /// Of the last turn.
  std::span<const StepCost> costs() const;
  /// After step `index` of the last turn.
  const std::vector<Pose>& poses(int index);

  std::string not_run() const;                     ///< what of the scene the engine cannot do; empty if nothing
  std::string settings() const;                    ///< once loaded
  std::optional<OwnReport> own_report() const;     ///< after the last turn
  const std::string& end() const { return end_; }  ///< why the process is no more; empty while it is

 private:
  struct Shared;

  [[noreturn]] void serve(const Contender& contender, const Scene& scene) const;
  bool wait_for_reply(double limit, const std::string& what);
  void stop(const std::string& reason);
  std::string reason_of_death();
  Pose* slot(int step) const;

  std::size_t bodies_;
  std::size_t bytes_;
  Shared* shared_ = nullptr;
  pid_t process_ = -1;
  int orders_ = -1, replies_ = -1, complaints_ = -1;  // ends of pipes here; a file for what it prints on standard error
  std::vector<Pose> poses_;
  std::string end_;
};

}  // namespace carom::bench
