#include "dynamics/fast_bodies.h"

#include <algorithm>

#include "dynamics/integrate.h"
#include "geometry/bounds.h"
#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {
namespace {

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 vector(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

/// Bounded by planes alone.
bool is_flat(const Shape::Geometry& geometry) {
  if (const auto* compound = std::get_if<Compound>(&geometry))
    return std::all_of(compound->parts->begin(), compound->parts->end(),
                       [](const CompoundPart& part) { return is_flat(part.shape->geometry()); });
  return std::holds_alternative<Box>(geometry) || std::holds_alternative<Hull>(geometry) ||
         std::holds_alternative<Plane>(geometry);
}

/// L⁻¹ v.
Vec3 forward(const Mat3& l, const Vec3& v) {
  Vec3 x;
  x.x = v.x / l(0, 0);
  x.y = (v.y - l(1, 0) * x.x) / l(1, 1);
  x.z = (v.z - l(2, 0) * x.x - l(2, 1) * x.y) / l(2, 2);
  return x;
}

void write(const Mat3& m, std::array<std::array<float, 4>, 3>& rows) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = static_cast<float>(m(r, c));
}

}  // namespace

void FastBodies::resize(std::size_t count) {
  views.resize(count);
  frames.resize(count);
}

void FastBodies::forget(std::int32_t body, BroadPhase& broad) {
  broad.remove(body);
  if (static_cast<std::size_t>(body) < views.size()) views[static_cast<std::size_t>(body)] = {};
}

void FastBodies::view_still(const WorldState& world, BroadPhase& broad) {
  resize(world.bodies.size());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Body& body = world.bodies[i];
    if (body.alive && (body.frozen || body.type == BodyType::Fixed))
      view(body, static_cast<std::int32_t>(i), 0, 0, broad);
  }
}

void FastBodies::view_awake(const WorldState& world, Real dt, BroadPhase& broad) {
  resize(world.bodies.size());
  motion_of.assign(world.bodies.size(), 0);
  takes.assign(world.bodies.size(), 0);
  const Real margin = least_margin(world, dt);
  std::int32_t motion = 0;
  for (const std::int32_t index : world.awake) {
    const Body& body = world.at(index);
    motion_of[static_cast<std::size_t>(index)] = ++motion;
    takes[static_cast<std::size_t>(index)] = body.is_active() ? 1 : 0;
    view(body, index, dt, margin, broad);
  }
}

void FastBodies::view(const Body& body, std::int32_t index, Real dt, Real margin, BroadPhase& broad) {
  const auto i = static_cast<std::size_t>(index);
  fast::BodyView& v = views[i];
  if (v.geometry != &body.shape->geometry()) {
    v = {};
    v.geometry = &body.shape->geometry();
    v.size = body.shape->smallest_size();
    v.radius = body.radius;
    v.flat = is_flat(*v.geometry);
    v.dynamic = body.type == BodyType::Dynamic;
    v.ball = std::holds_alternative<Sphere>(*v.geometry);
    v.quick = v.ball || std::holds_alternative<Box>(*v.geometry) || std::holds_alternative<Plane>(*v.geometry);
    if (body.type == BodyType::Dynamic) v.factor = cholesky(body.inverse_inertia_local);
  }
  v.center = body.position;
  v.origin = body.shape_position();
  v.rotation = body.rotation;
  v.orientation = body.orientation;
  v.velocity = body.velocity;
  v.spin_reach = dt * norm(body.angular_velocity) * body.radius;
  v.material = body.material;
  const PairRole role{body.type != BodyType::Fixed, v.dynamic, body.category, body.mask, body.frozen};

  write(body.rotation, frames[i].rotation);
  Mat3 whitening;
  if (body.is_active()) whitening = transposed(body.rotation * v.factor);
  if (body.type == BodyType::Kinematic) whitening = Mat3::identity();
  write(whitening, frames[i].whitening);

  if (!body.shape->is_bounded()) {
    const auto& plane = std::get<Plane>(*v.geometry);
    const Vec3 normal = body.rotation * plane.normal;
    broad.place_half_space(index, {normal, plane.offset + dot(normal, v.origin)}, role);
    return;
  }
  const Aabb box = bounds(*v.geometry, v.origin, v.rotation);
  const Vec3 sweep = role.awake() ? dt * body.velocity : Vec3{};
  broad.place(index, role.awake() ? box.swept(sweep, v.spin_reach + fast::kNear * v.size + margin) : box, sweep, role);
}

