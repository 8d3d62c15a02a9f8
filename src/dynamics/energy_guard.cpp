#include "dynamics/energy_guard.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carom {
namespace {

Real potential_of(const WorldState& world, const Body& body) {
  return -dot(world.gravity, body.position) / body.inverse_mass;
}

Real work_of_forces(const StepContext& step, std::int32_t index) {
  const auto i = static_cast<std::size_t>(index);
  const AppliedForce& on = step.forces.on(index);
  return step.dt * (dot(on.force, step.rates.linear[i]) + dot(on.torque, step.rates.angular[i]));
}

}  // namespace

Real potential_rise(const StepContext& step, std::int32_t index, const Velocities& rates) {
  const Body& body = step.world->at(index);
  const auto i = static_cast<std::size_t>(index);
  const AppliedForce& on = step.forces.on(index);
  const Vec3 force = step.world->gravity / body.inverse_mass + on.force;
  return -step.dt * (dot(force, rates.linear[i]) + dot(on.torque, rates.angular[i]));
}

void EnergyGuard::note(const StepContext& step) {
  energy_.resize(step.world->bodies.size());
  kinetic_.resize(step.world->bodies.size());
  for (const std::int32_t index : step.awake()) {
    const Body& body = step.world->at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    kinetic_[i] = kinetic_energy(body);
    energy_[i] = kinetic_[i] + potential_of(*step.world, body);
  }
}

void EnergyGuard::assess(StepContext& step) const {
  constexpr char kFree = 0, kHeld = 1, kShared = 2;
  step.kinetic_loss.assign(step.world->bodies.size(), 0);
  step.held_alone.assign(step.world->bodies.size(), kFree);
  for (const std::int32_t index : step.awake()) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = step.world->at(index);
    if (body.is_active()) step.kinetic_loss[i] = kinetic_[i] - kinetic_energy(body);
  }
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    if (step.impulses[i] == Vec3{}) continue;
    const ContactPoint& c = step.contacts[i].point;
    for (const auto& [body, other] : {std::pair{c.a, c.b}, std::pair{c.b, c.a}}) {
      const Body& o = step.world->at(other);
      char& state = step.held_alone[static_cast<std::size_t>(body)];
      // What a kinematic body does may add energy, and what another body gives was that body's.
      const bool stays = o.type == BodyType::Fixed || o.frozen;
      state = stays && state != kShared ? kHeld : kShared;
    }
  }
  for (char& state : step.held_alone) state = state == kHeld ? 1 : 0;
}

/// Bodies that act on each other in this step; what they gain together is not another's loss.
void EnergyGuard::find_groups(const StepContext& step) {
  const std::size_t bodies = step.world->bodies.size();
  groups_.reset(step.awake(), bodies);
  hold_.assign(bodies, Hold::None);
  rise_.assign(bodies, 0);
  group_kinetic_.assign(bodies, 0);
  const auto each = [&](auto&& visit) {
    for (std::size_t i = 0; i < step.contacts.size(); ++i)
      if (step.impulses[i] != Vec3{}) visit(step.contacts[i].point);
  };
  each([&](const ContactPoint& c) {
    if (step.world->at(c.a).is_active() && step.world->at(c.b).is_active()) groups_.join(c.a, c.b);
  });
  each([&](const ContactPoint& c) {
    for (const auto& [body, other] : {std::pair{c.a, c.b}, std::pair{c.b, c.a}}) {
      const Body& o = step.world->at(other);
      if (!step.world->at(body).is_active() || o.is_active()) continue;
      Hold& hold = hold_[static_cast<std::size_t>(groups_.of(body))];
      hold = o.type == BodyType::Kinematic ? Hold::Driven : std::max(hold, Hold::Still);
    }
  });
}

Vec3 EnergyGuard::take_back(StepContext& step) {
  find_groups(step);
  const auto each = [&](auto&& visit) {
    for (const std::int32_t index : step.awake()) {
      Body& body = step.world->at(index);
      if (!body.is_active()) continue;
      const auto group = static_cast<std::size_t>(groups_.of(index));
      if (hold_[group] == Hold::Still) visit(body, static_cast<std::size_t>(index), group);
    }
  };
  each([&](const Body& body, std::size_t i, std::size_t group) {
    const Real kinetic = kinetic_energy(body);
    group_kinetic_[group] += kinetic;
    rise_[group] +=
        kinetic + potential_of(*step.world, body) - energy_[i] - work_of_forces(step, static_cast<std::int32_t>(i));
  });
  Vec3 given;
  each([&](Body& body, std::size_t, std::size_t group) {
    if (rise_[group] <= 0 || group_kinetic_[group] <= 0) return;
    const Real share = std::sqrt(std::max(1 - rise_[group] / group_kinetic_[group], 0.0));
    given += (share - 1) / body.inverse_mass * body.velocity;
    body.velocity = share * body.velocity;
    body.angular_velocity = share * body.angular_velocity;
  });
  return given;
}

}  // namespace carom
