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

/// N: gravity and the other forces.
Vec3 force_on(const StepContext& step, std::int32_t index) {
  return step.world->gravity / step.world->at(index).inverse_mass + step.forces.on(index).force;
}

/// kg m², about the origin.
Mat3 point_inertia(Real mass, const Vec3& at) {
  return mass * Mat3::columns(squared_norm(at) * Vec3{1, 0, 0} - at.x * at,
                              squared_norm(at) * Vec3{0, 1, 0} - at.y * at,
                              squared_norm(at) * Vec3{0, 0, 1} - at.z * at);
}

/// The largest share s up to 1 at which excess − slope s + curvature s² is not positive; where there is none, the one
/// where it is least. Requires a curvature that is not negative.
Real affordable_share(Real excess, Real slope, Real curvature) {
  if (excess - slope + curvature <= 0) return 1;
  const Real least = curvature > 0 ? std::clamp(slope / (2 * curvature), 0.0, 1.0) : (slope > 0 ? 1.0 : 0.0);
  if (excess - least * (slope - least * curvature) > 0) return least;
  // Beyond the least value it rises, through zero somewhere before 1.
  if (curvature == 0) return excess / slope;
  return std::clamp((slope + std::sqrt(std::max(slope * slope - 4 * curvature * excess, 0.0))) / (2 * curvature), 0.0,
                    1.0);
}

}  // namespace

Real potential_rise(const StepContext& step, std::int32_t index, const Velocities& rates) {
  const auto i = static_cast<std::size_t>(index);
  return -step.dt * (dot(force_on(step, index), rates.linear[i]) + dot(step.forces.on(index).torque, rates.angular[i]));
}

void EnergyGuard::note(const StepContext& step) {
  energy_.resize(step.world->bodies.size());
  kinetic_.resize(step.world->bodies.size());
  speed_.resize(step.world->bodies.size());
  for (const std::int32_t index : step.awake()) {
    const Body& body = step.world->at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    kinetic_[i] = kinetic_energy(body);
    speed_[i] = body.velocity;
    energy_[i] = kinetic_[i] + potential_of(*step.world, body);
  }
}

void EnergyGuard::assess(StepContext& step) {
  constexpr char kFree = 0, kHeld = 1, kShared = 2;
  goal_.resize(step.world->bodies.size());
  step.kinetic_loss.assign(step.world->bodies.size(), 0);
  step.held_alone.assign(step.world->bodies.size(), kFree);
  for (const std::int32_t index : step.awake()) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = step.world->at(index);
    goal_[i] = body.position + step.dt * (body.velocity - 0.5 * step.forces.gained().linear[i]);
    if (body.is_active()) step.kinetic_loss[i] = kinetic_[i] - kinetic_energy(body);
  }
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    if (step.impulses[i] == Vec3{}) continue;
    const ContactPoint& c = step.contacts[i].point;
    for (const auto& [body, other] : {std::pair{c.a, c.b}, std::pair{c.b, c.a}}) {
      const Body& o = step.world->at(other);
      char& state = step.held_alone[static_cast<std::size_t>(body)];
      // What a kinematic body does may add energy, and what another body gives was that body's.
      state = o.stands_still() && state != kShared ? kHeld : kShared;
    }
  }
  for (char& state : step.held_alone) state = state == kHeld ? 1 : 0;
}

template <typename Step, typename Visit>
void EnergyGuard::each(Step& step, Visit&& visit) {
  for (const std::int32_t index : step.awake())
    if (auto& body = step.world->at(index); body.is_active()) visit(body, index, group(index));
}

