// A run as one HTML file that plays in any browser: no server, no network, nothing to install.
#pragma once

#include <memory>
#include <string>

#include "io/frame.h"

namespace carom {

/// False in a build without CAROM_WEB: the library then has no page to put the data in.
bool replay_page_available();
/// What to tell a user who asks for a page where there is none.
std::string replay_page_missing_message();

/// Frames are packed as they come; the file is written by `finish`, under another name first, so that it is either
/// whole or not there. Requires `replay_page_available()`, else `error` says so.
class ReplayPage final : public RunOutput {
 public:
  ReplayPage(std::string path, const Cast& cast);
  ~ReplayPage() override;
  void add_frame(const Frame& frame) override;
  void add_step(const StepReport& report) override;
  void add_events(const StepEvents& events) override;
  void finish() override;
  std::string error() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
