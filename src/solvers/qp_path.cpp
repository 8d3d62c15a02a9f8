#include "solvers/qp_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "contact/pyramid.h"
#include "solvers/pyramid_inverse.h"

namespace carom {
namespace {

constexpr Real kCompliance = 1e-8;  // R, in units of 1/ρ
constexpr Real kReach = 0.99;       // of the way to the nearest face

/// The largest t with a + t d ≥ 0.
Real longest_of(Real a, Real d) { return d < 0 ? -a / d : 1e300; }

}  // namespace

/// Row of A: the face's inward normal, μ cos(π/8) n − a_h.
Real PyramidPath::along(const Pyramid& p, std::size_t face, const Vec3& v) {
  if (!(p.slope > 0)) return v.x;
  return p.slope * v.x - (kPyramidFaces[face][0] * v.y + kPyramidFaces[face][1] * v.z);
}
void PyramidPath::add(const Pyramid& p, std::size_t face, Real factor, Vec3& v) {
  if (!(p.slope > 0)) {
    v.x += factor;
    return;
  }
  v += factor * Vec3{p.slope, -kPyramidFaces[face][0], -kPyramidFaces[face][1]};
}

void PyramidPath::start(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Vec3> impulses,
                        Real push) {
  system_ = &system;
  steps_ = 0;
  pyramids_.assign(system.contacts.size(), {});
  impulses_.assign(impulses.begin(), impulses.end());
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
    const Vec3 u = pyramids_[i].velocity = ConeSystem::velocity(c, balanced_);
    const Real error = norm(impulses_[i] - project_on_pyramid(impulses_[i] - c.rho * u, c.mu)) / c.rho;
    if (!(error <= residual_) && !std::isnan(residual_)) residual_ = error;
  }
}

bool PyramidPath::factor() {
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const Pyramid& p = pyramids_[i];
    const Real compliance = kCompliance / system_->contacts[i].rho;
    if (!(p.slope > 0)) {
      curvatures_[i] = Mat3::diagonal({1 / (p.multiplier[0] / p.slack[0] + compliance), 0, 0});
      continue;
    }
    Faces weight{};
    for (std::size_t h = 0; h < kFaces; ++h) weight[h] = p.multiplier[h] / p.slack[h];
    curvatures_[i] = pyramid_inverse(weight, p.slope, compliance);
  }
  return bounds_.factor(*system_, curvatures_, hessian_);
}

/// What the products of slacks and multipliers are to become: τ ρ, with the last solution for the second order.
void PyramidPath::want(Real tau, bool second_order) {
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    Pyramid& p = pyramids_[i];
    for (std::size_t h = 0; h < faces(p); ++h)
      p.wanted[h] = tau * system_->contacts[i].rho - p.slack[h] * p.multiplier[h] -
                    (second_order ? p.slack_change[h] * p.multiplier_change[h] : 0);
  }
  bounds_.want(tau, second_order, bound_moves_);
}

/// The direction for what is `wanted` of z Δs + s Δz and λ Δt + t Δλ.
void PyramidPath::solve() {
  balanced_change_.assign(velocities_.size(), {});
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    Pyramid& p = pyramids_[i];
    p.force = -p.velocity;
    for (std::size_t h = 0; h < faces(p); ++h) add(p, h, p.multiplier[h] + p.wanted[h] / p.slack[h], p.force);
    ConeSystem::add_impulse(system_->contacts[i], curvatures_[i] * p.force, balanced_change_);
  }
  bounds_.solve(hessian_, balanced_change_, bound_moves_);
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const ConeContact& c = system_->contacts[i];
    Pyramid& p = pyramids_[i];
    const Vec3 turn = ConeSystem::velocity(c, balanced_change_) - c.bias;
    p.change = curvatures_[i] * (p.force - turn);
    for (std::size_t h = 0; h < faces(p); ++h) {
      p.slack_change[h] = along(p, h, p.change);
      p.multiplier_change[h] = (p.wanted[h] - p.multiplier[h] * p.slack_change[h]) / p.slack[h];
    }
  }
}

Real PyramidPath::longest() const {
  Real length = 1 / kReach;
  for (const Pyramid& p : pyramids_)
    for (std::size_t h = 0; h < faces(p); ++h)
      length = std::min(
          {length, longest_of(p.slack[h], p.slack_change[h]), longest_of(p.multiplier[h], p.multiplier_change[h])});
  return std::min(length, bounds_.longest(bound_moves_));
}

/// Mean of z s / ρ and λ t / ρ, m²/s², if so long a step were taken.
Real PyramidPath::gap_after(Real length) const {
  Real sum = bounds_.gap_after(bound_moves_, length), count = static_cast<Real>(bound_moves_.size());
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    const Pyramid& p = pyramids_[i];
    for (std::size_t h = 0; h < faces(p); ++h) {
      sum += (p.slack[h] + length * p.slack_change[h]) * (p.multiplier[h] + length * p.multiplier_change[h]) /
             system_->contacts[i].rho;
      ++count;
    }
  }
  return sum / std::max(count, 1.0);
}

void PyramidPath::advance(Real length) {
  for (std::size_t i = 0; i < pyramids_.size(); ++i) {
    Pyramid& p = pyramids_[i];
    impulses_[i] += length * p.change;
    for (std::size_t h = 0; h < faces(p); ++h) {
      p.slack[h] += length * p.slack_change[h];
      p.multiplier[h] += length * p.multiplier_change[h];
    }
  }
  bounds_.advance(bound_moves_, length);
}

bool PyramidPath::step() {
  constexpr Real kShortest = 1e-6;
  if (!factor()) return false;
  want(0, false);
  const Real gap = gap_after(0);
  solve();
  const Real ahead = gap_after(std::min(longest(), 1.0)) / gap;
  want(ahead * ahead * ahead * gap, true);
  solve();
  const Real length = kReach * longest();
  if (!(length > kShortest)) return false;
  ++steps_;
  advance(length);
  measure();
  // Else beyond what the factors can tell.
  return std::isfinite(residual_);
}

}  // namespace carom