void EnergyGuard::find_groups(const StepContext& step) {
  const WorldState& world = *step.world;
  groups_.reset(step.awake(), world.bodies.size());
  by_body_.resize(world.bodies.size());
  for (const std::int32_t index : step.awake()) by_body_[static_cast<std::size_t>(index)] = {};
  const auto each_pair = [&](auto&& visit) {
    for (std::size_t i = 0; i < step.contacts.size(); ++i)
      if (step.impulses[i] != Vec3{}) visit(step.contacts[i].point.a, step.contacts[i].point.b);
    for (const auto& [a, b] : step.kept_apart) visit(a, b);
  };
  each_pair([&](std::int32_t a, std::int32_t b) {
    if (world.at(a).is_active() && world.at(b).is_active()) groups_.join(a, b);
  });
  each_pair([&](std::int32_t a, std::int32_t b) {
    const bool a_moves = world.at(a).is_active(), b_moves = world.at(b).is_active();
    if (!a_moves && !b_moves) return;
    Group& g = group(a_moves ? a : b);
    g.shares = g.shares || (a_moves && b_moves);
    if (a_moves && b_moves) return;
    note_holder(world.at(a_moves ? b : a), a_moves ? b : a, g);
  });
}

void EnergyGuard::note_holder(const Body& holder, std::int32_t index, Group& g) {
  const bool moves = !holder.stands_still();
  const Vec3 drift = moves ? holder.velocity : Vec3{};
  const bool turns = moves && holder.angular_velocity != Vec3{};
  if (g.holder < 0) {
    g.hold = Hold::Steady;
    g.holder = index;
    g.drift = drift;
  }
  if (turns || drift != g.drift) g.hold = Hold::Driven;
}

void EnergyGuard::limit_motion(StepContext& step) {
  constexpr Real kHardly = 1e-9;  // of the envelope: heights below are rounding, and what rests is left alone
  find_groups(step);
  each(step, [&](const Body& body, std::int32_t index, Group& g) {
    const auto i = static_cast<std::size_t>(index);
    g.before += kinetic_[i] + dot(g.drift, 0.5 * g.drift - speed_[i]) / body.inverse_mass;
    g.rise += potential_rise(step, index, step.rates) + step.dt * dot(force_on(step, index), g.drift);
    g.weight += norm(step.world->gravity) / body.inverse_mass;
  });
  // A part of a way without overlaps has none either. (By its velocities alone a body would keep its speed, and a
  // pebble that rocks would turn into the floor with it, a little in every step.)
  const auto leaps = [&](const Group& g) {
    return g.hold == Hold::Steady && g.rise > g.before + g.weight * kHardly * step.envelope;
  };
  each(step, [&](const Body&, std::int32_t index, const Group& g) {
    if (!leaps(g)) return;
    const auto i = static_cast<std::size_t>(index);
    step.rates.linear[i] = g.drift + (g.before / g.rise) * (step.rates.linear[i] - g.drift);
    step.rates.angular[i] = (g.before / g.rise) * step.rates.angular[i];
  });
  stopped_.assign(step.stopped.begin(), step.stopped.end());
  if (std::erase_if(stopped_, [&](const StoppedBody& stopped) { return leaps(group(stopped.body)); }) > 0)
    step.stopped = stopped_;
}

void EnergyGuard::take_back(StepContext& step) {
  taken_.clear();
  sum_rises(step);
  right_flying(step);
  slow_held(step);
}

void EnergyGuard::change(Body& body, std::int32_t index, std::int32_t by, const Vec3& velocity) {
  if (by != index) taken_.push_back({by, index, (velocity - body.velocity) / body.inverse_mass});
  body.velocity = velocity;
}

void EnergyGuard::sum_rises(const StepContext& step) {
  constexpr Real kHardly = 1e-7;  // of the envelope: rounding of positions
  each(step, [](const Body&, std::int32_t, Group& g) { g.kinetic = g.rise = 0; });
  each(step, [&](const Body& body, std::int32_t index, Group& g) {
    const auto i = static_cast<std::size_t>(index);
    const Real kinetic = kinetic_energy(body), mass = 1 / body.inverse_mass;
    g.kinetic += kinetic + mass * dot(g.drift, 0.5 * g.drift - body.velocity);
    g.rise += kinetic + potential_of(*step.world, body) - energy_[i] - work_of_forces(step, index);
    // What those who hold it have done.
    g.rise -= dot(g.drift, mass * (body.velocity - speed_[i]) - step.dt * force_on(step, index));
    const Vec3 off = body.position - goal_[i];
    g.displaced = g.displaced || norm(off) > kHardly * step.envelope;
  });
}

