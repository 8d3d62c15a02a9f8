// Coulomb's law on the exact cone at all contacts at once, to rounding where that can be had.
//
// The law as one equation is j = P_K(j − ρ(u + μ|u_t| n)) at every contact (G. De Saxcé, Z.-Q. Feng, "The bipotential
// method", 1998). No method solves it always and fast, so five work together, on one island (cone_islands.h) at a time:
//   up to a few dozen contacts, dense Newton steps with several fallbacks (coulomb_dense.h), to rounding;
//   beyond, gradient steps with momentum along the law's field (apgd.h), cheap, robust, and slow at the end;
//   where all is at rest, the convex model with the shift of the last answer (convex_solver.h, after F. Cadoux, "An
//   optimization-based algorithm for Coulomb's frictional contact", 2009): settled piles to rounding; before gradients
//   in piles, after a turn of them on a few bodies;
//   up to some thousand contacts, proximal Newton steps (proximal_newton.h) from where gradients slow down; beyond, the
//   same at the few places that hold the residual up (hot_spots.h), in turn with gradients.
// The best impulses of all stages are the answer. The law may have several solutions, of which the one that the stages
// come to from the warm impulses (else from none) is given, or none, and then the answer is the one that misses it the
// least; `converged` says which. Restitution: contacts that collide get Newton's velocity as their target.
// `model=convex` drops the shift μ|u_t| and solves the problem of `qp` with the exact cone by interior points.
// Known failure: thousands of contacts of which some slide, where 1e-3 is quick and 1e-6 is not reached.
#include "solvers/exact.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "contact/restitution.h"
#include "contact/rows.h"
#include "solvers/apgd.h"
#include "solvers/cone_islands.h"
#include "solvers/cone_matrix.h"
#include "solvers/convex_solver.h"
#include "solvers/coulomb_dense.h"
#include "solvers/coulomb_matrix.h"
#include "solvers/hot_spots.h"
#include "solvers/interior_point.h"
#include "solvers/proximal_newton.h"
#include "solvers/wide_newton.h"

namespace carom {
namespace {

constexpr int kPassesPerNewton = 50;         // what a factorisation counts as: about as long as this many passes
constexpr std::size_t kDenseContacts = 40;   // up to here dense steps are the fastest
constexpr std::size_t kQuickContacts = 150;  // up to here gradients and Newton steps are tried before the convex model
constexpr int kDenseTurn = 10;               // how long a turn those last dense steps are like
constexpr int kPassesOfFew = 10'000;         // passes, where there is another way
constexpr std::size_t kNewtonContacts = 2000;  // beyond, gradient steps get further in the same time

class Exact final : public Solver {
 public:
  explicit Exact(const Options& options)
      : iterations_(options.integer("iterations")),
        tolerance_(options.number("tolerance")),
        enough_share_(options.number("enough")),
        compliance_(options.number("compliance")),
        work_(options.number("work")),
        most_dense_(static_cast<std::size_t>(options.integer("dense"))),
        convex_(options.word("model") == "convex") {}

  void solve(const ContactProblem& problem, const SolveContext& context, ContactSolution& solution) override {
    whole_.build(problem);
    for (ConeContact& cone : whole_.contacts) {
      const ContactPoint& c = problem.contacts[static_cast<std::size_t>(cone.source)];
      if (c.restitution > 0) cone.bias.x -= newton_target(problem, c, context.resting_speed) - c.target;
    }
    whole_.take_warm(problem, context.warm_impulses, answer_of_whole_);
    solution.report = {};
    solution.report.converged = true;
    islands_.find(whole_);
    Real work = 0;
    for (std::size_t island = 0; island < islands_.count(); ++island) {
      solve_island(islands_.contacts(island));
      work += static_cast<Real>(used_) * static_cast<Real>(system_.contacts.size());
      solution.report.converged = solution.report.converged && best_residual_ <= allowed_;
    }
    // A pass over an island counts as its share of all contacts.
    if (work > 0)
      solution.report.iterations = static_cast<int>(std::ceil(work / static_cast<Real>(whole_.contacts.size())));
    whole_.unpack(problem, answer_of_whole_, solution);
  }

