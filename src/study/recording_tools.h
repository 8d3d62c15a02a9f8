// What can be done with a recording: say what is in it, and write it out in other forms.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "study/output_settings.h"

namespace carom {

/// How a recorded run came to its end.
struct RecordedEnd {
  bool is_known = false;  ///< false: the run was killed, or is still going on
  std::string reason;
  std::int64_t steps = 0;
  Real time = 0;  ///< s
  std::uint64_t state_hash = 0;
};

/// What a recording holds.
struct RecordingContents {
  std::string path;
  std::uint64_t bytes = 0;
  std::string scene, description, suite, version;
  std::string suite_reason;  ///< why that suite, if nobody named one
  std::size_t bodies = 0;
  Real dt = 0, duration = 0, every = 0;  ///< s; every: between frames, 0 for every step
  bool has_contacts = false, has_events = false;
  std::int64_t frames = 0, steps = 0, contacts = 0, events = 0;
  Real first_time = 0, last_time = 0;  ///< s, of frames
  std::vector<Real> snapshots;         ///< s
  RecordedEnd end;
  std::vector<std::string> damage;     ///< a sentence each
  std::uint64_t unfinished_bytes = 0;  ///< at the end of the file
};

/// Reads everything and compares every checksum. Fails where the file is no recording or its header is damaged.
Result<RecordingContents> survey(const std::string& recording);
/// For people.
std::string contents_text(const RecordingContents& contents);
/// One JSON object.
std::string contents_json(const RecordingContents& contents);

struct ExportResult {
  std::string scene;
  std::int64_t frames = 0, steps = 0;
  std::vector<std::string> damage;  ///< of the recording, a sentence each: left out
  std::string error;                ///< a file could not be written
};

/// Writes a recording as a run would have written it. Fails, with nothing written, where it cannot be read or the
/// settings ask for what cannot be. `progress` gets the share that is done; it may be null.
Result<ExportResult> export_recording(const std::string& recording, const OutputSettings& settings,
                                      const std::function<void(double)>& progress = nullptr);

}  // namespace carom
