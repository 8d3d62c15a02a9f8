#include "study/compare_scene.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "io/closest.h"
#include "io/frame.h"
#include "io/replay_data.h"
#include "io/suite_message.h"
#include "study/compare.h"
#include "study/scene_lookup.h"

namespace carom {
namespace {

using Plan = Result<SuitesPlan>;

std::vector<std::string> chosen_names(const std::string& list) {
  if (!list.empty() && list != "all") return names_between_commas(list);
  std::vector<std::string> names;
  for (const SuiteInfo& info : suite_registry()) names.push_back(info.name);
  return names;
}

/// `--set` as typed: for one suite or for all.
struct Setting {
  std::string text, suite, key, value;
};

Result<Setting> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    return Result<Setting>::failure(fmt::format("--set: found \"{}\", expected key=value or suite:key=value", text));
  Setting setting{text, {}, text.substr(0, equals), text.substr(equals + 1)};
  if (const std::size_t colon = setting.key.find(':'); colon != std::string::npos) {
    setting.suite = setting.key.substr(0, colon);
    setting.key.erase(0, colon + 1);
  }
  return setting;
}

bool takes(const SuiteChoice& choice, const std::string& key) {
  return std::ranges::any_of(choice.options.specs(), [&](const OptionSpec& spec) { return spec.name == key; });
}

/// A setting for all goes to those that take it and is noted on the others; nobody to take it is a mistake.
std::string apply_setting(const Setting& setting, std::vector<SuiteChoice>& suites) {
  bool taken = false;
  std::vector<std::string> keys;
  for (SuiteChoice& choice : suites) {
    if (!setting.suite.empty() && choice.info->name != setting.suite) continue;
    if (!takes(choice, setting.key)) {
      for (const OptionSpec& spec : choice.options.specs()) keys.push_back(spec.name);
      choice.note += (choice.note.empty() ? "without " : ", ") + setting.text;
      continue;
    }
    taken = true;
    if (const std::string refusal = choice.options.set_text(setting.key, setting.value); !refusal.empty())
      return fmt::format("--set: {}: {}", choice.info->name, refusal);
  }
  if (taken) return {};
  if (keys.empty())
    return fmt::format("--set: found \"{}\", but the suite {} does not take part", setting.text, setting.suite);
  return fmt::format("--set: found \"{}\", which {} takes; 'carom suites' lists what there is{}", setting.text,
                     setting.suite.empty() ? "no suite here" : "the suite " + setting.suite + " never",
                     did_you_mean(setting.key, keys));
}

Result<std::vector<SuiteChoice>> choose_suites(const Scene& scene, const std::string& names) {
  using Choices = Result<std::vector<SuiteChoice>>;
  std::vector<SuiteChoice> choices;
  for (const std::string& name : chosen_names(names)) {
    SuiteChoice choice{find_suite(name), scene, {}, {}};
    if (const std::string refusal = choose_suite(choice.scene, name); !refusal.empty())
      return Choices::failure("--suites: " + refusal);
    if (std::ranges::any_of(choices, [&](const SuiteChoice& other) { return other.info == choice.info; }))
      return Choices::failure(fmt::format("--suites: found {} twice, expected every suite once", name));
    choice.options = scene_options(choice.scene);
    choices.push_back(std::move(choice));
  }
  return choices;
}

/// Keeps what the table needs beyond the summary: the end, and how long each step took.
class EndKeeper final : public RunOutput {
 public:
  struct Kept {
    Cast cast;
    Frame last;
    std::vector<double> step_seconds;
  };

  EndKeeper(const Cast& cast, Kept& kept) : kept_(kept) { kept_.cast = cast; }
  void add_frame(const Frame& frame) override { kept_.last = frame; }
  void add_step(const StepReport& report) override { kept_.step_seconds.push_back(report.seconds.total); }
  void finish() override {}
  std::string error() const override { return {}; }

 private:
  Kept& kept_;
};

/// Hands the packed replay over when the run is done.
class ReplayKeeper final : public RunOutput {
 public:
  ReplayKeeper(const Cast& cast, std::string& kept) : data_(cast), kept_(kept) {}
  void add_frame(const Frame& frame) override { data_.add_frame(frame); }
  void add_step(const StepReport& report) override { data_.add_step(report); }
  void add_events(const StepEvents& events) override { data_.add_events(events); }
  void finish() override {
    data_.finish();
    kept_ = data_.text();
  }
  std::string error() const override { return {}; }

