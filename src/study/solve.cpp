#include "study/solve.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "carom/contact/measures.h"
#include "carom/io/problem_file.h"
#include "io/closest.h"
#include "io/json_view.h"
#include "io/text_file.h"
#include "solvers/model_residual.h"
#include "study/scene_lookup.h"

namespace carom {
namespace {

using Choice = Result<SolverChoice>;

const OptionSpec* find_option(const SolverInfo& info, std::string_view name) {
  for (const OptionSpec& spec : info.options)
    if (spec.name == name) return &spec;
  return nullptr;
}

std::string option_list(const SolverInfo& info) {
  std::string text = "\nOptions of " + info.name + ":";
  for (const OptionSpec& spec : info.options) text += "\n  " + option_text(spec);
  return text;
}

Result<SolverChoice> choose_cone(SolverChoice choice, const std::string& cone) {
  const bool has_option = find_option(*choice.info, "cone") != nullptr;
  if (has_option && !cone.empty())
    if (const std::string refusal = choice.options.set("cone", cone); !refusal.empty())
      return Choice::failure("--cone: " + refusal);
  choice.cone = has_option ? choice.options.word("cone") : choice.info->cone;
  if (!cone.empty() && cone != choice.cone)
    return Choice::failure(
        fmt::format("--cone: found {}, which {} does not do, expected {}: its impulses lie in the {}", cone,
                    choice.info->name, choice.cone, choice.cone == "exact" ? "exact cone" : "pyramid"));
  return choice;
}

/// The largest part of a body's change of momentum that its impulses do not explain. Methods that keep bodies below
/// from feeling the reaction have one.
Real unexplained_momentum(const ContactProblem& problem, const ContactSolution& solution) {
  std::vector<Vec3> given(problem.bodies.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    given[static_cast<std::size_t>(problem.contacts[i].b)] += solution.impulses[i];
    given[static_cast<std::size_t>(problem.contacts[i].a)] -= solution.impulses[i];
  }
  std::size_t row = 0;
  for (const RowBlock& block : problem.row_blocks)
    for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k, ++row) {
      given[static_cast<std::size_t>(block.a)] += solution.row_impulses[row] * block.jacobian_a[k].linear;
      given[static_cast<std::size_t>(block.b)] += solution.row_impulses[row] * block.jacobian_b[k].linear;
    }
  Real largest = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!is_moved(problem, solution, i)) continue;
    const ProblemBody& body = problem.bodies[i];
    largest = std::max(largest, norm((solution.velocities[i] - body.velocity) / body.inverse_mass - given[i]));
  }
  return largest;
}

Real kinetic_energy(const ContactProblem& problem, const ContactSolution& solution) {
  Real energy = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!is_moved(problem, solution, i)) continue;
    const ProblemBody& body = problem.bodies[i];
    const Vec3 &v = solution.velocities[i], &w = solution.angular_velocities[i];
    energy += 0.5 * (squared_norm(v) / body.inverse_mass + dot(w, inverse(body.inverse_inertia) * w));
  }
  return energy;
}

Real total_mass(const ContactProblem& problem) {
  Real mass = 0;
  for (const ProblemBody& body : problem.bodies)
    if (body.role == BodyRole::Dynamic) mass += 1 / body.inverse_mass;
  return mass;
}

}  // namespace

Result<ContactProblem> find_problem(const std::string& path, std::string& note) { return load_problem(path, &note); }

