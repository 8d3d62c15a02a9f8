// Collisions by repeated impulses, every contact to its own Newton velocity.
//
// J. Bender, A. Schmitt, "Constraint-based collision and contact handling using impulses", 2006, the loop of the
// collision stage. The normal velocity that each contact is to reach, −e v⁻, is fixed at the start. Then, contact by
// contact and over and over: the normal impulse p_n that reaches it, never negative in sum; friction μ p_n of this
// visit against the slip, at most p_max = |u_t| / (tᵀ K t), which stops it. A contact whose slip can be stopped with a
// sum of impulses within μ_s times the normal sum is marked static: its slip is removed at every visit, and the mark
// goes where the sum gets too large. The loop ends when a pass changes no contact's velocity by more than the
// tolerance. Known failure: friction follows the slip of each visit, so where that turns in the course of the loop, a
// sliding contact's friction is a mean over directions and not against the last one. A simultaneous method: Newton's
// cradle comes out as with one rigid row. Information travels one body a pass.
#include "solvers/iterative.h"

#include <cmath>

#include "carom/contact/measures.h"
#include "solvers/packed.h"
#include "solvers/row_sweep.h"

namespace carom {
namespace {

class Iterative final : public Solver {
 public:
  explicit Iterative(const Options& options)
      : iterations_(options.integer("iterations")), tolerance_(options.number("tolerance")) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    packed_.pack(problem, context.warm_impulses, context.threads);
    packed_.aim_at_restitution(problem, context.resting_speed);
    rows_.pack(problem, context.warm_row_impulses, packed_.bodies);
    sticks_.assign(packed_.contacts.size(), 0);
    const Real allowed = tolerance_ * reference_velocity(problem);
    SolveReport& report = solution.report;
    report = {};
    while (report.iterations < iterations_ && !report.converged) {
      Real change = packed_.schedule.sweep(context.threads, [this](std::size_t group) { return visit(group); });
      change = std::max(change, rows_.sweep(packed_.bodies));
      ++report.iterations;
      report.converged = change <= allowed;
    }
    packed_.unpack(problem, solution);
    rows_.unpack(problem, solution);
  }

 private:
  /// One visit to a pair of bodies; the largest change of a contact's velocity.
  Real visit(std::size_t group) {
    PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const PackedContact& c = packed_.contacts[k];
      if (!(c.w(0, 0) > 0)) continue;
      Vec3& j = packed_.impulses[k];
      const Vec3 before = j;
      const Real pressed = std::max(j.x - pair.along(c, 0) / c.w(0, 0), 0.0) - j.x;
      j.x += pressed;
      pair.add(c, {pressed, 0, 0});
      if (c.mu_static > 0) rub(k, pressed, pair);
      largest = std::max(largest, norm(j - before) * c.w.trace() / 3);
    }
    pair.store(packed_.bodies);
    return largest;
  }

  /// Friction at a contact whose normal impulse has just grown by `pressed`.
  void rub(std::size_t k, Real pressed, PairVelocity& pair) {
    const PackedContact& c = packed_.contacts[k];
    Vec3& j = packed_.impulses[k];
    const Vec3 before = j;
    const Vec3 slip{0, pair.along(c, 1), pair.along(c, 2)};
    const Real speed = norm(slip);
    const Vec3 against = speed > 0 ? -1 / speed * slip : Vec3{};
    const Real most = speed > 0 ? speed / dot(against, c.w * against) : 0;  // p_max: stops the slip
    const Vec3 stopped = j + most * against;
    if (friction(stopped) <= c.mu_static * j.x) {
      sticks_[k] = 1;
      j = stopped;
    } else if (sticks_[k] != 0) {
      sticks_[k] = 0;
      j = on_cone(stopped, c.mu);
    } else {
      j += std::min(c.mu * std::max(pressed, 0.0), most) * against;
      if (friction(j) > c.mu * j.x) j = on_cone(j, c.mu);  // the normal impulse was taken back
    }
    pair.add(c, j - before);
  }

  static Real friction(const Vec3& j) { return std::sqrt(j.y * j.y + j.z * j.z); }
  /// With the friction that goes with its normal impulse. Requires some friction.
  static Vec3 on_cone(const Vec3& j, Real mu) {
    const Real scale = mu * j.x / friction(j);
    return {j.x, scale * j.y, scale * j.z};
  }

  int iterations_;
  Real tolerance_;
  PackedProblem packed_;
  RowSweep rows_;
  std::vector<char> sticks_;  // per contact: marked static
};

}  // namespace

SolverInfo iterative_solver() {
  return {"iterative",
          "Newton's restitution at all contacts at once, with static and dynamic friction, by repeated impulses",
          "Bender and Schmitt 2006, collision resolution",
          "friction of a contact whose slip turns is a mean over the passes; slow on tall stacks and large mass ratios",
          {{"iterations", 100.0, "largest number of passes over all contacts", 1, 1e6, true, {}},
           {"tolerance",
            1e-6,
            "change of velocity in a pass that counts as converged, in units of v_ref",
            0,
            1,
            false,
            {}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Iterative>(options); },
          {Feature::Friction, Feature::StaticFriction, Feature::Restitution, Feature::GapTarget, Feature::TangentTarget,
           Feature::Rows},
          false,
          true,
          SolverModel::NormalTargets};
}

}  // namespace carom
