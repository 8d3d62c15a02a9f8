#include "docs_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace carom::bench {
namespace {

bool is_complete(const Measurement& m) { return has_figures(m) && m.cut.empty(); }

/// Round-off counts as none; no value where the run has no error.
std::optional<double> error_of(const ScenePlan& plan, const Measurement& m) {
  const std::optional<double> error = headline_error(plan, m.quality);
  return error ? std::optional(std::max(*error, kNoError)) : error;
}

/// The opponent with the least value, of those that finished the scene.
template <class Value>
const Measurement* best_peer(const SceneResult& result, Value&& value) {
  const Measurement* best = nullptr;
  for (const Measurement& m : result.measurements)
    if (!is_carom(m) && is_complete(m) && value(m) && (best == nullptr || *value(m) < *value(*best))) best = &m;
  return best;
}

/// A suite of Carom in code font, other engines as they are.
std::string short_name(const Measurement& m) {
  return is_carom(m) ? fmt::format("`{}`", m.engine.substr(std::string("Carom ").size())) : m.engine;
}

/// An engine, and its variants in the order in which they were run.
struct Column {
  std::string engine, head;
  std::vector<std::string> variants;
};

std::vector<Column> columns_of(std::span<const SceneResult> results) {
  std::vector<Column> columns;
  for (const SceneResult& result : results)
    for (const Measurement& m : result.measurements) {
      auto column = std::ranges::find(columns, m.engine, &Column::engine);
      if (column == columns.end()) column = columns.insert(columns.end(), Column{m.engine, short_name(m), {}});
      if (std::ranges::find(column->variants, m.variant) == column->variants.end())
        column->variants.push_back(m.variant);
    }
  std::ranges::stable_partition(columns, [](const Column& column) { return column.head.starts_with('`'); });
  return columns;
}

/// Time and error. Of a part of the run there is no error, and of a fallen stack no sag.
std::string figures_of(const ScenePlan& plan, const Measurement& m) {
  std::string error = m.cut.empty() ? remark(m) : "cut";
  if (error.empty()) error = headline_error(plan, m.quality).value_or(1) < kNoError ? "0" : error_text(plan, m);
  return fmt::format("{}; {}", digits(m.ms), error);
}

std::string cell(const SceneResult& result, const Column& column) {
  std::string text;
  for (const std::string& variant : column.variants) {
    if (!text.empty()) text += "<br>";
    const auto found = std::ranges::find_if(
        result.measurements, [&](const Measurement& m) { return m.engine == column.engine && m.variant == variant; });
    const bool is_there = found != result.measurements.end() && has_figures(*found);
    text += is_there ? figures_of(result.plan, *found) : "not run";
  }
  return text;
}

std::string head_of(const Column& column) {
  if (column.variants.size() < 2) return column.head;
  return fmt::format("{}: {}", column.head, fmt::join(column.variants, "<br>"));
}

/// One line an engine, with the settings of its variants as they were on the first scene that each ran.
std::string settings_list(std::span<const SceneResult> results, const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    std::string line;
    for (const std::string& variant : column.variants) {
      const Measurement* known = nullptr;
      for (const SceneResult& result : results)
        for (const Measurement& m : result.measurements)
          if (known == nullptr && m.engine == column.engine && m.variant == variant && !m.settings.empty()) known = &m;
      if (known == nullptr) continue;
      line += line.empty() ? fmt::format("- {} {}: ", column.head, known->version) : "; ";
      line += fmt::format("{} ({})", variant, known->settings);
    }
    if (!line.empty()) text += line + "\n";
  }
  return text;
}

}  // namespace

Standing standing_of(const SceneResult& result) {
  const auto mine = std::ranges::find_if(result.measurements, is_carom);
  if (mine == result.measurements.end()) return {Standing::Kind::Unfinished, 1, "not run"};
  if (!is_complete(*mine)) return {Standing::Kind::Unfinished, 1, "does not finish"};
  const auto time = [](const Measurement& m) { return std::optional(m.ms); };
  const auto error = [&](const Measurement& m) { return error_of(result.plan, m); };
  const auto both = [&](const Measurement& m) {
    const bool is_ahead = m.ms < mine->ms && error(m) && error(*mine) && *error(m) <= *error(*mine);
    return is_ahead ? time(m) : std::nullopt;
  };
  Standing standing;
  const auto note = [&](const Measurement* peer, Standing::Kind kind, const char* what, auto&& value) {
    if (peer == nullptr || !value(*mine) || *value(*peer) >= *value(*mine)) return;
    const double times = *value(*mine) / *value(*peer);
    if (kind < standing.kind) standing = {kind, times, standing.text};
    standing.text += fmt::format("{}{} {}, {} ({:.2g} ×)", standing.text.empty() ? "" : "; ", what, peer->engine,
                                 peer->variant, times);
  };
  const Measurement* best = best_peer(result, both);
  note(best, Standing::Kind::BehindInBoth, "in both by", time);
  if (best == nullptr) note(best_peer(result, time), Standing::Kind::Slower, "in time by", time);
  const Measurement* most_accurate = best_peer(result, error);
  if (most_accurate != best) note(most_accurate, Standing::Kind::LessAccurate, "in error by", error);
  return standing;
}

std::string docs_table(std::span<const SceneResult> results, const Circumstances& where,
                       const std::vector<Peer>& missing) {
  const std::vector<Column> columns = columns_of(results);
  std::vector<std::pair<Standing, const SceneResult*>> rows;
  for (const SceneResult& result : results) rows.emplace_back(standing_of(result), &result);
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return a.first.kind != b.first.kind ? a.first.kind < b.first.kind : a.first.times > b.first.times;
  });

  std::string text = fmt::format("\nMeasured {} with Carom {} ({}), {}, on {}, {} cores.", where.date, CAROM_VERSION,
                                 where.commit, where.compiler, where.cpu, where.cores);
  std::string absent;
  for (const Peer& peer : missing) absent += (absent.empty() ? "" : ", ") + peer.engine;
  if (!absent.empty()) text += fmt::format(" Not there: {}.", absent);
  text += "\n\n| scene: error |";
  std::string rule = "|---|";
  for (const Column& column : columns) {
    text += fmt::format(" {} |", head_of(column));
    rule += "---|";
  }
  text += fmt::format(" {} is beaten |\n{}---|\n", columns.empty() ? "Carom" : columns.front().head, rule);
  for (const auto& [standing, result] : rows) {
    text += fmt::format("| {}: {} |", result->plan.name, result->plan.error_label);
    for (const Column& column : columns) text += fmt::format(" {} |", cell(*result, column));
    text += fmt::format(" {} |\n", standing.text.empty() ? "–" : standing.text);
  }
  return text + "\n" + settings_list(results, columns) + "\n";
}

}  // namespace carom::bench
