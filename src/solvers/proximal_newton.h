// Coulomb's law on a cone system by Newton's method inside a proximal iteration.
//
// Around impulses j the velocities v̂ are sought at which each contact's impulse is
//   p(v̂) = [j_n − σρ u_n]₊ along the normal, and j_t − σρ u_t cut to the disc of radius μ p_n across
// (P. Alart, A. Curnier, "A mixed formulation for frictional contact problems", 1991), with v̂ = v̂₀ + Ĵᵀ p(v̂); then j
// becomes p, and so on (R. T. Rockafellar, "Monotone operators and the proximal point algorithm", 1976). Where p = j
// the law holds exactly, whatever σ. Each step solves 1 + Ĵᵀ D Ĵ with the derivative D of p, which is not symmetric
// where contacts slide: redundant contacts do not hurt, since the identity stays. A large σ needs few steps but takes
// aim at the law's kinks from afar; a small one always works and crawls. So σ grows while the inner iteration converges
// and the residual falls, and shrinks where not.
//
// The convex model, without De Saxcé's shift, has the projection on the cone for p and a symmetric matrix.
//
// Known failure: thousands of contacts of which many are about to slide; σ stays small there, and gradient steps
// (apgd.h) get further in the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/cone_hessian.h"
#include "solvers/cone_system.h"

namespace carom {

class ProximalNewton {
 public:
  enum class Law : std::uint8_t { Coulomb, Convex };

  /// Starts from impulses in the order of the system, which must stay until the last `run`. `compliance` adds that
  /// multiple of 1/ρ to the diagonal of W.
  void start(const ConeSystem& system, Law law, std::span<const Vec3> impulses, Real compliance);

  /// Until the residual is at most `allowed` (m/s), or so many linear systems are solved. Returns true for the first.
  bool run(int steps, Real allowed);

  /// The best found so far, and its largest natural map over contacts, m/s, without compliance counted as error.
  std::span<const Vec3> impulses() const { return best_; }
  Real residual() const { return best_residual_; }
  int steps() const { return steps_; }

 private:
  /// Fills in p(v̂), D if asked for, and v̂ − v̂₀ − Ĵᵀ p(v̂). Returns the length of that.
  Real evaluate(const std::vector<Vec6>& velocities, std::vector<Vec6>& imbalance, bool with_derivative);
  /// Newton's method for one centre. Returns true if it converged.
  bool solve_inner(int last_step);
  bool search_along(Real length);
  Real residual_of(std::span<const Vec3> impulses);
  void keep_if_better();

  const ConeSystem* system_ = nullptr;
  Law law_ = Law::Coulomb;
  Real compliance_ = 0;
  Real sigma_ = 0;
  int steps_ = 0;
  Real residual_ = 0, best_residual_ = 0;  // of the centre, and the least
  std::vector<Vec3> centre_, moved_, best_;
  std::vector<Mat3> derivatives_;
  std::vector<Vec6> velocities_, trial_, imbalance_, trial_imbalance_, direction_;
  ConeHessian hessian_;
};

}  // namespace carom
