#include "study/solve_matrix.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "io/closest.h"
#include "io/json_number.h"
#include "study/text_table.h"

namespace carom {
namespace {

/// Rows of three as JSON.
std::string triples_json(const std::vector<Real>& flat) {
  std::string text = "[";
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3)
    text += (i > 0 ? "," : "") + json_vector({flat[i], flat[i + 1], flat[i + 2]});
  return text + "]";
}

Real distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

Real size_of(const std::vector<Real>& a) { return distance(a, std::vector<Real>(a.size())); }

/// How far the velocities are from those of a file's answer, relative to their size; nothing where it has none.
std::optional<Real> velocity_distance(const MatrixOutcome& outcome, const FclibAnswer& answer) {
  if (answer.velocity.empty()) return std::nullopt;
  const Real scale = std::max(size_of(answer.velocity), size_of(outcome.velocity));
  return scale > 0 ? distance(outcome.velocity, answer.velocity) / scale : 0;
}

std::string report_json(const SolverChoice& choice, const MatrixOutcome& outcome) {
  return fmt::format(
      "{{\"iterations\": {}, \"residual_model\": {}, \"largest_map\": {}, \"rms_map\": {}, \"converged\": {}, "
      "\"tolerance\": {}, \"seconds\": {}}}",
      outcome.report.iterations, json_number(outcome.errors.fclib), json_number(outcome.errors.largest),
      json_number(outcome.errors.rms), outcome.met, json_number(choice.tolerance), json_number(outcome.seconds));
}

std::string answers_json(const FclibFile& file, const MatrixOutcome* outcome) {
  std::string text = "[";
  for (const FclibAnswer& answer : file.answers) {
    text += fmt::format("{}{{\"name\": {}, \"residual_model\": {}", text.size() > 1 ? ", " : "",
                        json_string(answer.name), json_number(measure(file.problem, answer.impulse).fclib));
    if (outcome != nullptr)
      if (const std::optional<Real> off = velocity_distance(*outcome, answer))
        text += fmt::format(", \"velocity_distance\": {}", json_number(*off));
    text += "}";
  }
  return text + "]";
}

std::string form_text(const FclibFile& file) {
  return file.global ? fmt::format("global form, M of {} rows", file.global_size) : "local form";
}

/// The path of a problem and what it is, for the head of a text.
std::string head_text(const FclibFile& file) {
  return fmt::format("{}{}{}", file.title.empty() ? "" : file.title + ": ",
                     counted(file.problem.contact_count(), "contact", "contacts"), ", " + form_text(file));
}

constexpr const char* kMeasure =
    "  * |r - P(r - (u + mu|u_t| n))| / max(|q|, |r|, |u|) over all contacts, P the projection on the cones\n";

}  // namespace

std::string matrix_refusal(const SolverChoice& choice) {
  const SolverInfo& solver = *choice.info;
  if (solver.make_matrix != nullptr) {
    // What is measured on a matrix is Coulomb's law.
    if (solver_model(solver, choice.options) == SolverModel::Coulomb) return {};
    return solver.name + ": the problem is given as a matrix, on which it solves Coulomb's law and no other model";
  }
  std::vector<std::string> able;
  for (const SolverInfo& info : solver_registry())
    if (info.make_matrix != nullptr) able.push_back(info.name);
  return fmt::format(
      "{}: the problem is given as a matrix, without bodies, which this solver does not do{}", solver.name,
      able.empty() ? std::string(": none does yet") : "; " + joined(able) + (able.size() == 1 ? " does" : " do"));
}

MatrixOutcome solve_matrix(const MatrixProblem& problem, const SolverChoice& choice, std::span<const Real> warm) {
  const std::unique_ptr<MatrixSolver> solver = choice.info->make_matrix(choice.options);
  MatrixOutcome outcome;
  outcome.impulse.assign(problem.q.size(), 0);
  outcome.velocity.assign(problem.q.size(), 0);
  Stopwatch watch;
  outcome.report = solver->solve(problem, warm, choice.tolerance, outcome.impulse);
  outcome.seconds = watch.lap();
  velocities_of(problem, outcome.impulse, outcome.velocity);
  outcome.errors = measure(problem, outcome.impulse);
  outcome.met = outcome.errors.fclib <= choice.tolerance;
  return outcome;
}

