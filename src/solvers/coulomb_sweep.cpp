#include "solvers/coulomb_sweep.h"

#include "math/cone.h"

namespace carom {
namespace {

constexpr int kDepth = 8;

void flatten(const std::vector<Vec3>& from, std::vector<Real>& to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    for (int k = 0; k < 3; ++k) to[3 * i + static_cast<std::size_t>(k)] = from[i][k];
}

}  // namespace

void CoulombSweep::start(const ScaledCoulomb& problem) {
  local_.clear();
  for (const ScaledContact& c : problem.contacts) local_.emplace_back(c.own, c.mu);
  metric_.assign(3 * problem.size(), 1);
  before_.resize(3 * problem.size());
  after_.resize(3 * problem.size());
  sweeps_ = 0;
}

bool CoulombSweep::run(ScaledCoulomb& problem, int most_sweeps, Real tolerance) {
  anderson_.start(metric_, metric_.size(), kDepth);
  for (int s = 0; s < most_sweeps; ++s) {
    if (s > 0) {
      anderson_.next(before_, after_, nullptr);
      for (std::size_t i = 0; i < problem.size(); ++i)
        problem.r[i] =
            project_on_cone({before_[3 * i], before_[3 * i + 1], before_[3 * i + 2]}, problem.contacts[i].mu);
    }
    flatten(problem.r, before_);
    for (std::size_t i = 0; i < problem.size(); ++i)
      problem.r[i] = local_[i].solve(problem.velocity(i) - problem.contacts[i].own * problem.r[i]);
    flatten(problem.r, after_);
    ++sweeps_;
    problem.evaluate();
    if (problem.residual <= tolerance) return true;
  }
  return false;
}

}  // namespace carom
