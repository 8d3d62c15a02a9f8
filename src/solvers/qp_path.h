// The convex contact model on friction pyramids by a primal–dual interior-point method: a quadratic program proper.
//
// min ½ jᵀWj + bᵀj over A j ≥ 0, the eight faces of each contact's pyramid (Schmidl and Milenkovic 2004, eqs. 8, 9).
// With slacks s = A j > 0 and multipliers z > 0, steps follow the path Ĵv̂ + bias = Aᵀz, z s = τ ρ, τ → 0 (S. Mehrotra,
// "On the implementation of a primal-dual interior point method", 1992). With G = Aᵀ (z/s) A, 3×3 a contact, what is
// left to solve is (1 + Ĵᵀ D Ĵ) Δv̂ = Ĵᵀ D g, Δj = D (g − Ĵ Δv̂), D = (G + R)⁻¹: six unknowns a body. R = 1e-8/ρ acts on
// changes of j alone, so that the answer is that of W; it keeps D bounded where contacts carry much. interior_point.h
// is the same for the round cone.
// Bounds on normal velocities (eq. 13) have their part in bound_path.h.
// Known failure: where impulses have no bound, or no motion meets all bounds, the path has no end, and steps get short.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "solvers/bound_path.h"
#include "solvers/cone_hessian.h"
#include "solvers/cone_system.h"
#include "solvers/normal_bounds.h"

namespace carom {

class PyramidPath {
 public:
  /// The system must stay until the last step. A start is put at least `push` · v_ref inside.
  void start(const ConeSystem& system, std::span<const NormalBound> bounds, std::span<const Vec3> impulses, Real push);

  /// One factorisation. False if no way on is left.
  bool step();

  int steps() const { return steps_; }
  /// The largest ‖j − P_K(j − ρ u)‖ / ρ, or |min(λ/ρ, Ĵ_n v̂ + bias_n − bound)|, m/s.
  Real residual() const { return residual_; }
  std::span<const Vec3> impulses() const { return impulses_; }
  /// N s, of the bounds.
  std::span<const Real> multipliers() const { return bounds_.multipliers(); }

 private:
  static constexpr std::size_t kFaces = 8;
  using Faces = std::array<Real, kFaces>;

  struct Pyramid {
    Faces slack{}, multiplier{};                // s, z
    Faces slack_change{}, multiplier_change{};  // along the step
    Faces wanted{};                             // of z Δs + s Δz
    Vec3 velocity;                              // u, at y
    Vec3 force, change;                         // g, Δj
    Real slope = 0;                             // μ cos(π/8); zero: one face, j_n ≥ 0
  };

  static std::size_t faces(const Pyramid& p) { return p.slope > 0 ? kFaces : 1; }
  static Real along(const Pyramid& p, std::size_t face, const Vec3& v);
  static void add(const Pyramid& p, std::size_t face, Real factor, Vec3& v);

  void start_faces(Real speed);
  void find_velocities();
  void measure();
  bool factor();
  void want(Real tau, bool second_order);
  void solve();
  void advance(Real length);
  Real longest() const;
  Real gap_after(Real length) const;

  const ConeSystem* system_ = nullptr;
  int steps_ = 0;
  Real residual_ = 0;
  std::vector<Pyramid> pyramids_;
  std::vector<Real> weights_;  // of τ: ρ
  BoundPath bounds_;
  BoundPath::Moves bound_moves_;
  std::vector<Vec3> impulses_;
  std::vector<Vec6> velocities_, balanced_, balanced_change_;  // v̂, y, Δy
  std::vector<Mat3> curvatures_;                               // D
  ConeHessian hessian_;
};

}  // namespace carom
