#include "carom/dynamics/world.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/base/error.h"
#include "dynamics/snapshot.h"
#include "dynamics/world_impl.h"
#include "geometry/bounds.h"
#include "math/symmetric.h"

namespace carom {
namespace {

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(const Quat& q) { return std::isfinite(q.w) && finite(q.vector()); }

/// A unit quaternion from any that is not zero.
Quat checked(const Quat& q) {
  const Real length2 = q.w * q.w + squared_norm(q.vector());
  require(finite(q) && length2 > 0, "World: an orientation must be finite and not zero");
  return normalized(q);
}

void check(const Material& m) {
  require(std::isfinite(m.static_friction) && m.friction >= 0 && m.friction <= m.static_friction,
          "World: a material needs 0 <= friction <= static friction");
  require(m.restitution >= 0 && m.restitution <= 1, "World: a material needs 0 <= restitution <= 1");
}

void check_inertia(const Mat3& inertia) {
  Real asymmetry = 0;
  for (int i = 0; i < 3; ++i) {
    require(finite(inertia.row(i)), "World::add_body: the inertia must be finite");
    for (int j = 0; j < i; ++j) asymmetry = std::max(asymmetry, std::abs(inertia(i, j) - inertia(j, i)));
  }
  require(asymmetry <= 1e-9 * inertia.trace(), "World::add_body: the inertia must be symmetric");
  require(principal_moments(inertia).x > 0, "World::add_body: the inertia must be positive definite");
}

MassProperties mass_properties(const BodyDef& def) {
  MassProperties mass = def.shape->mass_properties(def.density);
  if (def.mass) {
    require(std::isfinite(*def.mass) && *def.mass > 0, "World::add_body: the mass must be positive and finite");
    mass.inertia = (*def.mass / mass.mass) * mass.inertia;
    mass.mass = *def.mass;
  }
  if (def.center_of_mass) mass.center = *def.center_of_mass;
  if (def.inertia) mass.inertia = *def.inertia;
  require(finite(mass.center), "World::add_body: the centre of mass must be finite");
  check_inertia(mass.inertia);
  return mass;
}

}  // namespace

Body& World::Impl::at(BodyHandle handle) {
  const std::size_t slot = handle.index - std::size_t{1};
  if (!handle || slot >= state.bodies.size() || !state.bodies[slot].alive ||
      state.bodies[slot].generation != handle.generation)
    fail("World: the handle names no body of this world (it was removed, or belongs to another world)");
  return state.bodies[slot];
}

std::int32_t World::Impl::material(MaterialHandle handle) const {
  require(handle.index < static_cast<std::uint32_t>(state.materials.size()),
          "World: the handle names no material of this world");
  return static_cast<std::int32_t>(handle.index);
}

std::uint32_t World::Impl::take_slot() {
  if (!free_slots.empty()) {
    const std::uint32_t slot = free_slots.back();
    free_slots.pop_back();
    return slot;
  }
  constexpr std::size_t kMostBodies = (std::size_t{1} << 24) - 1;  // contact ids give a slot 24 bits
  require(state.bodies.size() < kMostBodies, "World::add_body: too many bodies");
  state.bodies.emplace_back();
  return static_cast<std::uint32_t>(state.bodies.size() - 1);
}

void World::Impl::include_size(const Body& body) {
  const Real size = body.shape->smallest_size();
  state.smallest_size = state.smallest_size == 0 ? size : std::min(state.smallest_size, size);
}

void World::Impl::update_smallest_size() {
  state.smallest_size = 0;
  for (const Body& body : state.bodies)
    if (body.is_dynamic()) include_size(body);
}

World::World(const WorldDef& def) : impl_(std::make_unique<Impl>()) {
  require(finite(def.gravity), "World: gravity must be finite");
  require(def.threads >= 1, "World: needs at least one thread");
  impl_->state.gravity = def.gravity;
  for (const ColdVolume& volume : def.cold_volumes)
    require(finite(volume.min) && finite(volume.max), "World: cold volumes must be finite");
  impl_->state.cold_volumes = def.cold_volumes;
  impl_->stepper = make_stepper(def.suite, def.options);
  if (def.threads > 1) impl_->threads = std::make_unique<ThreadPool>(def.threads);
}

World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

MaterialHandle World::add_material(const Material& material) {
  check(material);
  return {static_cast<std::uint32_t>(impl_->state.materials.add(material)), 0};
}

void World::set_pair(MaterialHandle a, MaterialHandle b, const Material& material) {
  check(material);
  impl_->state.materials.set_pair(impl_->material(a), impl_->material(b), material);
}

void World::set_default_material(const Material& material) {
  check(material);
  impl_->state.materials.set(0, material);
}

BodyHandle World::add_body(const BodyDef& def) {
  require(def.shape != nullptr, "World::add_body: the body needs a shape");
  require(finite(def.pose.position) && finite(def.velocity) && finite(def.angular_velocity) && finite(def.force) &&
              finite(def.torque),
          "World::add_body: position, velocities, force and torque must be finite");
  require(def.shape->is_bounded() || def.type == BodyType::Fixed, "World::add_body: a plane must be fixed");
  Body body;
  body.orientation = checked(def.pose.orientation);
  body.material = impl_->material(def.material);
  MassProperties mass;
  if (def.type == BodyType::Dynamic) mass = mass_properties(def);

  const std::uint32_t slot = impl_->take_slot();
  body.generation = impl_->state.bodies[slot].generation;
  body.alive = true;
  body.type = def.type;
  body.shape = def.shape;
  body.name = def.name;
  body.category = def.category;
  body.mask = def.mask;
  if (def.type == BodyType::Dynamic) {
    body.inverse_mass = 1 / mass.mass;
    body.inertia_local = mass.inertia;
    body.inverse_inertia_local = inverse(mass.inertia);
    body.center_local = mass.center;
    body.force = def.force;
    body.torque = def.torque;
  }
  if (def.type != BodyType::Fixed) {
    body.velocity = def.velocity;
    body.angular_velocity = def.angular_velocity;
  }
  body.radius = bounding_radius(def.shape->geometry()) + norm(body.center_local);
  body.refresh();
  body.position = def.pose.position + body.rotation * body.center_local;
  impl_->boxes_changed();
  impl_->state.bodies[slot] = std::move(body);
  impl_->state.order.push_back(slot);
  impl_->still_changed();
  if (def.type == BodyType::Dynamic) impl_->include_size(impl_->state.bodies[slot]);
  return {slot + 1, impl_->state.bodies[slot].generation};
}

void World::remove_body(BodyHandle handle) {
  Body& body = impl_->at(handle);
  contacts();  // lists them while the body is still there
  const std::uint32_t slot = handle.index - 1;
  impl_->boxes_changed();
  impl_->still_changed();
  impl_->edited(handle);
  const std::uint32_t generation = body.generation + 1;
  body = {};
  body.generation = generation;
  std::erase(impl_->state.order, slot);
  std::erase_if(impl_->state.contacts, [&](const ContactRecord& c) { return c.a == handle || c.b == handle; });
  impl_->state.removed.push_back(static_cast<std::int32_t>(slot));
  impl_->free_slots.push_back(slot);
  impl_->update_smallest_size();
}

bool World::contains(BodyHandle handle) const {
  const std::size_t slot = handle.index - std::size_t{1};
  const auto& bodies = impl_->state.bodies;
  return handle && slot < bodies.size() && bodies[slot].alive && bodies[slot].generation == handle.generation;
}

std::vector<BodyHandle> World::bodies() const {
  std::vector<BodyHandle> handles;
  handles.reserve(impl_->state.order.size());
  for (const std::uint32_t slot : impl_->state.order)
    handles.push_back({slot + 1, impl_->state.bodies[slot].generation});
  return handles;
}

std::size_t World::body_count() const { return impl_->state.order.size(); }
const std::string& World::name(BodyHandle body) const { return impl_->at(body).name; }
BodyType World::type(BodyHandle body) const { return impl_->at(body).type; }
const ShapePtr& World::shape(BodyHandle body) const { return impl_->at(body).shape; }

BodyState World::state(BodyHandle handle) const {
  const Body& body = impl_->at(handle);
  return {body.position, body.orientation, body.velocity, body.angular_velocity};
}

Pose World::shape_pose(BodyHandle handle) const {
  const Body& body = impl_->at(handle);
  return {body.shape_position(), body.orientation};
}

Real World::mass(BodyHandle handle) const {
  const Body& body = impl_->at(handle);
  return body.type == BodyType::Dynamic ? 1 / body.inverse_mass : std::numeric_limits<Real>::infinity();
}

Mat3 World::inertia(BodyHandle handle) const {
  const Body& body = impl_->at(handle);
  require(body.type == BodyType::Dynamic, "World::inertia: the body is not dynamic");
  return body.inertia();
}

void World::set_state(BodyHandle handle, const BodyState& state) {
  Body& body = impl_->at(handle);
  require(finite(state.position) && finite(state.velocity) && finite(state.angular_velocity),
          "World::set_state: must be finite");
  impl_->boxes_changed();
  body.orientation = checked(state.orientation);
  body.position = state.position;
  body.refresh();
  impl_->edited(handle);
  impl_->revive(body);
  impl_->still_changed();
  if (body.type == BodyType::Fixed) return;
  body.velocity = state.velocity;
  body.angular_velocity = state.angular_velocity;
}

void World::set_velocity(BodyHandle handle, const Vec3& velocity, const Vec3& angular_velocity) {
  Body& body = impl_->at(handle);
  require(body.type != BodyType::Fixed, "World::set_velocity: the body is fixed");
  require(finite(velocity) && finite(angular_velocity), "World::set_velocity: must be finite");
  impl_->revive(body);
  body.velocity = velocity;
  body.angular_velocity = angular_velocity;
}

void World::set_force(BodyHandle handle, const Vec3& force, const Vec3& torque) {
  Body& body = impl_->at(handle);
  require(body.type == BodyType::Dynamic, "World::set_force: the body is not dynamic");
  require(finite(force) && finite(torque), "World::set_force: must be finite");
  if (body.force != force || body.torque != torque) impl_->revive(body);
  body.force = force;
  body.torque = torque;
}

void World::set_force_field(ForceField field) {
  impl_->state.field_used = impl_->state.field_used || field;
  impl_->state.field = std::move(field);
}

void World::set_filter(BodyHandle handle, std::uint64_t category, std::uint64_t mask) {
  Body& body = impl_->at(handle);
  body.category = category;
  body.mask = mask;
  impl_->edited(handle);
  impl_->revive(body);
  impl_->still_changed();
}

std::uint64_t World::category(BodyHandle body) const { return impl_->at(body).category; }
std::uint64_t World::mask(BodyHandle body) const { return impl_->at(body).mask; }

void World::Impl::revive(Body& body) {
  if (!body.frozen) return;
  body.frozen = false;
  still_changed();
}

bool World::is_frozen(BodyHandle body) const { return impl_->at(body).frozen; }

std::size_t World::frozen_count() const {
  impl_->state.find_awake();
  return static_cast<std::size_t>(impl_->state.frozen_count);
}

void World::freeze(BodyHandle handle) {
  Body& body = impl_->at(handle);
  require(body.type == BodyType::Dynamic, "World::freeze: the body is not dynamic");
  body.velocity = body.angular_velocity = {};
  body.frozen = true;
  impl_->still_changed();
}

void World::revive(BodyHandle handle) { impl_->revive(impl_->at(handle)); }

StepReport World::step(Real dt) {
  require(std::isfinite(dt) && dt > 0, "World::step: dt must be positive and finite");
  impl_->boxes_changed();
  impl_->inactive_listed = false;
  WorldState& state = impl_->state;
  state.find_awake();
  std::vector<std::pair<std::int32_t, BodyState>>& before = impl_->before;
  before.clear();
  for (const std::int32_t i : state.awake) {
    const Body& b = state.at(i);
    before.emplace_back(i, BodyState{b.position, b.orientation, b.velocity, b.angular_velocity});
  }
  const Real time = state.time;

  StepReport report = impl_->stepper->advance(state, dt, impl_->threads.get());

  for (const std::int32_t i : state.awake) {
    const Body& b = state.at(i);
    report.finite = report.finite && finite(b.position) && finite(b.orientation) && finite(b.velocity) &&
                    finite(b.angular_velocity);
  }
  if (!report.finite) {
    before.insert(before.end(), state.revived.begin(), state.revived.end());
    for (const auto& [i, good] : before) {
      Body& b = state.at(i);
      b.position = good.position;
      b.orientation = good.orientation;
      b.velocity = good.velocity;
      b.angular_velocity = good.angular_velocity;
      b.refresh();
    }
    state.membership_changed = true;
    state.time = time;
    state.contacts.clear();
    state.stops.clear();
    state.events.clear();
    impl_->stepper->forget();
  }
  return report;
}

std::string World::save() const {
  contacts();  // lists them: they are part of what is saved
  return save_snapshot(impl_->state, *impl_->stepper);
}

std::string World::restore(std::string_view saved) {
  impl_->boxes_changed();
  impl_->inactive_listed = true;  // they were saved
  return restore_snapshot(saved, impl_->state, *impl_->stepper);
}

Real World::time() const { return impl_->state.time; }
const Vec3& World::gravity() const { return impl_->state.gravity; }
std::span<const ContactRecord> World::contacts() const {
  if (!impl_->inactive_listed) impl_->stepper->list_contacts(impl_->state, impl_->state.contacts);
  impl_->inactive_listed = true;
  return impl_->state.contacts;
}
std::span<const ImpactStop> World::stops() const { return impl_->state.stops; }
std::span<const ImpactEvent> World::events() const { return impl_->state.events; }
Real World::kinetic_energy() const { return carom::kinetic_energy(impl_->state); }
Real World::potential_energy() const { return carom::potential_energy(impl_->state); }
Vec3 World::momentum() const { return carom::momentum(impl_->state); }
std::uint64_t World::state_hash() const { return carom::state_hash(impl_->state); }
void World::set_problem_observer(ProblemObserver observer) { impl_->stepper->observer = std::move(observer); }

}  // namespace carom
