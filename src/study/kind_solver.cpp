#include "study/kind_solver.h"

#include <algorithm>
#include <string>

#include "carom/solvers/solver.h"

namespace carom {

std::optional<ContactSolution> solve_closely(std::string_view solver, const ContactProblem& problem,
                                             std::string_view cone) {
  const SolverInfo* info = find_solver(solver);
  const auto is_cone = [](const OptionSpec& spec) { return spec.name == "cone"; };
  const bool has_cone = info != nullptr && std::ranges::any_of(info->options, is_cone);
  if (cone.empty() || !has_cone) return solve_closely_with(solver, problem, {});
  return solve_closely_with(solver, problem, {{"cone", std::string(cone)}});
}

std::optional<ContactSolution> solve_closely_with(std::string_view solver, const ContactProblem& problem,
                                                  const std::vector<std::pair<std::string, std::string>>& words) {
  constexpr double kTolerance = 1e-10, kIterations = 1e5;
  const SolverInfo* info = find_solver(solver);
  if (info == nullptr) return {};
  Options options(info->options);
  for (const OptionSpec& spec : info->options) {
    std::string refused;
    if (spec.name == "tolerance") refused = options.set("tolerance", kTolerance);
    if (spec.name == "iterations") refused = options.set("iterations", std::min(kIterations, spec.maximum));
    if (!refused.empty()) return {};
  }
  for (const auto& [name, word] : words)
    if (!options.set_text(name, word).empty()) return {};
  if (!refusal(*info, options, problem).empty()) return {};
  ContactSolution solution;
  info->make(options)->solve(problem, {}, solution);
  return solution;
}

Real kinetic_energy_after(const ContactProblem& problem, const ContactSolution& solution) {
  Real energy = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (!takes_impulse(body.role)) continue;
    const Vec3 &v = solution.velocities[i], &w = solution.angular_velocities[i];
    energy += 0.5 * (squared_norm(v) / body.inverse_mass + dot(w, inverse(body.inverse_inertia) * w));
  }
  return energy;
}

}  // namespace carom