std::string matrix_solve_json(const FclibFile& file, const SolverChoice& choice, const MatrixOutcome& outcome) {
  return fmt::format(
      "{{\n\"solver\": {}, \"cone\": {},\n\"impulses\": {},\n\"contact_velocities\": {},\n\"report\": {},\n"
      "\"file_answers\": {}\n}}\n",
      json_string(choice.info->name), json_string(choice.cone), triples_json(outcome.impulse),
      triples_json(outcome.velocity), report_json(choice, outcome), answers_json(file, &outcome));
}

std::string matrix_solve_text(const FclibFile& file, const SolverChoice& choice, const MatrixOutcome& outcome) {
  TextTable table({"<", "", "<", "<"});
  table.add({"iterations", fmt::format("{}", outcome.report.iterations), "", "sweeps and linear systems"});
  table.add({"time", short_number(1e3 * outcome.seconds), "ms", "of the solver alone, one thread"});
  table.add({"residual", short_number(outcome.errors.fclib), "", "how far from Coulomb's law, as FCLib judges it *"});
  table.add({"largest map", short_number(outcome.errors.largest), "", "of a contact alone, scaled to a velocity"});
  for (const FclibAnswer& answer : file.answers) {
    table.add({answer.name, short_number(measure(file.problem, answer.impulse).fclib), "",
               "residual of the impulses that the file brings along *"});
    if (const std::optional<Real> off = velocity_distance(outcome, answer))
      table.add({"", short_number(*off), "", "distance of its velocities from ours, relative"});
  }
  std::string report = table.text(2);
  report.erase(0, report.find('\n') + 1);  // these columns need no heads
  return fmt::format("{}: {}: {} (tolerance {:g})\n{}{}", choice.info->name, head_text(file),
                     outcome.met ? "solved" : "not solved", choice.tolerance, report, kMeasure);
}

std::vector<MatrixRow> compare_on_matrix(const FclibFile& file, const std::vector<SolverChoice>& solvers) {
  std::vector<MatrixRow> rows;
  rows.reserve(solvers.size());
  for (const SolverChoice& choice : solvers) {
    MatrixRow row{choice, matrix_refusal(choice), {}};
    if (row.refusal.empty()) row.outcome = solve_matrix(file.problem, choice);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string matrix_comparison_json(const std::string& path, const FclibFile& file, const std::vector<MatrixRow>& rows) {
  std::string list;
  for (const MatrixRow& row : rows)
    list += fmt::format("{}\n  {{\"solver\": {}, {}}}", list.empty() ? "" : ",", json_string(row.choice.info->name),
                        row.refusal.empty() ? "\"report\": " + report_json(row.choice, row.outcome)
                                            : "\"refusal\": " + json_string(row.refusal));
  return fmt::format(
      "{{\n\"problem\": {}, \"contacts\": {}, \"global\": {},\n\"file_answers\": {},\n\"solvers\": [{}]\n}}\n",
      json_string(path), file.problem.contact_count(), file.global, answers_json(file, nullptr), list);
}

std::string matrix_comparison_text(const std::string& path, const FclibFile& file, const std::vector<MatrixRow>& rows) {
  TextTable table({"<solver", "residual *", "time, ms", "iterations", "solved"});
  std::vector<std::string> unable;
  for (const MatrixRow& row : rows) {
    if (!row.refusal.empty()) {
      unable.push_back(row.choice.info->name);
      continue;
    }
    const MatrixOutcome& o = row.outcome;
    table.add({row.choice.info->name, short_number(o.errors.fclib), short_number(1e3 * o.seconds),
               fmt::format("{}", o.report.iterations), o.met ? "yes" : "no"});
  }
  for (const FclibAnswer& answer : file.answers)
    table.add({"(file) " + answer.name, short_number(measure(file.problem, answer.impulse).fclib), "", "", ""});
  return fmt::format(
      "{}: {}\n{}{}{}", path, head_text(file), table.text(2), kMeasure,
      unable.empty() ? "" : "  Solvers that need bodies, and so do not take a matrix: " + joined(unable) + "\n");
}

}  // namespace carom
