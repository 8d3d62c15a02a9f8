#include "page.h"

#include <algorithm>

#include <fmt/format.h>

#include "study/html_page.h"
#include "study/plot.h"

namespace carom::bench {
namespace {

/// Lines only join the settings of one engine, so they stand back.
constexpr const char* kStyle = R"(
.plot { display: block; max-width: 58rem; min-width: 40rem; }
.curve path { stroke-width: 1.2; stroke-dasharray: 2 4; opacity: 0.75; }
.curve circle { r: 6px; fill-opacity: 0.8; }
.losses li { margin: 0.15rem 0; }
table { font-size: 0.86rem; } th, td { padding-right: 0.7rem; } th.number { text-align: right; }
td.remark { white-space: normal; min-width: 16rem; color: var(--faint); }
)";

/// What has one colour everywhere: an engine, or a main suite of Carom; the other suites share one.
struct Group {
  std::string name;
  PlotMark mark = PlotMark::LinePoints;
};
const std::vector<Group>& groups() {
  static const std::vector<Group> all{{"Carom fast"},  {"Carom sequential"},
                                      {"Carom exact"}, {"Carom, other suites", PlotMark::Points},
                                      {"Box3D"},       {"Jolt"},
                                      {"Bullet"},      {"ODE"},
                                      {"MuJoCo"},      {"DART"}};
  return all;
}

std::string group_of(const Measurement& m) {
  for (const Group& group : groups())
    if (group.name == m.engine) return m.engine;
  return "Carom, other suites";
}

bool has_point(const ScenePlan& plan, const Measurement& m) {
  return m.not_run.empty() && m.cut.empty() && m.steps > 0 && headline_error(plan, m.quality).has_value();
}

/// Runs that were cut have no place: their error is that of another span.
std::string plot(const SceneResult& result) {
  Plot plot;
  plot.name = result.plan.name;
  plot.x = {"time of a step, ms", PlotScale::Log};
  plot.y = {result.plan.error_label, PlotScale::Log};
  int colour = 0;
  for (const Group& group : groups()) {
    PlotSeries series{group.name, {}, group.mark, colour++};
    bool takes_part = false;
    for (const Measurement& m : result.measurements) {
      if (group_of(m) != group.name) continue;
      takes_part = true;
      if (!has_point(result.plan, m)) continue;
      const double error = *headline_error(result.plan, m.quality);
      series.points.push_back(
          {m.ms, std::max(error, kNoError),
           fmt::format("{}: {:.3g} ms a step, {} {:.3g}", m.label(), m.ms, result.plan.error_label, error)});
    }
    if (!takes_part) continue;
    if (series.points.empty()) series.name += " (no point)";
    std::ranges::sort(series.points, {}, &PlotPoint::x);
    plot.series.push_back(std::move(series));
  }
  return "<div class=\"scroll\">" + plot_svg(plot) + "</div>\n";
}

std::string cell(const std::string& text) { return "<td class=\"number\">" + html_text(text) + "</td>"; }
std::string cell(double value) { return cell(fmt::format("{:.3g}", value)); }

std::string row(const ScenePlan& plan, const Measurement& m) {
  std::string text = fmt::format("<tr><td title=\"{}\">{}</td><td>{}</td>", html_text(m.settings), html_text(m.engine),
                                 html_text(m.variant));
  if (!m.not_run.empty() || m.steps == 0 || !m.quality.finite)
    return text + fmt::format("<td colspan=\"8\"></td><td class=\"remark\">{}</td></tr>\n", html_text(remark(m)));
  const Quality& q = m.quality;
  text += cell(m.ms) + cell(m.p99_ms) + cell(error_text(plan, m)) + cell(1e3 * q.worst_penetration) +
          cell(1e3 * q.mean_penetration) + cell(1e3 * q.rest_penetration) + cell(std::to_string(q.lost)) +
          cell(m.own ? fmt::format("{:.0e}", m.own->residual_mean) : "");
  const std::string both = remark(m).empty() ? "" : remark(m) + ". ";
  return text + fmt::format("<td class=\"remark\">{}</td></tr>\n", html_text(both + figures_text(m)));
}

std::string section(const SceneResult& result) {
  std::string text =
      fmt::format("<h2 id=\"{0}\">{0}</h2>\n<p>{1}</p>\n", html_text(result.plan.name), html_text(result.description));
  text += plot(result);
  text += "<div class=\"scroll\"><table>\n<tr><th>engine</th><th>variant</th>";
  for (const char* head : {"ms/step", "p99", "error", "worst mm", "mean mm", "rest mm", "lost", "residual"})
    text += fmt::format("<th class=\"number\">{}</th>", head);
  text += "<th></th></tr>\n";
  for (const Measurement& m : result.measurements) text += row(result.plan, m);
  return text + "</table></div>\n";
}

std::string losses_list(std::span<const SceneResult> results) {
  std::string items;
  for (const SceneResult& result : results)
    for (const std::string& sentence : losses(result))
      items +=
          fmt::format("<li><a href=\"#{0}\">{0}</a>: {1}</li>\n", html_text(result.plan.name), html_text(sentence));
  return "<h2>Where Carom loses</h2>\n<ul class=\"losses\">\n" + items + "</ul>\n";
}

std::string profile(std::span<const SceneResult> results) {
  std::string rows;
  for (const SceneResult& result : results)
    for (const Measurement& m : result.measurements) {
      if (!m.own || m.steps == 0 || m.threads > 1) continue;
      const StageShares s = stage_shares(*m.own);
      rows += fmt::format("<tr><td>{}</td><td>{}</td>", html_text(m.scene), html_text(m.label())) + cell(m.ms);
      for (const double share : {s.detect, s.collisions, s.contacts, s.positions, s.rest})
        rows += cell(fmt::format("{:.0f}", share));
      rows += cell(fmt::format("{:.0f}", m.own->contacts_mean)) + cell(m.own->iterations_mean) + "</tr>\n";
    }
  return "<h2>Where Carom's time goes</h2>\n<p>Percent of the step, one thread.</p>\n<div class=\"scroll\"><table>\n"
         "<tr><th>scene</th><th>suite</th><th>ms/step</th><th>detect</th><th>collisions</th><th>contacts</th>"
         "<th>positions</th><th>rest</th><th>contacts</th><th>iterations</th></tr>\n" +
         rows + "</table></div>\n";
}

}  // namespace

