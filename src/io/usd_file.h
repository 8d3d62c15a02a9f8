// A run as USD, in text: every body a prim that refers to the prototype of its shape and colour, moving ones with time
// samples. docs/export.md says what readers see.
#pragma once

#include <string>

#include "io/frame.h"
#include "io/pose_tracks.h"

namespace carom {

class UsdFile final : public RunOutput {
 public:
  /// Nothing is opened before `finish`.
  UsdFile(std::string path, const Cast& cast);

  void add_frame(const Frame& frame) override { tracks_.add(frame); }
  void add_step(const StepReport& /*report*/) override {}
  void finish() override;
  std::string error() const override { return error_; }

 private:
  std::string path_;
  Cast cast_;
  PoseTracks tracks_;
  std::string error_;
};

}  // namespace carom
