// The quadratic program of the paper: of all impulses in the friction cones, those that leave the least kinetic energy.
//
// H. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004, section 4, eqs. 7 to 14:
// the objective is the kinetic energy after, impulses lie in an eight-sided pyramid (`cone=exact`: in the cone itself),
// and where a contact collides its normal velocity is bounded, v_n⁺ ≥ −e v_n⁻ (eq. 13). Velocities are eliminated: in
// impulses it is min ½ jᵀWj + bᵀj over j ∈ K with bounds on some entries of Wj + b, whose multipliers λ are no
// impulses. For e = 0 the bound v_n⁺ ≥ 0 is met by every optimum, since u ∈ K* has u_n ≥ μ|u_t|; it costs nothing.
// Iteration: convex_solver.h, island by island (cone_islands.h) or, with `islands=false`, for all bodies together: the
// paper's single program, with the same answer, in which every part waits for the slowest. Stops when the natural map
// is at most `tolerance` · v_ref at the worst contact. Known failure: it is the model of the paper and not Coulomb's
// law. Sliding bodies are lifted, u_n = μ|u_t| where friction acts (reported as `lift`), and the pyramid's friction is
// up to 7.6 % too weak. Bounds that no motion meets are reported, with the answer that misses them the least. With
// `frozen=mass` frozen bodies have their mass, as the paper's have, contacts among them and fixed ones are left out,
// and a frozen body whose energy ends above eq. 15 is revived: at most one body deep, unlike the priority queue
// (section 5.2, Fig. 5).
#include "solvers/qp.h"

#include <algorithm>
#include <cmath>

#include "contact/restitution.h"
#include "contact/rows.h"
#include "solvers/cone_islands.h"
#include "solvers/convex_solver.h"

namespace carom {
namespace {

class Qp final : public Solver {
 public:
  explicit Qp(const Options& options)
      : iterations_(options.integer("iterations")),
        tolerance_(options.number("tolerance")),
        separate_(options.flag("islands")),
        set_(options.word("cone") == "pyramid" ? ImpulseSet::Pyramid : ImpulseSet::Cone),
        frozen_(options.word("frozen") == "mass" ? FrozenBodies::HaveMass : FrozenBodies::HoldStill) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    system_.build(problem, frozen_);
    system_.take_warm(problem, context.warm_impulses, impulses_);
    // A start outside its cone would only cost the first steps.
    for (std::size_t i = 0; i < impulses_.size(); ++i)
      impulses_[i] = project_on(set_, impulses_[i], system_.contacts[i].mu);
    solution.report = {};
    solution.report.converged = true;
    solution.bound_multipliers.clear();
    separate_ ? islands_.find(system_) : islands_.take_whole(system_);
    work_ = 0;
    for (std::size_t island = 0; island < islands_.count(); ++island)
      solve_island(problem, context.resting_speed, island, solution);
    // A pass over an island counts as its share of all contacts.
    if (work_ > 0)
      solution.report.iterations = static_cast<int>(std::ceil(work_ / static_cast<Real>(system_.contacts.size())));
    system_.unpack(problem, impulses_, solution);
    report_bounds(problem, context.resting_speed, solution);
  }

 private:
  void solve_island(const ContactProblem& problem, Real resting_speed, std::size_t island, ContactSolution& solution) {
    const std::span<const std::size_t> chosen = islands_.contacts(island);
    part_maker_.take(system_, chosen, part_);
    find_bounds(problem, resting_speed);
    part_impulses_.clear();
    for (const std::size_t i : chosen) part_impulses_.push_back(impulses_[i]);
    multipliers_.assign(bounds_.size(), 0);
    const ConvexOutcome outcome = solver_.solve(part_, set_, bounds_, iterations_,
                                                tolerance_ * part_.reference_velocity, part_impulses_, multipliers_);
    work_ += static_cast<Real>(outcome.iterations) * static_cast<Real>(chosen.size());
    solution.report.converged = solution.report.converged && outcome.converged;
    solution.report.restitution_infeasible = solution.report.restitution_infeasible || outcome.infeasible;
    for (std::size_t k = 0; k < chosen.size(); ++k) impulses_[chosen[k]] = part_impulses_[k];
    if (!bounds_.empty()) solution.bound_multipliers.resize(problem.contacts.size(), 0);
    for (std::size_t i = 0; i < bounds_.size(); ++i)
      solution.bound_multipliers[static_cast<std::size_t>(part_.contacts[bounds_[i].contact].source)] = multipliers_[i];
  }

