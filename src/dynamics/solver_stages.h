// Stages that put one contact problem together and hand it to a solver.
#pragma once

#include <memory>

#include "carom/solvers/solver.h"
#include "dynamics/stage.h"

namespace carom {

std::unique_ptr<CollisionStage> make_solver_collisions(std::unique_ptr<Solver> solver);
std::unique_ptr<ContactStage> make_solver_contacts(std::unique_ptr<Solver> solver, bool warm_start);

}  // namespace carom
