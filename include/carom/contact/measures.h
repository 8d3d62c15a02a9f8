// Measures of error: they belong to the problem and to no solver. Definitions and sources: docs/theory.md.
#pragma once

#include "carom/contact/problem.h"
#include "carom/contact/solution.h"

namespace carom {

struct ContactErrors {
  Real residual_coulomb = 0;          ///< natural map of Coulomb's law, largest over contacts, in units of v_ref
  Real rms_coulomb = 0;               ///< the same, root mean square
  Real reference_velocity = 0;        ///< v_ref, m/s
  Real max_penetrating_velocity = 0;  ///< m/s: how far below its target a contact still approaches
  Real max_cone_violation = 0;        ///< N s: distance of an impulse from its cone
  Real max_complementarity = 0;       ///< N m: largest |j_n u_n|
  Real kinetic_energy_before = 0;     ///< J
  Real kinetic_energy_after = 0;      ///< J
  Vec3 momentum_change;  ///< N s: of the dynamic bodies, less the impulses of all others; zero in exact arithmetic
};

/// Judges the impulses of a solution. Velocities are recomputed from the impulses, not taken from the solution.
ContactErrors measure(const ContactProblem& problem, const ContactSolution& solution);

/// v_ref = max(|g| dt, a thousandth of the largest contact speed at the problem's own velocities, 1e-9 m/s).
Real reference_velocity(const ContactProblem& problem);

}  // namespace carom
