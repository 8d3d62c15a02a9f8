// A smoothing path to Coulomb's law: max and the disc of the map of Alart and Curnier are rounded off over a width τ
//   r_n = h(r_n − u_n),                       h(a) = (a + √(a² + 4τ²))/2
//   r_t = (r_t − u_t) / (1 + h(|r_t − u_t|/R − 1)),   R = μ h(r_n − u_n), in the second h τ/R for τ
// (the function of B. Chen and P. T. Harker, "A non-interior-point continuation method for linear complementarity
// problems", 1993), and τ goes to zero, each solution the start for the next. The width shrinks faster where Newton's
// method needs few steps and slower where it fails. Unlike convex sub-problems it carries the derivative of the whole
// law, which counts where friction is large; a fold of the path ends it.
#pragma once

#include "solvers/coulomb_linear.h"
#include "solvers/coulomb_scaled.h"

namespace carom {

class CoulombPath {
 public:
  /// Leaves the point where the path ended. `reach` is how large impulses are expected to be, scaled.
  void run(ScaledCoulomb& problem, CoulombLinear& linear, Real reach);
  int steps() const { return steps_; }
  void reset() { steps_ = 0; }

 private:
  static Real map(const ScaledCoulomb& problem, Real tau, CoulombLinear& linear);
  /// Newton's method at one width. True when the equations hold well enough to go on.
  bool settle(ScaledCoulomb& problem, CoulombLinear& linear, Real tau, int most_steps);

  std::vector<Vec3> start_, good_;
  int steps_ = 0;
  int last_steps_ = 0;  // that the last width took
};

}  // namespace carom
