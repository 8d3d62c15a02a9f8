// How far a step of the real-time suite is from Coulomb's law: the measure of contact/measures.h, for the whole step.
//
// The impulse of a contact is the sum over the substeps, and its velocity the mean of those after each substep, which
// is what the bodies moved with, without what pushed penetrations out. The target is −gap/dt. So a contact that closes
// within the step has its gap closed and nothing more, and with one substep this is the measure of the other suites.
// docs/theory.md says it in full.
#pragma once

#include <span>

#include "carom/math/types.h"
#include "fast/batches.h"
#include "fast/substeps.h"

namespace carom::fast {

struct Residual {
  Real worst = 0, rms = 0;  ///< in units of v_ref
};

/// Requires means of the velocities. Patches that have bounced are left out: the law is another one there. `gravity` in
/// m/s².
Residual measure_residual(const Batches& batches, std::span<const Record> records, const Impacts& impacts,
                          const Motions& motions, Real gravity, Real dt);

}  // namespace carom::fast
