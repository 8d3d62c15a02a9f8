// A comparison of suites as JSON, for a terminal and as a page.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/replay_template.h"
#include "study/compare_scene.h"
#include "study/text_table.h"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<Real>& value) { return value ? Json(*value) : Json(nullptr); }

Json row_json(const SuiteRow& row) {
  Json json{{"suite", row.info->name},
            {"end", suite_end_name(row.end)},
            {"message", row.message},
            {"note", row.note},
            {"summary", row.info->summary},
            {"source", row.info->source},
            {"event_driven", row.info->event_driven}};
  if (!row.has_run()) return json;
  const RunSummary& s = row.summary;
  // The mean over frames most of which called no solver would say nothing.
  const Json residual_worst = row.has_residual() ? Json(s.worst_residual_coulomb) : Json(nullptr);
  const Json residual_mean = s.events ? Json(nullptr) : Json(s.mean_residual_coulomb);
  json.update({{"steps", s.steps},
               {"sim_seconds", s.sim_seconds},
               {"median_step_ms", row.median_step_ms},
               {"step_seconds", 1e-3 * s.mean_step_ms * static_cast<double>(s.steps)},
               {"worst_residual_coulomb", residual_worst},
               {"mean_residual_coulomb", residual_mean},
               {"unconverged_steps", row.limited_steps()},
               {"worst_penetration", s.worst_penetration},
               {"energy_start", s.energy_start},
               {"energy_end", s.energy_end},
               {"largest_energy_rise", s.largest_energy_rise},
               {"momentum_error", s.momentum_error},
               {"mean_height", row.arrangement.height},
               {"mean_distance", optional_json(row.arrangement.distance)},
               {"largest_distance", optional_json(row.arrangement.farthest)},
               {"moving_end", row.arrangement.moving},
               {"frozen_end", row.arrangement.frozen},
               {"state_hash", fmt::format("{:016x}", s.state_hash)}});
  return json;
}

Json comparison_json(const SuitesComparison& comparison) {
  Json rows = Json::array();
  for (const SuiteRow& row : comparison.rows) rows.push_back(row_json(row));
  return {{"scene", comparison.scene},         {"description", comparison.description},
          {"version", comparison.version},     {"bodies", comparison.bodies},
          {"gravity", comparison.gravity},     {"dt", comparison.dt},
          {"duration", comparison.duration},   {"threads", comparison.threads},
          {"reference", comparison.reference}, {"suites", rows}};
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

std::string distance_text(const std::optional<Real>& value) { return value ? short_number(1e3 * *value) : "-"; }

std::vector<std::string> cost_cells(const SuiteRow& row) {
  const RunSummary& s = row.summary;
  return {row.info->name,
          short_number(row.median_step_ms),
          short_number(1e-3 * s.mean_step_ms * static_cast<double>(s.steps)),
          row.has_residual() ? short_number(s.worst_residual_coulomb) : "-",
          s.events ? "-" : short_number(s.mean_residual_coulomb),
          fmt::format("{} of {}", row.limited_steps(), s.steps),
          short_number(1e3 * s.worst_penetration),
          short_number(s.momentum_error)};
}

std::vector<std::string> end_cells(const SuiteRow& row) {
  const RunSummary& s = row.summary;
  const Arrangement& a = row.arrangement;
  return {row.info->name,
          fmt::format("{:.6g}", s.energy_end),
          short_number(s.largest_energy_rise),
          fmt::format("{:.6g}", a.height),
          distance_text(a.distance),
          distance_text(a.farthest),
          fmt::format("{}", a.moving),
          fmt::format("{}", a.frozen)};
}

}  // namespace

std::string suites_json(const SuitesComparison& comparison) { return dump(comparison_json(comparison), 2) + "\n"; }

std::string suites_text(const SuitesComparison& comparison) {
  const std::string from = comparison.reference;
  TextTable cost(
      {"<suite", "ms/step", "whole, s", "Coulomb *", "mean *", "not converged", "penetration, mm", "momentum error"});
  TextTable end({"<suite", "energy, J", "largest rise, J", "height, m", "from " + from + ", mm", "farthest, mm",
                 "moving", "frozen"});
  std::string remarks;
  for (const SuiteRow& row : comparison.rows) {
    if (row.has_run()) {
      cost.add(cost_cells(row));
      end.add(end_cells(row));
    }
    if (row.end != SuiteEnd::Complete)
      remarks += fmt::format("  {} {}: {}\n", row.info->name, suite_end_name(row.end), row.message);
    if (!row.note.empty()) remarks += fmt::format("  {} ran {}: it has no such option\n", row.info->name, row.note);
  }
  std::string text =
      fmt::format("{}: {}, {:g} s, dt = {:.4g} s, {}\n\nWhat it cost, and the errors on the way\n", comparison.scene,
                  counted(comparison.bodies, "body", "bodies"), comparison.duration, comparison.dt,
                  counted(static_cast<std::size_t>(comparison.threads), "thread", "threads"));
  if (!cost.empty()) text += cost.text(2) + "\nWhere it ends\n" + end.text(2);
  text += fmt::format(
      "\n{}  * worst step and mean: distance from Coulomb's law, in units of what gravity adds to a velocity in a "
      "step\n"
      "  ms/step: median; penetration: deepest overlap of two bodies; height: of the common centre of mass;\n"
      "  from {}: mean distance of a body from where that suite has it; moving: at {:g} m/s or more\n",
      remarks, from, kMovingSpeed);
  return text;
}

std::string suites_html(const SuitesComparison& comparison) {
  Json json = comparison_json(comparison);
  Json replays = Json::object();
  for (const SuiteRow& row : comparison.rows)
    if (!row.replay.empty()) replays[row.info->name] = row.replay;
  json["replays"] = replays;
  // Inside a script element no text may look like markup.
  std::string data = dump(json, -1);
  for (std::size_t at = data.find('<'); at != std::string::npos; at = data.find('<', at))
    data.replace(at, 1, "\\u003c");
  return replay::fill_page(replay::kComparePageTemplate, comparison.scene + ": suites compared", data);
}

}  // namespace carom
