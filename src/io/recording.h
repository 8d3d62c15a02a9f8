// Recordings: a run in a file, from which everything that a run can write is written again, and from which a run that
// was stopped goes on bit for bit. docs/recording.md has the bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/io/scene.h"
#include "io/chunk_file.h"
#include "io/frame.h"

namespace carom {

/// What a recording says about itself at its beginning: enough to make the same world again.
struct RecordingHeader {
  std::string version;        ///< of the program that wrote it
  Scene scene;                ///< with the suite of the run
  Options options;            ///< of the suite, as they were in the run
  Real dt = 0, duration = 0;  ///< s, as asked for
  Real every = 0;             ///< s between frames; 0: every step
  bool contacts = false;      ///< frames hold contacts
  bool events = false;        ///< every impact of an event-driven suite was kept
};

Cast make_cast(const RecordingHeader& header);

/// A state to go on from.
struct RecordedSnapshot {
  std::int64_t step = 0;  ///< steps taken before it
  Real time = 0;          ///< s
  std::string state;      ///< for World::restore
  Chunk chunk;            ///< where it stands
};

/// How a run came to its end.
struct RecordingEnd {
  std::string reason;  ///< "complete", "interrupted", "failed"
  std::int64_t step = 0;
  Real time = 0;  ///< s
  std::uint64_t state_hash = 0;
};

/// Writes a recording. What comes in is kept for a moment, so that it compresses well, and written after about a
/// megabyte or a quarter of a second.
class RecordingWriter final : public RunOutput {
 public:
  RecordingWriter(std::string path, const RecordingHeader& header);
  /// Goes on after a snapshot of a recording with that header.
  RecordingWriter(std::string path, const RecordingHeader& header, const RecordedSnapshot& snapshot);

  /// Contacts are kept only where the header says so.
  void add_frame(const Frame& frame) override;
  void add_step(const StepReport& report) override;
  /// Kept only where the header says so.
  void add_events(const StepEvents& events) override;
  void add_snapshot(const World& world, std::int64_t step);
  void add_end(const RecordingEnd& end);
  void finish() override { flush(); }
  std::string error() const override { return file_.error(); }

 private:
  using Clock = std::chrono::steady_clock;

  void flush();
  void flush_if_due();

  ChunkWriter file_;
  bool keeps_contacts_, keeps_events_;
  std::vector<Frame> frames_;
  std::vector<StepReport> steps_;
  std::vector<StepEvents> events_;
  std::size_t kept_bytes_ = 0;  // about what `frames_` and `events_` will take
  Clock::time_point last_flush_ = Clock::now();
};

/// What is called, in the order of the file; each may be left out.
struct RecordingVisitor {
  std::function<void(const Frame&)> frame;
  std::function<void(const StepReport&)> step;
  std::function<void(const StepEvents&)> events;
  std::function<void(const RecordedSnapshot&)> snapshot;
  std::function<void(const RecordingEnd&)> end;
};

/// What stood in the way of reading a whole recording.
struct RecordingProblems {
  std::vector<std::string> damage;     ///< a sentence each, with the place; what is damaged is left out
  std::uint64_t unfinished_bytes = 0;  ///< at the end: the program was stopped while it wrote
};

class Recording {
 public:
  /// Fails where the file cannot be read, is no recording, or its header is damaged.
  static Result<Recording> open(const std::string& path);

  const RecordingHeader& header() const { return header_; }
  const std::string& path() const { return path_; }
  std::uint64_t file_size() const { return size_; }

  /// Goes through the file.
  RecordingProblems read(const RecordingVisitor& visitor) const;
  /// The last snapshot at or before a time, by default the last of all.
  Result<RecordedSnapshot> find_snapshot(Real latest = std::numeric_limits<Real>::infinity()) const;

 private:
  std::string path_;
  RecordingHeader header_;
  std::uint64_t size_ = 0;
};

}  // namespace carom
