#pragma once

#include "carom/solvers/solver.h"

namespace carom {

SolverInfo frictionless_solver();

}  // namespace carom
