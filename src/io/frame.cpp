#include "io/frame.h"

namespace carom {
namespace {

/// Into the cast: bodies were added one after another and none was removed, so slots stand in their order.
std::int32_t cast_index(BodyHandle handle) { return static_cast<std::int32_t>(handle.index) - 1; }

}  // namespace

Pose shape_pose(const CastBody& body, const BodyState& state) {
  return {state.position - rotate(state.orientation, body.center_local), state.orientation};
}

Real kinetic_energy(const CastBody& body, const BodyState& state) {
  const Vec3 w = rotate(conjugate(state.orientation), state.angular_velocity);
  return 0.5 * (body.mass * squared_norm(state.velocity) + dot(w, body.inertia_local * w));
}

Cast make_cast(const World& world) {
  Cast cast;
  cast.gravity = world.gravity();
  for (const BodyHandle handle : world.bodies()) {
    const Mat3 axes = to_matrix(world.state(handle).orientation);
    CastBody body;
    body.name = world.name(handle);
    body.type = world.type(handle);
    body.shape = world.shape(handle);
    body.center_local = transposed_times(axes, world.state(handle).position - world.shape_pose(handle).position);
    body.mass = world.mass(handle);
    if (body.type == BodyType::Dynamic) body.inertia_local = transposed(axes) * world.inertia(handle) * axes;
    cast.bodies.push_back(std::move(body));
  }
  return cast;
}

void capture(const World& world, bool with_contacts, Frame& frame) {
  const std::vector<BodyHandle> handles = world.bodies();
  frame.time = world.time();
  frame.bodies.clear();
  frame.frozen.clear();
  for (const BodyHandle handle : handles) {
    frame.bodies.push_back(world.state(handle));
    frame.frozen.push_back(world.is_frozen(handle) ? 1 : 0);
  }
  frame.contacts.clear();
  if (!with_contacts) return;
  for (const ContactRecord& c : world.contacts())
    frame.contacts.push_back(
        {c.id, cast_index(c.a), cast_index(c.b), c.point, c.normal, c.gap, c.impulse, c.collision_impulse, c.mode});
}

void capture(const World& world, StepEvents& events) {
  events.time = world.time();
  events.events.clear();
  for (const ImpactEvent& e : world.events())
    events.events.push_back({e.time, cast_index(e.a), cast_index(e.b), e.kind, e.point, e.normal, e.impulse, e.approach,
                             e.energy_loss, e.modes, e.mode_count});
}

}  // namespace carom
