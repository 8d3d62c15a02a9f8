// The convex contact model on friction pyramids by a primal–dual interior-point method: a quadratic program proper.
//
// min ½ jᵀWj + bᵀj over A j ≥ 0, the eight faces of each contact's pyramid (Schmidl and Milenkovic 2004, eqs. 8, 9).
// With slacks s = A j > 0 and multipliers z > 0, steps follow the path Ĵv̂ + bias + R (j − j₀) = Aᵀz, z s = τ ρ, τ → 0
// (S. Mehrotra, "On the implementation of a primal-dual interior point method", 1992). With G = Aᵀ (z/s) A, 3×3 a
// contact (pyramid_metric.h), what is left to solve is (1 + Ĵᵀ D Ĵ) Δv̂ = Ĵᵀ D g, Δj = D (g − Ĵ Δv̂), D = (G + R)⁻¹: six
// unknowns a body. interior_point.h is the same for the round cone.
// Bodies that are wedged between walls have impulses without a bound, and without R there is no path. R = 3e-10/ρ draws
// them to where the path starts, j₀: that changes velocities by R |j − j₀|, some 1e-6 v_ref in the worst of crowds, and
// Newton steps find the rest. Drawn to where they are (R on changes of j alone) impulses go on growing, and from
// residuals of 1e-3 on the steps get short; the same where j₀ or R changes on the way. Less of R is no better:
// velocities come out of sums of size D |u|, and residuals end at about 1e-16 ρ/R of the fastest. With bounds on normal
// velocities (eq. 13; bound_path.h has their part) the matrix is not definite and rounding is larger: there R = 1e-9/ρ.
// Known failure: where no motion meets all bounds the path has no end, and steps get short.
#pragma once

#include <span>
#include <vector>

#include "solvers/bound_path.h"
#include "solvers/cone_hessian.h"
#include "solvers/cone_system.h"
#include "solvers/normal_bounds.h"
#include "solvers/pyramid_metric.h"

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
  /// Mean of z s / ρ and λ t / ρ, m²/s²: where on the path.
  Real gap() const { return gap_; }
  std::span<const Vec3> impulses() const { return impulses_; }
  /// N s, of the bounds.
  std::span<const Real> multipliers() const { return bounds_.multipliers(); }

 private:
  static constexpr std::size_t kFaces = PyramidMetric::kFaces;
  using Faces = PyramidMetric::Faces;

  struct Pyramid {
    Faces slack{}, multiplier{};  // s, z
    Vec3 velocity;                // u + R (j − j₀), at y
    Real slope = 0;               // μ cos(π/8); zero: one face, j_n ≥ 0
    PyramidMetric metric;         // G + R
    Real flat = 0;                // its inverse where there is one face
  };
  /// What a step does to a contact.
  struct Move {
    Faces wanted{};               // of z Δs + s Δz
    Faces force{};                // g + u, in terms of the faces: z + wanted / s
    Faces slack{}, multiplier{};  // Δs, Δz
    Vec3 impulse;                 // Δj
  };
  /// What a step does to all.
  struct Step {
    std::vector<Move> contacts;
    BoundPath::Moves bounds;
    Real longest = 0;  // how much of it can be taken before a slack or multiplier is zero
  };

  static std::size_t faces(const Pyramid& p) { return p.slope > 0 ? kFaces : 1; }
  static Real along(const Pyramid& p, std::size_t face, const Vec3& v);

  void start_faces(Real speed);
  void find_velocities();
  void measure();
  bool factor();
  void want(Real tau, bool second_order);
  void improve(Real tau);
  void solve(Step& step);
  static void answer(const Pyramid& p, const Vec3& velocity, Move& move);
  void advance(Real length);
  Real longest(const Step& step) const;
  Real gap_after(Real length) const;

  const ConeSystem* system_ = nullptr;
  int steps_ = 0;
  Real compliance_ = 0;  // R ρ
  Real residual_ = 0, gap_ = 0;
  std::vector<Pyramid> pyramids_;
  std::vector<Real> weights_;  // of τ: ρ
  BoundPath bounds_;
  std::vector<Vec3> impulses_, center_;                        // j, j₀
  std::vector<Vec6> velocities_, balanced_, balanced_change_;  // v̂, y, Δy
  std::vector<Mat3> curvatures_;                               // D
  ConeHessian hessian_;
  Step step_, trial_;
};

}  // namespace carom
