#include "solvers/convex_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

constexpr Real kRough = 1e-2;  // of v_ref: all that a start for bounds is worth
constexpr Real kClose = 2e-4;  // of v_ref: from here Newton steps may be quicker than the path
constexpr Real kGain = 0.5;    // a round that gains less is the last
constexpr int kFewSteps = 12;  // of Newton's, where it may be close enough already
constexpr Real kSigma = 1e4;   // that Newton steps start with

/// Straight lines between the powers of two: close enough to decide by, and the same on every machine.
Real rough_log2(Real x) {
  int exponent = 0;
  const Real mantissa = std::frexp(x, &exponent);
  return exponent - 1 + (2 * mantissa - 1);
}

/// How many passes take as long as a step with a factorisation. Fitted to piles of 10 to 1000 cubes; only the order of
/// magnitude matters.
int passes_like_a_step(std::size_t bodies) {
  return static_cast<int>(std::min(10 + 4 * bodies / 15, 30 + bodies / 15));
}

}  // namespace

ConvexOutcome ConvexSolver::solve(const ConeSystem& system, ImpulseSet set, std::span<const NormalBound> bounds,
                                  int iterations, Real allowed, std::vector<Vec3>& impulses,
                                  std::vector<Real>& multipliers) {
  system_ = &system;
  set_ = set;
  // Where wide numbers all but certainly help, half of the budget is theirs.
  const bool to_the_end = set == ImpulseSet::Cone && effort_ == ConvexEffort::ToTheEnd;
  reserve_ = to_the_end && bounds.empty() && WideNewton::is_for(system) ? iterations / 2 : 0;
  budget_ = iterations - reserve_;
  impulses_ = &impulses;
  few_ = set == ImpulseSet::Pyramid && PyramidEdges::is_for(system);
  bounds_ = {};
  outcome_ = {};
  passes_per_step_ = passes_like_a_step(system.free_velocities.size());
  allowed_ = bounds.empty() ? allowed : std::max(allowed, kRough * system.reference_velocity);
  outcome_.residual = std::numeric_limits<Real>::infinity();
  // From nothing edges are found before passes tell anything; to be taken apart into edges, a start has to be worth it.
  const auto is_zero = [](const Vec3& j) { return j == Vec3{}; };
  if (few_ && bounds.empty() && (system.free_velocities.size() == 1 || std::ranges::all_of(impulses, is_zero)))
    run_edges();
  if (outcome_.residual > allowed_) {
    lanes_.build(system);
    run_gradients();
  }
  if (!bounds.empty()) {
    allowed_ = allowed;
    solve_bounded(bounds, multipliers);
  } else {
    if (outcome_.residual > allowed && few_) run_edges();
    if (outcome_.residual > allowed && outcome_.residual <= kClose * system.reference_velocity)
      run_newton(bounds, multipliers, kFewSteps, kSigma);
    if (outcome_.residual > allowed && steps_left() > 0) run_interior_point(multipliers);
    // Newton steps that come to nothing may do better from where more passes lead.
    for (Real last = 0; outcome_.residual > allowed && steps_left() > 0;) {
      last = outcome_.residual;
      run_newton(bounds, multipliers, steps_left(), kSigma);
      if (outcome_.residual <= allowed || budget_ <= outcome_.iterations) break;
      run_gradients();
      if (outcome_.residual > kGain * last) break;
    }
    if (to_the_end && outcome_.residual > allowed && !run_wide()) run_other_ways(multipliers);
  }
  outcome_.converged = outcome_.residual <= allowed;
  return outcome_;
}

/// From an answer without bounds, which is far. A path that gets near the end leaves little to Newton steps, which find
/// what misses the bounds least where it gets nowhere.
void ConvexSolver::solve_bounded(std::span<const NormalBound> bounds, std::vector<Real>& multipliers) {
  constexpr Real kFarSigma = 10;
  bounds_ = bounds;
  outcome_.residual = std::numeric_limits<Real>::infinity();
  unbounded_ = *impulses_;
  run_interior_point(multipliers);
  const bool near = outcome_.residual <= kRough * system_->reference_velocity;
  if (!near) {
    // A path without an end leads to impulses of any size.
    *impulses_ = unbounded_;
    std::ranges::fill(multipliers, 0.0);
  }
  if (outcome_.residual > allowed_) run_newton(bounds, multipliers, steps_left(), near ? kSigma : kFarSigma);
}

/// How many passes take as long as what comes after them if they do not converge. The path on the pyramid is the longer
/// one, and longer where there is more.
Real ConvexSolver::passes_otherwise() const {
  constexpr Real kEdgesOfABody = 25, kStepsOnCones = 15;
  const auto bodies = static_cast<Real>(system_->free_velocities.size());
  if (few_) return kEdgesOfABody * bodies;
  return passes_per_step_ * (set_ == ImpulseSet::Pyramid ? std::min(8 + 0.12 * bodies, 30.0) : kStepsOnCones);
}

