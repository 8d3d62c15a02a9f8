#include "solvers/coulomb_matrix.h"

#include <algorithm>

#include "solvers/coulomb_dense.h"

namespace carom {
namespace {

class CoulombMatrix final : public MatrixSolver {
 public:
  SolveReport solve(const MatrixProblem& problem, std::span<const Real> warm, Real tolerance,
                    std::span<Real> impulse) override {
    // FCLib's measure adds velocities and impulses as they stand, so it cannot be told from the tolerance on velocities
    // alone: that is tightened until it fits.
    constexpr int kMostRounds = 4;
    constexpr Real kTighter = 0.01;
    Real fastest = 0;
    for (std::size_t i = 0; i + 2 < problem.q.size(); i += 3)
      fastest = std::max(fastest, norm(Vec3{problem.q[i], problem.q[i + 1], problem.q[i + 2]}));
    SolveReport report;
    start_.assign(warm.begin(), warm.end());
    Real limit = tolerance * fastest;
    for (int round = 0; round < kMostRounds; ++round, limit *= kTighter) {
      const CoulombReport done = core_.solve(problem, start_, {.tolerance = limit}, impulse);
      report.iterations += done.sweeps + done.newton_steps;
      report.converged = measure(problem, impulse).fclib <= tolerance;
      if (report.converged || !done.converged) return report;
      start_.assign(impulse.begin(), impulse.end());
    }
    return report;
  }

 private:
  CoulombDense core_;
  std::vector<Real> start_;
};

}  // namespace

std::unique_ptr<MatrixSolver> coulomb_matrix_solver(const Options& /*options*/) {
  return std::make_unique<CoulombMatrix>();
}

}  // namespace carom
