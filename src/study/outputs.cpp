#include "study/outputs.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include "io/csv_file.h"
#include "io/gltf_file.h"
#include "io/replay_page.h"
#include "io/run_files.h"
#include "io/usd_file.h"

namespace carom {

std::vector<std::string> output_paths(const OutputSettings& settings) {
  std::vector<std::string> paths;
  for (const std::string* path : {&settings.trajectory, &settings.metrics, &settings.contacts, &settings.events,
                                  &settings.html, &settings.gltf, &settings.usd})
    if (!path->empty()) paths.push_back(*path);
  return paths;
}

std::string check_outputs(const OutputSettings& settings) {
  if (!(settings.every >= 0) || !std::isfinite(settings.every))
    return "the sampling interval must be a number of seconds, at least 0";
  if (!(settings.fps > 0) || !std::isfinite(settings.fps))
    return "the frame rate must be a positive number of frames per second";
  if (!settings.html.empty() && !replay_page_available()) return settings.html + ": " + replay_page_missing_message();
  return {};
}

std::string check_paths(const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i < paths.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (std::filesystem::path(paths[i]).lexically_normal() == std::filesystem::path(paths[k]).lexically_normal())
        return paths[i] + ": found the same file for two outputs, expected one each";
  return check_writable(paths);
}

bool Sampler::is_due(Real time) {
  if (every_ <= 0) return true;
  const Real reached = std::floor((time + slack_) / every_);
  if (reached <= last_) return false;
  last_ = reached;
  return true;
}

Outputs::Outputs(const OutputSettings& settings, const Cast& cast) {
  const Sampler tables(settings.every, cast.dt), pictures(1 / settings.fps, cast.dt);
  const Sampler no_frames(std::numeric_limits<Real>::infinity(), cast.dt);  // for what is told of by steps
  if (!settings.trajectory.empty()) add(std::make_unique<TrajectoryFile>(settings.trajectory, cast), tables, false);
  if (!settings.metrics.empty()) add(std::make_unique<MetricsFile>(settings.metrics), no_frames, false);
  if (!settings.contacts.empty()) add(std::make_unique<ContactsFile>(settings.contacts, cast), tables, true);
  if (!settings.events.empty()) add(std::make_unique<EventsFile>(settings.events, cast), no_frames, false);
  if (!settings.html.empty()) add(std::make_unique<ReplayPage>(settings.html, cast), pictures, true);
  if (!settings.gltf.empty()) add(std::make_unique<GltfFile>(settings.gltf, cast), pictures, false);
  if (!settings.usd.empty()) add(std::make_unique<UsdFile>(settings.usd, cast), pictures, false);
}

void Outputs::add(std::unique_ptr<RunOutput> output, Sampler sampler, bool with_contacts) {
  entries_.push_back({std::move(output), sampler, with_contacts});
}

bool Outputs::wants_frame(Real time) {
  bool any = false;
  for (Entry& entry : entries_) {
    entry.is_due = entry.sampler.is_due(time);
    any = any || entry.is_due;
  }
  return any;
}

bool Outputs::wants_contacts() const {
  for (const Entry& entry : entries_)
    if (entry.is_due && entry.with_contacts) return true;
  return false;
}

void Outputs::add_frame(const Frame& frame) {
  for (Entry& entry : entries_)
    if (entry.is_due) entry.output->add_frame(frame);
}

void Outputs::add_step(const StepReport& report) {
  for (Entry& entry : entries_) entry.output->add_step(report);
}

void Outputs::add_events(const StepEvents& events) {
  for (Entry& entry : entries_) entry.output->add_events(events);
}

void Outputs::finish() {
  for (Entry& entry : entries_) entry.output->finish();
}

std::string Outputs::error() const {
  for (const Entry& entry : entries_)
    if (std::string error = entry.output->error(); !error.empty()) return error;
  return {};
}

}  // namespace carom