/// Passes for as long as they promise to end sooner than what comes after them would.
void ConvexSolver::run_gradients() {
  constexpr int kFewestOfFew = 40;
  // Their rate shows late in large heaps, where steps cost more too.
  const int fewest = few_ ? kFewestOfFew : std::max(std::clamp(8 * passes_per_step_, 100, 300), 2 * passes_per_step_);
  const int chunk = std::min(fewest / 3, 100);
  const Real otherwise = passes_otherwise();
  const int budget = budget_ - outcome_.iterations;
  gradients_.start(*system_, lanes_, set_ == ImpulseSet::Pyramid ? LaneLaw::Pyramid : LaneLaw::Cone, *impulses_);
  history_.assign(1, gradients_.residual());
  while (!gradients_.run(std::min(chunk, budget - gradients_.passes()), allowed_)) {
    if (gradients_.passes() >= budget) break;
    history_.push_back(std::min(history_.back(), gradients_.residual()));
    if (gradients_.passes() < fewest) continue;
    // What the later half of the passes has gained: residuals go up and down.
    const std::size_t half = (history_.size() - 1) / 2, chunks = history_.size() - 1 - half;
    const Real best = history_.back(), before = history_[half];
    const Real gained = rough_log2(before / best), wanted = rough_log2(best / allowed_);
    if (!(static_cast<Real>(chunk) * static_cast<Real>(chunks) * wanted < otherwise * gained)) break;
  }
  outcome_.iterations += gradients_.passes();
  if (!(gradients_.residual() < outcome_.residual)) return;
  gradients_.give_impulses(*impulses_);
  outcome_.residual = gradients_.residual();
}

void ConvexSolver::run_edges() {
  constexpr int kMostSteps = 200, kStart = 2;
  edges_.start(*system_, *impulses_);
  edges_.run(std::min(kMostSteps, steps_left()), allowed_);
  outcome_.iterations += passes_per_step_ * (edges_.steps() + kStart);
  if (!(edges_.residual() < outcome_.residual)) return;
  outcome_.residual = edges_.residual();
  std::ranges::copy(edges_.impulses(), impulses_->begin());
}

void ConvexSolver::run_interior_point(std::vector<Real>& multipliers) {
  constexpr Real kPush = 1;
  if (set_ == ImpulseSet::Pyramid) {
    pyramid_path_.start(*system_, bounds_, *impulses_, kPush);
    follow(pyramid_path_, 0, multipliers);
  } else {
    InteriorPointSettings settings;
    settings.push = kPush;
    interior_.start(*system_, *impulses_, settings, bounds_);
    follow(interior_, bounds_.empty() ? kClose : 0, multipliers);
  }
}

/// What ends here is exact but for the rounding of its impulses, whatever doubles make of its residual.
bool ConvexSolver::run_wide() {
  constexpr int kMostSteps = 200;
  budget_ += reserve_;
  reserve_ = 0;
  if (steps_left() <= 0 || !WideNewton::is_for(*system_)) return false;
  const bool solved = wide_.solve(*system_, *impulses_, std::min(kMostSteps, steps_left()));
  outcome_.iterations += passes_per_step_ * wide_.steps();
  if (!solved && !(wide_.residual() < outcome_.residual)) return false;
  outcome_.residual = wide_.residual();
  std::ranges::copy(wide_.impulses(), impulses_->begin());
  return solved;
}

/// Light bodies between heavy ones, and wedged ones, ask for other regularisations of the path: all the way along it,
/// from a cold start, then Newton steps again.
void ConvexSolver::run_other_ways(std::vector<Real>& multipliers) {
  constexpr InteriorPointSettings kWays[] = {{1e-7, true, 0.1}, {1e-9, true, 0.1}, {1e-11, true, 100}};
  for (const InteriorPointSettings& way : kWays) {
    if (outcome_.residual <= allowed_ || steps_left() <= 0) return;
    interior_.start(*system_, {}, way);
    follow(interior_, 0, multipliers);
    if (outcome_.residual > allowed_ && steps_left() > 0) run_newton({}, multipliers, steps_left(), kSigma);
    if (outcome_.residual > allowed_ && run_wide()) return;
  }
}

/// Until close enough for Newton steps, or until little is gained near the end, where rounding may lead astray. A path
/// that still closes its gap is not at its end.
template <class Path>
void ConvexSolver::follow(Path& path, Real close, std::vector<Real>& multipliers) {
  constexpr int kMostSteps = 60, kPatience = 4;
  constexpr Real kSlow = 0.8;
  const Real v_ref = system_->reference_velocity, enough = std::max(allowed_, close * v_ref);
  const int most = std::min(kMostSteps, steps_left());
  Real best = kRough * v_ref, gap = path.gap();
  int tries = 0;
  for (int since_gain = 0; tries < most && path.residual() > enough && since_gain < kPatience; ++tries) {
    if (!path.step()) break;
    const bool near_the_end = std::min(path.residual(), best) < kRough * v_ref;
    const bool gained = path.residual() <= kSlow * best || (path.gap() <= kSlow * gap && gap > allowed_ * allowed_);
    since_gain = near_the_end && !gained ? since_gain + 1 : 0;
    best = std::min(best, path.residual());
    gap = std::min(gap, path.gap());
    if (near_the_end) take(path, multipliers);
  }
  outcome_.iterations += passes_per_step_ * tries;
  take(path, multipliers);
}

/// Where it is the best answer yet.
template <class Path>
void ConvexSolver::take(const Path& path, std::vector<Real>& multipliers) {
  if (!(path.residual() < outcome_.residual)) return;
  outcome_.residual = path.residual();
  std::ranges::copy(path.impulses(), impulses_->begin());
  std::ranges::copy(path.multipliers(), multipliers.begin());
}

void ConvexSolver::run_newton(std::span<const NormalBound> bounds, std::vector<Real>& multipliers, int steps,
                              Real sigma) {
  newton_.start(*system_, set_, bounds, *impulses_, multipliers, sigma);
  newton_.run(std::min(steps, steps_left()), allowed_);
  outcome_.iterations += passes_per_step_ * newton_.steps();
  if (!std::isfinite(newton_.residual())) return;  // what there was is better
  outcome_.residual = newton_.residual();
  outcome_.infeasible = newton_.infeasible();
  std::ranges::copy(newton_.impulses(), impulses_->begin());
  std::ranges::copy(newton_.multipliers(), multipliers.begin());
}

}  // namespace carom
