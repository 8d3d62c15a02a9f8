// Collisions as found, pair by pair, over and over.
//
// E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex rigid bodies with stacking", 2003, as surveyed by S. Lembcke,
// "Realtime rigid body simulation using impulses", 2006, sections 3.1 and 4.2. A pair of bodies that approaches
// anywhere faster than the resting speed bounces: all its contacts reach Newton's v_n⁺ ≥ −e v_n⁻ together, with Coulomb
// friction, while the rest of the world waits. Then the next pair, until none approaches or the sweeps are used up.
// Impulses pass from body to body, so Newton's cradle comes out right; a pair as a whole, so that a box that lands flat
// does not start to spin. Known failure: pairs are visited in a fixed order, not in the order in which they would
// collide.
#include "solvers/pairwise.h"

#include <array>
#include <cmath>

#include "solvers/local.h"
#include "solvers/packed.h"

namespace carom {
namespace {

class Pairwise final : public Solver {
 public:
  explicit Pairwise(const Options& options) : sweeps_(options.integer("sweeps")) {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    packed_.pack(problem, {}, context.threads);
    SolveReport& report = solution.report;
    report = {};
    const Real threshold = context.resting_speed;
    bounces_.assign(packed_.contacts.size(), {});
    while (report.iterations < sweeps_ && !report.converged) {
      const Real fastest =
          packed_.schedule.sweep(context.threads, [&](std::size_t group) { return bounce(group, threshold); });
      ++report.iterations;
      report.converged = fastest == 0;
    }
    if (!report.converged)
      report.approach_left =
          packed_.schedule.sweep(context.threads, [this](std::size_t group) { return approach(group); });
    packed_.unpack(problem, solution);
    solution.row_impulses.assign(problem.row_count() - 3 * problem.contacts.size(), 0);
  }

 private:
  /// Of the bounce being worked on.
  struct Bounce {
    Vec3 impulse;     // in the contact's frame
    Real target = 0;  // Newton's, for the normal velocity
  };

  Real approach(std::size_t group) const {
    const PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    Real fastest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k)
      fastest = std::max(fastest, -pair.along(packed_.contacts[k], 0));
    return fastest;
  }

  /// The approach speed that made the pair bounce, or zero if it is slower than the threshold.
  Real bounce(std::size_t group, Real threshold) {
    const Real fastest = approach(group);
    if (fastest <= threshold) return 0;
    constexpr int kInnerSweeps = 15;
    constexpr Real kInnerTolerance = 1e-9;  // of the approach speed
    PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const Real normal = pair.along(packed_.contacts[k], 0);
      bounces_[k] = {{}, normal < 0 ? -packed_.contacts[k].restitution * normal : 0};
    }
    for (int i = 0; i < kInnerSweeps; ++i) {
      if (relax(range, pair) <= kInnerTolerance * fastest) break;
    }
    pair.store(packed_.bodies);
    return fastest;
  }

  Real relax(const ContactGroup& range, PairVelocity& pair) {
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const PackedContact& c = packed_.contacts[k];
      Vec3 u = pair.at(c);
      u.x -= bounces_[k].target;
      const Vec3 change = solve_contact(c, u, bounces_[k].impulse) - bounces_[k].impulse;
      bounces_[k].impulse += change;
      packed_.impulses[k] += change;
      pair.add(c, change);
      largest = std::max(largest, norm(change) * c.w.trace() / 3);
    }
    return largest;
  }

  int sweeps_;
  PackedProblem packed_;
  std::vector<Bounce> bounces_;  // per contact
};

}  // namespace

SolverInfo pairwise_solver() {
  return {"pairwise",
          "collisions with Newton's restitution and Coulomb friction, one pair of bodies after the other",
          "Guendelman et al. 2003; Lembcke 2006, sections 3.1 and 4.2",
          "the order of pairs is that of the problem, not that of time; long chains need many sweeps",
          {{"sweeps", 10.0, "largest number of passes over all pairs", 1, 1e6, true, {}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Pairwise>(options); },
          {Feature::Friction, Feature::StaticFriction, Feature::Restitution, Feature::TangentTarget},
          false,
          true,
          SolverModel::Bounces};
}

}  // namespace carom
