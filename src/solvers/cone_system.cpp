#include "solvers/cone_system.h"

#include <algorithm>
#include <cmath>

#include "carom/contact/measures.h"
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

}  // namespace

void ConeSystem::build(const ContactProblem& problem) {
  ScaledBodies scaled;
  scaled.pack(problem);
  number_.assign(problem.bodies.size(), -1);
  body.clear();
  free_velocities.clear();
  scales.clear();
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!takes_impulse(problem.bodies[i].role)) continue;
    number_[i] = static_cast<std::int32_t>(body.size());
    body.push_back(static_cast<std::int32_t>(i));
    const ScaledVelocity& v = scaled.velocities[i];
    free_velocities.push_back({v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z});
    scales.push_back({scaled.root_mass[i], scaled.root_inertia[i]});
  }
  reference_velocity = carom::reference_velocity(problem);

  contacts.clear();
  contacts.reserve(problem.contacts.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    if (number_[a] < 0 && number_[b] < 0) continue;
    ConeContact& cone = contacts.emplace_back();
    cone.a = number_[a];
    cone.b = number_[b];
    cone.source = static_cast<std::int32_t>(i);
    cone.mu = c.mu;
    cone.bias = bias_of(problem, c);
    cone.axes = {c.normal, c.tangent, c.second_tangent()};
    cone.arm_a = c.ra;
    cone.arm_b = c.rb;
    for (std::size_t k = 0; k < 3; ++k) {
      cone.rows_a[k] =
          scaled_row(-scaled.root_mass[a], scaled.root_inertia[a], cone.axes[k], -cross(c.ra, cone.axes[k]));
      cone.rows_b[k] = scaled_row(scaled.root_mass[b], scaled.root_inertia[b], cone.axes[k], cross(c.rb, cone.axes[k]));
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l <= k; ++l)
        cone.w(static_cast<int>(k), static_cast<int>(l)) = cone.w(static_cast<int>(l), static_cast<int>(k)) =
            dot6(cone.rows_a[k], cone.rows_a[l]) + dot6(cone.rows_b[k], cone.rows_b[l]);
    cone.rho = 3 / cone.w.trace();
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
  solution.impulses.assign(problem.contacts.size(), {});
  solution.row_impulses.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const auto source = static_cast<std::size_t>(contacts[i].source);
    solution.impulses[source] = from_frame(problem.contacts[source], impulses[i]);
  }
  recompute_velocities(problem, solution);
}

Real coulomb_residual(const ConeContact& contact, const Vec3& impulse, const Vec3& velocity) {
  const Real slip = std::sqrt(velocity.y * velocity.y + velocity.z * velocity.z);
  return convex_residual(contact, impulse, {velocity.x + contact.mu * slip, velocity.y, velocity.z});
}

Real convex_residual(const ConeContact& contact, const Vec3& impulse, const Vec3& velocity) {
  return norm(impulse - project_on_cone(impulse - contact.rho * velocity, contact.mu)) / contact.rho;
}

}  // namespace carom
