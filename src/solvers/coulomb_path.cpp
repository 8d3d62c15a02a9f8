#include "solvers/coulomb_path.h"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

struct Rounded {
  Real value = 0, slope = 0;
  Real root = 0;
};

/// max(0, a), rounded off over a width.
Rounded positive_part(Real a, Real tau) {
  const Real root = std::sqrt(a * a + 4 * tau * tau);
  const Real value = a >= 0 ? 0.5 * (a + root) : 2 * tau * tau / (root - a);  // without cancellation
  return {value, value / root, root};
}

/// The right-hand sides of the head of the file, and their derivative by r − u.
Vec3 rounded_projection(const Vec3& z, Real mu, Real tau, Mat3& derivative) {
  const Rounded normal = positive_part(z.x, tau);
  derivative = {};
  derivative(0, 0) = normal.slope;
  if (mu == 0) return {normal.value, 0, 0};
  const Real radius = mu * normal.value, size = std::sqrt(z.y * z.y + z.z * z.z + tau * tau);
  const Real width = tau / radius;
  const Rounded excess = positive_part(size / radius - 1, width);
  const Real by = 1 + excess.value;
  const Real by_size = excess.slope / radius;
  const Real by_radius = -excess.slope * size / (radius * radius) - 2 * width * width / (radius * excess.root);
  const Real t[2] = {z.y, z.z};
  for (int k = 0; k < 2; ++k) {
    const Real shrink = -t[k] / (by * by);
    derivative(1 + k, 0) = shrink * by_radius * mu * normal.slope;
    for (int l = 0; l < 2; ++l) derivative(1 + k, 1 + l) = (k == l ? 1 / by : 0) + shrink * by_size * t[l] / size;
  }
  return {normal.value, z.y / by, z.z / by};
}

}  // namespace

Real CoulombPath::map(const ScaledCoulomb& problem, Real tau, CoulombLinear& linear) {
  Real sum = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const ScaledContact& c = problem.contacts[i];
    Mat3 d;
    Vec3 p;
    if (c.root_rho > 0) p = rounded_projection(problem.r[i] - problem.u[i], c.mu, tau, d);
    linear.f[i] = problem.r[i] - p;
    linear.by_r[i] = Mat3::identity() + (-1.0) * d;
    linear.by_u[i] = d;
    sum += squared_norm(linear.f[i]);
  }
  return sum;
}

bool CoulombPath::settle(ScaledCoulomb& problem, CoulombLinear& linear, Real tau, int most_steps) {
  constexpr Real kClose = 0.1;      // of the width: as near as the next width needs
  constexpr Real kEpsilon = 1e-12;  // against singular matrices where the width is small
  constexpr int kHalvings = 8;
  problem.evaluate();
  Real size = map(problem, tau, linear);
  for (last_steps_ = 0; last_steps_ < most_steps; ++last_steps_) {
    if (size <= kClose * kClose * tau * tau) return true;
    if (!linear.solve(problem, kEpsilon)) return false;
    ++steps_;
    start_ = problem.r;
    Real fraction = 1, next = 0;
    for (int k = 0; k < kHalvings; ++k, fraction *= 0.5) {
      for (std::size_t i = 0; i < start_.size(); ++i) problem.r[i] = start_[i] + fraction * linear.step[i];
      problem.evaluate();
      next = map(problem, tau, linear);
      if (next <= (1 - 2e-4 * fraction) * size) break;
    }
    size = next;
    if (good_.size() == start_.size() && fraction < 0.1) return false;  // a smaller change of the width does better
  }
  return false;
}

void CoulombPath::run(ScaledCoulomb& problem, CoulombLinear& linear, Real reach) {
  constexpr int kFirstSteps = 30, kSteps = 8, kFew = 3, kMostFailures = 12, kMostSteps = 400;
  constexpr Real kEnd = 1e-13, kFastest = 0.01;
  if (!(problem.speed > 0)) return;
  reach = std::max(reach, problem.speed);
  Real tau = std::sqrt(problem.speed * reach), shrink = 0.3, good_tau = 0;
  const int before = steps_;
  std::ranges::fill(problem.r, Vec3{reach, 0, 0});
  good_.clear();
  for (int failures = 0; tau > kEnd * problem.speed && steps_ - before < kMostSteps;) {
    if (settle(problem, linear, tau, good_.empty() ? kFirstSteps : kSteps)) {
      good_ = problem.r;
      good_tau = tau;
      if (last_steps_ <= kFew) shrink = std::max(shrink * shrink, kFastest);
      tau *= shrink;
    } else {
      if (good_.empty() || ++failures > kMostFailures) return;
      problem.r = good_;
      shrink = std::sqrt(shrink);
      tau = good_tau * shrink;
    }
  }
}

}  // namespace carom
