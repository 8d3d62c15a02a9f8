#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo shock_solver();

}  // namespace carom
