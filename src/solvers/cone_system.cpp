#include "solvers/cone_system.h"

#include <algorithm>
#include <cmath>

#include "carom/contact/measures.h"
#include "contact/freezing.h"
#include "contact/rows.h"
#include "math/cone.h"
#include "math/symmetric.h"
#include "solvers/scaled.h"

namespace carom {
namespace {

Vec6 scaled_row(Real root_mass, const Mat3& root_inertia, const Vec3& linear, const Vec3& angular) {
  const Vec3 l = root_mass * linear, a = transposed_times(root_inertia, angular);
  return {l.x, l.y, l.z, a.x, a.y, a.z};
}

Real dot6(const Vec6& a, const Vec6& b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

void add_rows(const Rows36& rows, const Vec3& impulse, Vec6& velocity) {
  for (std::size_t k = 0; k < 6; ++k)
    velocity[k] += rows[0][k] * impulse.x + rows[1][k] * impulse.y + rows[2][k] * impulse.z;
}

Vec3 times(const Rows36& rows, const Vec6& velocity) {
  return {dot6(rows[0], velocity), dot6(rows[1], velocity), dot6(rows[2], velocity)};
}

/// Contacts among bodies that take no impulses are inactive, those of frozen bodies included.
bool is_active(const ContactProblem& problem, const ContactPoint& c) {
  return takes_impulse(problem.bodies[static_cast<std::size_t>(c.a)].role) ||
         takes_impulse(problem.bodies[static_cast<std::size_t>(c.b)].role);
}

}  // namespace

void ConeSystem::build(const ContactProblem& problem, FrozenBodies frozen) {
  number_bodies(problem, frozen);
  reference_velocity = carom::reference_velocity(problem);
  contacts.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    if (!is_active(problem, c)) continue;
    const std::int32_t a = number_[static_cast<std::size_t>(c.a)], b = number_[static_cast<std::size_t>(c.b)];
    ConeContact& cone = contacts.emplace_back();
    cone.a = a;
    cone.b = b;
    cone.source = static_cast<std::int32_t>(i);
    cone.mu = c.mu;
    cone.bias = bias_of(problem, c, a >= 0, b >= 0);
    cone.axes = {c.normal, c.tangent, c.second_tangent()};
    cone.arm_a = c.ra;
    cone.arm_b = c.rb;
    for (std::size_t k = 0; k < 3; ++k) {
      if (a >= 0) {
        const BodyScale& scale = scales[static_cast<std::size_t>(a)];
        cone.rows_a[k] = scaled_row(-scale.linear, scale.angular, cone.axes[k], -cross(c.ra, cone.axes[k]));
      }
      if (b >= 0) {
        const BodyScale& scale = scales[static_cast<std::size_t>(b)];
        cone.rows_b[k] = scaled_row(scale.linear, scale.angular, cone.axes[k], cross(c.rb, cone.axes[k]));
      }
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l <= k; ++l)
        cone.w(static_cast<int>(k), static_cast<int>(l)) = cone.w(static_cast<int>(l), static_cast<int>(k)) =
            dot6(cone.rows_a[k], cone.rows_a[l]) + dot6(cone.rows_b[k], cone.rows_b[l]);
    cone.rho = 3 / cone.w.trace();
  }
}

/// Only bodies that a contact acts on get a number: a large world at rest has few of them.
void ConeSystem::number_bodies(const ContactProblem& problem, FrozenBodies frozen) {
  constexpr std::int32_t kTouched = -2;
  number_.assign(problem.bodies.size(), -1);
  for (const ContactPoint& c : problem.contacts) {
    if (!is_active(problem, c)) continue;
    for (const std::int32_t end : {c.a, c.b}) {
      const auto i = static_cast<std::size_t>(end);
      const BodyRole role = problem.bodies[i].role;
      if (takes_impulse(role) || (role == BodyRole::Frozen && frozen == FrozenBodies::HaveMass)) number_[i] = kTouched;
    }
  }
  body.clear();
  free_velocities.clear();
  scales.clear();
  for (std::size_t i = 0; i < number_.size(); ++i) {
    if (number_[i] != kTouched) continue;
    number_[i] = static_cast<std::int32_t>(body.size());
    body.push_back(static_cast<std::int32_t>(i));
    const BodyScale scale = scale_of(problem.bodies[i]);
    const ScaledVelocity v = scaled_velocity(problem.bodies[i], scale);
    free_velocities.push_back({v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z});
    scales.push_back(scale);
  }
}

Vec3 ConeSystem::velocity(const ConeContact& contact, std::span<const Vec6> velocities) {
  Vec3 u = contact.bias;
  if (contact.a >= 0) u += times(contact.rows_a, velocities[static_cast<std::size_t>(contact.a)]);
  if (contact.b >= 0) u += times(contact.rows_b, velocities[static_cast<std::size_t>(contact.b)]);
  return u;
}

void ConeSystem::add_impulse(const ConeContact& contact, const Vec3& impulse, std::span<Vec6> velocities) {
  if (contact.a >= 0) add_rows(contact.rows_a, impulse, velocities[static_cast<std::size_t>(contact.a)]);
  if (contact.b >= 0) add_rows(contact.rows_b, impulse, velocities[static_cast<std::size_t>(contact.b)]);
}

void ConeSystem::velocities_after(std::span<const Vec3> impulses, std::vector<Vec6>& velocities) const {
  velocities.assign(free_velocities.begin(), free_velocities.end());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (impulses[i] != Vec3{}) add_impulse(contacts[i], impulses[i], velocities);
}

void ConeSystem::take_warm(const ContactProblem& problem, std::span<const Vec3> warm_impulses,
                           std::vector<Vec3>& impulses) const {
  impulses.assign(contacts.size(), {});
  if (warm_impulses.empty()) return;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const auto source = static_cast<std::size_t>(contacts[i].source);
    impulses[i] = to_frame(problem.contacts[source], warm_impulses[source]);
  }
}

