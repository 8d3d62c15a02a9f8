#include "report.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "study/text_table.h"

namespace carom::bench {
namespace {

std::string first_line_of(const char* command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  char line[256] = "";
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe.get()) == nullptr) return "unknown";
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "unknown" : text;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// The first engine of other people that ran the whole scene: times are compared with its.
const Measurement* first_peer(const SceneResult& result) {
  const auto found = std::ranges::find_if(
      result.measurements, [](const Measurement& m) { return !is_carom(m) && has_figures(m) && m.cut.empty(); });
  return found != result.measurements.end() ? &*found : nullptr;
}

nlohmann::ordered_json quality_json(const ScenePlan& plan, const Measurement& m) {
  const Quality& q = m.quality;
  nlohmann::ordered_json json{{"finite", q.finite},
                              {"judged_steps", q.steps},
                              {"worst_penetration", q.worst_penetration},
                              {"mean_penetration", q.mean_penetration},
                              {"rest_penetration", q.rest_penetration},
                              {"lost_bodies", q.lost}};
  if (q.energy_rise) json["energy_rise"] = *q.energy_rise;
  for (const Figure& figure : q.figures) json[figure.name] = figure.value;
  if (const auto error = headline_error(plan, q); error && m.cut.empty()) json["error"] = *error;
  json["error_is"] = plan.error_label;
  return json;
}

nlohmann::ordered_json own_json(const OwnReport& own, double steps) {
  return {
      {"stage_ms_per_step",
       {{"detect", 1e3 * own.seconds.detect / steps},
        {"collisions", 1e3 * own.seconds.collisions / steps},
        {"contacts", 1e3 * own.seconds.contacts / steps},
        {"positions", 1e3 * own.seconds.positions / steps},
        {"total", 1e3 * own.seconds.total / steps}}},
      {"residual_coulomb", {{"final", own.residual_final}, {"mean", own.residual_mean}, {"worst", own.residual_worst}}},
      {"mean_iterations", own.iterations_mean},
      {"mean_contacts", own.contacts_mean},
      {"frozen_end", own.frozen},
      {"state_hash", fmt::format("{:016x}", own.state_hash)}};
}

/// The measurement with the least value among those that have one.
template <class Value>
const Measurement* least(const std::vector<Measurement>& all, bool of_carom, Value&& value) {
  const Measurement* best = nullptr;
  for (const Measurement& m : all) {
    if (is_carom(m) != of_carom || !has_figures(m) || !m.cut.empty() || !value(m)) continue;
    if (best == nullptr || *value(m) < *value(*best)) best = &m;
  }
  return best;
}

}  // namespace

Circumstances circumstances() {
  Circumstances where{first_line_of("git describe --always --dirty 2>/dev/null"), CAROM_COMPILER, cpu_name(), today()};
  where.cores = static_cast<int>(std::thread::hardware_concurrency());
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) where.load = load[0];
  return where;
}

std::string digits(double value) { return fmt::format("{:.3g}", value); }

bool has_figures(const Measurement& m) { return m.not_run.empty() && m.steps > 0 && m.quality.finite; }

bool is_carom(const Measurement& m) { return m.engine.starts_with("Carom"); }

std::string text_of(const Circumstances& where) {
  return fmt::format("Carom {} ({}), {}, {}, {} cores, {}, load before {:.1f}", CAROM_VERSION, where.commit,
                     where.compiler, where.cpu, where.cores, where.date, where.load);
}

std::string remark(const Measurement& m) {
  if (!m.not_run.empty()) return "not run: " + m.not_run;
  if (!m.cut.empty()) return m.cut;
  if (const Figure* stands = m.quality.find("stands"); stands != nullptr && stands->value == 0) return "falls";
  return {};
}

std::string error_text(const ScenePlan& plan, const Measurement& m) {
  const std::optional<double> error = headline_error(plan, m.quality);
  return error && has_figures(m) && m.cut.empty() ? digits(*error) : "–";  // of a part of the run it is another error
}

std::string figures_text(const Measurement& m) {
  std::string text;
  for (const Figure& figure : m.quality.figures) {
    if (figure.name == "stands") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", figure.name, digits(figure.value));
  }
  return text;
}

void print_scene(std::ostream& out, const SceneResult& result) {
  out << fmt::format("\n{}: error is {}\n", result.plan.name, result.plan.error_label);
  const Measurement* unit = first_peer(result);
  TextTable table({"<engine", "<variant", "ms/step", unit == nullptr ? "" : "/ " + unit->engine, "p99", "error",
                   "worst mm", "mean mm", "rest mm", "lost", "energy rise", "residual", "runs", "<figures, remark"});
  for (const Measurement& m : result.measurements) {
    if (!has_figures(m)) {
      table.add({m.engine, m.variant, "", "", "", "", "", "", "", "", "", "", "", remark(m)});
      continue;
    }
    const Quality& q = m.quality;
    const std::string figures = figures_text(m), end = remark(m);
    table.add({m.engine, m.variant, digits(m.ms), unit == nullptr ? "" : digits(m.ms / unit->ms), digits(m.p99_ms),
               error_text(result.plan, m), digits(1e3 * q.worst_penetration), digits(1e3 * q.mean_penetration),
               digits(1e3 * q.rest_penetration), std::to_string(q.lost), q.energy_rise ? digits(*q.energy_rise) : "",
               m.own ? fmt::format("{:.0e}", m.own->residual_mean) : "", std::to_string(m.repeats),
               fmt::format("{}{}{}", end, figures.empty() || end.empty() ? "" : "; ", figures)});
  }
  out << table.text(2) << std::flush;
}

