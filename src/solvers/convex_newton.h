// Semismooth Newton steps in an augmented Lagrangian, for the convex contact model with bounds on some normal
// velocities: few steps, each with a factorisation, to accuracies that first-order methods do not reach.
//
// The model: v̂ = v̂₀ + Ĵᵀj, y = v̂ − Ĵ_nᵀλ, with j ∈ K ⊥ Ĵy + bias ∈ K*, and λ ≥ 0 ⊥ Ĵ_n v̂ + bias_n − bound ≥ 0. The
// multipliers λ of the bounds act on y alone and are no impulses. In (y, λ) it is a convex problem,
//   min ½|y + Ĵ_nᵀλ|² − yᵀv̂₀ + λᵀ(bias_n − bound)   over   Ĵy + bias ∈ K*, λ ≥ 0,
// with j as the multiplier of its cone. R. T. Rockafellar's proximal method of multipliers (1976) turns it into a few
// smooth ones: p = P_K(jᵏ − σ u), u = Ĵy + bias, σ = σ₀ρ, gradient y + Ĵ_nᵀλ − v̂₀ − Ĵᵀp, Hessian 1 + Ĵᵀ σ dP Ĵ over the
// bodies, and a proximal term |λ − λᵏ|² / 2σ. Newton's steps (D. Li, X. Sun, K.-C. Toh on second-order cones; A. Castro
// et al., "An unconstrained convex formulation of compliant contact", 2022, is the case jᵏ = 0, σ → ∞) with an exact
// line search converge from anywhere, quickly from nearby; then jᵏ = p, λᵏ = λ.
// No velocity meets all bounds exactly where some d ≥ 0 has Ĵ_nᵀd = 0 and dᵀ(bias_n − bound) < 0 (D. Gale, "The theory
// of linear economic models", 1960); friction makes no difference. There λ grows without end along such a d, while v̂
// converges to the answer with the least violation, Σ ρ |violation|² (A. Chiche, J. C. Gilbert, "How the augmented
// Lagrangian algorithm can deal with an infeasible convex quadratic optimization problem", 2016).
#pragma once

#include <span>
#include <vector>

#include "solvers/cone_hessian.h"
#include "solvers/cone_projection.h"
#include "solvers/cone_system.h"
#include "solvers/normal_bounds.h"

namespace carom {

class ConvexNewton {
 public:
  /// The system must stay until the last `run`. Impulses in its order; multipliers (N s) in that of the bounds.
  void start(const ConeSystem& system, ImpulseSet set, std::span<const NormalBound> bounds,
             std::span<const Vec3> impulses, std::span<const Real> multipliers, Real sigma);

  /// Until the residual is at most `allowed` (m/s), or so many factorisations are done, or nothing is gained any more.
  /// Returns true for the first.
  bool run(int steps, Real allowed);

  int steps() const { return steps_; }
  /// Of the best answer so far, m/s: the largest natural map of a contact or bound.
  Real residual() const { return best_residual_; }
  /// True where no velocity meets all bounds: then the answer is the one that misses them the least.
  bool infeasible() const { return infeasible_; }

  std::span<const Vec3> impulses() const { return best_impulses_; }
  std::span<const Real> multipliers() const { return best_multipliers_; }

 private:
  static constexpr int kMostInnerSteps = 40;

  /// What a contact has at the present y.
  struct State {
    Vec3 u;        // Ĵy + bias
    Vec3 du;       // Ĵ dy, along the step
    Vec3 impulse;  // p
    Vec3 center;   // jᵏ
  };
  /// A bound scaled by √ρ, so that all are alike: its multiplier is λ/√ρ.
  struct Bound {
    Real scale = 0;   // √ρ
    Real offset = 0;  // √ρ (bias_n − bound)
    Real center = 0;  // λᵏ
    Real gradient = 0;
  };

  void set_bounds(std::span<const NormalBound> bounds, std::span<const Real> multipliers);
  void evaluate();
  bool find_step();
  Real slope(Real t);
  Real search();
  void advance(Real t);
  void measure();
  void take_best();
  bool proves_infeasible();
  void move_center();
  bool choose_sigma();
  Real gradient_speed() const;
  Real center_speed() const;
  Real sigma_of(std::size_t contact) const { return sigma_ * system_->contacts[contact].rho; }
  /// Rᵀ times multipliers, added to velocities.
  void add_rows(std::span<const Real> factors, std::span<Vec6> velocities) const;

  const ConeSystem* system_ = nullptr;
  ImpulseSet set_ = ImpulseSet::Cone;
  Real sigma_ = 0;
  int steps_ = 0;
  int inner_steps_ = 0;  // since the centre moved
  int stalls_ = 0;       // moves of the centre in a row that have gained nothing
  Real last_best_ = 0;   // residual when the centre moved last
  Real speed_ = 0;       // m/s: of the size that velocities of contacts are summed up from
  bool infeasible_ = false;
  Real residual_ = 0, best_residual_ = 0;
  Real cone_residual_ = 0, bound_residual_ = 0;  // the two parts of the first
  ConeHessian hessian_;
  std::vector<Mat3> curvatures_;  // σ dP
  std::vector<Real> weights_;     // of bounds: σ where free, else zero
  std::vector<State> states_;
  std::vector<Bound> bounds_;
  std::vector<BoundRow> rows_;  // √ρ Ĵ_n
  std::vector<Real> multipliers_, multiplier_step_, trial_multipliers_;
  std::vector<Vec6> y_, step_, gradient_, velocities_, trial_;
  std::vector<Vec3> best_impulses_;
  std::vector<Real> best_multipliers_;
};

}  // namespace carom
