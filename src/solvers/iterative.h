#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo iterative_solver();

}  // namespace carom