 private:
  void solve_island(std::span<const std::size_t> chosen) {
    part_maker_.take(whole_, chosen, system_);
    impulses_.clear();
    for (const std::size_t i : chosen) impulses_.push_back(answer_of_whole_[i]);
    allowed_ = tolerance_ * system_.reference_velocity;
    enough_ = enough_share_ * system_.reference_velocity;
    used_ = 0;
    best_residual_ = std::numeric_limits<Real>::infinity();
    best_ = impulses_;
    keep_if_better(impulses_);
    if (!std::isfinite(best_residual_)) {
      impulses_.assign(chosen.size(), {});
      best_ = impulses_;
      keep_if_better(impulses_);
    }
    // What rests has its answer from the step before.
    if (best_residual_ > allowed_) {
      if (convex_)
        run_convex();
      else
        run_coulomb();
    }
    for (std::size_t k = 0; k < chosen.size(); ++k) answer_of_whole_[chosen[k]] = best_[k];
  }

  void run_coulomb() {
    budget_ = passes_allowed();
    if (system_.contacts.size() <= kDenseContacts && run_small()) return;
    lanes_.build(system_);
    gradients_.start(system_, lanes_, LaneLaw::Coulomb, impulses_, compliance_);
    if (system_.contacts.size() > kQuickContacts) start_at_rest();
    if (system_.contacts.size() > kNewtonContacts) return run_large();
    // Neither knows when it is about to get there: each gets twice the time of its last turn.
    for (int turn = 1; !is_enough(turn / 2) && used_ < budget_; turn *= 2) {
      run_gradients(turn);
      if (best_residual_ > allowed_) run_newton(turn);
      if (turn == 1 && system_.contacts.size() <= kQuickContacts) start_at_rest();
    }
    if (!is_enough(kDenseTurn) && system_.contacts.size() <= most_dense_) run_dense(Effort::Much);
  }

  /// After a turn of that length: the longer it takes, the less is enough.
  bool is_enough(int turn) const {
    return best_residual_ <= std::max(allowed_, static_cast<Real>(turn) * turn * enough_);
  }

  void start_at_rest() {
    if (best_residual_ <= allowed_ || compliance_ != 0 || !is_at_rest()) return;
    run_lagged();
    gradients_.start(system_, lanes_, LaneLaw::Coulomb, best_, compliance_);
  }

  /// What so many passes do not solve, where dense steps can be had, more will not either.
  int passes_allowed() const {
    const auto contacts = static_cast<Real>(system_.contacts.size());
    const auto passes = static_cast<int>(std::max(work_ / contacts, static_cast<Real>(iterations_)));
    return system_.contacts.size() <= std::min(kDenseContacts, most_dense_) ? std::min(passes, kPassesOfFew) : passes;
  }

  /// True where that was enough. If not, the impulses are as before: what has failed may be far off.
  bool run_small() {
    constexpr Real kNear = 1e-4;  // of v_ref: from there Newton steps on bodies may find what dense ones have missed
    constexpr int kTurn = 4;
    start_ = impulses_;
    run_dense(Effort::Little);
    if (best_residual_ > allowed_ && best_residual_ <= kNear * system_.reference_velocity) {
      impulses_ = best_;
      run_newton(kTurn);
    }
    impulses_ = start_;
    return best_residual_ <= allowed_;
  }

  /// Bodies that gravity alone sets against each other mostly stick; then De Saxcé's shift is small, and Coulomb's law
  /// hardly differs from the convex model.
  bool is_at_rest() const {
    constexpr Real kSlow = 1.5;
    const Real slow = kSlow * system_.reference_velocity;
    return std::ranges::all_of(system_.contacts, [&](const ConeContact& c) {
      const Vec3 u = ConeSystem::velocity(c, system_.free_velocities);
      return u.x >= -slow && shift_of(u, 1) <= slow;  // gaps that are wide open count as fast the other way
    });
  }

  static Real shift_of(const Vec3& u, Real mu) { return mu * std::sqrt(u.y * u.y + u.z * u.z); }

