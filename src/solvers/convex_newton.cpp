#include "solvers/convex_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {
namespace {

Real dot_all(std::span<const Vec6> a, std::span<const Vec6> b) {
  Real sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) sum += a[i][k] * b[i][k];
  return sum;
}

/// The size of the terms that a contact's velocity is summed up from.
Real summed_speed(const Rows36& rows, const Vec6& velocity) {
  Real sum = 0;
  for (const Vec6& row : rows)
    for (std::size_t k = 0; k < 6; ++k) sum += std::abs(row[k] * velocity[k]);
  return sum;
}

/// Not a number stays that.
void raise(Real& largest, Real value) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

}  // namespace

void ConvexNewton::start(const ConeSystem& system, ImpulseSet set, std::span<const NormalBound> bounds,
                         std::span<const Vec3> impulses, std::span<const Real> multipliers, Real sigma) {
  system_ = &system;
  set_ = set;
  sigma_ = sigma;
  steps_ = 0;
  infeasible_ = false;
  inner_steps_ = stalls_ = 0;
  last_best_ = std::numeric_limits<Real>::infinity();
  best_residual_ = std::numeric_limits<Real>::infinity();
  set_bounds(bounds, multipliers);
  states_.resize(system.contacts.size());
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i].center = states_[i].impulse = impulses[i];
  hessian_.analyse(system, rows_);
  curvatures_.resize(states_.size());
  speed_ = 0;
  for (const ConeContact& c : system.contacts) {
    if (c.a >= 0) raise(speed_, summed_speed(c.rows_a, system.free_velocities[static_cast<std::size_t>(c.a)]));
    if (c.b >= 0) raise(speed_, summed_speed(c.rows_b, system.free_velocities[static_cast<std::size_t>(c.b)]));
  }
  measure();
  // Where the impulses lead is where to start from.
  y_ = trial_;
  evaluate();
}

void ConvexNewton::set_bounds(std::span<const NormalBound> bounds, std::span<const Real> multipliers) {
  const std::size_t count = bounds.size();
  bounds_.assign(count, {});
  rows_.assign(count, {});
  multipliers_.assign(count, 0);
  multiplier_step_.assign(count, 0);
  trial_multipliers_.assign(count, 0);
  weights_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const ConeContact& c = system_->contacts[bounds[i].contact];
    const Real scale = std::sqrt(c.rho);
    bounds_[i].scale = scale;
    bounds_[i].offset = scale * (c.bias.x - bounds[i].bound);
    bounds_[i].center = multipliers_[i] = multipliers.empty() ? 0 : multipliers[i] / scale;
    rows_[i] = BoundRow::of(c, scale);
  }
}

void ConvexNewton::add_rows(std::span<const Real> factors, std::span<Vec6> velocities) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (factors[i] != 0) rows_[i].add(factors[i], velocities);
}

/// Impulses and gradients at the present y and multipliers.
void ConvexNewton::evaluate() {
  velocities_ = y_;
  add_rows(multipliers_, velocities_);
  gradient_ = velocities_;
  for (std::size_t i = 0; i < gradient_.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) gradient_[i][k] -= system_->free_velocities[i][k];
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    State& s = states_[i];
    s.u = ConeSystem::velocity(c, y_);
    s.impulse = project_on(set_, s.center - sigma_of(i) * s.u, c.mu);
    if (s.impulse != Vec3{}) ConeSystem::add_impulse(c, -s.impulse, gradient_);
  }
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    bounds_[i].gradient =
        rows_[i].times(velocities_) + bounds_[i].offset + (multipliers_[i] - bounds_[i].center) / sigma_;
}

