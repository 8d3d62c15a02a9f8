// A comparison of solvers as JSON, for a terminal and as a page.
#include <fmt/format.h>

#include "io/json_number.h"
#include "study/compare.h"
#include "study/html_page.h"
#include "study/log_plot.h"
#include "study/text_table.h"

namespace carom {
namespace {

std::string milliseconds(double seconds) { return fmt::format("{:.3g}", 1e3 * seconds); }

std::string optional_text(const std::optional<Real>& value) { return value ? short_number(*value) : "-"; }

std::vector<std::string> cells_of(const SolverRow& row) {
  const SolveOutcome& o = row.outcome;
  return {row.choice.info->name,
          short_number(o.residual_model),
          optional_text(o.residual_coulomb),
          fmt::format("{:.6g}", o.kinetic_energy_before),
          fmt::format("{:.6g}", o.kinetic_energy_after),
          short_number(o.momentum_error),
          short_number(o.approach_left),
          fmt::format("{}", o.solution.report.iterations),
          milliseconds(row.seconds),
          o.met ? "yes" : "no"};
}

std::string curve_json(const std::vector<BudgetPoint>& curve) {
  std::string text = "[";
  for (const BudgetPoint& point : curve)
    text += fmt::format("{}{{\"iterations\": {}, \"seconds\": {}, \"residual\": {}, \"residual_model\": {}}}",
                        text.size() > 1 ? ", " : "", point.iterations, json_number(point.seconds),
                        json_number(point.residual), json_number(point.residual_model));
  return text + "]";
}

std::string row_json(const SolverRow& row) {
  const std::string name = json_string(row.choice.info->name);
  if (!row.refusal.empty()) return fmt::format("{{\"solver\": {}, \"refusal\": {}}}", name, json_string(row.refusal));
  const SolveOutcome& o = row.outcome;
  return fmt::format(
      "{{\"solver\": {}, \"residual_model\": {}, \"residual_coulomb\": {}, \"kinetic_energy_before\": {}, "
      "\"kinetic_energy_after\": {}, \"momentum_error\": {}, \"approach_left\": {}, \"iterations\": {}, "
      "\"seconds\": {}, \"converged\": {}, \"curve\": {}}}",
      name, json_number(o.residual_model), o.residual_coulomb ? json_number(*o.residual_coulomb) : "null",
      json_number(o.kinetic_energy_before), json_number(o.kinetic_energy_after), json_number(o.momentum_error),
      json_number(o.approach_left), o.solution.report.iterations, json_number(row.seconds), o.met,
      curve_json(row.curve));
}

std::string table_html(const Comparison& comparison) {
  std::string text =
      "<div class=\"scroll\"><table>\n<tr><th>solver</th><th>residual, model</th><th>residual, Coulomb</th>"
      "<th>energy before, J</th><th>energy after, J</th><th>momentum error</th><th>approach left, m/s</th>"
      "<th>iterations</th><th>time, ms</th><th>solved</th></tr>\n";
  for (const SolverRow& row : comparison.rows) {
    text += "<tr>";
    if (row.refusal.empty()) {
      const std::vector<std::string> cells = cells_of(row);
      text += fmt::format("<td>{}</td>", html_text(cells[0]));
      for (std::size_t i = 1; i < cells.size(); ++i)
        text += fmt::format("<td class=\"number\">{}</td>", html_text(cells[i]));
    } else {
      text += fmt::format("<td>{}</td><td colspan=\"9\" class=\"faint\">{}</td>", html_text(row.choice.info->name),
                          html_text(row.refusal));
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::vector<PlotCurve> curves_of(const Comparison& comparison, Real BudgetPoint::* residual) {
  std::vector<PlotCurve> curves;
  for (const SolverRow& row : comparison.rows) {
    if (row.curve.empty()) continue;
    PlotCurve curve{row.choice.info->name, {}};
    for (const BudgetPoint& point : row.curve)
      curve.points.push_back({1e3 * point.seconds, point.*residual,
                              fmt::format("{}: {} iterations, {} ms, residual {}", curve.name, point.iterations,
                                          milliseconds(point.seconds), short_number(point.*residual))});
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  std::string text =
      fmt::format("{{\n\"problem\": {}, \"bodies\": {}, \"contacts\": {}, \"restitution_acts\": {},\n",
                  json_string(comparison.problem), comparison.bodies, comparison.contacts, comparison.restitution_acts);
  text += fmt::format("\"reference_velocity\": {},\n\"solvers\": [", json_number(comparison.reference_velocity));
  for (std::size_t i = 0; i < comparison.rows.size(); ++i)
    text += (i > 0 ? ",\n  " : "\n  ") + row_json(comparison.rows[i]);
  return text + "\n]\n}\n";
}

std::string comparison_text(const Comparison& comparison) {
  TextTable table({"<solver", "model *", "Coulomb *", "energy before, J", "after, J", "momentum error *",
                   "approach left, m/s", "iterations", "time, ms", "<solved"});
  std::string refused;
  for (const SolverRow& row : comparison.rows) {
    if (row.refusal.empty())
      table.add(cells_of(row));
    else
      refused += "  refused: " + row.refusal + "\n";
  }
  return fmt::format(
      "{}: {}, {}\n{}{}  * in units of v_ref = {:.3g} m/s{}\n", comparison.problem,
      counted(comparison.bodies, "body", "bodies"), counted(comparison.contacts, "contact", "contacts"),
      table.empty() ? std::string() : table.text(2), refused, comparison.reference_velocity,
      comparison.restitution_acts ? "; restitution acts, so Coulomb's law alone is not the measure" : "");
}

std::string comparison_html(const Comparison& comparison) {
  const std::string body = fmt::format(
      "<h1>Carom: solvers on one problem</h1>\n<p>{}: {}, {}; v_ref = {:.3g} m/s. One thread, cold "
      "start; the times are medians of several runs.</p>\n{}<h2>Residual against time</h2>\n<p class=\"faint\">One "
      "point a budget of iterations, each twice the last. Down and to the left is better.</p>\n{}"
      "<h2>The solver's own model</h2>\n<p class=\"faint\">How far each is from what it set out to solve: convex "
      "models and pyramids end away from Coulomb's law, and here at their own optimum.</p>\n{}",
      html_text(comparison.problem), counted(comparison.bodies, "body", "bodies"),
      counted(comparison.contacts, "contact", "contacts"), comparison.reference_velocity, table_html(comparison),
      log_plot(curves_of(comparison, &BudgetPoint::residual), "time, ms",
               comparison.restitution_acts ? "residual of the solver's own model, in units of v_ref"
                                           : "distance from Coulomb's law, in units of v_ref"),
      log_plot(curves_of(comparison, &BudgetPoint::residual_model), "time, ms",
               "residual of the solver's own model, in units of v_ref"));
  return html_page("Carom: solvers on one problem", log_plot_style(), body);
}

}  // namespace carom
