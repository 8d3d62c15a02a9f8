// One solver on one contact problem, judged by the measures that belong to the problem: `carom solve`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/base/error.h"
#include "carom/base/options.h"
#include "carom/contact/problem.h"
#include "carom/contact/solution.h"
#include "carom/solvers/solver.h"

namespace carom {

/// What is asked of a solver. Everything has a default but its name.
struct SolveRequest {
  std::string solver;
  std::vector<std::string> settings;  ///< `key=value`, of the solver's options
  std::string cone;                   ///< "exact", "pyramid", or empty for the solver's own
  std::optional<Real> tolerance;      ///< of the model residual
  std::string warm;                   ///< file with impulses to start from: what `carom solve --json` printed
};

/// A solver made ready for a request.
struct SolverChoice {
  const SolverInfo* info = nullptr;
  Options options;
  std::string cone = "exact";  ///< what its impulses lie in
  Real tolerance = 0;          ///< the residual that counts as solved
};

/// The tolerance where none is asked for.
inline constexpr Real kStandardTolerance = 1e-6;

/// A problem by the path of its file; `note` is as in `load_problem`.
Result<ContactProblem> find_problem(const std::string& path, std::string& note);

/// The message of a failure says what there is instead.
Result<SolverChoice> choose_solver(const SolveRequest& request);

/// An answer and everything that is said of it. Errors are in units of v_ref where they are residuals.
struct SolveOutcome {
  ContactSolution solution;
  Real residual_model = 0;               ///< how far from solving the solver's own model
  std::optional<Real> residual_coulomb;  ///< how far from Coulomb's law; none where restitution acts
  std::optional<Real> rms_coulomb;
  Real reference_velocity = 0;                               ///< v_ref, m/s
  bool met = false;                                          ///< the model residual met the tolerance
  Real kinetic_energy_before = 0, kinetic_energy_after = 0;  ///< J; after: of the velocities that the solver gives
  Real momentum_error = 0;  ///< change of momentum that no impulse explains, relative to M v_ref
  Real approach_left = 0;   ///< m/s: fastest approach beyond a target, at the velocities that the solver gives
  Real max_penetrating_velocity = 0;  ///< m/s: the same, at the velocities that follow from its impulses
  Real max_cone_violation = 0;        ///< N s
  Real max_complementarity = 0;       ///< N m
  double seconds = 0;                 ///< wall time of the solver alone
};

/// Runs the solver on one thread; contacts that approach more slowly than the tolerance do not bounce. Requires a
/// problem that passes `check` and that the solver does not refuse.
SolveOutcome solve_problem(const ContactProblem& problem, const SolverChoice& choice,
                           const std::vector<Vec3>& warm_impulses = {});

/// The impulses of a file that `carom solve --json` wrote, for a problem with so many contacts.
Result<std::vector<Vec3>> load_warm_impulses(const std::string& path, std::size_t contacts);

/// As specified for `carom solve --json`.
std::string solve_json(const SolverChoice& choice, const SolveOutcome& outcome);
/// For people: the report and, for few contacts, the impulses.
std::string solve_text(const ContactProblem& problem, const SolverChoice& choice, const SolveOutcome& outcome);

}  // namespace carom
