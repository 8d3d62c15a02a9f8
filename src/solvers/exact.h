#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo exact_solver();

}  // namespace carom