StageShares stage_shares(const OwnReport& own) {
  const StageSeconds& s = own.seconds;
  if (s.total <= 0) return {};
  const double percent = 100 / s.total;
  return {percent * s.detect, percent * s.collisions, percent * s.contacts, percent * s.positions,
          percent * (s.total - s.detect - s.collisions - s.contacts - s.positions)};
}

void print_profile(std::ostream& out, std::span<const SceneResult> results) {
  TextTable table({"<scene", "<suite", "ms/step", "detect %", "collisions %", "contacts %", "positions %", "rest %",
                   "contacts", "iterations"});
  for (const SceneResult& result : results)
    for (const Measurement& m : result.measurements) {
      if (!m.own || !has_figures(m) || m.threads > 1) continue;
      const StageShares s = stage_shares(*m.own);
      table.add({m.scene, m.label().substr(6), digits(m.ms), fmt::format("{:.0f}", s.detect),
                 fmt::format("{:.0f}", s.collisions), fmt::format("{:.0f}", s.contacts),
                 fmt::format("{:.0f}", s.positions), fmt::format("{:.0f}", s.rest),
                 fmt::format("{:.0f}", m.own->contacts_mean), digits(m.own->iterations_mean)});
    }
  if (!table.empty()) out << "\nWhere Carom's time goes\n" << table.text(2) << std::flush;
}

void write_json_lines(std::ostream& out, const SceneResult& result, const Circumstances& where) {
  for (const Measurement& m : result.measurements) {
    nlohmann::ordered_json line{{"commit", where.commit},
                                {"compiler", where.compiler},
                                {"cpu", where.cpu},
                                {"cores", where.cores},
                                {"load", where.load},
                                {"date", where.date},
                                {"scene", m.scene},
                                {"engine", m.engine},
                                {"version", m.version},
                                {"variant", m.variant},
                                {"settings", m.settings},
                                {"threads", m.threads},
                                {"dt", m.dt},
                                {"steps", m.steps},
                                {"planned_steps", m.planned_steps},
                                {"repeats", m.repeats}};
    if (!m.not_run.empty()) line["not_run"] = m.not_run;
    if (!m.cut.empty()) line["cut"] = m.cut;
    if (has_figures(m)) {
      line["ms_per_step"] = m.ms;
      line["wall_ms_per_step"] = m.wall_ms;
      line["cpu_ms_per_step"] = m.cpu_ms;
      line["p99_ms_per_step"] = m.p99_ms;
      line["quality"] = quality_json(result.plan, m);
    }
    if (m.own && m.steps > 0) line.update(own_json(*m.own, m.steps));
    out << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }
  out << std::flush;
}

std::vector<std::string> losses(const SceneResult& result) {
  std::vector<std::string> sentences;
  const auto time = [](const Measurement& m) { return std::optional(m.ms); };
  const auto error = [&](const Measurement& m) {
    const std::optional<double> value = headline_error(result.plan, m.quality);
    return value ? std::optional(std::max(*value, kNoError)) : value;
  };
  const auto behind = [&](const Measurement* carom, const Measurement* peer, const char* what, auto&& value) {
    if (carom == nullptr || peer == nullptr || *value(*peer) >= *value(*carom)) return;
    const double times = *value(*carom) / *value(*peer);
    sentences.push_back(
        fmt::format("{} by {:.1f} times: {} takes {} ms a step with error {}, the best of Carom, {}, {} ms with {}",
                    what, times, peer->label(), digits(peer->ms), error_text(result.plan, *peer), carom->label(),
                    digits(carom->ms), error_text(result.plan, *carom)));
  };
  behind(least(result.measurements, true, time), least(result.measurements, false, time), "slower", time);
  behind(least(result.measurements, true, error), least(result.measurements, false, error), "less accurate", error);
  std::string unfinished;
  for (const Measurement& m : result.measurements)
    if (is_carom(m) && !(m.cut.empty() && m.not_run.empty()))
      unfinished +=
          fmt::format("{}{}", unfinished.empty() ? "not finished in the time that they had: " : "; ", m.label());
  if (!unfinished.empty()) sentences.push_back(unfinished);
  return sentences;
}

void print_losses(std::ostream& out, std::span<const SceneResult> results) {
  out << "\nWhere Carom loses\n";
  for (const SceneResult& result : results)
    for (const std::string& sentence : losses(result)) out << "  " << result.plan.name << ": " << sentence << '\n';
  out << std::flush;
}

}  // namespace carom::bench
