// Solvers: pure functions from a contact problem to a contact solution, listed in one registry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/base/options.h"
#include "carom/contact/matrix_problem.h"
#include "carom/contact/problem.h"
#include "carom/contact/solution.h"

namespace carom {

class ThreadPool;

/// What a solver may use besides the problem. The answer does not depend on the number of threads.
struct SolveContext {
  std::span<const Vec3> warm_impulses;  ///< N s, world axes, in contact order; empty for a cold start
  std::span<const Real> warm_row_impulses;
  Real resting_speed = 0;         ///< m/s: a contact that approaches more slowly does not bounce
  ThreadPool* threads = nullptr;  ///< null: the calling thread alone
};

/// One method. An instance keeps scratch memory between calls, so use one a thread; its answers do not depend on
/// history.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Requires a problem that passes `check`. Fills in impulses, velocities and the solver's own part of the report.
  virtual void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) = 0;
};

/// A method on problems given as a matrix. As a solver, it keeps memory but no history.
class MatrixSolver {
 public:
  virtual ~MatrixSolver() = default;
  /// Requires a problem that passes `check`. `impulse`, three numbers a contact, gets the answer; `warm` may be empty.
  /// Stops where FCLib's measure of error meets the tolerance. Fills in the solver's own part of the report.
  virtual SolveReport solve(const MatrixProblem& problem, std::span<const Real> warm, Real tolerance,
                            std::span<Real> impulse) = 0;
};

/// What a problem may ask for. A solver either does as asked or refuses the problem.
enum class Feature : std::uint8_t {
  Friction,
  StaticFriction,  ///< a static coefficient above the dynamic one
  Restitution,
  GapTarget,      ///< a normal target other than zero
  TangentTarget,  ///< a tangential target other than zero, where there is friction
  Rows,
  RollingFriction,
  SpinningFriction
};
/// Every feature, in the order above.
const std::vector<Feature>& features();
/// "friction", "static friction", …
const char* feature_name(Feature feature);

/// What a solver claims of its answer, and so what its own residual is the error of.
enum class SolverModel : std::uint8_t {
  Coulomb,         ///< Coulomb's law at all contacts at once, with Newton's velocities where restitution acts
  CoulombPyramid,  ///< the same with an eight-sided pyramid for the cone
  RestingForces,   ///< forces at resting contacts, without friction, such that no contact accelerates into another body
  NormalTargets,   ///< normal velocities at all contacts at once; friction depends on the way there
  Convex,          ///< least kinetic energy over impulses in the cone, with Newton's bounds where restitution acts
  ConvexPyramid,   ///< the same with the pyramid
  Bounces          ///< that nothing approaches any more: contacts bounce one after the other
};

struct SolverInfo {
  std::string name;
  std::string solves;  ///< one line
  std::string source;  ///< paper and section
  std::string fails;   ///< where it does not do well
  std::vector<OptionSpec> options;
  std::unique_ptr<Solver> (*make)(const Options& options);
  std::vector<Feature> honours;  ///< what it can be asked for; it refuses the rest
  bool revives = false;          ///< frozen bodies have their mass and may be revived; else they do not move
  bool balanced = true;  ///< velocities follow from the impulses; else `momentum_error` says how far they do not
  SolverModel model = SolverModel::Coulomb;
  std::string cone = "exact";  ///< or "pyramid": what its impulses lie in; an option of this name goes before
  /// Where options decide on the model.
  SolverModel (*model_of)(const Options& options) = nullptr;
  /// What it refuses besides features: why, or empty.
  std::string (*limit)(const Options& options, const ContactProblem& problem) = nullptr;
  /// Null where problems given as a matrix are refused.
  std::unique_ptr<MatrixSolver> (*make_matrix)(const Options& options) = nullptr;
};

/// What the solver claims with these options.
SolverModel solver_model(const SolverInfo& solver, const Options& options);

/// Empty if the solver does all that the problem asks for, else the first thing that it does not do:
/// "pairwise: contacts[3] asks for rolling friction, which this solver does not do".
std::string refusal(const SolverInfo& solver, const ContactProblem& problem);
/// The same with the limits that it has with these options.
std::string refusal(const SolverInfo& solver, const Options& options, const ContactProblem& problem);

/// Every solver there is, in a fixed order.
const std::vector<SolverInfo>& solver_registry();
/// Null if there is none of that name.
const SolverInfo* find_solver(std::string_view name);

}  // namespace carom