  /// The convex model, then again with the shift of its answer, as long as each answer is much better than the last.
  void run_lagged() {
    constexpr int kMostTurns = 10;
    constexpr Real kShare = 0.3, kMuchBetter = 0.3;
    for (int turn = 0; turn < kMostTurns && best_residual_ > allowed_ && used_ < budget_; ++turn) {
      shifted_ = system_;
      system_.velocities_after(best_, velocities_);
      for (ConeContact& c : shifted_.contacts)
        if (turn > 0) c.bias.x += shift_of(ConeSystem::velocity(c, velocities_), c.mu);
      impulses_ = best_;
      multipliers_.clear();
      used_ += convex_solver_
                   .solve(shifted_, ImpulseSet::Cone, {}, budget_ - used_, kShare * allowed_, impulses_, multipliers_)
                   .iterations;
      const Real before = best_residual_;
      keep_if_better(impulses_);
      if (best_residual_ > kMuchBetter * before) return;
    }
  }

  /// Until they meet the tolerance, the budget is spent, or they have gained little for some time.
  void run_gradients(int turn) {
    constexpr int kChunk = 100, kPatience = 3;
    Real last = gradients_.residual();
    for (int since_gain = 0; since_gain / kPatience < turn && used_ < budget_; ++since_gain) {
      const int before = gradients_.passes();
      gradients_.run(std::min(kChunk, budget_ - used_), allowed_);
      used_ += std::max(gradients_.passes() - before, 1);
      gradients_.give_impulses(impulses_);
      keep_if_better(impulses_);
      if (best_residual_ <= allowed_) return;
      if (gradients_.residual() > 0.5 * last) continue;
      last = gradients_.residual();
      since_gain = 0;
    }
  }

  /// Passes over everything, and now and then Newton steps where the law is still broken. Where those gain nothing, the
  /// passes go on as if they had not been.
  void run_large() {
    constexpr int kFirstPasses = 300;
    for (int passes = kFirstPasses; !is_enough(used_ / kFirstPasses) && used_ < budget_;) {
      run_passes(gradients_, passes);
      if (best_residual_ > allowed_ && !cool_spots()) passes += passes / 2;
    }
  }

  void run_passes(Apgd& gradients, int passes) {
    constexpr int kChunk = 100;
    for (const int end = gradients.passes() + passes; gradients.passes() < end && used_ < budget_;) {
      const int before = gradients.passes();
      gradients.run(std::min({kChunk, end - before, budget_ - used_}), allowed_);
      used_ += std::max(gradients.passes() - before, 1);
      gradients.give_impulses(impulses_);
      if (gradients.residual() < best_residual_) keep_if_better(impulses_);
      if (best_residual_ <= allowed_) return;
    }
  }

  /// Rounds of Newton steps at the worst places and a few passes to settle what is around them. False where that has
  /// been tried and has gained little.
  bool cool_spots() {
    constexpr int kMostRounds = 8, kRings = 1, kSteps = 40, kPasses = 40;
    constexpr std::size_t kLeastPart = 20;  // spots that are a larger part are a web, which steps on parts do not solve
    constexpr Real kShare = 0.5, kGain = 0.7;
    const Real start = gradients_.residual();
    bool tried = false;
    for (int round = 0; round < kMostRounds && used_ < budget_; ++round) {
      if (round == 0) gradients_.give_impulses(impulses_);
      if (!spots_.find(system_, impulses_, kShare * allowed_, kRings, system_.contacts.size() / kLeastPart)) break;
      newton_.start(spots_.system(), ProximalNewton::Law::Coulomb, spots_.impulses(), compliance_);
      newton_.run(kSteps, kShare * allowed_);
      // Steps on a part cost as much less.
      used_ += 1 + static_cast<int>(kPassesPerNewton * static_cast<std::size_t>(newton_.steps()) *
                                    spots_.system().contacts.size() / system_.contacts.size());
      spots_.put_back(newton_.impulses(), impulses_);
      if (!tried) cooled_ = gradients_;
      tried = true;
      cooled_.go_on_from(system_, impulses_);
      run_passes(cooled_, kPasses);
      if (best_residual_ <= allowed_) return true;
    }
    if (tried && cooled_.residual() < kGain * start) {
      std::swap(gradients_, cooled_);
      return true;
    }
    return !tried;
  }