/// Newton's step over the bodies and the bounds that stay free; the multipliers of the others go to zero.
bool ConvexNewton::find_step() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Vec3 outside = states_[i].center - sigma_of(i) * states_[i].u;
    curvatures_[i] = sigma_of(i) * differentiate_projection(set_, outside, system_->contacts[i].mu).derivative;
  }
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    weights_[i] = multipliers_[i] - bounds_[i].gradient > 0 ? sigma_ : 0;
    multiplier_step_[i] = weights_[i] > 0 ? 0 : -multipliers_[i];
  }
  if (!hessian_.factor(*system_, curvatures_, true, weights_)) return false;
  step_.assign(y_.size(), {});
  add_rows(multiplier_step_, step_);
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    trial_multipliers_[i] = weights_[i] * (-bounds_[i].gradient - rows_[i].times(step_));
  for (std::size_t i = 0; i < step_.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) step_[i][k] = -gradient_[i][k] - step_[i][k];
  hessian_.solve(step_, trial_multipliers_);
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    if (weights_[i] > 0) multiplier_step_[i] = trial_multipliers_[i];
  for (std::size_t i = 0; i < states_.size(); ++i)
    states_[i].du = ConeSystem::velocity(system_->contacts[i], step_) - system_->contacts[i].bias;
  return true;
}

/// The derivative of the objective along the step; multipliers that reach zero stay there.
Real ConvexNewton::slope(Real t) {
  trial_ = y_;
  for (std::size_t i = 0; i < trial_.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) trial_[i][k] += t * step_[i][k];
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    trial_multipliers_[i] = std::max(multipliers_[i] + t * multiplier_step_[i], 0.0);
  add_rows(trial_multipliers_, trial_);
  Real sum = dot_all(step_, trial_) - dot_all(step_, system_->free_velocities);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const State& s = states_[i];
    sum -= dot(s.du, project_on(set_, s.center - sigma_of(i) * (s.u + t * s.du), system_->contacts[i].mu));
  }
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (trial_multipliers_[i] == 0 && multiplier_step_[i] < 0) continue;
    sum += multiplier_step_[i] *
           (rows_[i].times(trial_) + bounds_[i].offset + (trial_multipliers_[i] - bounds_[i].center) / sigma_);
  }
  return sum;
}

/// Where along the step the objective is least, roughly. Its derivative rises, so a bracket closes in on the place.
Real ConvexNewton::search() {
  constexpr Real kFlat = 0.1;
  constexpr int kMostTrials = 20;
  const Real start = slope(0);
  Real low = 0, high = 1, low_slope = start, high_slope = slope(1);
  if (!(high_slope > kFlat * std::abs(start))) return 1;
  for (int i = 0; i < kMostTrials; ++i) {
    // Between the secant's place and the middle: the derivative has kinks.
    const Real secant = low + (high - low) * low_slope / (low_slope - high_slope);
    const Real t = 0.5 * (secant + 0.5 * (low + high));
    const Real s = slope(t);
    if (std::abs(s) <= kFlat * std::abs(start)) return t;
    (s < 0 ? low : high) = t;
    (s < 0 ? low_slope : high_slope) = s;
  }
  return low > 0 ? low : high;
}

void ConvexNewton::advance(Real t) {
  for (std::size_t i = 0; i < y_.size(); ++i)
    for (std::size_t k = 0; k < 6; ++k) y_[i][k] += t * step_[i][k];
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    multipliers_[i] = std::max(multipliers_[i] + t * multiplier_step_[i], 0.0);
}

/// The natural maps, at velocities that follow from the impulses.
void ConvexNewton::measure() {
  velocities_ = system_->free_velocities;
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].impulse != Vec3{}) ConeSystem::add_impulse(system_->contacts[i], states_[i].impulse, velocities_);
  trial_ = velocities_;
  for (std::size_t i = 0; i < bounds_.size(); ++i) rows_[i].add(-multipliers_[i], trial_);
  cone_residual_ = bound_residual_ = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    const Vec3& j = states_[i].impulse;
    const Vec3 u = ConeSystem::velocity(c, trial_);
    raise(cone_residual_, norm(j - project_on(set_, j - c.rho * u, c.mu)) / c.rho);
  }
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Real slack = rows_[i].times(velocities_) + bounds_[i].offset;
    raise(bound_residual_, std::abs(std::min(multipliers_[i], slack)) / bounds_[i].scale);
  }
  residual_ = cone_residual_;
  raise(residual_, bound_residual_);
  if (residual_ < best_residual_) take_best();
}

