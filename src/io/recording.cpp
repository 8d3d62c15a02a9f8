#include "io/recording.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/event_codec.h"
#include "io/frame_codec.h"
#include "io/recording_chunks.h"

namespace carom {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kFlushTime{250};

bool is_wanted(const Chunk& chunk, const RecordingVisitor& visitor) {
  return (chunk.type == kFramesChunk && visitor.frame) || (chunk.type == kStepsChunk && visitor.step) ||
         (chunk.type == kEventsChunk && (visitor.step || visitor.events)) ||
         (chunk.type == kSnapshotChunk && visitor.snapshot) || (chunk.type == kEndChunk && visitor.end);
}

/// Hands the content of a chunk on. Empty, or why it could not. `counts`: of impacts, for the steps that follow.
std::string visit(const Chunk& chunk, const RecordingVisitor& visitor, std::size_t bodies,
                  std::vector<EventCounts>& counts) {
  if (!is_wanted(chunk, visitor)) return {};
  const Result<std::string> content = chunk.content();
  if (!content) return content.message();
  // Each kind is decoded whole before anything is handed on.
  const auto hand_on = [&](const auto& decoded, const auto& call) {
    if (decoded) call(decoded.value());
    return decoded ? std::string() : decoded.message();
  };
  if (chunk.type == kFramesChunk)
    return hand_on(decode_frames(content.value(), bodies), [&](const std::vector<Frame>& frames) {
      for (const Frame& frame : frames) visitor.frame(frame);
    });
  if (chunk.type == kStepsChunk)
    return hand_on(decode_steps(content.value()), [&](std::vector<StepReport> steps) {
      add_counts(counts, steps);
      for (const StepReport& step : steps) visitor.step(step);
    });
  if (chunk.type == kEventsChunk)
    return hand_on(decode_events(content.value(), bodies), [&](const RecordedEvents& events) {
      counts = events.counts;
      if (!visitor.events) return;
      for (const StepEvents& step : events.steps) visitor.events(step);
    });
  if (chunk.type == kSnapshotChunk)
    return hand_on(decode_snapshot(content.value()), [&](RecordedSnapshot snapshot) {
      snapshot.chunk = chunk;
      visitor.snapshot(snapshot);
    });
  return hand_on(decode_end(content.value()), visitor.end);
}

}  // namespace

Cast make_cast(const RecordingHeader& header) {
  Cast cast = make_cast(make_world(header.scene, header.options));
  cast.scene = header.scene.name;
  cast.description = header.scene.description;
  cast.suite = header.scene.suite;
  cast.version = header.version;
  cast.dt = header.dt;
  return cast;
}

RecordingWriter::RecordingWriter(std::string path, const RecordingHeader& header)
    : file_(std::move(path)), keeps_contacts_(header.contacts), keeps_events_(header.events) {
  file_.write(kHeaderChunk, encode_header(header));
}

RecordingWriter::RecordingWriter(std::string path, const RecordingHeader& header, const RecordedSnapshot& snapshot)
    : file_(std::move(path), snapshot.chunk), keeps_contacts_(header.contacts), keeps_events_(header.events) {}

void RecordingWriter::add_frame(const Frame& frame) {
  Frame kept{frame.time, frame.bodies, frame.frozen, {}};
  if (keeps_contacts_) kept.contacts = frame.contacts;
  kept_bytes_ += kept.bodies.size() * sizeof(BodyState) + kept.contacts.size() * sizeof(FrameContact);
  frames_.push_back(std::move(kept));
  flush_if_due();
}

void RecordingWriter::add_step(const StepReport& report) {
  steps_.push_back(report);
  flush_if_due();
}

void RecordingWriter::add_events(const StepEvents& events) {
  if (!keeps_events_) return;
  kept_bytes_ += events.events.size() * sizeof(FrameEvent);
  events_.push_back(events);
  flush_if_due();
}

void RecordingWriter::flush_if_due() {
  if (kept_bytes_ >= kFlushBytes || Clock::now() - last_flush_ >= kFlushTime) flush();
}

void RecordingWriter::flush() {
  // Steps first: a step comes before the frame at its end. And before them what is to be put into them.
  if (const std::string events = encode_events(steps_, events_); !events.empty()) file_.write(kEventsChunk, events);
  if (!steps_.empty()) file_.write(kStepsChunk, encode_steps(steps_));
  if (!frames_.empty()) file_.write(kFramesChunk, encode_frames(frames_));
  steps_.clear();
  events_.clear();
  frames_.clear();
  kept_bytes_ = 0;
  last_flush_ = Clock::now();
}

void RecordingWriter::add_snapshot(const World& world, std::int64_t step) {
  flush();  // everything before a snapshot stands before it in the file
  file_.write(kSnapshotChunk, encode_snapshot(world, step));
}

void RecordingWriter::add_end(const RecordingEnd& end) {
  flush();
  file_.write(kEndChunk, encode_end(end));
}

Result<Recording> Recording::open(const std::string& path) {
  const auto file = ChunkReader::open(path);
  if (!file) return Result<Recording>::failure(file.message());
  Chunk chunk;
  if (!file.value()->next(chunk) || chunk.type != kHeaderChunk)
    return Result<Recording>::failure(path +
                                      ": the recording's header is missing or damaged; without it nothing can be read");
  Recording recording;
  recording.path_ = path;
  recording.size_ = file.value()->file_size();
  const Result<std::string> content = chunk.content();
  if (!content) return Result<Recording>::failure(path + ": the recording's header: " + content.message());
  Result<RecordingHeader> header = decode_header(content.value());
  if (!header) return Result<Recording>::failure(path + ": the recording's header: " + header.message());
  recording.header_ = std::move(header.value());
  return recording;
}

RecordingProblems Recording::read(const RecordingVisitor& visitor) const {
  RecordingProblems problems;
  const auto file = ChunkReader::open(path_);
  if (!file) {
    problems.damage.push_back(file.message());
    return problems;
  }
  std::vector<std::string> undecoded;
  std::vector<EventCounts> counts;
  Chunk chunk;
  while (file.value()->next(chunk)) {
    const std::string problem = visit(chunk, visitor, header_.scene.bodies.size(), counts);
    if (!problem.empty())
      undecoded.push_back(fmt::format("chunk {} ({}) at byte {} holds {}", chunk.number, chunk_type_text(chunk.type),
                                      chunk.offset, problem));
  }
  problems.damage = file.value()->damage();
  problems.damage.insert(problems.damage.end(), undecoded.begin(), undecoded.end());
  problems.unfinished_bytes = file.value()->unfinished_bytes();
  return problems;
}

Result<RecordedSnapshot> Recording::find_snapshot(Real latest) const {
  constexpr Real kRounding = 1e-9;  // times are sums of steps: what is asked for as 17 s may be a hair later
  std::optional<RecordedSnapshot> found;
  Real first = std::numeric_limits<Real>::infinity();
  RecordingVisitor visitor;
  visitor.snapshot = [&](const RecordedSnapshot& snapshot) {
    first = std::min(first, snapshot.time);
    if (snapshot.time <= latest + kRounding * std::abs(latest)) found = snapshot;
  };
  read(visitor);
  if (found) return *found;
  return Result<RecordedSnapshot>::failure(
      path_ + (std::isinf(first)
                   ? ": the recording holds no complete snapshot to resume from"
                   : fmt::format(": the recording's first snapshot is at {} s, expected one at or before {} s", first,
                                 latest)));
}

}  // namespace carom
