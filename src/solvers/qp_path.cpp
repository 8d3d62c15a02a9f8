#include "solvers/qp_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/pyramid.h"

namespace carom {
namespace {

constexpr Real kCompliance = 3e-10, kComplianceWithBounds = 1e-9;  // R, in units of 1/ρ
constexpr Real kReach = 0.99;                                      // of the way to the nearest face

/// The largest t with a + t d ≥ 0.
Real longest_of(Real a, Real d) { return d < 0 ? -a / d : 1e300; }

}  // namespace

/// Row of A: the face's inward normal, μ cos(π/8) n − a_h.
Real PyramidPath::along(const Pyramid& p, std::size_t face, const Vec3& v) {
  if (!(p.slope > 0)) return v.x;
  return p.slope * v.x - (kPyramidFaces[face][0] * v.y + kPyramidFaces[face][1] * v.z);
}

void PyramidPath::start(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Vec3> impulses,
                        Real push) {
  system_ = &system;
  steps_ = 0;
  compliance_ = bounds.empty() ? kCompliance : kComplianceWithBounds;
  pyramids_.assign(system.contacts.size(), {});
  impulses_.assign(impulses.begin(), impulses.end());
  center_ = impulses_;
  curvatures_.resize(system.contacts.size());
  const Real speed = std::max(push * system.reference_velocity, worst_miss(system, bounds, impulses_));
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const ConeContact& c = system.contacts[i];
    Pyramid& p = pyramids_[i];
    p.slope = c.mu * kPyramidInner;
    Vec3& j = impulses_[i];
    if (!(p.slope > 0)) j.y = j.z = 0;
    // The normal part grows until the nearest face is far enough.
    Real least = along(p, 0, j);
    for (std::size_t h = 1; h < faces(p); ++h) least = std::min(least, along(p, h, j));
    const Real slope = p.slope > 0 ? p.slope : 1;
    j.x += std::max(c.rho * speed - least / slope, 0.0);
  }
  weights_.clear();
  for (const ConeContact& c : system.contacts) weights_.push_back(c.rho);
  system.velocities_after(impulses_, velocities_);
  bounds_.start(system, bounds, weights_, velocities_, speed);
  hessian_.analyse(system, bounds_.rows());
  find_velocities();
  start_faces(speed);
  measure();
  want(0, false);
  gap_ = gap_after(0);
}

/// The multipliers of least squares, u = Aᵀz, and no less than what pushes u inside.
void PyramidPath::start_faces(Real speed) {
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    Pyramid& p = pyramids_[i];
    const Vec3 u = ConeSystem::velocity(system_->contacts[i], balanced_);
    const auto count = static_cast<Real>(faces(p));
    const Real slope = p.slope > 0 ? p.slope : 1;
    for (std::size_t h = 0; h < faces(p); ++h) {
      p.slack[h] = along(p, h, impulses_[i]);
      const Real tangential = p.slope > 0 ? -(kPyramidFaces[h][0] * u.y + kPyramidFaces[h][1] * u.z) / 4 : 0;
      p.multiplier[h] = std::max(u.x / (count * slope) + tangential, speed / (count * slope));
    }
  }
}

/// v̂ and y, from impulses and multipliers.
void PyramidPath::find_velocities() {
  system_->velocities_after(impulses_, velocities_);
  balanced_ = velocities_;
  bounds_.balance(balanced_);
}

void PyramidPath::measure() {
  find_velocities();
  residual_ = bounds_.measure(velocities_);
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    const Vec3 u = ConeSystem::velocity(c, balanced_);
    pyramids_[i].velocity = u + compliance_ / c.rho * (impulses_[i] - center_[i]);
    const Real error = norm(impulses_[i] - project_on_pyramid(impulses_[i] - c.rho * u, c.mu)) / c.rho;
    if (!(error <= residual_) && !std::isnan(residual_)) residual_ = error;
  }
}

bool PyramidPath::factor() {
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    Pyramid& p = pyramids_[i];
    const Real compliance = compliance_ / system_->contacts[i].rho;
    if (!(p.slope > 0)) {
      p.flat = 1 / (p.multiplier[0] / p.slack[0] + compliance);
      curvatures_[i] = Mat3::diagonal({p.flat, 0, 0});
      continue;
    }
    Faces weight{};
    for (std::size_t h = 0; h < kFaces; ++h) weight[h] = p.multiplier[h] / p.slack[h];
    p.metric.set(weight, p.slope, compliance);
    curvatures_[i] = p.metric.inverse();
  }
  return bounds_.factor(*system_, curvatures_, hessian_);
}

/// What the products of slacks and multipliers are to become: τ ρ, with the last solution for the second order.
void PyramidPath::want(Real tau, bool second_order) {
  step_.contacts.resize(pyramids_.size());
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const Pyramid& p = pyramids_[i];
    Move& move = step_.contacts[i];
    for (std::size_t h = 0; h < faces(p); ++h)
      move.wanted[h] = tau * system_->contacts[i].rho - p.slack[h] * p.multiplier[h] -
                       (second_order ? move.slack[h] * move.multiplier[h] : 0);
  }
  bounds_.want(tau, second_order, step_.bounds);
}

