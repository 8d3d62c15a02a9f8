// A solver for problems of few contacts and another one for those of many.
#pragma once

#include <cstddef>
#include <memory>

#include "carom/solvers/solver.h"

namespace carom {

/// Problems of at most `most_contacts` go to the first solver, larger ones to the second.
std::unique_ptr<Solver> make_solver_by_size(std::unique_ptr<Solver> few, std::size_t most_contacts,
                                            std::unique_ptr<Solver> many);

}  // namespace carom
