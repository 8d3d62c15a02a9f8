#include "report.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

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

constexpr const char* kHeader = "{:<10} {:<7} {:<46} {:>9} {:>9} {:>10} {:>9} {:>5} {:>10} {:>9}\n";

}  // namespace

Circumstances circumstances() {
  return {first_line_of("git describe --always --dirty 2>/dev/null"), CAROM_COMPILER, cpu_name(), today()};
}

void print_header(std::ostream& out, const Circumstances& where) {
  out << fmt::format("Carom {} ({}), {}, {}, {}\n\n", CAROM_VERSION, where.commit, where.compiler, where.cpu,
                     where.date);
  out << fmt::format(kHeader, "scene", "engine", "settings", "ms/step", "p99", "worst mm", "mean mm", "lost",
                     "residual", "x Bullet");
}

void print_rows(std::ostream& out, std::span<const Measurement> results) {
  double bullet = 0;
  for (const Measurement& m : results)
    if (m.engine == "Bullet") bullet = m.floor_ms;
  for (const Measurement& m : results) {
    if (!m.not_run.empty() || !m.finite) {
      out << fmt::format("{:<10} {:<7} {:<46} {}\n", m.scene, m.engine, m.settings,
                         m.finite ? "not run: the scene has " + m.not_run : "failed: the state is not finite");
      continue;
    }
    out << fmt::format(kHeader, m.scene, m.engine, m.settings, fmt::format("{:.4f}", m.floor_ms),
                       fmt::format("{:.4f}", m.p99_ms), fmt::format("{:.2f}", 1e3 * m.worst_penetration),
                       fmt::format("{:.3f}", 1e3 * m.mean_penetration), m.lost,
                       m.own ? fmt::format("{:.1e}", m.own->residual_final) : "",
                       bullet > 0 ? fmt::format("{:.2f}", m.floor_ms / bullet) : "");
  }
  out << std::flush;
}

void print_scaling(std::ostream& out, std::span<const Measurement> results) {
  out << fmt::format("\n{:<10} {:>8} {:>15} {:>12} {:>10} {:>10} {:>9}  {}\n", "scene", "threads", "median ms/step",
                     "floor ms", "worst mm", "residual", "speed-up", "state hash");
  for (const Measurement& m : results) {
    if (!m.own || !m.finite) continue;
    out << fmt::format("{:<10} {:>8} {:>15.4f} {:>12.4f} {:>10.2f} {:>10.1e} {:>9.2f}  {:016x}\n", m.scene, m.threads,
                       m.median_ms, m.floor_ms, 1e3 * m.worst_penetration, m.own->residual_final,
                       results.front().median_ms / m.median_ms, m.own->state_hash);
  }
  out << std::flush;
}

void write_json_lines(std::ostream& out, std::span<const Measurement> results, const Circumstances& where) {
  for (const Measurement& m : results) {
    nlohmann::ordered_json line{{"scene", m.scene},       {"engine", m.engine},
                                {"version", m.version},   {"settings", m.settings},
                                {"commit", where.commit}, {"compiler", where.compiler},
                                {"cpu", where.cpu},       {"date", where.date},
                                {"threads", m.threads},   {"dt", m.dt},
                                {"steps", m.steps},       {"repeats", m.repeats}};
    if (!m.not_run.empty()) {
      line["not_run"] = m.not_run;
    } else {
      line["finite"] = m.finite;
      line["floor_ms_per_step"] = m.floor_ms;
      line["median_ms_per_step"] = m.median_ms;
      line["p99_ms_per_step"] = m.p99_ms;
      line["worst_penetration"] = m.worst_penetration;
      line["mean_penetration"] = m.mean_penetration;
      line["lost_bodies"] = m.lost;
    }
    if (m.own) {
      const double steps = m.steps;
      line["stage_ms_per_step"] = {{"detect", 1e3 * m.own->seconds.detect / steps},
                                   {"collisions", 1e3 * m.own->seconds.collisions / steps},
                                   {"contacts", 1e3 * m.own->seconds.contacts / steps},
                                   {"positions", 1e3 * m.own->seconds.positions / steps},
                                   {"total", 1e3 * m.own->seconds.total / steps}};
      line["residual_coulomb"] = {
          {"final", m.own->residual_final}, {"mean", m.own->residual_mean}, {"worst", m.own->residual_worst}};
      line["mean_iterations"] = m.own->iterations_mean;
      line["state_hash"] = fmt::format("{:016x}", m.own->state_hash);
    }
    out << line.dump() << '\n';
  }
  out << std::flush;
}

}  // namespace carom::bench
