// The contact stage of springs and dampers.
#pragma once

#include <memory>

#include "dynamics/stage.h"

namespace carom {

struct PenaltyOptions {
  Real stiffness = 0;       ///< 1/s²: N/m for each kg of the pair's reduced mass, at every point of contact
  Real damping = 0;         ///< ratio to critical damping of the reduced mass on one spring
  int iterations = 0;       ///< largest number of sweeps
  Real tolerance = 0;       ///< change of velocity in a sweep at which they end, in units of v_ref
  bool warm_start = false;  ///< start from the impulses of the last step
};

std::unique_ptr<ContactStage> make_penalty_contacts(const PenaltyOptions& options);

}  // namespace carom