 private:
  ReplayData data_;
  std::string& kept_;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Arrangement arrange(const EndKeeper::Kept& kept) {
  Arrangement arrangement;
  const Real gravity = norm(kept.cast.gravity);
  const Vec3 up = gravity > 0 ? (-1 / gravity) * kept.cast.gravity : Vec3{0, 0, 1};
  Real mass = 0, moment = 0;
  for (std::size_t i = 0; i < kept.last.bodies.size(); ++i) {
    const CastBody& body = kept.cast.bodies[i];
    if (body.type != BodyType::Dynamic) continue;
    mass += body.mass;
    moment += body.mass * dot(up, kept.last.bodies[i].position);
    if (kept.last.frozen[i] != 0)
      ++arrangement.frozen;
    else if (2 * kinetic_energy(body, kept.last.bodies[i]) >= body.mass * kMovingSpeed * kMovingSpeed)
      ++arrangement.moving;
  }
  if (mass > 0) arrangement.height = moment / mass;
  return arrangement;
}

/// How far the bodies are from where the reference has them.
void measure_distance(const EndKeeper::Kept& kept, const EndKeeper::Kept& reference, Arrangement& arrangement) {
  Real sum = 0, farthest = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kept.last.bodies.size(); ++i) {
    if (kept.cast.bodies[i].type != BodyType::Dynamic) continue;
    const Real distance = norm(kept.last.bodies[i].position - reference.last.bodies[i].position);
    sum += distance;
    farthest = std::max(farthest, distance);
    ++count;
  }
  if (count == 0) return;
  arrangement.distance = sum / static_cast<Real>(count);
  arrangement.farthest = farthest;
}

SuiteEnd end_of(RunEnd end) {
  switch (end) {
    case RunEnd::Complete:
      return SuiteEnd::Complete;
    case RunEnd::Interrupted:
      return SuiteEnd::Interrupted;
    case RunEnd::NotFinite:
      return SuiteEnd::Failed;
    case RunEnd::WriteFailed:
    case RunEnd::NotStarted:
      break;
  }
  return SuiteEnd::Refused;
}

/// The comparison under way.
class Suites {
 public:
  Suites(const SuitesPlan& plan, const SuitesSettings& settings) : plan_(plan), settings_(settings) {
    comparison_.version = settings.version;
    comparison_.dt = plan.dt;
    comparison_.duration = plan.duration;
    comparison_.threads = settings.threads;
    comparison_.reference = plan.reference;
    kept_.resize(plan.suites.size());
    if (plan.suites.empty()) return;
    const Scene& scene = plan.suites.front().scene;
    comparison_.scene = scene.name;
    comparison_.description = scene.description;
    comparison_.gravity = norm(scene.gravity);
    comparison_.bodies = static_cast<std::size_t>(
        std::ranges::count_if(scene.bodies, [](const SceneBody& body) { return body.def.type == BodyType::Dynamic; }));
  }

  SuitesComparison go(const std::atomic<bool>* stop, const SuitesProgress& progress) {
    for (std::size_t i = 0; i < plan_.suites.size(); ++i) {
      SuiteRow row{.info = plan_.suites[i].info, .note = plan_.suites[i].note};
      if (stop != nullptr && stop->load(std::memory_order_relaxed))
        row.message = "interrupted before its turn";
      else
        run(i, stop, progress, row);
      comparison_.rows.push_back(std::move(row));
    }
    measure_distances();
    return std::move(comparison_);
  }

