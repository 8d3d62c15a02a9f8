#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo pairwise_solver();

}  // namespace carom
