#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo qp_solver();

}  // namespace carom