  /// From where the gradients are, and as long as the steps gain.
  void run_newton(int turn) {
    constexpr int kSteps = 40;
    newton_.start(system_, ProximalNewton::Law::Coulomb, impulses_, compliance_);
    for (Real last = newton_.residual(); used_ < budget_; last = newton_.residual()) {
      const int before = newton_.steps();
      newton_.run(std::min(kSteps * turn, 1 + (budget_ - used_) / kPassesPerNewton), allowed_);
      used_ += kPassesPerNewton * std::max(newton_.steps() - before, 1);
      keep_if_better(newton_.impulses());
      if (best_residual_ <= allowed_ || newton_.residual() > 0.5 * last) return;
    }
  }

  enum class Effort : std::uint8_t { Little, Much };

  /// With little effort to rounding, whatever the tolerance: the last steps of Newton's method cost little. Stages that
  /// cost more are for what is asked for alone.
  void run_dense(Effort effort) {
    constexpr Real kRounding = 1e-12;  // of v_ref: below is noise
    constexpr int kCheapAttempts = 2;
    const std::size_t rows = 3 * system_.contacts.size();
    const auto put = [](const std::vector<Vec3>& from, std::vector<Real>& to) {
      to.clear();
      for (const Vec3& j : from) to.insert(to.end(), {j.x, j.y, j.z});
    };
    put(best_, warm_);
    answer_.resize(rows);
    CoulombOptions options;
    options.tolerance = allowed_;
    if (effort == Effort::Little) {
      options.tolerance = std::min(allowed_, kRounding * system_.reference_velocity);
      options.attempts = kCheapAttempts;
    } else {
      options.steps = most_dense_steps();
    }
    const CoulombReport report = dense_.solve(cone_matrix(system_, compliance_), warm_, options, answer_);
    used_ += report.sweeps + report.newton_steps;
    for (std::size_t i = 0; i < impulses_.size(); ++i)
      impulses_[i] = {answer_[3 * i], answer_[3 * i + 1], answer_[3 * i + 2]};
    keep_if_better(impulses_);
  }

  /// As long again as the passes; longer where the law is still far from met.
  int most_dense_steps() const {
    constexpr Real kFar = 1e-4, kMore = 4;
    const Real larger = std::max(static_cast<Real>(system_.contacts.size()) / static_cast<Real>(kDenseContacts), 1.0);
    const Real passes_per_step = kPassesPerNewton * larger * larger;
    const bool far = best_residual_ > kFar * system_.reference_velocity;
    return static_cast<int>((far ? kMore : 1) * std::max(std::min(budget_, kPassesOfFew), iterations_) /
                            passes_per_step);
  }

  /// Interior points, then Newton steps for what rounding keeps those from; with several regularisations, since heavy
  /// bodies on light ones and bodies that are wedged in ask for different ones; then in wider numbers.
  void run_convex() {
    constexpr int kMostSteps = 100;
    constexpr InteriorPointSettings kWays[] = {{}, {1e-7, true, 0.1}, {1e-9, true, 0.1}, {1e-11, true, 100}};
    for (const InteriorPointSettings& way : kWays) {
      interior_.start(system_, impulses_, way);
      while (interior_.residual() > allowed_ && interior_.steps() < kMostSteps && interior_.step()) continue;
      used_ += kPassesPerNewton * interior_.steps();
      keep_if_better(interior_.impulses());
      if (best_residual_ <= allowed_) return;
      newton_.start(system_, ProximalNewton::Law::Convex, best_, 0);
      newton_.run(kMostSteps, allowed_);
      used_ += kPassesPerNewton * newton_.steps();
      keep_if_better(newton_.impulses());
      if (best_residual_ <= allowed_ || run_wide()) return;
    }
  }

  /// What ends here is exact but for the rounding of its impulses, whatever doubles make of its residual.
  bool run_wide() {
    constexpr int kMostSteps = 200;
    if (!WideNewton::is_for(system_)) return false;
    const bool solved = wide_.solve(system_, best_, kMostSteps);
    used_ += kPassesPerNewton * wide_.steps();
    if (solved) best_residual_ = std::numeric_limits<Real>::infinity();
    keep_if_better(wide_.impulses());
    return solved;
  }

