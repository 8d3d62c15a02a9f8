// Contacts level by level, from the ground up, and a last pass in which nothing below gives way.
//
// E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex rigid bodies with stacking", 2003, sections 7 and 8, as described by
// S. Lembcke, "Realtime rigid body simulation using impulses", 2006, section 5.1, and J. Bender, A. Schmitt, 2006. The
// contact graph orders bodies into levels (contact_graph.h). A round sweeps the contacts of the first level a few times
// with the exact local solve, then those of the next, to the top; rounds repeat until one changes nothing, or
// `iterations` are used up. Then the shock: once more from level to level, bodies of all lower levels with infinite
// mass, so that what is left of the approach is pushed up and out of the stack.
// Known failure: in the shock, bodies below do not feel the reaction. Velocities are plausible, momentum is not kept
// and energy may rise; `momentum_error` says by how much. A tower that should topple may stand.
#include "solvers/shock.h"

#include <algorithm>

#include "carom/contact/measures.h"
#include "contact/rows.h"
#include "solvers/contact_graph.h"
#include "solvers/order.h"
#include "solvers/packed.h"
#include "solvers/relax.h"

namespace carom {
namespace {

class Shock final : public Solver {
 public:
  explicit Shock(const Options& options)
      : iterations_(options.integer("iterations")),
        level_sweeps_(options.integer("level_sweeps")),
        tolerance_(options.number("tolerance")),
        propagate_(options.flag("propagate")) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    packed_.pack(problem, context.warm_impulses, context.threads);
    packed_.aim_at_restitution(problem, context.resting_speed);
    levels_ = contact_levels(problem);
    sort_groups(problem);
    const Real allowed = tolerance_ * reference_velocity(problem);
    SolveReport& report = solution.report;
    report = {};
    while (report.iterations < iterations_ && !report.converged) {
      Real change = 0;
      for (std::size_t level = 0; level + 1 < first_.size(); ++level) change = std::max(change, settle(level));
      ++report.iterations;
      report.converged = change <= allowed;
    }
    packed_.unpack(problem, solution);
    solution.row_impulses.assign(problem.row_count() - 3 * problem.contacts.size(), 0);
    // An answer that is exact already has nothing to propagate.
    if (!report.converged && propagate_) propagate(problem, context.resting_speed, solution);
  }

 private:
  /// Groups by level; first_[l] is where level l begins.
  void sort_groups(const ContactProblem& problem) {
    groups_ = ordered_groups(SweepOrder::Level, problem, packed_);
    first_.assign(static_cast<std::size_t>(levels_.count) + 2, 0);
    for (const std::size_t group : groups_) ++first_[level_of(problem, group) + 1];
    for (std::size_t level = 1; level < first_.size(); ++level) first_[level] += first_[level - 1];
  }

  std::size_t level_of(const ContactProblem& problem, std::size_t group) const {
    const auto k = static_cast<std::size_t>(packed_.schedule.groups()[group].first);
    return static_cast<std::size_t>(
        levels_.of(problem.contacts[static_cast<std::size_t>(packed_.schedule.source()[k])]));
  }

  /// Sweeps over one level; the largest change of a contact's velocity in the first of them, which is what the levels
  /// below and above have done to it.
  Real settle(std::size_t level) {
    Real first_change = 0;
    for (int sweep = 0; sweep < level_sweeps_; ++sweep) {
      Real change = 0;
      for (std::size_t i = first_[level]; i < first_[level + 1]; ++i)
        change = std::max(change, relax_group(packed_, groups_[i]));
      if (sweep == 0) first_change = change;
      if (change == 0) break;
    }
    return first_change;
  }

  /// The last pass. Impulses go on from where they are, so that their sums stay in the cones.
  void propagate(const ContactProblem& problem, Real resting_speed, ContactSolution& solution) {
    below_ = problem;
    for (std::size_t level = 1; level + 1 < first_.size(); ++level) {
      for (std::size_t i = first_[level]; i < first_[level + 1]; ++i) {
        packed_.pack_group(below_, groups_[i]);
        packed_.aim_group(problem, resting_speed, groups_[i]);
      }
      settle(level);
      hold(level);
    }
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
      solution.velocities[i] = below_.bodies[i].velocity;
      solution.angular_velocities[i] = below_.bodies[i].angular_velocity;
    }
    for (std::size_t k = 0; k < packed_.contacts.size(); ++k) {
      const auto i = static_cast<std::size_t>(packed_.schedule.source()[k]);
      solution.impulses[i] = from_frame(problem.contacts[i], packed_.impulses[k]);
    }
    solution.report.momentum_error = momentum_error(problem, solution);
  }

  /// From here on the bodies of a level move as they do now, whatever happens above.
  void hold(std::size_t level) {
    for (std::size_t i = 0; i < below_.bodies.size(); ++i) {
      if (levels_.of_body[i] != static_cast<std::int32_t>(level)) continue;
      const ScaledVelocity velocity = packed_.bodies.immobilize(i);
      below_.bodies[i].role = BodyRole::Kinematic;
      below_.bodies[i].velocity = velocity.linear;
      below_.bodies[i].angular_velocity = velocity.angular;
    }
  }

  static Real momentum_error(const ContactProblem& problem, const ContactSolution& solution) {
    ContactSolution kept = solution;
    recompute_velocities(problem, kept);
    Real largest = 0;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
      const ProblemBody& body = problem.bodies[i];
      if (takes_impulse(body.role))
        largest = std::max(largest, norm(solution.velocities[i] - kept.velocities[i]) / body.inverse_mass);
    }
    return largest;
  }

  int iterations_, level_sweeps_;
  Real tolerance_;
  bool propagate_;
  PackedProblem packed_;
  ContactLevels levels_;
  std::vector<std::size_t> groups_, first_;
  ContactProblem below_;  // in the last pass: with what is done as kinematic bodies
};

}  // namespace

SolverInfo shock_solver() {
  return {
      "shock",
      "contacts level by level from the ground up, then a pass in which levels below have infinite mass",
      "Guendelman et al. 2003, sections 7 and 8; Lembcke 2006, section 5.1; Bender and Schmitt 2006",
      "the last pass keeps neither momentum nor energy: what should topple may stand",
      {{"iterations", 10.0, "largest number of rounds over all levels", 1, 1e6, true, {}},
       {"level_sweeps", 5.0, "sweeps over a level before the next", 1, 1e6, true, {}},
       {"tolerance",
        1e-6,
        "change of velocity in a round that counts as converged, in units of v_ref",
        0,
        1,
        false,
        {}},
       {"propagate", true, "the last pass, where the rounds have not converged", 0, 0, false, {}}},
      [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Shock>(options); },
      {Feature::Friction, Feature::StaticFriction, Feature::Restitution, Feature::GapTarget, Feature::TangentTarget},
      false,
      false};
}

}  // namespace carom
