#include "dynamics/forces.h"

#include <cmath>

namespace carom {
namespace {

bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

}  // namespace

AppliedForce field_force(const WorldState& world, std::int32_t index) {
  if (!world.field) return {};
  const Body& body = world.at(index);
  return world.field({world.handle(index),
                      {body.position, body.orientation, body.velocity, body.angular_velocity},
                      1 / body.inverse_mass,
                      world.time});
}

AppliedForce Forces::total(const WorldState& world, std::int32_t index) {
  const Body& body = world.at(index);
  if (!world.field) return {body.force, body.torque};
  AppliedForce field = field_force(world, index);
  if (!is_finite(field.force) || !is_finite(field.torque)) {
    finite_ = false;
    field = {};
  }
  return {body.force + field.force, body.torque + field.torque};
}

void Forces::find(const WorldState& world, std::span<const std::int32_t> bodies) {
  applied_.resize(world.bodies.size());
  for (const std::int32_t index : bodies)
    applied_[static_cast<std::size_t>(index)] = world.at(index).is_dynamic() ? total(world, index) : AppliedForce{};
}

void Forces::apply(WorldState& world, Real dt) {
  clear_gained(world);
  // All of them first: a field that looks at other bodies sees them as they are.
  find(world, world.awake);
  const Real keeps = 1 / (1 + dt * damping_.linear), keeps_spin = 1 / (1 + dt * damping_.angular);
  for (const std::int32_t index : world.awake) {
    Body& body = world.at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    Vec3& linear = gained_.linear[i];
    Vec3& angular = gained_.angular[i];
    linear = dt * (world.gravity + body.inverse_mass * applied_[i].force);
    angular = dt * (body.inverse_inertia * applied_[i].torque);
    if (damps()) {
      damped_.linear[i] = (keeps - 1) * (body.velocity + linear);
      damped_.angular[i] = (keeps_spin - 1) * (body.angular_velocity + angular);
      linear += damped_.linear[i];
      angular += damped_.angular[i];
    }
    body.velocity += linear;
    body.angular_velocity += angular;
  }
}

void Forces::find_change(const WorldState& world, Real dt, Velocities& change) {
  change.linear.assign(world.bodies.size(), {});
  change.angular.assign(world.bodies.size(), {});
  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    const AppliedForce after = total(world, index);
    change.linear[i] = (0.5 * dt * body.inverse_mass) * (after.force - applied_[i].force);
    change.angular[i] = 0.5 * dt * (body.inverse_inertia * (after.torque - applied_[i].torque));
  }
}

void Forces::clear_gained(const WorldState& world) {
  // Where nothing moves nobody asks.
  if (world.awake.empty()) return;
  const std::size_t n = world.bodies.size();
  gained_.linear.assign(n, {});
  gained_.angular.assign(n, {});
  damped_.linear.assign(damps() ? n : 0, {});
  damped_.angular.assign(damps() ? n : 0, {});
}

}  // namespace carom