 private:
  void run(std::size_t i, const std::atomic<bool>* stop, const SuitesProgress& progress, SuiteRow& row) {
    const SuiteChoice& choice = plan_.suites[i];
    RunSettings settings{.options = choice.options,
                         .threads = settings_.threads,
                         .dt = plan_.dt,
                         .duration = plan_.duration,
                         .version = settings_.version};
    settings.keep_failure = false;
    settings.watchers.push_back({[&](const Cast& cast) { return std::make_unique<EndKeeper>(cast, kept_[i]); }, 0});
    if (settings_.with_replays)
      settings.watchers.push_back({[&](const Cast& cast) { return std::make_unique<ReplayKeeper>(cast, row.replay); },
                                   1 / settings_.fps, true});
    // A scene that a suite does not take is no reason to go without the others.
    try {
      const RunResult result = run_scene(choice.scene, settings, stop, [&](const RunProgress& state) {
        if (progress) progress(i, state);
      });
      row.end = end_of(result.end);
      row.message = row.end == SuiteEnd::Interrupted ? "interrupted by the user" : result.message;
      row.summary = result.summary;
    } catch (const Error& error) {
      row.end = SuiteEnd::Refused;
      row.message = error.what();
      return;
    }
    row.median_step_ms = 1e3 * median(std::move(kept_[i].step_seconds));
    row.arrangement = arrange(kept_[i]);
  }

  /// Only ends of whole runs are those of the same moment. Where the reference did not get there, the first that did
  /// takes its place.
  void measure_distances() {
    std::vector<SuiteRow>& rows = comparison_.rows;
    const auto is_reference = [&](const SuiteRow& row) {
      return row.info->name == plan_.reference && row.end == SuiteEnd::Complete;
    };
    auto reference = std::ranges::find_if(rows, is_reference);
    if (reference == rows.end())
      reference = std::ranges::find_if(rows, [](const SuiteRow& row) { return row.end == SuiteEnd::Complete; });
    if (reference == rows.end()) return;
    comparison_.reference = reference->info->name;
    const EndKeeper::Kept& end = kept_[static_cast<std::size_t>(reference - rows.begin())];
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].end == SuiteEnd::Complete) measure_distance(kept_[i], end, rows[i].arrangement);
  }

  const SuitesPlan& plan_;
  const SuitesSettings& settings_;
  std::vector<EndKeeper::Kept> kept_;  // per suite
  SuitesComparison comparison_;
};

}  // namespace

const char* suite_end_name(SuiteEnd end) {
  switch (end) {
    case SuiteEnd::Complete:
      return "complete";
    case SuiteEnd::Failed:
      return "failed";
    case SuiteEnd::Refused:
      return "refused";
    case SuiteEnd::Interrupted:
      return "interrupted";
    case SuiteEnd::NotRun:
      break;
  }
  return "not run";
}

bool SuitesComparison::is_complete() const {
  return std::ranges::all_of(rows, [](const SuiteRow& row) { return row.end == SuiteEnd::Complete; });
}

Result<SuitesPlan> plan_suites(const Scene& scene, const SuitesRequest& request) {
  Result<std::vector<SuiteChoice>> suites = choose_suites(scene, request.suites);
  if (!suites) return Plan::failure(suites.message());
  SuitesPlan plan{suites.value(), request.reference, request.dt.value_or(scene.dt),
                  request.duration.value_or(scene.duration)};
  for (const std::string& text : request.settings) {
    const Result<Setting> setting = parse_setting(text);
    if (!setting) return Plan::failure(setting.message());
    if (!setting.value().suite.empty())
      if (const std::string unknown = suite_message(setting.value().suite); !unknown.empty())
        return Plan::failure("--set: " + unknown);
    if (const std::string refusal = apply_setting(setting.value(), plan.suites); !refusal.empty())
      return Plan::failure(refusal);
  }
  std::vector<std::string> names;
  names.reserve(plan.suites.size());
  for (const SuiteChoice& choice : plan.suites) names.push_back(choice.info->name);
  const auto takes_part = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (plan.reference.empty()) plan.reference = takes_part("exact") ? "exact" : names.front();
  if (!takes_part(plan.reference))
    return Plan::failure(fmt::format("--reference: found \"{}\", expected one of the suites compared: {}{}",
                                     plan.reference, joined(names), did_you_mean(plan.reference, names)));
  RunSettings settings{.dt = plan.dt, .duration = plan.duration};
  if (const std::string refusal = check_run(settings); !refusal.empty()) return Plan::failure(refusal);
  return plan;
}

SuitesComparison compare_suites(const SuitesPlan& plan, const SuitesSettings& settings, const std::atomic<bool>* stop,
                                const SuitesProgress& progress) {
  return Suites(plan, settings).go(stop, progress);
}

}  // namespace carom
