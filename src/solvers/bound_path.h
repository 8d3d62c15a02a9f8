// Bounds on normal velocities along an interior-point path: the part that they have in every step, whatever the cones.
//
// A bound Ĵ_n v̂ + bias_n − bound ≥ 0 has a slack t > 0, which need not fit the velocities before the end, and a
// multiplier λ > 0, which is no impulse; along the path λ t = τ · weight. The rest of the method sees velocities
// y = v̂ − Ĵ_nᵀ λ in the place of v̂. Of a step, λ Δt + t Δλ = wanted and Δt = Ĵ_n Δv̂ − (t − Ĵ_n v̂ − bias_n + bound),
// so Δλ = h − w Ĵ_n Δv̂ with w = λ/t: the form that cone_hessian.h takes. qp_path.h and interior_point.h are its users.
#pragma once

#include <span>
#include <vector>

#include "solvers/cone_hessian.h"
#include "solvers/cone_system.h"
#include "solvers/normal_bounds.h"

namespace carom {

/// How far these impulses leave the worst bound unmet, m/s; zero where none is. A start as far inside as that is
/// outside keeps the first steps long.
Real worst_miss(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Vec3> impulses);

class BoundPath {
 public:
  /// What a step does to a bound.
  struct Move {
    Real wanted = 0;                 ///< of λ Δt + t Δλ
    Real slack = 0, multiplier = 0;  ///< Δt, Δλ
  };
  using Moves = std::vector<Move>;

  /// Slacks as the velocities have them, and at least `speed`; multipliers of ρ · `speed`. Weights are those of the
  /// system's contacts. Bounds are copied.
  void start(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Real> weights,
             std::span<const Vec6> velocities, Real speed);

  std::span<const BoundRow> rows() const { return rows_; }
  std::span<const Real> multipliers() const { return multipliers_; }

  /// v̂ → y.
  void balance(std::span<Vec6> velocities) const;
  /// At v̂: the largest |min(λ/ρ, Ĵ_n v̂ + bias_n − bound)|, m/s.
  Real measure(std::span<const Vec6> velocities);
  /// The sum of λ t / weight if so long a step were taken.
  Real gap_after(const Moves& moves, Real length) const;

  /// The factors of a step with these curvatures of cones. False where there are none.
  bool factor(const ConeSystem& system, std::span<const Mat3> curvatures, ConeHessian& hessian);

  /// Asks for λ t = τ · weight, with the products of the last changes for the second order.
  void want(Real tau, bool second_order, Moves& moves) const;
  /// Asks a step of this length to end with λ t between these multiples of τ · weight.
  void call_back(Real tau, Real length, Real lowest, Real highest, const Moves& from, Moves& moves) const;
  /// The step: velocities are f and become Δy (cone_hessian.h).
  void solve(ConeHessian& hessian, std::span<Vec6> velocities, Moves& moves);
  /// How far a step goes before a slack or multiplier is zero.
  Real longest(const Moves& moves) const;
  void advance(const Moves& moves, Real length);

 private:
  struct Bound {
    Real offset = 0;  // bias_n − bound
    Real rho = 0, weight = 0;
    Real slack = 0;
    Real missed = 0;  // t less what the velocities have
  };

  void find_weights();
  /// t, and where `factor` has asked for it a term on changes of λ alone.
  Real resistance(std::size_t i) const { return bounds_[i].slack + resistance_ / bounds_[i].rho * multipliers_[i]; }

  std::vector<Bound> bounds_;
  std::vector<BoundRow> rows_;
  std::vector<Real> multipliers_;
  std::vector<Real> weights_;  // w
  std::vector<Real> changes_;  // h, then Δλ
  Real resistance_ = 0;
};

}  // namespace carom
