#include "solvers/coulomb_scaled.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/cone.h"

namespace carom {

void ScaledCoulomb::build(const MatrixProblem& problem) {
  const std::size_t n = problem.contact_count();
  contacts.assign(n, {});
  blocks.clear();
  q.assign(n, {});
  r.assign(n, {});
  u.assign(n, {});
  best.assign(n, {});
  best_residual = std::numeric_limits<Real>::infinity();
  speed = 0;
  compliance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Real trace = diagonal_block(problem, i).trace();
    contacts[i].root_rho = trace > 0 ? std::sqrt(3 / trace) : 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    ScaledContact& c = contacts[i];
    c.first = blocks.size();
    c.mu = problem.mu[i];
    for (std::size_t e = problem.row_start[i]; e < problem.row_start[i + 1]; ++e) {
      const auto k = static_cast<std::size_t>(problem.columns[e]);
      const Mat3 w = c.root_rho * contacts[k].root_rho * problem.blocks[e];
      blocks.push_back({problem.columns[e], w});
      if (k == i) c.own = w;
    }
    c.last = blocks.size();
    q[i] = c.root_rho * Vec3{problem.q[3 * i], problem.q[3 * i + 1], problem.q[3 * i + 2]};
    speed = std::max(speed, norm(q[i]));
  }
}

Vec3 ScaledCoulomb::velocity(std::size_t contact) const {
  const ScaledContact& c = contacts[contact];
  Vec3 sum = q[contact] + compliance * r[contact];
  for (std::size_t e = c.first; e < c.last; ++e) sum += blocks[e].w * r[static_cast<std::size_t>(blocks[e].column)];
  return sum;
}

void ScaledCoulomb::evaluate() {
  residual = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ScaledContact& c = contacts[i];
    u[i] = velocity(i);
    if (c.root_rho == 0) continue;
    const Vec3 shifted{u[i].x + c.mu * std::sqrt(u[i].y * u[i].y + u[i].z * u[i].z), u[i].y, u[i].z};
    // Beside impulses so large that r − u is r, any velocity would look right.
    const Real blur = std::numeric_limits<Real>::epsilon() * norm(r[i]);
    const Real own = std::max(norm(r[i] - project_on_cone(r[i] - shifted, c.mu)), blur) / c.root_rho;
    // A residual that is not a number is taken and kept.
    if (!(own <= residual) && !std::isnan(residual)) residual = own;
  }
  if (compliance == 0 && residual < best_residual) {
    best_residual = residual;
    best = r;
  }
}

Real ScaledCoulomb::rounding() const {
  Real largest = 0;
  for (const ScaledContact& c : contacts) {
    if (c.root_rho == 0) continue;
    Real sum = 0;
    for (std::size_t e = c.first; e < c.last; ++e) {
      const Vec3& j = best[static_cast<std::size_t>(blocks[e].column)];
      for (int k = 0; k < 3; ++k) sum += std::abs(blocks[e].w(0, k) * j[k]);
    }
    largest = std::max(largest, sum / c.root_rho);
  }
  return std::numeric_limits<Real>::epsilon() * largest;
}

}  // namespace carom
