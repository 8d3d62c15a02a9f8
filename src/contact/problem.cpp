#include "carom/contact/problem.h"

#include <cmath>

#include "math/symmetric.h"

namespace carom {
namespace {

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

std::string check_body(const ProblemBody& body) {
  if (!finite(body.velocity)) return "velocity: must be finite";
  if (!finite(body.angular_velocity)) return "angular_velocity: must be finite";
  if (body.role == BodyRole::Fixed || body.role == BodyRole::Kinematic) return {};
  if (!std::isfinite(body.inverse_mass) || body.inverse_mass <= 0) return "mass: must be positive and finite";
  const Mat3& inertia = body.inverse_inertia;
  Real asymmetry = 0;
  for (int i = 0; i < 3; ++i) {
    if (!finite(inertia.row(i))) return "inertia: must be finite";
    for (int j = 0; j < i; ++j) asymmetry = std::max(asymmetry, std::abs(inertia(i, j) - inertia(j, i)));
  }
  if (asymmetry > 1e-9 * inertia.trace()) return "inertia: must be symmetric";
  if (principal_moments(inertia).x <= 0) return "inertia: must be positive definite";
  return {};
}

std::string check_pair(std::int32_t a, std::int32_t b, std::size_t bodies) {
  const auto in_range = [bodies](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < bodies; };
  if (!in_range(a)) return "a: no such body";
  if (!in_range(b)) return "b: no such body";
  if (a == b) return "b: a body cannot touch itself";
  return {};
}

constexpr Real kUnit = 1e-9;  // how far from 1 a unit vector's length may be

std::string check_contact(const ContactPoint& c, std::size_t bodies) {
  if (std::string wrong = check_pair(c.a, c.b, bodies); !wrong.empty()) return wrong;
  if (!finite(c.normal) || std::abs(norm(c.normal) - 1) > kUnit) return "normal: must have unit length";
  if (!finite(c.tangent) || std::abs(norm(c.tangent) - 1) > kUnit) return "tangent: must have unit length";
  if (std::abs(dot(c.normal, c.tangent)) > kUnit) return "tangent: must be orthogonal to the normal";
  if (!finite(c.ra) || !finite(c.rb)) return "ra, rb: must be finite";
  if (!std::isfinite(c.mu) || c.mu < 0) return "friction: must not be negative";
  if (!std::isfinite(c.mu_static) || c.mu_static < c.mu) return "static_friction: must be at least friction";
  if (!(c.restitution >= 0 && c.restitution <= 1)) return "restitution: must be from 0 to 1";
  if (!std::isfinite(c.target) || !std::isfinite(c.tangent_target[0]) || !std::isfinite(c.tangent_target[1]))
    return "target: must be finite";
  if (!std::isfinite(c.rolling_friction) || c.rolling_friction < 0) return "rolling_friction: must not be negative";
  if (!std::isfinite(c.spinning_friction) || c.spinning_friction < 0) return "spinning_friction: must not be negative";
  return {};
}

std::string check_rows(const RowBlock& block, std::size_t bodies) {
  if (std::string wrong = check_pair(block.a, block.b, bodies); !wrong.empty()) return wrong;
  if (block.rows < 1 || block.rows > 6) return "rows: must be from 1 to 6";
  for (std::size_t k = 0; k < static_cast<std::size_t>(block.rows); ++k) {
    for (const auto* half : {&block.jacobian_a[k], &block.jacobian_b[k]})
      if (!finite(half->linear) || !finite(half->angular)) return "jacobian: must be finite";
    if (!std::isfinite(block.target[k])) return "target: must be finite";
    if (!(block.lower[k] <= block.upper[k])) return "lower: must be at most upper";
  }
  return {};
}

template <class T, class Check>
std::string check_all(const std::vector<T>& items, const char* name, Check&& check_one) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string wrong = check_one(items[i]);
    if (!wrong.empty()) return std::string(name) + "[" + std::to_string(i) + "]." + wrong;
  }
  return {};
}

}  // namespace

std::size_t ContactProblem::row_count() const {
  std::size_t rows = 3 * contacts.size();
  for (const RowBlock& block : row_blocks) rows += static_cast<std::size_t>(block.rows);
  return rows;
}

void ContactProblem::clear() {
  bodies.clear();
  contacts.clear();
  row_blocks.clear();
}

std::string check(const ContactProblem& problem) {
  const std::size_t bodies = problem.bodies.size();
  if (!std::isfinite(problem.dt) || problem.dt < 0) return "dt: must not be negative and must be finite";
  if (!std::isfinite(problem.gravity) || problem.gravity < 0) return "gravity: must not be negative and must be finite";
  if (problem.down != Vec3{} && !(std::abs(norm(problem.down) - 1) <= kUnit))
    return "down: must have unit length, or be zero";
  std::string wrong = check_all(problem.bodies, "bodies", check_body);
  if (wrong.empty())
    wrong = check_all(problem.contacts, "contacts", [&](const auto& c) { return check_contact(c, bodies); });
  if (wrong.empty())
    wrong = check_all(problem.row_blocks, "rows", [&](const auto& r) { return check_rows(r, bodies); });
  return wrong;
}

Vec3 default_tangent(const Vec3& n) {
  // Away from the axis that the normal is most along; on a floor (normal ±z) this is the x axis.
  const Vec3 other = std::abs(n.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return normalized(other - dot(other, n) * n);
}

}  // namespace carom
