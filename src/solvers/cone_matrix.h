// A cone system as one matrix over contacts, for methods that are dense anyway.
#pragma once

#include "carom/contact/matrix_problem.h"
#include "solvers/cone_system.h"

namespace carom {

/// Contacts in the system's order. `compliance` times 1/ρ is added to the diagonal of W.
MatrixProblem cone_matrix(const ConeSystem& system, Real compliance);

}  // namespace carom