  /// Eq. 13 wherever it may matter: at all contacts of an island in which one bounces. Elsewhere the optimum meets it
  /// by itself.
  void find_bounds(const ContactProblem& problem, Real resting_speed) {
    bounds_.clear();
    bool any = false;
    for (std::size_t i = 0; i < part_.contacts.size(); ++i) {
      const ContactPoint& c = problem.contacts[static_cast<std::size_t>(part_.contacts[i].source)];
      bounds_.push_back({i, newton_target(problem, c, resting_speed) - c.target});
      any = any || bounds_.back().bound > 0;
    }
    if (!any) bounds_.clear();
  }

  /// How far contacts that carry an impulse end above their bounds, and how far some end below.
  void report_bounds(const ContactProblem& problem, Real resting_speed, ContactSolution& solution) const {
    for (const ConeContact& cone : system_.contacts) {
      const auto source = static_cast<std::size_t>(cone.source);
      const ContactPoint& c = problem.contacts[source];
      const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
      const Vec3 u = relative_velocity(c, solution.velocities[a], solution.angular_velocities[a],
                                       solution.velocities[b], solution.angular_velocities[b]);
      const Real over = dot(c.normal, u) - newton_target(problem, c, resting_speed);
      if (dot(c.normal, solution.impulses[source]) > 0) solution.report.lift = std::max(solution.report.lift, over);
      solution.report.restitution_shortfall = std::max(solution.report.restitution_shortfall, -over);
    }
  }

  int iterations_;
  Real tolerance_;
  bool separate_;
  ImpulseSet set_;
  FrozenBodies frozen_;
  Real work_ = 0;  // passes times contacts, over all islands
  ConeSystem system_, part_;
  ConeIslands islands_;
  SystemPart part_maker_;
  ConvexSolver solver_;
  std::vector<Vec3> impulses_, part_impulses_;
  std::vector<NormalBound> bounds_;  // of the part
  std::vector<Real> multipliers_;
};

}  // namespace

SolverInfo qp_solver() {
  return {
      "qp",
      "least kinetic energy over impulses in the friction pyramid or cone, with Newton's bounds where contacts bounce",
      "Schmidl and Milenkovic 2004, section 4, eqs. 7 to 14",
      "not Coulomb's law: sliding bodies are lifted; bounds that no motion meets are missed, and said so",
      {{"cone", std::string("pyramid"), "what impulses lie in", 0, 0, false, {"pyramid", "exact"}},
       {"islands",
        true,
        "bodies that hang together are a program of their own; off: one program for all, as the paper has it",
        0,
        0,
        false,
        {}},
       {"iterations",
        30000.0,
        "largest number of passes over the contacts of an island; a factorisation counts as the 10 to 40 that take as "
        "long, and beyond 100 bodies one more a 15 bodies",
        1,
        1e9,
        true,
        {}},
       {"frozen",
        std::string("still"),
        "frozen bodies hold still, or have their mass where something that moves touches them and may be revived",
        0,
        0,
        false,
        {"still", "mass"}},
       {"tolerance", 1e-6, "natural map that counts as solved, in units of v_ref", 0, 1, false, {}}},
      [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Qp>(options); },
      {Feature::Friction, Feature::Restitution, Feature::GapTarget, Feature::TangentTarget},
      false,
      true,
      SolverModel::ConvexPyramid,
      "pyramid",
      [](const Options& options) {
        return options.word("cone") == "pyramid" ? SolverModel::ConvexPyramid : SolverModel::Convex;
      }};
}

}  // namespace carom
