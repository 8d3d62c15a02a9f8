// Penetrations taken back by changing poses, after the move.
//
// M. Lembcke, "Realtime rigid body simulation using impulses", 2006, section 3.2.4: simple, but velocities and
// positions no longer belong together. Passes find contacts again each time, so that what a turn does to the other
// points of a body is seen; each takes a share of every overlap back, all bodies at once, weighted by their masses.
#pragma once

#include <memory>

#include "carom/solvers/solver.h"
#include "dynamics/stage.h"

namespace carom {

/// `share` of a penetration is taken back in a pass; `solver` needs to do normal targets only.
std::unique_ptr<CorrectionStage> make_direct_correction(std::unique_ptr<Solver> solver, Real share);

}  // namespace carom
