#include "dynamics/ledger.h"

#include <algorithm>
#include <cmath>

namespace carom {

void Ledger::add_forces(const WorldState& world, const Forces& forces) {
  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    if (body.is_active())
      given_momentum_ += forces.gained().linear[static_cast<std::size_t>(index)] / body.inverse_mass;
  }
}

void Ledger::add_work(const WorldState& world, const Forces& forces, const Velocities& rates, Real dt) {
  const Velocities& damped = forces.damped();
  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    const AppliedForce& on = forces.on(index);
    work_ += dt * (dot(on.force, rates.linear[i]) + dot(on.torque, rates.angular[i]));
    if (damped.linear.empty()) continue;
    damping_work_ += dot(damped.linear[i], rates.linear[i]) / body.inverse_mass;
    damping_work_ += dot(body.inertia() * damped.angular[i], rates.angular[i]);
  }
}

void Ledger::add_change(const WorldState& world, const Velocities& change) {
  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    const Vec3 &linear = change.linear[i], &angular = change.angular[i];
    given_momentum_ += linear / body.inverse_mass;
    work_ += dot(linear, body.velocity + 0.5 * linear) / body.inverse_mass;
    work_ += dot(body.inertia() * angular, body.angular_velocity + 0.5 * angular);
  }
}

void Ledger::add_contact(const WorldState& world, const ContactPoint& c, const Vec3& impulse_on_b) {
  const Body &a = world.bodies[static_cast<std::size_t>(c.a)], &b = world.bodies[static_cast<std::size_t>(c.b)];
  if (a.is_active() == b.is_active()) return;
  const Vec3 given = b.is_active() ? impulse_on_b : -impulse_on_b;
  const Body& other = b.is_active() ? a : b;
  given_momentum_ += given;
  if (other.type == BodyType::Kinematic)
    work_ += dot(given, other.velocity + cross(other.angular_velocity, b.is_active() ? c.ra : c.rb));
}

void Ledger::count_after(const WorldState& world, const Body& body) {
  if (!body.is_active()) return;
  momentum_ += body.velocity / body.inverse_mass;
  kinetic_energy_ += kinetic_energy(body);
  potential_energy_ -= dot(world.gravity, body.position) / body.inverse_mass;
  mass_ += 1 / body.inverse_mass;
  fastest_ = std::max(fastest_, squared_norm(body.velocity));
}

void Ledger::close(const WorldState& world, Real dt, StepReport& report) const {
  report.external_work = work_;
  report.damping_work = damping_work_;
  report.momentum = momentum_;
  report.kinetic_energy = kinetic_energy_;
  report.potential_energy = world.frozen_potential_energy + potential_energy_;
  const Real scale = mass_ * std::max(norm(world.gravity) * dt, 1e-3 * std::sqrt(fastest_));
  const Real error = norm(report.momentum - momentum_before_ - given_momentum_);
  report.momentum_error = scale > 0 ? error / scale : error;
}

}  // namespace carom