/// ω̃ with ω = R L ω̃; of kinematic bodies ω itself.
Vec3 FastBodies::whitened(const Body& body, std::int32_t index, const Vec3& rate) const {
  if (!body.is_active()) return rate;
  return forward(views[static_cast<std::size_t>(index)].factor, transposed_times(body.rotation, rate));
}

void FastBodies::start_motions(const WorldState& world) {
  const std::size_t n = world.awake.size() + 1;
  motions.resize(n);
  before_.linear.resize(n);
  before_.angular.resize(n);
  impulses.linear.assign(n, {});
  impulses.angular.assign(n, {});
  touched.assign(n, 0);
  for (std::size_t k = 1; k < n; ++k) {
    const std::int32_t index = world.awake[k - 1];
    const Body& body = world.at(index);
    before_.linear[k] = body.velocity;
    before_.angular[k] = body.angular_velocity;
    fast::Motion& v = motions.velocities[k];
    v.linear = floats(body.velocity);
    v.turning = floats(whitened(body, index, body.angular_velocity));
    v.inverse_mass = static_cast<float>(body.is_active() ? body.inverse_mass : 0);
  }
}

void FastBodies::start(WorldState& world, Real dt, int substeps, Forces& forces) {
  const std::size_t n = motions.gains.size();
  forces.apply(world, dt);
  const Real share = 1.0 / substeps;
  for (std::size_t k = 1; k < n; ++k) {
    const std::int32_t index = world.awake[k - 1];
    const Body& body = world.at(index);
    if (!body.is_active()) continue;
    const auto i = static_cast<std::size_t>(index);
    motions.gains[k].linear = floats(share * forces.gained().linear[i]);
    if (forces.gained().angular[i] != Vec3{})
      motions.gains[k].turning = floats(whitened(body, index, share * forces.gained().angular[i]));
  }
}

void FastBodies::take_impulses(WorldState& world, std::int32_t index) const {
  const auto k = static_cast<std::size_t>(motion_of[static_cast<std::size_t>(index)]);
  if (touched[k] == 0) return;
  Body& body = world.at(index);
  body.velocity += body.inverse_mass * impulses.linear[k];
  body.angular_velocity += body.inverse_inertia * impulses.angular[k];
}

/// In free flight the parabola and the turn are exact. A body in contact goes where the substeps have taken it. Angular
/// momentum stays what it is.
void FastBodies::finish(WorldState& world, std::int32_t index, Real dt, const Forces& forces, Vec3& move, Vec3& turn) {
  Body& body = world.at(index);
  const auto i = static_cast<std::size_t>(index), k = static_cast<std::size_t>(motion_of[i]);
  const bool kinematic = body.type == BodyType::Kinematic;
  const Vec3 spin = kinematic ? Vec3{} : body.inertia() * body.angular_velocity;
  if (kinematic) {
    move = dt * body.velocity;
    turn = dt * body.angular_velocity;
  } else if (touched[k] == 0) {
    move = dt * (before_.linear[k] + 0.5 * forces.gained().linear[i]);
    turn = turn_of(body, body.angular_velocity - 0.5 * forces.gained().angular[i], dt);
  } else {
    move = vector(motions.shifts[k].linear);
    turn = body.rotation * (views[i].factor * vector(motions.shifts[k].turning));
  }
  body.position += move;
  if (turn != Vec3{}) {
    body.orientation = normalized(rotation(turn) * body.orientation);
    body.refresh();
  }
  if (!kinematic) body.angular_velocity = body.inverse_inertia * spin;
  views[i].travel += norm(move) + norm(turn) * views[i].radius;
}

}  // namespace carom
