#include "carom/solvers/solver.h"
#include "solvers/exact.h"
#include "solvers/frictionless.h"
#include "solvers/iterative.h"
#include "solvers/lcp.h"
#include "solvers/pairwise.h"
#include "solvers/pq.h"
#include "solvers/qp.h"
#include "solvers/sequential.h"
#include "solvers/shock.h"

namespace carom {

const std::vector<SolverInfo>& solver_registry() {
  static const std::vector<SolverInfo> registry{sequential_solver(), shock_solver(),    iterative_solver(),
                                                pq_solver(),         pairwise_solver(), frictionless_solver(),
                                                qp_solver(),         exact_solver(),    lcp_solver()};
  return registry;
}

const SolverInfo* find_solver(std::string_view name) {
  for (const SolverInfo& solver : solver_registry())
    if (solver.name == name) return &solver;
  return nullptr;
}

}  // namespace carom
