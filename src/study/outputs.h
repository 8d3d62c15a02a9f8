// The files that a run is written to, or a recording of one: chosen once, fed frame by frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/frame.h"
#include "study/output_settings.h"

namespace carom {

/// What a rounded dt or time in a file may be off by, in steps.
inline constexpr Real kStepRounding = 0.01;

/// When samples are due: at the first step that reaches each multiple of the interval.
class Sampler {
 public:
  Sampler(Real every, Real dt) : every_(every), slack_(kStepRounding * dt) {}
  /// To be asked in order of time. The first time is always due.
  bool is_due(Real time);

 private:
  Real every_, slack_;
  Real last_ = -1;
};

class Outputs {
 public:
  /// Opens the files that `settings` names.
  Outputs(const OutputSettings& settings, const Cast& cast);

  void add(std::unique_ptr<RunOutput> output, Sampler sampler, bool with_contacts);

  /// Whether any output is to have the frame at this time: to be asked once for each, in order, before `add_frame`.
  bool wants_frame(Real time);
  bool wants_contacts() const;  ///< in the frame just asked about
  void add_frame(const Frame& frame);
  void add_step(const StepReport& report);
  void add_events(const StepEvents& events);
  void finish();
  /// The first failure, or empty.
  std::string error() const;

 private:
  struct Entry {
    std::unique_ptr<RunOutput> output;
    Sampler sampler;
    bool with_contacts;
    bool is_due = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace carom
