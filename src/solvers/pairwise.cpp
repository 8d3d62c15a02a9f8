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

#include <algorithm>
#include <array>
#include <cmath>

#include "math/cone.h"
#include "solvers/anderson.h"
#include "solvers/local.h"
#include "solvers/packed.h"

namespace carom {
namespace {

class Pairwise final : public Solver {
 public:
  explicit Pairwise(const Options& options)
      : sweeps_(options.integer("sweeps")), inner_sweeps_(options.integer("inner_sweeps")) {}

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
    constexpr Real kInnerTolerance = 1e-9;  // of the approach speed
    PairVelocity pair(packed_, group);
    const ContactGroup& range = packed_.schedule.groups()[group];
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const Real normal = pair.along(packed_.contacts[k], 0);
      bounces_[k] = {{}, normal < 0 ? -packed_.contacts[k].restitution * normal : 0};
    }
    settle(range, pair, kInnerTolerance * fastest);
    pair.store(packed_.bodies);
    return fastest;
  }

  /// Passes over the pair's contacts until none changes. A block on a short edge closes in slowly: what a few plain
  /// passes do not settle is accelerated. Corners that pull against each other may go in circles for good; then the
  /// pass that changed least is the answer.
  void settle(const ContactGroup& range, PairVelocity& pair, Real tolerance) {
    constexpr int kPlain = 15, kMemory = 6;  // two bodies move against each other in six ways
    const int plain = std::min(kPlain, inner_sweeps_);
    Real least = 0;  // change so far
    for (int i = 0; i < plain; ++i)
      if (least = relax(range, pair); least <= tolerance) return;
    if (plain == inner_sweeps_) return;
    const auto size = 3 * static_cast<std::size_t>(range.last - range.first);
    const std::vector<Real> metric(size, 1);
    std::vector<Real> start(size), swept(size);
    gather(range, start);
    std::vector<Real> best = start;
    Anderson acceleration;
    acceleration.start(metric, size, kMemory);
    for (int i = plain; i < inner_sweeps_; ++i) {
      const Real largest = relax(range, pair);
      if (largest <= tolerance) return;
      gather(range, swept);
      if (largest < least) least = largest, best = swept;
      acceleration.next(start, swept, nullptr);
      scatter(range, start, pair);
      gather(range, start);
    }
    scatter(range, best, pair);
  }

  void gather(const ContactGroup& range, std::vector<Real>& x) const {
    std::size_t i = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k)
      for (int j = 0; j < 3; ++j) x[i++] = bounces_[k].impulse[j];
  }

  /// What is accelerated may have left the cones.
  void scatter(const ContactGroup& range, const std::vector<Real>& x, PairVelocity& pair) {
    std::size_t i = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k, i += 3)
      change(k, project_on_cone({x[i], x[i + 1], x[i + 2]}, packed_.contacts[k].mu) - bounces_[k].impulse, pair);
  }

  void change(std::size_t k, const Vec3& by, PairVelocity& pair) {
    bounces_[k].impulse += by;
    packed_.impulses[k] += by;
    pair.add(packed_.contacts[k], by);
  }

  Real relax(const ContactGroup& range, PairVelocity& pair) {
    Real largest = 0;
    for (auto k = static_cast<std::size_t>(range.first); k < static_cast<std::size_t>(range.last); ++k) {
      const PackedContact& c = packed_.contacts[k];
      Vec3 u = pair.at(c);
      u.x -= bounces_[k].target;
      const Vec3 by = solve_contact(c, u, bounces_[k].impulse) - bounces_[k].impulse;
      change(k, by, pair);
      largest = std::max(largest, norm(by) * c.w.trace() / 3);
    }
    return largest;
  }

  int sweeps_, inner_sweeps_;
  PackedProblem packed_;
  std::vector<Bounce> bounces_;  // per contact
};

}  // namespace

SolverInfo pairwise_solver() {
  return {"pairwise",
          "collisions with Newton's restitution and Coulomb friction, one pair of bodies after the other",
          "Guendelman et al. 2003; Lembcke 2006, sections 3.1 and 4.2",
          "the order of pairs is that of the problem, not that of time; long chains need many sweeps",
          {{"sweeps", 10.0, "largest number of passes over all pairs", 1, 1e6, true, {}},
           {"inner_sweeps",
            15.0,
            "largest number of passes over the contacts of a pair at each of its bounces; those from the 16th on are "
            "accelerated, so that a block that lands on a short edge leaves without a twist",
            1,
            1e6,
            true,
            {}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Pairwise>(options); },
          {Feature::Friction, Feature::StaticFriction, Feature::Restitution, Feature::TangentTarget},
          false,
          true,
          SolverModel::Bounces};
}

}  // namespace carom
