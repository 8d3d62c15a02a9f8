// The answer to a contact problem, and what it cost.
#pragma once

#include <cstdint>
#include <vector>

#include "carom/math/types.h"

namespace carom {

/// What a solver says of its own work. The errors are filled in by the measures (contact/measures.h), never by a
/// solver.
struct SolveReport {
  int iterations = 0;
  bool converged = false;     ///< the model residual met the tolerance
  Real residual_model = 0;    ///< optimality of the solver's own model, in units of v_ref
  Real residual_coulomb = 0;  ///< distance from Coulomb's law, in units of v_ref
  Real rms_coulomb = 0;       ///< the same, root mean square over contacts
  Real approach_left = 0;     ///< m/s: fastest approach left over, of methods that bounce
  Real momentum_error = 0;    ///< N s: largest change of a body's momentum that its impulses do not explain
  Real lift = 0;  ///< m/s: how far above its bound a contact that carries an impulse ends, of methods that lift sliders
  Real restitution_shortfall = 0;  ///< m/s: how far below its bound a contact ends, of methods that have such bounds
  bool restitution_infeasible =
      false;         ///< no motion meets the bounds of all contacts: the answer misses them the least
  bool ray = false;  ///< pivots ended on a ray and nothing else helped: mostly targets that contradict each other
  double seconds = 0;
};

struct ContactSolution {
  std::vector<Vec3> impulses;            ///< N s, world axes, on body b, in contact order
  std::vector<Real> row_impulses;        ///< of the row blocks, flat, in block order
  std::vector<Vec3> velocities;          ///< m/s, after, in body order
  std::vector<Vec3> angular_velocities;  ///< rad/s, after
  std::vector<Real> bound_multipliers;   ///< N s, per contact, of v_n ≥ −e v_n⁻ where that is a constraint of its own
                                         ///< and no impulse; empty for most solvers
  std::vector<std::int32_t> revived;     ///< frozen bodies that move again, ascending; empty for most solvers
  SolveReport report;
};

}  // namespace carom
