#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo pq_solver();

}  // namespace carom
