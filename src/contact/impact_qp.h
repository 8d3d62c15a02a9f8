// The impact at one point that leaves the least kinetic energy: a quadratic program of its own for each bounce.
//
// H. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004: section 4 for many
// contacts at once, section 7 for the wish to have it bounce by bounce, which was too slow there. With one contact it
// has three unknowns: min ½ jᵀKj + uᵀj over the friction cone, with u_n + nᵀKj ≥ −e u_n. An impulse along the normal
// alone meets the bound and adds no energy for e ≤ 1, so the least does not either: what Newton's law cannot promise.
#pragma once

#include "carom/contact/impact.h"

namespace carom {

/// Requires what `resolve_impact` requires; `mu_static` is not looked at. Modes stay empty.
ImpactOutcome least_energy_impact(const PointImpact& impact);

}  // namespace carom