  void keep_if_better(std::span<const Vec3> impulses) {
    // Impulses that grow without bound swallow the velocities: below the rounding of j no residual says anything. Where
    // that is coarse, or less so but the law is missed all the same, they are the way of a problem without a solution.
    constexpr Real kCoarse = 1e-5, kLarge = 1e-9, kMissed = 1e-6;  // of v_ref
    const Real v_ref = system_.reference_velocity;
    system_.velocities_after(impulses, velocities_);
    Real largest = 0, missed = 0, blur = 0;
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      const ConeContact& c = system_.contacts[i];
      const Vec3 u = ConeSystem::velocity(c, velocities_) + (compliance_ / c.rho) * impulses[i];
      const Real rounding = std::numeric_limits<Real>::epsilon() * norm(impulses[i]) / c.rho;
      const Real law = convex_ ? convex_residual(c, impulses[i], u) : coulomb_residual(c, impulses[i], u);
      const Real residual = std::max(law, rounding);  // in this order: what is no number stays that
      if (!(residual <= largest) && !std::isnan(largest)) largest = residual;
      missed = std::max(missed, law);
      blur = std::max(blur, rounding);
    }
    if (!convex_ && blur > (missed > kMissed * v_ref ? kLarge : kCoarse) * v_ref) return;
    if (!(largest < best_residual_)) return;
    best_residual_ = largest;
    std::ranges::copy(impulses, best_.begin());
  }

  int iterations_;
  Real tolerance_, enough_share_, compliance_, work_;
  std::size_t most_dense_;  // contacts
  bool convex_;
  int used_ = 0, budget_ = 0;  // passes and what counts as such
  Real allowed_ = 0, enough_ = 0, best_residual_ = 0;
  ConeSystem whole_, system_;  // system_ is the island that is being solved
  ConeIslands islands_;
  SystemPart part_maker_;
  Lanes lanes_;
  Apgd gradients_, cooled_;
  HotSpots spots_;
  ProximalNewton newton_;
  CoulombDense dense_;
  InteriorPoint interior_;
  WideNewton wide_;
  ConvexSolver convex_solver_{ConvexEffort::InDoubles};
  ConeSystem shifted_;
  std::vector<Vec3> impulses_, best_, start_;  // of the island
  std::vector<Vec3> answer_of_whole_;          // before its turn, an island's start
  std::vector<Vec6> velocities_;
  std::vector<Real> warm_, answer_, multipliers_;
};

}  // namespace

SolverInfo exact_solver() {
  return {"exact",
          "Coulomb's law on the exact cone at all contacts at once, to rounding where that can be had",
          "De Saxcé and Feng 1998; Alart and Curnier 1991",
          "thousands of contacts of which some slide: 1e-3 is quick, 1e-6 is not reached",
          {{"iterations",
            50000.0,
            "largest number of passes over the contacts of an island; a Newton step counts as fifty",
            1,
            1e9,
            true,
            {}},
           {"work",
            0.0,
            "an island of n contacts may have this / n passes, if that is more than `iterations`",
            0,
            1e12,
            false,
            {}},
           {"tolerance", 1e-8, "natural map that counts as solved, in units of v_ref", 0, 1, false, {}},
           {"enough",
            0.0,
            "natural map at which no more than the quick means are tried, in units of v_ref; 0: as `tolerance`",
            0,
            1,
            false,
            {}},
           {"compliance",
            0.0,
            "softness of contacts, in units of 1/ρ; another problem: the residual stays that of rigid ones",
            0,
            1,
            false,
            {}},
           {"dense",
            300.0,
            "up to so many contacts, dense Newton steps are tried where all else has failed: seconds in the worst case",
            0,
            1e4,
            true,
            {}},
           {"model",
            std::string("coulomb"),
            "Coulomb's law, or the convex model of `qp` by another method",
            0,
            0,
            false,
            {"coulomb", "convex"}}},
          [](const Options& options) -> std::unique_ptr<Solver> { return std::make_unique<Exact>(options); },
          {Feature::Friction, Feature::Restitution, Feature::GapTarget, Feature::TangentTarget},
          false,
          true,
          SolverModel::Coulomb,
          "exact",
          [](const Options& options) {
            return options.word("model") == "convex" ? SolverModel::Convex : SolverModel::Coulomb;
          },
          nullptr,
          coulomb_matrix_solver};
}

}  // namespace carom
