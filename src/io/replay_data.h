// What a replay page shows of one run, packed: the sections of docs/replay.md as base64. A page of several runs holds
// several of these.
#pragma once

#include <memory>
#include <string>

#include "io/frame.h"

namespace carom {

/// Frames are packed as they come.
class ReplayData final : public RunOutput {
 public:
  explicit ReplayData(const Cast& cast);
  ReplayData(ReplayData&&) noexcept;
  ~ReplayData() override;
  void add_frame(const Frame& frame) override;
  void add_step(const StepReport& report) override;
  void add_events(const StepEvents& events) override;
  void finish() override;
  std::string error() const override { return {}; }

  /// After `finish`.
  const std::string& text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
