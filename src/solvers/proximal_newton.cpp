#include "solvers/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/cone_projection.h"

namespace carom {
namespace {

constexpr Real kFirstSigma = 300, kGrowth = 3, kLeastSigma = 0.1, kMostSigma = 1e7;
constexpr int kInnerSteps = 15;

/// `z` cut to Coulomb's law: not negative along the normal, and then to the disc across. `slope` is −dz/du, and
/// `derivative` gets that of the result.
Vec3 cut_to_law(Real mu, const Vec3& z, Real slope, Mat3* derivative) {
  if (derivative != nullptr) *derivative = {};
  if (!(z.x > 0)) return {};
  const Real limit = mu * z.x, size = std::sqrt(z.y * z.y + z.z * z.z);
  if (derivative != nullptr) (*derivative)(0, 0) = slope;
  if (size <= limit) {
    if (derivative != nullptr) (*derivative)(1, 1) = (*derivative)(2, 2) = slope;
    return z;
  }
  const Real y = z.y / size, w = z.z / size;
  if (derivative != nullptr) {
    Mat3& d = *derivative;
    const Real across = slope * limit / size;
    d(1, 0) = slope * mu * y;
    d(2, 0) = slope * mu * w;
    d(1, 1) = across * (1 - y * y);
    d(1, 2) = d(2, 1) = -across * y * w;
    d(2, 2) = across * (1 - w * w);
  }
  return {z.x, limit * y, limit * w};
}

/// The same for the convex model: `z` projected on the cone.
Vec3 project(Real mu, const Vec3& z, Real slope, Mat3* derivative) {
  if (derivative == nullptr) return project_on_cone(z, mu);
  const Projection projection = differentiate_projection(ImpulseSet::Cone, z, mu);
  *derivative = slope * projection.derivative;
  return projection.point;
}

Real length(const std::vector<Vec6>& x) {
  Real sum = 0;
  for (const Vec6& body : x)
    for (const Real value : body) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

void ProximalNewton::start(const ConeSystem& system, Law law, std::span<const Vec3> impulses, Real compliance) {
  system_ = &system;
  law_ = law;
  compliance_ = compliance;
  sigma_ = kFirstSigma;
  steps_ = 0;
  centre_.assign(impulses.begin(), impulses.end());
  moved_.resize(centre_.size());
  derivatives_.resize(centre_.size());
  hessian_.analyse(system);
  best_residual_ = std::numeric_limits<Real>::infinity();
  residual_ = residual_of(centre_);
  best_ = centre_;  // also where its residual is no number
  keep_if_better();
}

bool ProximalNewton::run(int steps, Real allowed) {
  const int last_step = steps_ + steps;
  while (best_residual_ > allowed && steps_ < last_step) {
    system_->velocities_after(centre_, velocities_);
    const int steps_before = steps_;
    const bool solved = solve_inner(last_step);
    // Impulses without bound move on without a step each time: that must end too.
    if (steps_ == steps_before) ++steps_;
    if (solved) {
      centre_ = moved_;
      const Real before = residual_;
      residual_ = residual_of(centre_);
      keep_if_better();
      // Rounding of the velocities counts σ times: where a larger σ has not gained, a smaller one will.
      sigma_ = residual_ < before ? std::min(kGrowth * sigma_, kMostSigma) : std::max(sigma_ / kGrowth, kFirstSigma);
    } else if (sigma_ <= kLeastSigma) {
      break;
    } else {
      sigma_ /= kGrowth;
    }
  }
  return best_residual_ <= allowed;
}

bool ProximalNewton::solve_inner(int last_step) {
  // Exact to a fraction of the outer error, or to what rounding leaves of it.
  constexpr Real kShare = 5e-4, kDrop = 1e-3, kRounding = 1e-9;
  const Real rounding =
      kRounding * system_->reference_velocity * std::sqrt(static_cast<Real>(6 * system_->free_velocities.size()));
  Real size = evaluate(velocities_, imbalance_, true);
  const Real first = size;
  for (int i = 0; i < kInnerSteps && steps_ < last_step; ++i) {
    if (size <= rounding || (size <= kDrop * first && size <= kShare * residual_)) return true;
    if (!hessian_.factor(*system_, derivatives_, law_ == Law::Convex)) return false;
    ++steps_;
    direction_ = imbalance_;
    hessian_.solve(direction_);
    if (!search_along(size)) return false;
    size = evaluate(velocities_, imbalance_, true);
  }
  return size <= rounding;
}

bool ProximalNewton::search_along(Real length_before) {
  constexpr int kHalvings = 10;
  constexpr Real kEnough = 0.1, kAnything = 0.9999;
  Real best = std::numeric_limits<Real>::infinity(), best_share = 0, share = 1;
  for (int i = 0; i < kHalvings; ++i, share *= 0.5) {
    trial_ = velocities_;
    for (std::size_t k = 0; k < trial_.size(); ++k)
      for (std::size_t c = 0; c < 6; ++c) trial_[k][c] -= share * direction_[k][c];
    const Real after = evaluate(trial_, trial_imbalance_, false);
    if (after < best) {
      best = after;
      best_share = share;
    } else if (best < length_before) {
      break;
    }
    if (after < (1 - kEnough * share) * length_before) break;
  }
  if (!(best < kAnything * length_before)) return false;
  for (std::size_t k = 0; k < velocities_.size(); ++k)
    for (std::size_t c = 0; c < 6; ++c) velocities_[k][c] -= best_share * direction_[k][c];
  return true;
}

Real ProximalNewton::evaluate(const std::vector<Vec6>& velocities, std::vector<Vec6>& imbalance, bool with_derivative) {
  imbalance = velocities;
  for (std::size_t k = 0; k < imbalance.size(); ++k)
    for (std::size_t c = 0; c < 6; ++c) imbalance[k][c] -= system_->free_velocities[k][c];
  for (std::size_t i = 0; i < centre_.size(); ++i) {
    const ConeContact& contact = system_->contacts[i];
    const Real softening = 1 + sigma_ * compliance_, weight = sigma_ * contact.rho;
    const Vec3 z = (centre_[i] - weight * ConeSystem::velocity(contact, velocities)) / softening;
    Mat3* derivative = with_derivative ? &derivatives_[i] : nullptr;
    moved_[i] = law_ == Law::Coulomb ? cut_to_law(contact.mu, z, weight / softening, derivative)
                                     : project(contact.mu, z, weight / softening, derivative);
    if (moved_[i] != Vec3{}) ConeSystem::add_impulse(contact, -moved_[i], imbalance);
  }
  return length(imbalance);
}

Real ProximalNewton::residual_of(std::span<const Vec3> impulses) {
  system_->velocities_after(impulses, trial_);
  Real largest = 0;
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const ConeContact& contact = system_->contacts[i];
    const Vec3 u = ConeSystem::velocity(contact, trial_) + (compliance_ / contact.rho) * impulses[i];
    const Real residual =
        law_ == Law::Coulomb ? coulomb_residual(contact, impulses[i], u) : convex_residual(contact, impulses[i], u);
    if (!(residual <= largest) && !std::isnan(largest)) largest = residual;
  }
  return largest;
}

void ProximalNewton::keep_if_better() {
  if (!(residual_ < best_residual_)) return;
  best_residual_ = residual_;
  best_ = centre_;
}

}  // namespace carom
