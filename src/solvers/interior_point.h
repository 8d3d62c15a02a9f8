// The convex contact model by a primal–dual interior-point method: from anywhere to a good accuracy in a number of
// steps that hardly depends on the problem, where first-order methods stall and Newton's alone would diverge.
//
// The model: min ½ jᵀWj + bᵀj over j ∈ K, the product of the friction cones; equivalently
//   v̂ = v̂₀ + Ĵᵀj,  u = Ĵv̂ + bias + shift n,  K ∋ j ⊥ u ∈ K*.
// In x = (μ j_n, j_t) and s = (u_n/μ, u_t) both cones are the second-order cone Q (with μ = 0: a half-line). Steps
// follow the path x ∘ s = τ √(ρ ρ̄) e, τ → 0, ρ̄ the mean of ρ (with ρ in place of the root a light body between heavy
// ones may not converge, with ρ̄ it ends less exact), in the scaling of Y. Nesterov and M. Todd ("Primal-dual
// interior-point methods for self-scaled cones", 1998), with S. Mehrotra's predictor and corrector ("On the
// implementation of a primal-dual interior point method", 1992) and J. Gondzio's further correctors ("Multiple
// centrality corrections", 1996): solves are cheap next to a factorisation.
// With Θ s = x, T = diag(μ, 1, 1) and R = compliance / max(ρ, |j| / 1000 v_ref), what is left to solve is
//   (1 + Ĵᵀ D Ĵ) Δv̂ = Ĵᵀ D g,   Δj = D (g − Ĵ Δv̂),   D = (T Θ⁻¹ T + R)⁻¹:
// six unknowns a body, positive definite whatever contacts repeat each other.
// Bounds on normal velocities have their part in bound_path.h. Where impulses have no bound (bodies wedged between
// walls) there is no path without R. With it the answer is that of W + R, and residuals end at about 1000 compliance
// v_ref. With `proximal` R acts on the changes of j alone (M. Friedlander, D. Orban, "A primal-dual regularized
// interior-point method for convex quadratic programs", 2012) and the answer is that of W: settled piles go to 1e-8
// v_ref, light bodies between heavy ones get more exact, and wedged ones creep from 1e-3 on. Known failure: with D up
// to ρ/compliance, rounding ends at about 1e-16/compliance v_ref, so less of it is no better.
#pragma once

#include <span>
#include <vector>

#include "solvers/bound_path.h"
#include "solvers/cone_hessian.h"
#include "solvers/cone_system.h"

namespace carom {

struct InteriorPointSettings {
  Real compliance = 1e-9;  ///< R, in units of 1/ρ; the residual is that of zero compliance all the same
  bool proximal = false;   ///< R acts on changes of impulses in place of impulses
  /// A start is at least so far inside its cones, in units of v_ref (ρ v_ref for impulses); 0: as its residual asks
  /// for.
  Real push = 0;
};

class InteriorPoint {
 public:
  /// The system must stay until the last step. `impulses` are in its frames and order, or none for a cold start.
  void start(const ConeSystem& system, std::span<const Vec3> impulses, const InteriorPointSettings& settings = {},
             std::span<const NormalBound> bounds = {});
  /// From here on shifts[c] ≥ 0 is added to the normal velocity of contact c: De Saxcé's μ|u_t|, lagged. None: zero.
  void set_shifts(std::span<const Real> shifts);

  /// One factorisation. False if no way on is left: the last answer stays.
  bool step();

  int steps() const { return steps_; }
  /// Of the convex model with the shifts: the largest ‖j − P_K(j − ρ u)‖ / ρ, m/s, or what a bound has in its place.
  Real residual() const { return residual_; }
  /// Mean of x·s/√(ρ ρ̄), m²/s²: where on the path.
  Real gap() const { return gap_; }
  /// Inside their cones; the velocities belong to them.
  std::span<const Vec3> impulses() const { return impulses_; }
  std::span<const Vec6> velocities() const { return velocities_; }
  /// N s, of the bounds.
  std::span<const Real> multipliers() const { return bounds_.multipliers(); }

 private:
  /// A contact's cone. For μ = 0 tangential parts stay zero and the scale is 1.
  struct Cone {
    Vec3 x, s;
    Real scale = 1;     // first entry of T
    bool flat = false;  // μ = 0
    Real weight = 1;    // of τ
    Vec3 w;             // scaling: Θ = η² (2 w wᵀ − diag(1, −1, −1))
    Real eta = 1;
    Vec3 lambda;          // Θ^½ s = Θ^-½ x
    Vec3 lag;             // T s less what the velocities make it
    Vec3 target;          // g
    Real compliance = 0;  // R
  };
  /// A direction. In scaled terms: dx = Θ^-½ Δx, ds = Θ^½ Δs.
  struct Move {
    Vec3 change;  // dx + ds, as asked for
    Vec3 dx, ds;
    Vec3 x, s;  // Δx, Δs
  };

  Real fitting_push();
  void find_velocities();
  bool scale_cones();
  void predict();
  void correct(Real tau);
  void improve(Real tau);
  Real solve(std::vector<Move>& moves, BoundPath::Moves& bound_moves);
  static void split(const Cone& cone, Real rho, const Vec3& dj, const Vec3& du, Move& move);
  void advance(Real length);
  void refresh();

  const ConeSystem* system_ = nullptr;
  InteriorPointSettings settings_;
  std::vector<Cone> cones_;
  std::vector<Mat3> curvatures_;     // D
  std::vector<Move> moves_, trial_;  // chosen, and under test
  Real longest_ = 0;                 // how far the chosen moves go before they leave a cone
  std::vector<Real> shifts_;
  std::vector<Vec3> impulses_;
  std::vector<Vec6> velocities_, balanced_, change_;  // v̂, y and Δy; without bounds y is v̂
  std::vector<Real> weights_;                         // of τ
  BoundPath bounds_;
  BoundPath::Moves bound_moves_, bound_trial_;
  ConeHessian hessian_;
  int steps_ = 0;
  Real residual_ = 0, gap_ = 0;
};

}  // namespace carom
