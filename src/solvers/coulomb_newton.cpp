#include "solvers/coulomb_newton.h"

#include <array>
#include <cmath>

namespace carom {

Real CoulombNewton::map(const ScaledCoulomb& problem, Real weight, bool derivatives, CoulombLinear& linear) {
  Real sum = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const ScaledContact& c = problem.contacts[i];
    const Vec3& r = problem.r[i];
    const Vec3 z = r - weight * problem.u[i];
    Vec3 p;
    Mat3 d;  // dp/dz
    if (c.root_rho > 0 && z.x > 0) {
      const Real size = std::sqrt(z.y * z.y + z.z * z.z), radius = c.mu * z.x;
      if (size <= radius) {
        p = z;
        d = Mat3::identity();
      } else {
        const Real y = z.y / size, t = z.z / size, k = radius / size;
        p = {z.x, radius * y, radius * t};
        d = {{{1, 0, 0}, {c.mu * y, k * (1 - y * y), -k * y * t}, {c.mu * t, -k * y * t, k * (1 - t * t)}}};
      }
    }
    linear.f[i] = r - p;
    sum += squared_norm(linear.f[i]);
    if (!derivatives) continue;
    linear.by_r[i] = Mat3::identity() + (-1.0) * d;
    linear.by_u[i] = weight * d;
  }
  return sum;
}

Real CoulombNewton::search(ScaledCoulomb& problem, CoulombLinear& linear, Real weight, Real tolerance) {
  constexpr int kHalvings = 10;
  start_ = problem.r;
  const Real before = size_;
  Real fraction = 1;
  for (int k = 0; k < kHalvings; ++k, fraction *= 0.5) {
    for (std::size_t i = 0; i < start_.size(); ++i) problem.r[i] = start_[i] + fraction * linear.step[i];
    problem.evaluate();
    size_ = map(problem, weight, false, linear);
    if (problem.residual <= tolerance || size_ <= (1 - 1e-4 * fraction) * before) return fraction;
  }
  problem.r = start_;
  problem.evaluate();
  size_ = before;
  return 0;
}

bool CoulombNewton::run(ScaledCoulomb& problem, CoulombLinear& linear, Real weight, int most_steps, Real tolerance) {
  constexpr std::array kEpsilons{1e-10, 1e-13, 1e-7, 1e-15};
  constexpr Real kShort = 0.05;  // a step cut to less than this asks for another ε
  std::size_t choice = 0, fruitless = 0;
  problem.evaluate();
  if (problem.residual <= tolerance) return true;
  for (int s = 0; s < most_steps; ++s) {
    size_ = map(problem, weight, true, linear);
    Real fraction = 0;
    if (linear.solve(problem, kEpsilons[choice])) {
      ++steps_;
      fraction = search(problem, linear, weight, tolerance);
    }
    if (problem.residual <= tolerance) return true;
    const bool last = fruitless + 1 >= kEpsilons.size();
    if (fraction > kShort || (fraction > 0 && last)) {
      fruitless = 0;
      continue;
    }
    if (last) return false;
    ++fruitless;
    choice = (choice + 1) % kEpsilons.size();
  }
  return false;
}

}  // namespace carom