/// What is left of a contact's equations at these velocities.
void PyramidPath::answer(const Pyramid& p, const Vec3& velocity, Move& move) {
  if (!(p.slope > 0)) {
    move.slack[0] = p.flat * (move.force[0] - velocity.x);
    move.impulse = {move.slack[0], 0, 0};
    return;
  }
  const Vec3 distances = p.metric.solve(move.force, velocity);
  move.impulse = p.metric.impulse(distances);
  move.slack = p.metric.slacks(distances);
}

/// The direction for what is `wanted` of z Δs + s Δz and λ Δt + t Δλ.
void PyramidPath::solve(Step& step) {
  balanced_change_.assign(velocities_.size(), {});
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const Pyramid& p = pyramids_[i];
    Move& move = step.contacts[i];
    for (std::size_t h = 0; h < faces(p); ++h) move.force[h] = p.multiplier[h] + move.wanted[h] / p.slack[h];
    answer(p, p.velocity, move);
    ConeSystem::add_impulse(system_->contacts[i], move.impulse, balanced_change_);
  }
  bounds_.solve(hessian_, balanced_change_, step.bounds);
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    const Pyramid& p = pyramids_[i];
    Move& move = step.contacts[i];
    answer(p, p.velocity + (ConeSystem::velocity(c, balanced_change_) - c.bias), move);
    for (std::size_t h = 0; h < faces(p); ++h)
      move.multiplier[h] = (move.wanted[h] - p.multiplier[h] * move.slack[h]) / p.slack[h];
  }
  step.longest = longest(step);
}

Real PyramidPath::longest(const Step& step) const {
  Real length = 1 / kReach;
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const Pyramid& p = pyramids_[i];
    const Move& move = step.contacts[i];
    for (std::size_t h = 0; h < faces(p); ++h)
      length =
          std::min({length, longest_of(p.slack[h], move.slack[h]), longest_of(p.multiplier[h], move.multiplier[h])});
  }
  return std::min(length, bounds_.longest(step.bounds));
}

/// The gap if so long a step were taken.
Real PyramidPath::gap_after(Real length) const {
  Real sum = bounds_.gap_after(step_.bounds, length), count = static_cast<Real>(step_.bounds.size());
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const Pyramid& p = pyramids_[i];
    const Move& move = step_.contacts[i];
    for (std::size_t h = 0; h < faces(p); ++h) {
      sum += (p.slack[h] + length * move.slack[h]) * (p.multiplier[h] + length * move.multiplier[h]) /
             system_->contacts[i].rho;
      ++count;
    }
  }
  return sum / std::max(count, 1.0);
}

/// While the step is short: a little further along, products that stray from τ ρ are called back (J. Gondzio, "Multiple
/// centrality corrections", 1996).
void PyramidPath::improve(Real tau) {
  constexpr int kCorrectors = 3;
  constexpr Real kLongEnough = 0.9, kLonger = 0.3, kLeastGain = 0.03;
  constexpr Real kLowest = 0.3, kHighest = 1 / kLowest;  // of τ ρ
  for (int k = 0; k < kCorrectors && kReach * step_.longest < kLongEnough; ++k) {
    const Real reach = std::min(kReach * step_.longest + kLonger, 1.0);
    trial_.contacts = step_.contacts;
    for (std::size_t i = 0; i < pyramids_.size(); ++i) {
      const Pyramid& p = pyramids_[i];
      Move& move = trial_.contacts[i];
      const Real target = tau * system_->contacts[i].rho;
      for (std::size_t h = 0; h < faces(p); ++h) {
        const Real product = (p.slack[h] + reach * move.slack[h]) * (p.multiplier[h] + reach * move.multiplier[h]);
        move.wanted[h] +=
            std::max(std::clamp(product, kLowest * target, kHighest * target) - product, -kHighest * target);
      }
    }
    bounds_.call_back(tau, reach, kLowest, kHighest, step_.bounds, trial_.bounds);
    solve(trial_);
    const Real gain = trial_.longest - step_.longest;
    if (gain > 0) std::swap(step_, trial_);
    if (!(gain >= kLeastGain)) break;
  }
}

void PyramidPath::advance(Real length) {
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    Pyramid& p = pyramids_[i];
    const Move& move = step_.contacts[i];
    impulses_[i] += length * move.impulse;
    for (std::size_t h = 0; h < faces(p); ++h) {
      p.slack[h] += length * move.slack[h];
      p.multiplier[h] += length * move.multiplier[h];
    }
  }
  bounds_.advance(step_.bounds, length);
}

bool PyramidPath::step() {
  constexpr Real kShortest = 1e-6;
  if (!factor()) return false;
  want(0, false);
  solve(step_);
  // Mehrotra's third power asks for more of the path than the correctors need to keep close to it.
  const Real ahead = gap_after(std::min(step_.longest, 1.0)) / gap_, square = ahead * ahead;
  const Real tau = square * square * gap_;
  want(tau, true);
  solve(step_);
  improve(tau);
  const Real length = kReach * step_.longest;
  if (!(length > kShortest)) return false;
  ++steps_;
  gap_ = gap_after(length);
  advance(length);
  measure();
  // Else beyond what the factors can tell.
  return std::isfinite(residual_);
}

}  // namespace carom
