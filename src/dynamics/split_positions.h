// Positions by a velocity of their own: penetrations are taken back, and surfaces reached, without touching momentum.
#pragma once

#include <memory>

#include "carom/solvers/solver.h"
#include "dynamics/stage.h"

namespace carom {

/// `correction` is the share of a penetration that is taken back in a step; `solver` needs to do normal targets only.
/// A careful stage looks ahead for every body that moves, and leaves no overlap; others do so for fast ones and deep
/// ones.
std::unique_ptr<PositionStage> make_split_positions(std::unique_ptr<Solver> solver, Real correction, bool careful);

}  // namespace carom
