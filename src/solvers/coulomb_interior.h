// Interior-point method for the convex problem next to Coulomb's law: with De Saxcé's shift s = μ|u_t| held fixed,
//   u = W r + q + s n ∈ K*,   r ∈ K,   r · u = 0
// is a second-order cone program and has a solution that can always be found. In x = (μ r_n, r_t), y = (u_n/μ, u_t)
// both cones are the same. Steps are those of S. Mehrotra's predictor and corrector with the scaling of Y. Nesterov and
// M. Todd (as in L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010). Solving, setting s
// from the answer and solving again is the outer iteration of F. Cadoux, "An optimization-based algorithm for Coulomb's
// frictional contact", 2009. It starts far inside: with impulses too small the products vanish before the equations
// hold, where a light body carries heavy ones.
#pragma once

#include "solvers/coulomb_linear.h"
#include "solvers/coulomb_scaled.h"

namespace carom {

class CoulombInterior {
 public:
  /// Leaves the point at the solution, or where it broke down. `shift` is s, one number a contact; `reach` is how large
  /// impulses are expected to be, scaled.
  void run(ScaledCoulomb& problem, CoulombLinear& linear, std::span<const Real> shift, Real reach);
  int steps() const { return steps_; }
  void reset() { steps_ = 0; }

 private:
  struct Cone {
    Vec3 to_x, to_y;  // diagonals: x = to_x r, y = to_y u
    Vec3 x, y, dx, dy;
    Vec3 lambda;              // scaled point
    Mat3 root, root_inverse;  // of the scaling
    Vec3 gap;                 // y that belongs to x, less y
    Vec3 right;               // λ \ (what the products are to change by)
    bool active = false;
  };

  void start(const ScaledCoulomb& problem, Real reach);
  void set_point(ScaledCoulomb& problem) const;
  /// Scalings and the matrix. Returns the largest gap.
  Real linearize(const ScaledCoulomb& problem, CoulombLinear& linear, std::span<const Real> shift);
  /// Right-hand sides for products that are to become `target`; with the corrector's term if asked for.
  void aim(CoulombLinear& linear, Real target, bool corrected);
  /// Directions from the step of the linear system. Returns how far they lead to the boundary.
  Real take_directions(const CoulombLinear& linear);
  Real mean_product() const;

  std::vector<Cone> cones_;
  int steps_ = 0;
};

}  // namespace carom
