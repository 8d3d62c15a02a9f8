#include "solvers/coulomb_interior.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/cone_algebra.h"

namespace carom {
namespace {

Vec3 times(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

/// The t > 0 at which a + t d leaves the cone; infinite where it never does.
Real distance_to_boundary(const Vec3& a, const Vec3& d) {
  Real t = d.x < 0 ? -a.x / d.x : std::numeric_limits<Real>::infinity();
  const Real square = d.x * d.x - d.y * d.y - d.z * d.z, mixed = a.x * d.x - a.y * d.y - a.z * d.z;
  const Real constant = cone_determinant(a), discriminant = mixed * mixed - square * constant;
  if (discriminant < 0) return t;
  const Real root = std::sqrt(discriminant), k = -(mixed + (mixed >= 0 ? root : -root));
  for (const Real candidate : {k / square, constant / k})
    if (candidate > 0 && candidate < t) t = candidate;
  return t;
}

/// scale (2 v vᵀ − J), J = diag(1, −1, −1).
Mat3 reflection(Real scale, const Vec3& v) {
  Mat3 m;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) m(i, k) = scale * (2 * v[i] * v[k] - (i != k ? 0 : (i == 0 ? 1 : -1)));
  return m;
}

}  // namespace

void CoulombInterior::start(const ScaledCoulomb& problem, Real reach) {
  cones_.assign(problem.size(), {});
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const ScaledContact& c = problem.contacts[i];
    Cone& cone = cones_[i];
    cone.active = c.root_rho > 0;
    if (!cone.active) continue;
    if (c.mu > 0) {
      // Balanced, so that the matrix in x has a diagonal block of trace 3 as well.
      const Real k = std::sqrt((c.own(0, 0) / (c.mu * c.mu) + c.own(1, 1) + c.own(2, 2)) / 3);
      cone.to_x = {k * c.mu, k, k};
      cone.to_y = {1 / (k * c.mu), 1 / k, 1 / k};
    } else {
      cone.to_x = cone.to_y = {1, 0, 0};  // a half-line: the tangential parts of x and y stay zero
    }
    cone.x = {reach, 0, 0};
    cone.y = {problem.speed, 0, 0};
  }
}

void CoulombInterior::set_point(ScaledCoulomb& problem) const {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    const Cone& cone = cones_[i];
    problem.r[i] = times(cone.to_y, cone.x);  // to_y is the inverse of to_x
  }
  problem.evaluate();
}

Real CoulombInterior::linearize(const ScaledCoulomb& problem, CoulombLinear& linear, std::span<const Real> shift) {
  Real largest = 0;
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& c = cones_[i];
    linear.by_r[i] = Mat3::identity();
    linear.by_u[i] = {};
    if (!c.active) continue;
    c.gap = times(c.to_y, problem.u[i] + Vec3{shift[i], 0, 0}) - c.y;
    largest = std::max(largest, norm(c.gap));
    const Real det_x = cone_determinant(c.x), det_y = cone_determinant(c.y);
    const Vec3 x = c.x / std::sqrt(det_x), y = c.y / std::sqrt(det_y);
    const Vec3 w = Vec3{y.x + x.x, y.y - x.y, y.z - x.z} / (2 * std::sqrt(0.5 * (1 + dot(x, y))));
    const Real square = std::sqrt(det_y / det_x);
    const Vec3 v = Vec3{w.x + 1, w.y, w.z} / std::sqrt(2 * (w.x + 1));
    c.root = reflection(std::sqrt(square), v);
    c.root_inverse = reflection(1 / std::sqrt(square), {v.x, -v.y, -v.z});
    c.lambda = c.root * c.x;
    linear.by_r[i] = reflection(square, w) * Mat3::diagonal(c.to_x);
    linear.by_u[i] = Mat3::diagonal(c.to_y);
    if (problem.contacts[i].mu == 0) linear.by_r[i] = Mat3::diagonal({linear.by_r[i](0, 0), 1, 1});
  }
  return largest;
}

void CoulombInterior::aim(CoulombLinear& linear, Real target, bool corrected) {
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& c = cones_[i];
    linear.f[i] = {};
    if (!c.active) continue;
    Vec3 change = Vec3{target, 0, 0} - jordan_product(c.lambda, c.lambda);
    if (corrected) change -= jordan_product(c.root_inverse * c.dy, c.root * c.dx);
    c.right = c.root * jordan_quotient(change, c.lambda);
    linear.f[i] = c.gap - c.right;
  }
}

Real CoulombInterior::take_directions(const CoulombLinear& linear) {
  Real farthest = std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < cones_.size(); ++i) {
    Cone& c = cones_[i];
    if (!c.active) continue;
    c.dx = times(c.to_x, linear.step[i]);
    c.dy = c.right - c.root * (c.root * c.dx);
    farthest = std::min({farthest, distance_to_boundary(c.x, c.dx), distance_to_boundary(c.y, c.dy)});
  }
  return farthest;
}

Real CoulombInterior::mean_product() const {
  Real sum = 0;
  std::size_t active = 0;
  for (const Cone& c : cones_) {
    sum += dot(c.x, c.y);
    active += c.active ? 1 : 0;
  }
  return active > 0 ? sum / static_cast<Real>(active) : 0;
}

void CoulombInterior::run(ScaledCoulomb& problem, CoulombLinear& linear, std::span<const Real> shift, Real reach) {
  constexpr int kMost = 60;
  constexpr Real kEnd = 1e-8;       // √product relative to the speed of the problem
  constexpr Real kBack = 0.95;      // of the way to the boundary
  constexpr Real kEpsilon = 1e-12;  // against singular matrices at the end
  constexpr Real kLeastAim = 1e-3, kAimFarOut = 0.5, kFarOut = 10;
  if (!(problem.speed > 0)) return;
  start(problem, std::max(reach, problem.speed));
  for (int i = 0; i < kMost; ++i) {
    set_point(problem);
    const Real product = mean_product();
    if (!(product > kEnd * kEnd * problem.speed * problem.speed)) return;
    const Real gap = linearize(problem, linear, shift);
    aim(linear, 0, false);
    if (!linear.solve(problem, kEpsilon)) return;
    ++steps_;
    const Real left = 1 - std::min(1.0, take_directions(linear));
    Real centring = std::max(left * left * left, kLeastAim);
    // Products must not vanish before the equations hold.
    if (gap > kFarOut * std::sqrt(product)) centring = std::max(centring, kAimFarOut);
    aim(linear, centring * product, true);
    linear.solve_again(problem);
    const Real step = std::min(1.0, kBack * take_directions(linear));
    for (Cone& c : cones_) {
      c.x += step * c.dx;
      c.y += step * c.dy;
    }
  }
}

}  // namespace carom
