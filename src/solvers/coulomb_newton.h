// Semismooth Newton steps on the map of P. Alart and A. Curnier, "A mixed formulation for frictional contact problems
// prone to Newton like solution methods", 1991: with z = r − ρ u
//   r_n = max(0, z_n),   r_t = the point of the disc of radius μ max(0, z_n) nearest to z_t.
// Unlike the natural map with De Saxcé's shift it is smooth where a contact sticks. Quadratic near a solution; from far
// away kinks stop it, which is what the other stages are for.
//
// Redundant contacts make the matrix singular, so a small ε is added to W in the matrix. Too large, the step is no
// descent where masses differ much; too small, rounding fills the null space: a few are tried.
#pragma once

#include "solvers/coulomb_linear.h"
#include "solvers/coulomb_scaled.h"

namespace carom {

class CoulombNewton {
 public:
  /// True when the residual has met the tolerance. `weight` is ρ in units in which 1 is the scale of the problem.
  bool run(ScaledCoulomb& problem, CoulombLinear& linear, Real weight, int most_steps, Real tolerance);
  int steps() const { return steps_; }
  void reset() { steps_ = 0; }

 private:
  /// The map into `linear`, with its derivatives if asked for; returns its squared norm.
  static Real map(const ScaledCoulomb& problem, Real weight, bool derivatives, CoulombLinear& linear);
  /// Goes along the step as far as the map shrinks. Returns the fraction taken, 0 if none does.
  Real search(ScaledCoulomb& problem, CoulombLinear& linear, Real weight, Real tolerance);

  std::vector<Vec3> start_;
  Real size_ = 0;  // squared norm of the map at the point
  int steps_ = 0;
};

}  // namespace carom
