// Coulomb's law with the exact cone on problems of up to a few hundred contacts, to rounding.
//
// No single method finds a solution always: the law has no convex form, several solutions or none may exist, and with
// redundant contacts impulses are not unique. So stages of different kinds follow each other until one meets the
// tolerance:
//   sweeps, then Newton (coulomb_sweep.h, coulomb_newton.h): most problems end here, in microseconds
//   Newton from the impulses that would hold every contact
//   convex problems by interior points, the shift from the last answer (coulomb_interior.h): large mass ratios
//   a smoothing path (coulomb_path.h): large friction coefficients
//   longer sweeps with other weights
// Each hands its point to Newton's method and that to a few sweeps. What remains unsolved is given back with the best
// residual found. Everything is done in a fixed order on one thread: the same problem gives the same bits.
#pragma once

#include <span>
#include <vector>

#include "carom/contact/matrix_problem.h"
#include "solvers/coulomb_interior.h"
#include "solvers/coulomb_linear.h"
#include "solvers/coulomb_newton.h"
#include "solvers/coulomb_path.h"
#include "solvers/coulomb_scaled.h"
#include "solvers/coulomb_sweep.h"

namespace carom {

struct CoulombOptions {
  Real tolerance = 1e-10;  ///< m/s: largest natural map over contacts, as `measure` gives it
  int attempts = 9;        ///< stages tried before giving up; the first two are cheap
  int steps = 1'000'000;   ///< linear systems after which no other stage is tried
};

struct CoulombReport {
  bool converged = false;
  Real residual = 0;  ///< m/s, of the impulses given back
  Real rounding = 0;  ///< m/s: below this velocities are noise, with impulses of this size
  int sweeps = 0;
  int newton_steps = 0;  ///< linear systems, of all stages
  int attempts = 0;
};

class CoulombDense {
 public:
  /// `impulse` (three numbers a contact) gets the best impulses found. `warm` may be empty. Requires a problem that
  /// passes `check`.
  CoulombReport solve(const MatrixProblem& problem, std::span<const Real> warm, const CoulombOptions& options,
                      std::span<Real> impulse);

 private:
  struct Attempt;

  void start(const MatrixProblem& problem, std::span<const Real> warm);
  bool try_plain(int sweeps, Real weight, Real tolerance);
  bool try_holding(Real tolerance);
  bool try_attempt(const Attempt& attempt, const CoulombOptions& options);
  bool finish(Real tolerance);
  /// Impulses at which nothing would move, as far as there are any. Returns how large they are.
  Real hold_all();
  void lag_shift();
  int steps() const { return newton_.steps() + interior_.steps() + path_.steps(); }

  ScaledCoulomb point_;
  CoulombSweep sweep_;
  CoulombLinear linear_;
  CoulombNewton newton_;
  CoulombInterior interior_;
  CoulombPath path_;
  std::vector<Real> shift_;
  Real reach_ = 0;  // size of the impulses that would hold every contact
};

}  // namespace carom