std::string bench_page(std::span<const SceneResult> results, const Circumstances& where,
                       const std::vector<Peer>& missing) {
  std::string body =
      fmt::format("<h1>Carom against other engines</h1>\n<p class=\"faint\">{}</p>\n", html_text(text_of(where)));
  body +=
      "<p>The same scene files on every engine. Each dot is one engine at one setting: to the left is faster, lower is "
      "more accurate; rest the pointer on it for its name and figures. Errors are judged from the poses alone, by a "
      "judge that shares no code with any engine. Errors below 1e-6 are drawn at 1e-6: there it is round-off. A dotted "
      "line "
      "joins "
      "the settings of one engine.</p>\n";
  for (const Peer& peer : missing)
    body += fmt::format("<p class=\"bad\">{} is missing: it was not found when the benchmark was built ({}).</p>\n",
                        html_text(peer.engine), html_text(peer.source));
  body += losses_list(results);
  for (const SceneResult& result : results) body += section(result);
  body += profile(results);
  body +=
      "<h2>What the columns mean</h2>\n<p>ms/step: mean over the steps of the least that each took in any repeat; CPU "
      "time "
      "with one thread, wall time with more. worst: deepest overlap of any pair after any step; mean: over all "
      "overlapping pairs of all steps; rest: deepest in the second half of the run. lost: bodies that "
      "went through "
      "a wall. residual: mean Coulomb residual, which only Carom tells.</p>\n";
  return html_page("Carom: benchmark", plot_style() + kStyle, body);
}

}  // namespace carom::bench
