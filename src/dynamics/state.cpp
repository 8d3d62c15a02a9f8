#include "dynamics/state.h"

#include <algorithm>

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

Real kinetic_energy(const WorldState& world) {
  Real energy = 0;
  for (const Body& body : world.bodies) {
    if (!body.is_dynamic()) continue;
    const Vec3 w = transposed_times(body.rotation, body.angular_velocity);
    energy += 0.5 * (squared_norm(body.velocity) / body.inverse_mass + dot(w, body.inertia_local * w));
  }
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

std::uint64_t state_hash(const WorldState& world) {
  StateHash hash;
  hash.add(world.time);
  for (const std::uint32_t slot : world.order) {
    const Body& body = world.bodies[slot];
    for (const Vec3& v : {body.position, body.velocity, body.angular_velocity}) {
      hash.add(v.x);
      hash.add(v.y);
      hash.add(v.z);
    }
    const Quat& q = body.orientation;
    for (const Real x : {q.w, q.x, q.y, q.z}) hash.add(x);
  }
  return hash.value();
}

}  // namespace carom
