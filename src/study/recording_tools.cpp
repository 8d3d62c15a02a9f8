#include "study/recording_tools.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/recording.h"
#include "study/outputs.h"
#include "study/summary.h"

namespace carom {
namespace {

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", 1e-3 * static_cast<double>(bytes));
  return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
}

std::string end_text(const RecordedEnd& end) {
  if (!end.is_known) return "missing: the run was killed, or is still going on";
  return fmt::format("{}, {} steps, {:.10g} s, state hash {:016x}", end.reason, end.steps, end.time, end.state_hash);
}

std::string frames_text(const RecordingContents& contents) {
  if (contents.frames == 0) return "none";
  const std::string rate = contents.every > 0 ? fmt::format("every {:.6g} s", contents.every) : "every step";
  return fmt::format("{}, from {:.6g} to {:.6g} s, {}", contents.frames, contents.first_time, contents.last_time, rate);
}

std::string snapshots_text(const std::vector<Real>& times) {
  if (times.empty()) return "none";
  std::string text = fmt::format("{}: at {:.6g}", times.size(), times.front());
  if (times.size() == 2) text += fmt::format(" and {:.6g}", times.back());
  if (times.size() > 2) text += fmt::format(", {:.6g}, … {:.6g}", times[1], times.back());
  return text + " s";
}

/// Empty when the recording can be written as asked.
std::string check_export(const Recording& recording, const OutputSettings& settings) {
  const std::vector<std::string> paths = output_paths(settings);
  if (paths.empty())
    return "found no output, expected at least one of --html, --gltf, --usd, --trajectory, --metrics, --contacts, "
           "--events";
  if (!settings.contacts.empty() && !recording.header().contacts)
    return recording.path() + ": the recording holds no contacts; 'carom run --record-contacts' keeps them";
  if (!settings.events.empty() && !recording.header().events)
    return recording.path() + ": the recording holds no events; 'carom run --record-events' keeps them";
  std::string refusal = check_outputs(settings);
  if (refusal.empty()) refusal = check_paths(paths);
  if (!refusal.empty()) return refusal;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, recording.path(), ignored))
      return path + ": found the recording itself as an output, expected another file";
  }
  return {};
}

}  // namespace

Result<RecordingContents> survey(const std::string& path) {
  const Result<Recording> recording = Recording::open(path);
  if (!recording) return Result<RecordingContents>::failure(recording.message());
  const RecordingHeader& header = recording.value().header();
  RecordingContents contents;
  contents.path = path;
  contents.bytes = recording.value().file_size();
  contents.scene = header.scene.name;
  contents.description = header.scene.description;
  contents.suite = header.scene.suite;
  contents.suite_reason = header.scene.suite_reason;
  contents.version = header.version;
  contents.bodies = header.scene.bodies.size();
  contents.dt = header.dt;
  contents.duration = header.duration;
  contents.every = header.every;
  contents.has_contacts = header.contacts;
  contents.has_events = header.events;

  RecordingVisitor visitor;
  visitor.frame = [&](const Frame& frame) {
    if (contents.frames++ == 0) contents.first_time = frame.time;
    contents.last_time = frame.time;
    contents.contacts += static_cast<std::int64_t>(frame.contacts.size());
  };
  visitor.step = [&](const StepReport& /*report*/) { ++contents.steps; };
  visitor.events = [&](const StepEvents& step) { contents.events += static_cast<std::int64_t>(step.events.size()); };
  visitor.snapshot = [&](const RecordedSnapshot& snapshot) { contents.snapshots.push_back(snapshot.time); };
  visitor.end = [&](const RecordingEnd& end) { contents.end = {true, end.reason, end.step, end.time, end.state_hash}; };
  const RecordingProblems problems = recording.value().read(visitor);
  contents.damage = problems.damage;
  contents.unfinished_bytes = problems.unfinished_bytes;
  return contents;
}

std::string contents_text(const RecordingContents& contents) {
  std::string text = fmt::format("{}: a recording of {}\n", contents.path, size_text(contents.bytes));
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<11} {}\n", what, value);
  };
  line("scene", contents.scene + (contents.description.empty() ? "" : ": " + contents.description));
  line("made by", "carom " + contents.version);
  line("suite", suite_text(contents.suite, contents.suite_reason));
  line("bodies", fmt::format("{}", contents.bodies));
  line("step", fmt::format("{:.10g} s, {:.10g} s asked for", contents.dt, contents.duration));
  line("frames", frames_text(contents));
  line("contacts", contents.has_contacts ? fmt::format("{} in all frames", contents.contacts)
                                         : "not recorded (carom run --record-contacts)");
  if (contents.has_events) line("events", fmt::format("{} impacts", contents.events));
  line("steps", fmt::format("{} with their metrics", contents.steps));
  line("snapshots", snapshots_text(contents.snapshots));
  line("end", end_text(contents.end));
  if (contents.unfinished_bytes > 0)
    line("unfinished", fmt::format("the last {} bytes are the beginning of a chunk; all before them is whole",
                                   contents.unfinished_bytes));
  for (const std::string& damage : contents.damage) line("DAMAGED", damage);
  return text;
}

std::string contents_json(const RecordingContents& contents) {
  nlohmann::ordered_json json = {
      {"file", contents.path},
      {"bytes", contents.bytes},
      {"scene", contents.scene},
      {"version", contents.version},
      {"suite", contents.suite},
      {"suite_reason", contents.suite_reason},
      {"bodies", contents.bodies},
      {"dt", contents.dt},
      {"duration", contents.duration},
      {"frames", contents.frames},
      {"first_time", contents.first_time},
      {"last_time", contents.last_time},
      {"has_contacts", contents.has_contacts},
      {"contacts", contents.contacts},
      {"has_events", contents.has_events},
      {"events", contents.events},
      {"steps", contents.steps},
      {"snapshots", contents.snapshots},
      {"end", nullptr},
      {"unfinished_bytes", contents.unfinished_bytes},
      {"damage", contents.damage},
  };
  const RecordedEnd& end = contents.end;
  if (end.is_known)
    json["end"] = {{"reason", end.reason},
                   {"steps", end.steps},
                   {"time", end.time},
                   {"state_hash", fmt::format("{:016x}", end.state_hash)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<ExportResult> export_recording(const std::string& path, const OutputSettings& settings,
                                      const std::function<void(double)>& progress) {
  const Result<Recording> recording = Recording::open(path);
  if (!recording) return Result<ExportResult>::failure(recording.message());
  const std::string refusal = check_export(recording.value(), settings);
  if (!refusal.empty()) return Result<ExportResult>::failure(refusal);

  const RecordingHeader& header = recording.value().header();
  ExportResult result;
  result.scene = header.scene.name;
  Outputs outputs(settings, make_cast(header));
  RecordingVisitor visitor;
  visitor.step = [&](const StepReport& report) {
    outputs.add_step(report);
    ++result.steps;
  };
  visitor.events = [&](const StepEvents& events) { outputs.add_events(events); };
  visitor.frame = [&](const Frame& frame) {
    if (!outputs.wants_frame(frame.time)) return;
    outputs.add_frame(frame);
    ++result.frames;
    if (progress) progress(frame.time / header.duration);
  };
  result.damage = recording.value().read(visitor).damage;
  outputs.finish();
  result.error = outputs.error();
  return result;
}

}  // namespace carom
