#include "solvers/bound_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom {

Real worst_miss(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Vec3> impulses) {
  Real largest = 0;
  if (bounds.empty()) return largest;
  std::vector<Vec6> velocities;
  system.velocities_after(impulses, velocities);
  for (const NormalBound& bound : bounds)
    largest = std::max(largest, bound.bound - ConeSystem::velocity(system.contacts[bound.contact], velocities).x);
  return largest;
}

void BoundPath::start(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Real> weights,
                      std::span<const Vec6> velocities, Real speed) {
  bounds_.assign(bounds.size(), {});
  rows_.clear();
  multipliers_.clear();
  resistance_ = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const ConeContact& c = system.contacts[bounds[i].contact];
    rows_.push_back(BoundRow::of(c, 1));
    bounds_[i].offset = c.bias.x - bounds[i].bound;
    bounds_[i].rho = c.rho;
    bounds_[i].weight = weights[bounds[i].contact];
    bounds_[i].slack = std::max(rows_[i].times(velocities) + bounds_[i].offset, speed);
    multipliers_.push_back(c.rho * speed);
  }
}

void BoundPath::balance(std::span<Vec6> velocities) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].add(-multipliers_[i], velocities);
}

Real BoundPath::measure(std::span<const Vec6> velocities) {
  Real largest = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Real over = rows_[i].times(velocities) + bounds_[i].offset;
    bounds_[i].missed = bounds_[i].slack - over;
    const Real error = std::abs(std::min(multipliers_[i] / bounds_[i].rho, over));
    if (!(error <= largest) && !std::isnan(largest)) largest = error;
  }
  return largest;
}

Real BoundPath::gap_after(const Moves& moves, Real length) const {
  Real sum = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Bound& b = bounds_[i];
    sum += (b.slack + length * moves[i].slack) * (multipliers_[i] + length * moves[i].multiplier) / b.weight;
  }
  return sum;
}

void BoundPath::find_weights() {
  weights_.resize(bounds_.size());
  for (std::size_t i = 0; i < bounds_.size(); ++i) weights_[i] = multipliers_[i] / resistance(i);
}

bool BoundPath::factor(const ConeSystem& system, std::span<const Mat3> curvatures, ConeHessian& hessian) {
  constexpr Real kResistance = 1e-12;  // in units of 1/ρ
  find_weights();
  if (hessian.factor(system, curvatures, true, weights_)) return true;
  if (bounds_.empty() || resistance_ > 0) return false;
  // Where rounding is all that is left of a pivot, a term on changes of λ alone may carry on. It shortens other steps,
  // so it waits for that.
  resistance_ = kResistance;
  find_weights();
  return hessian.factor(system, curvatures, true, weights_);
}

void BoundPath::want(Real tau, bool second_order, Moves& moves) const {
  moves.resize(bounds_.size());
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Bound& b = bounds_[i];
    moves[i].wanted = tau * b.weight - b.slack * multipliers_[i];
    if (second_order) moves[i].wanted -= moves[i].slack * moves[i].multiplier;
  }
}

void BoundPath::call_back(Real tau, Real length, Real lowest, Real highest, const Moves& from, Moves& moves) const {
  moves = from;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    const Bound& b = bounds_[i];
    const Real target = tau * b.weight;
    const Real product = (b.slack + length * from[i].slack) * (multipliers_[i] + length * from[i].multiplier);
    moves[i].wanted += std::max(std::clamp(product, lowest * target, highest * target) - product, -highest * target);
  }
}

void BoundPath::solve(ConeHessian& hessian, std::span<Vec6> velocities, Moves& moves) {
  changes_.resize(bounds_.size());
  for (std::size_t i = 0; i < bounds_.size(); ++i)
    changes_[i] = (moves[i].wanted + multipliers_[i] * bounds_[i].missed) / resistance(i);
  hessian.solve(velocities, changes_);
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    moves[i].multiplier = changes_[i];
    moves[i].slack = (moves[i].wanted - resistance(i) * changes_[i]) / multipliers_[i];
  }
}

Real BoundPath::longest(const Moves& moves) const {
  Real length = std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    if (moves[i].slack < 0) length = std::min(length, -bounds_[i].slack / moves[i].slack);
    if (moves[i].multiplier < 0) length = std::min(length, -multipliers_[i] / moves[i].multiplier);
  }
  return length;
}

void BoundPath::advance(const Moves& moves, Real length) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    bounds_[i].slack += length * moves[i].slack;
    multipliers_[i] += length * moves[i].multiplier;
  }
}

}  // namespace carom