void ConvexNewton::take_best() {
  best_residual_ = residual_;
  best_impulses_.resize(states_.size());
  for (std::size_t i = 0; i < states_.size(); ++i) best_impulses_[i] = states_[i].impulse;
  best_multipliers_.resize(bounds_.size());
  for (std::size_t i = 0; i < bounds_.size(); ++i) best_multipliers_[i] = bounds_[i].scale * multipliers_[i];
}

/// What is left of the gradient, as a velocity at contacts.
Real ConvexNewton::gradient_speed() const {
  Real largest = 0;
  for (const ConeContact& c : system_->contacts) raise(largest, norm(ConeSystem::velocity(c, gradient_) - c.bias));
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    raise(largest, std::abs(std::min(multipliers_[i], bounds_[i].gradient)) / bounds_[i].scale);
  return largest;
}

/// What the proximal terms make of an answer, as a velocity at contacts.
Real ConvexNewton::center_speed() const {
  Real largest = 0;
  for (std::size_t i = 0; i < states_.size(); ++i)
    raise(largest, norm(states_[i].impulse - states_[i].center) / sigma_of(i));
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    raise(largest, std::abs(multipliers_[i] - bounds_[i].center) / (sigma_ * bounds_[i].scale));
  return largest;
}

void ConvexNewton::move_center() {
  for (State& s : states_) s.center = s.impulse;
  for (std::size_t i = 0; i < bounds_.size(); ++i) bounds_[i].center = multipliers_[i];
}

/// Whether the multipliers have grown along a direction that rules out every velocity of ordinary size: for d ≥ 0 and
/// |v̂| ≤ V, dᵀ(R v̂ + offset) ≤ |Rᵀd| V + dᵀoffset, which is negative up to a very large V.
bool ConvexNewton::proves_infeasible() {
  constexpr Real kVeryLarge = 1e6;  // of the bodies' own speed
  step_.assign(y_.size(), {});
  Real gain = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Real d = std::max(multipliers_[i] - bounds_[i].center, 0.0);
    rows_[i].add(d, step_);
    gain -= d * bounds_[i].offset;
  }
  return gain > kVeryLarge * std::sqrt(dot_all(step_, step_) * dot_all(velocities_, velocities_));
}

bool ConvexNewton::run(int steps, Real allowed) {
  constexpr Real kInner = 0.1;     // gradient left over, of what the proximal terms leave
  constexpr Real kSettled = 1e-8;  // of what the bounds are missed by: the rest does not move any more
  const int last = steps_ + steps;
  while (!(best_residual_ <= allowed) && steps_ < last) {
    if (!find_step()) return false;
    ++steps_;
    ++inner_steps_;
    advance(search());
    evaluate();
    measure();
    const Real center = bounds_.empty() ? center_speed() : std::min(center_speed(), cone_residual_);
    if (gradient_speed() > kInner * std::max(center, allowed) && inner_steps_ < kMostInnerSteps) continue;
    if (bound_residual_ > allowed && cone_residual_ <= std::max(allowed, kSettled * bound_residual_) &&
        proves_infeasible()) {
      infeasible_ = true;
      take_best();
      return false;
    }
    move_center();
    if (!choose_sigma()) return false;
    evaluate();
  }
  return best_residual_ <= allowed;
}

/// Weak proximal terms mean few moves of their centre, but σ multiplies the rounding of velocities: where that is all
/// that is left, it is lowered. False where nothing is gained any more.
bool ConvexNewton::choose_sigma() {
  constexpr Real kMostSigma = 1e8, kLeastSigma = 10, kGain = 0.5;
  constexpr Real kRounding = 10 * std::numeric_limits<Real>::epsilon();
  constexpr int kMostStalls = 12;
  inner_steps_ = 0;
  stalls_ = best_residual_ <= kGain * last_best_ ? 0 : stalls_ + 1;
  last_best_ = stalls_ == 0 ? best_residual_ : last_best_;
  if (best_residual_ <= kRounding * sigma_ * speed_) {
    sigma_ = std::max(sigma_ / 10, kLeastSigma);
  } else {
    // Bounds change which contacts carry, and that takes smaller steps.
    sigma_ = std::min((bounds_.empty() ? 10 : 3) * sigma_, kMostSigma);
  }
  return stalls_ < kMostStalls;
}

}  // namespace carom