void ConeSystem::unpack(const ContactProblem& problem, std::span<const Vec3> impulses,
                        ContactSolution& solution) const {
  std::vector<Vec3>&linear = solution.velocities, &angular = solution.angular_velocities;
  linear.resize(problem.bodies.size());
  angular.resize(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    linear[i] = problem.bodies[i].velocity;
    angular[i] = problem.bodies[i].angular_velocity;
  }
  solution.impulses.assign(problem.contacts.size(), {});
  solution.row_impulses.clear();
  solution.revived.clear();
  // Sums of impulses and of their moments first, in the place of the answer; then one product with the inertia a body.
  for (const std::int32_t i : body) linear[static_cast<std::size_t>(i)] = angular[static_cast<std::size_t>(i)] = {};
  const auto add = [&](std::int32_t number, const Vec3& impulse, const Vec3& arm) {
    if (number < 0) return;
    const auto i = static_cast<std::size_t>(body[static_cast<std::size_t>(number)]);
    linear[i] += impulse;
    angular[i] += cross(arm, impulse);
  };
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (impulses[i] == Vec3{}) continue;
    const ConeContact& c = contacts[i];
    const auto source = static_cast<std::size_t>(c.source);
    const Vec3 j = solution.impulses[source] = from_frame(problem.contacts[source], impulses[i]);
    add(c.a, -j, c.arm_a);
    add(c.b, j, c.arm_b);
  }
  for (const std::int32_t number : body) {
    const auto i = static_cast<std::size_t>(number);
    const ProblemBody& moved = problem.bodies[i];
    linear[i] = moved.velocity + moved.inverse_mass * linear[i];
    angular[i] = moved.angular_velocity + moved.inverse_inertia * angular[i];
    if (moved.role == BodyRole::Frozen && is_faster_than_a_fall(problem, moved, linear[i], angular[i]))
      solution.revived.push_back(number);
  }
}

Real coulomb_residual(const ConeContact& contact, const Vec3& impulse, const Vec3& velocity) {
  const Real slip = std::sqrt(velocity.y * velocity.y + velocity.z * velocity.z);
  return convex_residual(contact, impulse, {velocity.x + contact.mu * slip, velocity.y, velocity.z});
}

Real convex_residual(const ConeContact& contact, const Vec3& impulse, const Vec3& velocity) {
  return norm(impulse - project_on_cone(impulse - contact.rho * velocity, contact.mu)) / contact.rho;
}

}  // namespace carom