void EnergyGuard::slow_held(StepContext& step) {
  each(step, [&](Body& body, std::int32_t index, const Group& g) {
    if (g.hold != Hold::Steady || g.rise <= 0 || g.kinetic <= 0) return;
    const Real share = std::sqrt(std::max(1 - g.rise / g.kinetic, 0.0));
    change(body, index, g.holder, g.drift + share * (body.velocity - g.drift));
    body.angular_velocity = share * body.angular_velocity;
  });
}

void EnergyGuard::right_flying(StepContext& step) {
  find_together(step);
  if (together_.empty()) return;
  each(step, [&](Body& body, std::int32_t index, const Group& g) {
    if (g.together < 0) return;
    const Together& t = together_[static_cast<std::size_t>(g.together)];
    const bool gains = t.rise > 0 && t.beside > 0;
    const Real share = gains ? std::sqrt(std::max(1 - t.rise / t.beside, 0.0)) : 1;
    const Vec3 arm = body.position - t.center, beside = body.velocity - t.velocity - cross(t.turn, arm);
    // Of all of them together nothing is taken: what the others get comes from the one that stands for the group.
    change(body, index, groups_.of(index), t.velocity + cross(t.kept, arm) + share * beside);
    body.angular_velocity = t.kept + share * (body.angular_velocity - t.turn);
  });
}

void EnergyGuard::find_together(const StepContext& step) {
  together_.clear();
  const auto each_flying = [&](auto&& visit) {
    each(step, [&](const Body& body, std::int32_t index, Group& g) {
      if (g.together < 0) return;
      const Vec3 off = body.position - goal_[static_cast<std::size_t>(index)];
      visit(body, 1 / body.inverse_mass, off, together_[static_cast<std::size_t>(g.together)]);
    });
  };
  each(step, [&](const Body&, std::int32_t, Group& g) {
    if (g.hold != Hold::None || !g.shares || (g.rise <= 0 && !g.displaced) || g.together >= 0) return;
    g.together = static_cast<std::int32_t>(together_.size());
    together_.emplace_back().rise = g.rise;
  });
  if (together_.empty()) return;
  each_flying([](const Body& body, Real mass, const Vec3& off, Together& t) {
    t.mass += mass;
    t.center += mass * body.position;
    t.velocity += mass * body.velocity;
    t.off += mass * off;
  });
  for (Together& t : together_) {
    t.center = t.center / t.mass;
    t.velocity = t.velocity / t.mass;
    t.off = t.off / t.mass;
  }
  each_flying([](const Body& body, Real mass, const Vec3& off, Together& t) {
    const Vec3 arm = body.position - t.center, velocity = body.velocity - t.velocity;
    const Mat3 inertia = body.inertia();
    t.spin += mass * cross(arm, velocity) + inertia * body.angular_velocity;
    t.displaced += mass * cross(off - t.off, velocity);
    t.inertia = t.inertia + inertia + point_inertia(mass, arm);
  });
  for (Together& t : together_) t.turn = inverse(t.inertia) * t.spin;
  each_flying([](const Body& body, Real mass, const Vec3&, Together& t) {
    const Vec3 velocity = body.velocity - t.velocity - cross(t.turn, body.position - t.center);
    const Vec3 turn = body.angular_velocity - t.turn;
    t.beside += 0.5 * (mass * squared_norm(velocity) + dot(turn, body.inertia() * turn));
  });
  for (Together& t : together_) {
    const Vec3 back = inverse(t.inertia) * t.displaced;
    const Real slope = dot(back, t.spin), curvature = 0.5 * dot(back, t.displaced);
    const Real share = affordable_share(t.rise - t.beside, slope, curvature);
    t.kept = t.turn - share * back;
    t.rise += share * (share * curvature - slope);
    // Bodies that were put closer to each other may have no slower turn with their spin: then it is not all kept.
    const Real of_turn = 0.5 * dot(t.kept, t.inertia * t.kept), excess = t.rise - t.beside;
    if (excess > 0 && of_turn > 0) t.kept = std::sqrt(std::max(1 - excess / of_turn, 0.0)) * t.kept;
  }
}

}  // namespace carom
