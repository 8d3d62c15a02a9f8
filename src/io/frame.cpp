#include "io/frame.h"

namespace carom {

Pose shape_pose(const CastBody& body, const BodyState& state) {
  return {state.position - rotate(state.orientation, body.center_local), state.orientation};
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
  const auto index = [](BodyHandle handle) {
    // Bodies were added one after another and none was removed: slots stand in their order.
    return static_cast<std::int32_t>(handle.index) - 1;
  };
  for (const ContactRecord& c : world.contacts())
    frame.contacts.push_back(
        {c.id, index(c.a), index(c.b), c.point, c.normal, c.gap, c.impulse, c.collision_impulse, c.mode});
}

}  // namespace carom
