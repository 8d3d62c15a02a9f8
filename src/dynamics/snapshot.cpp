#include "dynamics/snapshot.h"

#include <vector>

#include "base/state_hash.h"

namespace carom {
namespace {

/// Raised whenever the layout below or that of a stepper changes, or a step comes to depend on something new.
constexpr std::uint32_t kVersion = 6;
constexpr const char* kDamaged = "the snapshot is damaged: it does not hold what its size and counts say";

/// What must be the same in the world that gets a snapshot as in the one that gave it.
std::uint64_t fingerprint(const WorldState& world) {
  StateHash hash;
  const auto add = [&](const Vec3& v) {
    for (int i = 0; i < 3; ++i) hash.add(v[i]);
  };
  add(world.gravity);
  hash.add(static_cast<std::uint64_t>(world.bodies.size()));
  for (const Body& body : world.bodies) {
    hash.add(std::uint64_t{body.generation});
    hash.add(std::uint64_t{body.alive});
    if (!body.alive) continue;
    hash.add(static_cast<std::uint64_t>(body.type));
    hash.add(static_cast<std::uint64_t>(body.material));
    hash.add(body.category);
    hash.add(body.mask);
    hash.add(body.inverse_mass);
    hash.add(body.radius);
    add(body.center_local);
    for (int i = 0; i < 3; ++i) add(body.inertia_local.row(i));
  }
  return hash.value();
}

/// What stepping and its caller change in a body.
struct BodyPart {
  BodyState state;
  Vec3 force, torque;
  bool frozen = false;
};

void put_body(ByteWriter& out, const Body& body) {
  put(out, body.position);
  put(out, body.orientation);
  for (const Vec3* v : {&body.velocity, &body.angular_velocity, &body.force, &body.torque}) put(out, *v);
  out.put(static_cast<std::uint8_t>(body.frozen));
}

BodyPart get_body(ByteReader& in) {
  BodyPart part;
  part.state.position = get_vec3(in);
  part.state.orientation = get_quat(in);
  for (Vec3* v : {&part.state.velocity, &part.state.angular_velocity, &part.force, &part.torque}) *v = get_vec3(in);
  part.frozen = in.get<std::uint8_t>() != 0;
  return part;
}

void put_contact(ByteWriter& out, const ContactRecord& c) {
  out.put(c.id);
  for (const BodyHandle& handle : {c.a, c.b}) {
    out.put(handle.index);
    out.put(handle.generation);
  }
  for (const Vec3* v : {&c.point, &c.normal, &c.impulse, &c.collision_impulse}) put(out, *v);
  out.put(c.gap);
  out.put(static_cast<std::uint8_t>(c.mode));
}

ContactRecord get_contact(ByteReader& in, std::size_t bodies) {
  ContactRecord c;
  c.id = in.get<std::uint64_t>();
  for (BodyHandle* handle : {&c.a, &c.b}) {
    handle->index = in.get<std::uint32_t>();
    handle->generation = in.get<std::uint32_t>();
    if (handle->index < 1 || handle->index > bodies) in.fail();
  }
  for (Vec3* v : {&c.point, &c.normal, &c.impulse, &c.collision_impulse}) *v = get_vec3(in);
  c.gap = in.get<Real>();
  const auto mode = in.get<std::uint8_t>();
  if (mode > static_cast<std::uint8_t>(ContactMode::Guard))
    in.fail();
  else
    c.mode = static_cast<ContactMode>(mode);
  return c;
}

constexpr std::size_t kBodyBytes = (3 + 4 + 4 * 3) * sizeof(Real) + 1;
constexpr std::size_t kContactBytes = 8 + 2 * 8 + (4 * 3 + 1) * sizeof(Real) + 1;

}  // namespace

void put(ByteWriter& out, const std::vector<std::int32_t>& bodies) {
  out.put(static_cast<std::uint64_t>(bodies.size()));
  for (const std::int32_t body : bodies) out.put(body);
}

std::vector<std::int32_t> get_bodies(ByteReader& in, std::size_t count) {
  const auto size = in.get<std::uint64_t>();
  if (!in.fits(size, sizeof(std::int32_t))) {
    in.fail();
    return {};
  }
  std::vector<std::int32_t> bodies(size);
  for (std::int32_t& body : bodies) {
    body = in.get<std::int32_t>();
    if (body < 0 || static_cast<std::size_t>(body) >= count) in.fail();
  }
  return bodies;
}

std::string save_snapshot(const WorldState& world, const Stepper& stepper) {
  ByteWriter out;
  out.put(kVersion);
  out.put(fingerprint(world));
  out.put(world.time);
  for (const Body& body : world.bodies) put_body(out, body);
  out.put(static_cast<std::uint64_t>(world.contacts.size()));
  for (const ContactRecord& contact : world.contacts) put_contact(out, contact);
  put(out, world.removed);
  put(out, world.edited);
  stepper.save(out);
  return out.take();
}

std::string restore_snapshot(std::string_view bytes, WorldState& world, Stepper& stepper) {
  ByteReader in(bytes);
  const auto version = in.get<std::uint32_t>();
  if (in.ok() && version != kVersion)
    return "the snapshot is of layout " + std::to_string(version) + ", expected layout " + std::to_string(kVersion) +
           ": it was made by another version of Carom";
  if (in.get<std::uint64_t>() != fingerprint(world))
    return in.ok() ? "the snapshot belongs to a world with other bodies or another gravity" : kDamaged;
  const Real time = in.get<Real>();
  if (!in.fits(world.bodies.size(), kBodyBytes)) return kDamaged;
  std::vector<BodyPart> parts;
  parts.reserve(world.bodies.size());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) parts.push_back(get_body(in));

  const auto contact_count = in.get<std::uint64_t>();
  if (!in.fits(contact_count, kContactBytes)) return kDamaged;
  std::vector<ContactRecord> contacts;
  contacts.reserve(contact_count);
  for (std::size_t i = 0; i < contact_count; ++i) contacts.push_back(get_contact(in, world.bodies.size()));

  std::vector<std::int32_t> removed = get_bodies(in, world.bodies.size());
  std::vector<std::int32_t> edited = get_bodies(in, world.bodies.size());
  if (!in.ok() || !stepper.restore(in, world)) return kDamaged;

  world.time = time;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    Body& body = world.bodies[i];
    const BodyPart& part = parts[i];
    body.position = part.state.position;
    body.orientation = part.state.orientation;
    body.velocity = part.state.velocity;
    body.angular_velocity = part.state.angular_velocity;
    body.force = part.force;
    body.torque = part.torque;
    body.frozen = part.frozen && body.is_dynamic();
    if (body.alive) body.refresh();
  }
  world.contacts = std::move(contacts);
  world.removed = std::move(removed);
  world.edited = std::move(edited);
  world.membership_changed = world.still_bodies_changed = true;
  return {};
}

}  // namespace carom
