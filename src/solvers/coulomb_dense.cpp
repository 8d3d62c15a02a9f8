#include "solvers/coulomb_dense.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "carom/base/error.h"
#include "math/cone.h"

namespace carom {
namespace {

constexpr int kSweeps = 30, kNewtonSteps = 40;
constexpr Real kWeights[3] = {1, 0.1, 10};  // of the velocity in Newton's map

}  // namespace

struct CoulombDense::Attempt {
  enum class Kind : std::uint8_t { Interior, Path, Sweeps } kind;
  Real compliance;  // in the stage alone; what follows it has none
  int repeats;
  bool far;  // starts from impulses as large as those that hold every contact
};

void CoulombDense::start(const MatrixProblem& problem, std::span<const Real> warm) {
  point_.build(problem);
  linear_.start(point_.size());
  sweep_.start(point_);
  newton_.reset();
  interior_.reset();
  path_.reset();
  reach_ = 0;
  for (std::size_t i = 0; i < warm.size() / 3; ++i) {
    const ScaledContact& c = point_.contacts[i];
    const Vec3 j{warm[3 * i], warm[3 * i + 1], warm[3 * i + 2]};
    if (c.root_rho > 0) point_.r[i] = project_on_cone(j / c.root_rho, c.mu);
  }
  point_.evaluate();
}

bool CoulombDense::try_plain(int sweeps, Real weight, Real tolerance) {
  return sweep_.run(point_, sweeps, tolerance) || newton_.run(point_, linear_, weight, kNewtonSteps, tolerance);
}

Real CoulombDense::hold_all() {
  constexpr Real kEpsilon = 1e-9;  // among impulses that differ by self-stress, small ones
  for (std::size_t i = 0; i < point_.size(); ++i) {
    const ScaledContact& c = point_.contacts[i];
    const bool acts = c.root_rho > 0, rubs = acts && c.mu > 0;
    linear_.by_u[i] = Mat3::diagonal({acts ? 1.0 : 0.0, rubs ? 1.0 : 0.0, rubs ? 1.0 : 0.0});
    linear_.by_r[i] = Mat3::identity() + (-1.0) * linear_.by_u[i];
    linear_.f[i] = linear_.by_u[i] * point_.q[i];
  }
  if (!linear_.solve(point_, kEpsilon)) return 0;
  Real largest = 0;
  for (std::size_t i = 0; i < point_.size(); ++i) {
    largest = std::max(largest, norm(linear_.step[i]));
    point_.r[i] = project_on_cone(linear_.step[i], point_.contacts[i].mu);
  }
  return largest;
}

bool CoulombDense::try_holding(Real tolerance) {
  reach_ = hold_all();
  return newton_.run(point_, linear_, 1, kNewtonSteps, tolerance);
}

void CoulombDense::lag_shift() {
  for (std::size_t i = 0; i < point_.size(); ++i) {
    const Vec3& u = point_.u[i];
    shift_[i] = point_.contacts[i].mu * std::sqrt(u.y * u.y + u.z * u.z);
  }
}

/// Newton from where a stage ended, and some sweeps with Newton after them.
bool CoulombDense::finish(Real tolerance) {
  constexpr int kFewSweeps = 20;
  point_.compliance = 0;
  point_.evaluate();
  if (!std::isfinite(point_.residual)) point_.take_best();
  return newton_.run(point_, linear_, 1, kNewtonSteps, tolerance) || try_plain(kFewSweeps, 1, tolerance);
}

bool CoulombDense::try_attempt(const Attempt& attempt, const CoulombOptions& options) {
  shift_.assign(point_.size(), 0);
  for (int k = 0; k < attempt.repeats && steps() < options.steps; ++k) {
    if (attempt.kind == Attempt::Kind::Sweeps) {
      if (try_plain(2 * kSweeps * (k + 1), kWeights[k % 3], options.tolerance)) return true;
      continue;
    }
    point_.compliance = attempt.compliance;
    const Real reach = attempt.far ? reach_ : 0;
    if (attempt.kind == Attempt::Kind::Path) {
      path_.run(point_, linear_, reach);
    } else {
      interior_.run(point_, linear_, shift_, reach);
      lag_shift();
    }
    if (finish(options.tolerance)) return true;
  }
  return false;
}

CoulombReport CoulombDense::solve(const MatrixProblem& problem, std::span<const Real> warm,
                                  const CoulombOptions& options, std::span<Real> impulse) {
  require(impulse.size() == problem.q.size() && (warm.empty() || warm.size() == problem.q.size()),
          "CoulombDense::solve: expected three numbers a contact");
  using Kind = Attempt::Kind;
  constexpr Attempt kAttempts[] = {{Kind::Interior, 1e-14, 3, true}, {Kind::Path, 1e-12, 1, false},
                                   {Kind::Sweeps, 0, 8, false},      {Kind::Path, 1e-8, 1, false},
                                   {Kind::Path, 1e-14, 1, true},     {Kind::Interior, 1e-14, 12, true},
                                   {Kind::Sweeps, 0, 8, false}};
  start(problem, warm);
  CoulombReport report;
  bool done = point_.residual <= options.tolerance;
  // A residual that is rounding will not get smaller.
  const auto next = [&] {
    return !done && point_.best_residual > point_.rounding() && steps() < options.steps &&
           report.attempts++ < options.attempts;
  };
  const int sweeps = kSweeps + static_cast<int>(point_.size());  // they cost little beside a factorization
  if (next()) done = try_plain(sweeps, 1, options.tolerance);
  if (next()) done = try_holding(options.tolerance);
  for (const Attempt& attempt : kAttempts)
    if (next()) done = try_attempt(attempt, options);

  for (std::size_t i = 0; i < point_.size(); ++i)
    for (int k = 0; k < 3; ++k)
      impulse[3 * i + static_cast<std::size_t>(k)] = point_.contacts[i].root_rho * point_.best[i][k];
  report.converged = done;
  report.residual = point_.best_residual;
  report.rounding = point_.rounding();
  report.sweeps = sweep_.sweeps();
  report.newton_steps = steps();
  return report;
}

}  // namespace carom
