#include "dynamics/resting_solver.h"

#include <cmath>
#include <utility>
#include <vector>

#include "dynamics/snapshot.h"

namespace carom {
namespace {

/// Changes a body of the solver's world to one that takes part, or to one that does not. True if it was the other.
bool take_part(const Body& outside, bool takes_part, Body& inside) {
  const bool changed = inside.frozen == takes_part;
  inside.frozen = !takes_part;
  inside.category = takes_part ? outside.category : 0;
  inside.mask = takes_part ? outside.mask : 0;
  return changed;
}

}  // namespace

void RestingSolver::take_bodies(const WorldState& world, std::span<const char> member) {
  bool changed = false;
  if (world.still_bodies_changed || inner_.bodies.size() != world.bodies.size()) {
    // Bodies have come, gone or been changed: everything anew.
    for (const std::int32_t body : world.removed) inner_.removed.push_back(body);
    for (const std::int32_t body : world.edited) inner_.edited.push_back(body);
    inner_.bodies = world.bodies;
    inner_.order = world.order;
    inner_.materials = world.materials;
    inner_.gravity = world.gravity;
    inner_.smallest_size = world.smallest_size;
    for (Body& body : inner_.bodies) body.frozen = false;
    changed = true;
  }
  inner_.field = world.field;
  inner_.field_used = world.field_used;
  inner_.time = world.time;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& outside = world.bodies[i];
    if (!outside.alive || outside.type == BodyType::Fixed) continue;
    Body& inside = inner_.bodies[i];
    if (outside.type == BodyType::Dynamic) changed = take_part(outside, member[i] != 0, inside) || changed;
    inside.position = outside.position;
    inside.orientation = outside.orientation;
    inside.velocity = outside.velocity;
    inside.angular_velocity = outside.angular_velocity;
    inside.force = outside.force;
    inside.torque = outside.torque;
    inside.refresh();
    if (inside.frozen) inside.velocity = inside.angular_velocity = {};
  }
  if (changed) inner_.membership_changed = inner_.still_bodies_changed = true;
  inner_.find_awake();
}

bool RestingSolver::advance(const WorldState& world, std::span<const char> member, Real dt, ThreadPool* threads) {
  take_bodies(world, member);
  report_ = stepper_->advance(inner_, dt, threads);
  for (const std::int32_t body : inner_.awake) {
    const Body& b = inner_.at(body);
    const Real sum = dot(b.position, b.position) + dot(b.velocity, b.velocity) +
                     dot(b.angular_velocity, b.angular_velocity) + b.orientation.w;
    report_.finite = report_.finite && std::isfinite(sum);
  }
  if (!report_.finite) stepper_->forget();
  return report_.finite;
}

void RestingSolver::save(ByteWriter& out) const {
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < inner_.bodies.size(); ++i)
    if (inner_.bodies[i].is_active()) members.push_back(static_cast<std::int32_t>(i));
  out.put(static_cast<std::uint8_t>(!inner_.bodies.empty()));
  put(out, members);
  stepper_->save(out);
}

bool RestingSolver::restore(ByteReader& in, const WorldState& world) {
  const bool used = in.get<std::uint8_t>() != 0;
  const std::vector<std::int32_t> members = get_bodies(in, world.bodies.size());
  if (!in.ok()) return false;
  WorldState inner;
  if (used) {
    std::vector<char> member(world.bodies.size(), 0);
    for (const std::int32_t body : members) member[static_cast<std::size_t>(body)] = 1;
    std::swap(inner, inner_);
    take_bodies(world, member);
    std::swap(inner, inner_);
  }
  if (!stepper_->restore(in, used ? inner : world)) return false;
  inner_ = std::move(inner);
  inner_.membership_changed = inner_.still_bodies_changed = true;
  return true;
}

}  // namespace carom
