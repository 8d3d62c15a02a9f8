#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo lcp_solver();

}  // namespace carom