Result<SolverChoice> choose_solver(const SolveRequest& request) {
  SolverChoice choice;
  choice.info = find_solver(request.solver);
  if (choice.info == nullptr) {
    std::vector<std::string> names;
    for (const SolverInfo& info : solver_registry()) names.push_back(info.name);
    return Choice::failure(fmt::format("--solver: found \"{}\", expected one of {}{}", request.solver, joined(names),
                                       did_you_mean(request.solver, names)));
  }
  choice.options = Options(choice.info->options);
  if (request.tolerance && !(*request.tolerance > 0 && std::isfinite(*request.tolerance)))
    return Choice::failure(fmt::format("--tolerance: found {}, expected a positive number", *request.tolerance));
  choice.tolerance = request.tolerance.value_or(kStandardTolerance);
  // A solver stops by the change of its last sweep, which is smaller than the error: it is asked for more than is
  // judged. Those of the convex model stop by the very residual that is judged, up to rounding.
  const bool convex = choice.info->model == SolverModel::Convex || choice.info->model == SolverModel::ConvexPyramid;
  const Real margin = convex ? 0.99 : 0.1;
  if (const OptionSpec* spec = find_option(*choice.info, "tolerance"))
    if (const std::string refused = choice.options.set("tolerance", std::min(margin * choice.tolerance, spec->maximum));
        !refused.empty())
      return Choice::failure("--tolerance: " + refused);
  for (const std::string& setting : request.settings) {
    const std::size_t equals = setting.find('=');
    const std::string refusal = equals == std::string::npos
                                    ? fmt::format("found \"{}\", expected key=value", setting)
                                    : choice.options.set_text(setting.substr(0, equals), setting.substr(equals + 1));
    if (!refusal.empty()) return Choice::failure("--set: " + refusal + option_list(*choice.info));
  }
  return choose_cone(choice, request.cone);
}

SolveOutcome solve_problem(const ContactProblem& problem, const SolverChoice& choice,
                           const std::vector<Vec3>& warm_impulses) {
  SolveOutcome outcome;
  outcome.reference_velocity = reference_velocity(problem);
  const Real v_ref = outcome.reference_velocity;
  SolveContext context;
  context.warm_impulses = warm_impulses;
  context.resting_speed = choice.tolerance * v_ref;
  const std::unique_ptr<Solver> solver = choice.info->make(choice.options);
  Stopwatch watch;
  solver->solve(problem, context, outcome.solution);
  outcome.seconds = watch.lap();

  const ContactErrors errors = measure(problem, outcome.solution);
  outcome.max_penetrating_velocity = errors.max_penetrating_velocity;
  outcome.max_cone_violation = errors.max_cone_violation;
  outcome.max_complementarity = errors.max_complementarity;
  outcome.kinetic_energy_before = errors.kinetic_energy_before;
  outcome.kinetic_energy_after = kinetic_energy(problem, outcome.solution);
  const Real momentum_scale = total_mass(problem) * v_ref;
  if (momentum_scale > 0) outcome.momentum_error = unexplained_momentum(problem, outcome.solution) / momentum_scale;
  if (!restitution_acts(problem)) {
    outcome.residual_coulomb = errors.residual_coulomb;
    outcome.rms_coulomb = errors.rms_coulomb;
  }
  outcome.approach_left = approach_left(problem, outcome.solution);
  outcome.residual_model =
      model_residual(solver_model(*choice.info, choice.options), problem, outcome.solution, context.resting_speed) /
      v_ref;
  outcome.met = outcome.residual_model <= choice.tolerance;
  return outcome;
}

Result<std::vector<Vec3>> load_warm_impulses(const std::string& path, std::size_t contacts) {
  using Impulses = Result<std::vector<Vec3>>;
  const Result<std::string> text = read_text_file(path);
  if (!text) return Impulses::failure(text.message());
  const Result<JsonDocument> document = parse_json(text.value(), path);
  if (!document) return Impulses::failure(document.message());
  std::string error;
  const JsonView root(document.value(), error);
  std::vector<Vec3> impulses;
  if (const auto list = root.find("impulses")) {
    for (const JsonView& impulse : list->items()) impulses.push_back(impulse.vec3());
    if (root.ok() && impulses.size() != contacts) list->expected(fmt::format("{}, one a contact", contacts));
  } else {
    root.missing("impulses", "a list of three numbers a contact, as 'carom solve --json' prints it");
  }
  if (!error.empty()) return Impulses::failure(error);
  return impulses;
}

}  // namespace carom
