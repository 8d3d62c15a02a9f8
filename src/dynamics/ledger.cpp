#include "dynamics/ledger.h"

#include <algorithm>
#include <cmath>

namespace carom {

void Ledger::add_forces(const WorldState& world, const Velocities& rates, Real dt) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    if (!body.is_dynamic()) continue;
    given_momentum_ += dt * (world.gravity / body.inverse_mass + body.force);
    work_ += dt * (dot(body.force, rates.linear[i]) + dot(body.torque, rates.angular[i]));
  }
}

void Ledger::add_contact(const WorldState& world, const ContactPoint& c, const Vec3& impulse_on_b) {
  const Body &a = world.bodies[static_cast<std::size_t>(c.a)], &b = world.bodies[static_cast<std::size_t>(c.b)];
  if (a.is_dynamic() == b.is_dynamic()) return;
  const Vec3 given = b.is_dynamic() ? impulse_on_b : -impulse_on_b;
  const Body& other = b.is_dynamic() ? a : b;
  given_momentum_ += given;
  if (other.type == BodyType::Kinematic)
    work_ += dot(given, other.velocity + cross(other.angular_velocity, b.is_dynamic() ? c.ra : c.rb));
}

void Ledger::finish(const WorldState& world, Real dt, StepReport& report) const {
  report.kinetic_energy = kinetic_energy(world);
  report.potential_energy = potential_energy(world);
  report.external_work = work_;
  report.momentum = momentum(world);
  Real mass = 0, fastest = 0;
  for (const Body& body : world.bodies) {
    if (!body.is_dynamic()) continue;
    mass += 1 / body.inverse_mass;
    fastest = std::max(fastest, squared_norm(body.velocity));
  }
  const Real scale = mass * std::max(norm(world.gravity) * dt, 1e-3 * std::sqrt(fastest));
  const Real error = norm(report.momentum - momentum_before_ - given_momentum_);
  report.momentum_error = scale > 0 ? error / scale : error;
}

}  // namespace carom
