#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo sequential_solver();

}  // namespace carom
