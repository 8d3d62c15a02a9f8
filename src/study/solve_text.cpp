// An answer to a contact problem as JSON and for people.
#include <fmt/format.h>

#include "io/json_number.h"
#include "study/solve.h"
#include "study/text_table.h"

namespace carom {
namespace {

std::string list_json(const std::vector<Vec3>& vectors) {
  std::string text = "[";
  for (const Vec3& v : vectors) text += (text.size() > 1 ? "," : "") + json_vector(v);
  return text + "]";
}

std::string list_json(const std::vector<Real>& numbers) {
  std::string text = "[";
  for (const Real number : numbers) text += (text.size() > 1 ? "," : "") + json_number(number);
  return text + "]";
}

std::string number_or_null(const std::optional<Real>& value) { return value ? json_number(*value) : "null"; }

std::string short_vector(const Vec3& v) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v.x, v.y, v.z); }

std::string impulses_text(const ContactProblem& problem, const ContactSolution& solution) {
  constexpr std::size_t kMost = 20;
  TextTable table({"contact", "a", "b", "<impulse, N s", "normal", "tangential"});
  const std::size_t shown = std::min(kMost, problem.contacts.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ContactPoint& c = problem.contacts[i];
    const Vec3& j = solution.impulses[i];
    const Real normal = dot(j, c.normal);
    table.add({fmt::format("{}", i), fmt::format("{}", c.a), fmt::format("{}", c.b), short_vector(j),
               fmt::format("{:.6g}", normal), fmt::format("{:.6g}", norm(j - normal * c.normal))});
  }
  if (table.empty()) return {};
  std::string text = table.text(2);
  if (shown < problem.contacts.size())
    text += fmt::format("  ... and {} more; --json prints all\n", problem.contacts.size() - shown);
  return text;
}

}  // namespace

std::string solve_json(const SolverChoice& choice, const SolveOutcome& outcome) {
  const ContactSolution& s = outcome.solution;
  std::string text = fmt::format("{{\n\"solver\": {}, \"cone\": {},\n\"impulses\": {},\n",
                                 json_string(choice.info->name), json_string(choice.cone), list_json(s.impulses));
  if (!s.row_impulses.empty()) text += fmt::format("\"row_impulses\": {},\n", list_json(s.row_impulses));
  text += fmt::format("\"velocities\": {},\n\"angular_velocities\": {},\n", list_json(s.velocities),
                      list_json(s.angular_velocities));
  text += fmt::format(
      "\"report\": {{\"iterations\": {}, \"residual_model\": {}, \"residual_coulomb\": {}, \"rms_coulomb\": {}, "
      "\"converged\": {}, \"tolerance\": {}, \"seconds\": {},\n"
      "  \"kinetic_energy_before\": {}, \"kinetic_energy_after\": {}, \"momentum_error\": {}, \"approach_left\": {},\n"
      "  \"max_penetrating_velocity\": {}, \"max_cone_violation\": {}, \"max_complementarity\": {}, "
      "\"reference_velocity\": {},\n"
      "  \"lift\": {}, \"restitution_shortfall\": {}, \"restitution_infeasible\": {}, \"ray\": {}}}\n}}\n",
      s.report.iterations, json_number(outcome.residual_model), number_or_null(outcome.residual_coulomb),
      number_or_null(outcome.rms_coulomb), outcome.met, json_number(choice.tolerance), json_number(outcome.seconds),
      json_number(outcome.kinetic_energy_before), json_number(outcome.kinetic_energy_after),
      json_number(outcome.momentum_error), json_number(outcome.approach_left),
      json_number(outcome.max_penetrating_velocity), json_number(outcome.max_cone_violation),
      json_number(outcome.max_complementarity), json_number(outcome.reference_velocity), json_number(s.report.lift),
      json_number(s.report.restitution_shortfall), s.report.restitution_infeasible, s.report.ray);
  return text;
}

std::string solve_text(const ContactProblem& problem, const SolverChoice& choice, const SolveOutcome& outcome) {
  const auto coulomb = [](const std::optional<Real>& value) { return value ? short_number(*value) : std::string("-"); };
  TextTable table({"<", "", "<", "<"});
  const auto row = [&](const char* name, const std::string& value, const char* unit, const char* meaning) {
    table.add({name, value, unit, meaning});
  };
  row("iterations", fmt::format("{}", outcome.solution.report.iterations), "", "");
  row("time", short_number(1e3 * outcome.seconds), "ms", "of the solver alone, one thread");
  row("residual, model", short_number(outcome.residual_model), "", "how far from solving its own model *");
  row("residual, Coulomb", coulomb(outcome.residual_coulomb), "",
      outcome.residual_coulomb ? "how far from Coulomb's law *" : "does not apply: restitution acts");
  row("the same, rms", coulomb(outcome.rms_coulomb), "", outcome.rms_coulomb ? "over contacts *" : "");
  const SolveReport& own = outcome.solution.report;
  if (own.lift > 0) row("lift", short_number(own.lift), "m/s", "a sliding contact above its bound: part of the model");
  if (own.restitution_shortfall > choice.tolerance * outcome.reference_velocity)
    row("restitution missed", short_number(own.restitution_shortfall), "m/s",
        own.restitution_infeasible ? "no motion meets all bounds; these are missed the least" : "of a bound -e v");
  if (own.ray) row("pivots", "ray", "", "no answer by pivots: mostly targets that contradict each other");
  row("approach left", short_number(outcome.approach_left), "m/s", "fastest approach beyond a target");
  row("energy before", fmt::format("{:.6g}", outcome.kinetic_energy_before), "J", "kinetic");
  row("energy after", fmt::format("{:.6g}", outcome.kinetic_energy_after), "J", "");
  row("momentum error", short_number(outcome.momentum_error), "", "change of momentum that no impulse explains *");
  row("cone violation", short_number(outcome.max_cone_violation), "N s",
      "largest distance of an impulse from its cone");
  row("complementarity", short_number(outcome.max_complementarity), "N m",
      "largest |impulse x velocity| along a normal");
  std::string report = table.text(2);
  report.erase(0, report.find('\n') + 1);  // these columns need no heads
  return fmt::format("{}: {}, {}, {} cone: {} (tolerance {:g})\n{}{}  * in units of v_ref = {:.3g} m/s\n",
                     choice.info->name, counted(problem.bodies.size(), "body", "bodies"),
                     counted(problem.contacts.size(), "contact", "contacts"), choice.cone,
                     outcome.met                                      ? "solved"
                     : outcome.solution.report.restitution_infeasible ? "not solvable: no motion meets all restitution"
                                                                      : "not solved",
                     choice.tolerance, report, impulses_text(problem, outcome.solution), outcome.reference_velocity);
}

}  // namespace carom
