#include "dynamics/state.h"

#include <algorithm>
#include <atomic>

#include "base/state_hash.h"
#include "math/symmetric.h"

namespace carom {

void Body::refresh() {
  rotation = to_matrix(orientation);
  if (type == BodyType::Dynamic) inverse_inertia = rotated(rotation, inverse_inertia_local);
}

Mat3 Body::inertia() const { return rotated(rotation, inertia_local); }

std::int32_t MaterialTable::add(const Material& material) {
  materials_.push_back(material);
  return size() - 1;
}

void MaterialTable::set_pair(std::int32_t a, std::int32_t b, const Material& material) {
  ++changes_;
  const auto [low, high] = std::minmax(a, b);
  for (PairEntry& entry : pairs_) {
    if (entry.a == low && entry.b == high) {
      entry.material = material;
      return;
    }
  }
  pairs_.push_back({low, high, material});
}

Material MaterialTable::pair(std::int32_t a, std::int32_t b) const {
  const auto [low, high] = std::minmax(a, b);
  for (const PairEntry& entry : pairs_)
    if (entry.a == low && entry.b == high) return entry.material;
  return combine(materials_[static_cast<std::size_t>(a)], materials_[static_cast<std::size_t>(b)]);
}

Real kinetic_energy(const Body& body, const Vec3& velocity, const Vec3& angular_velocity) {
  const Vec3 w = transposed_times(body.rotation, angular_velocity);
  return 0.5 * (squared_norm(velocity) / body.inverse_mass + dot(w, body.inertia_local * w));
}

Real kinetic_energy(const Body& body) { return kinetic_energy(body, body.velocity, body.angular_velocity); }

Real kinetic_energy(const WorldState& world) {
  Real energy = 0;
  for (const Body& body : world.bodies)
    if (body.is_dynamic()) energy += kinetic_energy(body);
  return energy;
}

Real potential_energy(const WorldState& world) {
  Real energy = 0;
  for (const Body& body : world.bodies)
    if (body.is_dynamic()) energy -= dot(world.gravity, body.position) / body.inverse_mass;
  return energy;
}

Vec3 momentum(const WorldState& world) {
  Vec3 sum;
  for (const Body& body : world.bodies)
    if (body.is_dynamic()) sum += body.velocity / body.inverse_mass;
  return sum;
}

namespace {

std::uint64_t hash_of(std::size_t slot, const Body& body) {
  StateHash hash;
  hash.add(static_cast<std::uint64_t>(slot));
  for (const Vec3& v : {body.position, body.velocity, body.angular_velocity}) {
    hash.add(v.x);
    hash.add(v.y);
    hash.add(v.z);
  }
  const Quat& q = body.orientation;
  for (const Real x : {q.w, q.x, q.y, q.z}) hash.add(x);
  hash.add(std::uint64_t{body.frozen});
  return hash.value();
}

/// No two worlds share one: what was kept of a world is not taken for its copy's.
std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

void WorldState::find_awake() {
  if (!membership_changed) return;
  membership_changed = false;
  still_version = next_version();
  awake.clear();
  frozen_count = 0;
  frozen_potential_energy = 0;
  still_hash = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Body& body = bodies[i];
    if (!body.alive) continue;
    if (body.frozen) {
      ++frozen_count;
      frozen_potential_energy -= dot(gravity, body.position) / body.inverse_mass;
    }
    if (body.frozen || body.type == BodyType::Fixed)
      still_hash += hash_of(i, body);
    else
      awake.push_back(static_cast<std::int32_t>(i));
  }
}

std::uint64_t state_hash(WorldState& world) {
  // A sum over bodies, so that those that do not move need not be looked at.
  world.find_awake();
  StateHash hash;
  hash.add(world.time);
  std::uint64_t sum = world.still_hash;
  for (const std::int32_t body : world.awake) sum += hash_of(static_cast<std::size_t>(body), world.at(body));
  hash.add(sum);
  return hash.value();
}

const char* event_kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::Impact:
      return "impact";
    case EventKind::Micro:
      return "micro";
    case EventKind::Reversed:
      break;
  }
  return "reversed";
}

}  // namespace carom
