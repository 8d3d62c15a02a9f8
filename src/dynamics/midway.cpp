#include "dynamics/midway.h"

#include <algorithm>
#include <variant>

#include "contact/rows.h"
#include "math/trig.h"

namespace carom {
namespace {

/// Bodies that hardly move are half way already: a share of the envelope.
constexpr Real kHardly = 1e-4;
/// Who goes farther than this share of its radius in half a step is in flight rather than in contact. Balls look the
/// same from wherever they are touched.
Real most_way(const Shape& shape) { return std::holds_alternative<Sphere>(shape.geometry()) ? 0.5 : 0.05; }
/// Turns beyond this, in radians and half a step, say nothing about where contacts are; less so where the next corner
/// comes down within the step.
Real most_turn(const Shape& shape) {
  const Shape::Geometry& geometry = shape.geometry();
  const bool has_corners = std::holds_alternative<Box>(geometry) || std::holds_alternative<Hull>(geometry) ||
                           std::holds_alternative<Compound>(geometry);
  return has_corners ? 0.02 : 1;
}

Placed placed(const Body& body) { return {&body.shape->geometry(), body.shape_position(), body.rotation}; }

/// In the contact's frame.
Vec3 velocity_at(const ContactPoint& c, const Velocities& at) {
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  return to_frame(c, relative_velocity(c, at.linear[a], at.angular[a], at.linear[b], at.angular[b]));
}

}  // namespace

void Midway::skip(StepContext& step) {
  marks_.assign(step.world->bodies.size(), 0);
  travellers_.clear();
  turns_.clear();
  step.halves = {};
}

void Midway::enter(StepContext& step) {
  skip(step);
  find_travellers(step);
  if (travellers_.empty()) return;
  middle_ = before_;
  for (Traveller& traveller : travellers_) send(step, traveller);
  move_contacts(step);
}

/// The body of a contact with one that takes no impulses, and that one; −1 where both do, or none.
std::pair<std::int32_t, std::int32_t> Midway::body_and_other(const WorldState& world, const StepContact& c) {
  const bool a_moves = world.at(c.point.a).is_active(), b_moves = world.at(c.point.b).is_active();
  if (a_moves == b_moves) return {-1, -1};
  return a_moves ? std::pair{c.point.a, c.point.b} : std::pair{c.point.b, c.point.a};
}

void Midway::find_travellers(StepContext& step) {
  const WorldState& world = *step.world;
  const Real half = 0.5 * step.dt;
  step.velocities_before_forces(before_);
  // Whoever runs into something in this step does not get half way, and who touches others may be held back by them.
  held_.assign(world.bodies.size(), 0);
  for (const StepContact& c : step.contacts) {
    const Real speed = approach(c, before_);
    const bool stops = speed > step.resting_speed && c.gap < step.dt * speed;
    if (stops || body_and_other(world, c).first < 0)
      held_[static_cast<std::size_t>(c.point.a)] = held_[static_cast<std::size_t>(c.point.b)] = 1;
  }
  const auto travels = [&](std::int32_t index) {
    const auto i = static_cast<std::size_t>(index);
    if (held_[i] != 0) return false;
    const Real way = half * norm(before_.linear[i]), turn = half * norm(before_.angular[i]);
    const Body& body = world.at(index);
    return way + turn * body.radius > kHardly * step.envelope && way < most_way(*body.shape) * body.radius &&
           turn < most_turn(*body.shape);
  };
  const auto add = [&](std::int32_t index) {
    char& mark = marks_[static_cast<std::size_t>(index)];
    if (mark != 0) return;
    mark = 1;
    const Body& body = world.at(index);
    travellers_.push_back({index, body.position, body.orientation, body.rotation, body.inverse_inertia, {}});
  };
  for (const StepContact& c : step.contacts) {
    const auto [body, other] = body_and_other(world, c);
    if (body < 0 || !travels(body)) continue;
    add(body);
    if (world.at(other).type == BodyType::Kinematic) add(other);
  }
  std::sort(travellers_.begin(), travellers_.end(),
            [](const Traveller& a, const Traveller& b) { return a.body < b.body; });
}

void Midway::send(StepContext& step, Traveller& traveller) {
  Body& body = step.world->at(traveller.body);
  const auto i = static_cast<std::size_t>(traveller.body);
  const Real half = 0.5 * step.dt;
  const Vec3 spin = body.inertia() * body.angular_velocity;
  const Vec3 spin_before = body.inertia() * before_.angular[i];
  body.angular_velocity = before_.angular[i];
  traveller.first_turn = turn_of(body, body.angular_velocity, half);
  body.position += half * before_.linear[i];
  body.orientation = normalized(rotation(traveller.first_turn) * body.orientation);
  body.refresh();
  if (!body.is_dynamic()) return;
  body.angular_velocity = body.inverse_inertia * spin;
  middle_.angular[i] = body.inverse_inertia * spin_before;
}

/// True where the points of a manifold have gone along with the body; what has jumped to another side of it says
/// nothing about the way there.
bool Midway::follow(const StepContext& step, std::int32_t body, std::int32_t index) {
  constexpr Real kFar = 50;    // times what the body itself has moved: flat ellipsoids have large radii of curvature
  constexpr Real kSide = 0.2;  // of its radius
  const Manifold& start = step.detector.manifolds()[static_cast<std::size_t>(index)];
  const WorldState& world = *step.world;
  if (!step.detector.manifold_at(index, placed(world.at(start.a)), placed(world.at(start.b)), manifold_)) return false;
  const auto i = static_cast<std::size_t>(body);
  const Real radius = world.at(body).radius;
  const Real moved = 0.5 * step.dt * (norm(before_.linear[i]) + radius * norm(before_.angular[i]));
  const Real far = std::max(moved, std::min(kFar * moved, kSide * radius));
  for (std::size_t k = 0; k < static_cast<std::size_t>(start.count); ++k)
    if (norm(manifold_.points[k].point - start.points[k].point) > far) return false;
  return true;
}

void Midway::move_contacts(StepContext& step) {
  const WorldState& world = *step.world;
  std::int32_t known = -1;  // which one `manifold_` is
  bool followed = false;
  for (StepContact& c : step.contacts) {
    const std::int32_t body = body_and_other(world, c).first;
    if (body < 0 || marks_[static_cast<std::size_t>(body)] == 0) continue;
    if (c.manifold != known) followed = follow(step, body, c.manifold);
    known = c.manifold;
    if (!followed) continue;
    // Normals and arms go on turning as they have turned in the first half.
    const Vec3 start = velocity_at(c.point, before_);
    place_contact(world.at(c.point.a), world.at(c.point.b), manifold_, c.index - manifold_.first_point, c.point);
    c.turning = start - velocity_at(c.point, middle_);
    // The third order of the step lifts what goes round an edge or a ball, a little and always; nobody is at rest here
    // who could be stirred by letting it down again.
    c.closing = c.gap > 0 && c.gap <= step.dead_zone ? c.gap / step.dt : 0;
    // Friction on what slides acts against the slip of the middle.
    const bool slides = start.y * start.y + start.z * start.z > c.turning.y * c.turning.y + c.turning.z * c.turning.z;
    if (slides) c.turning.y = c.turning.z = 0;
  }
}

void Midway::turn_by_halves(StepContext& step) {
  const Real half = 0.5 * step.dt;
  for (const Traveller& traveller : travellers_) {
    const Body& body = step.world->at(traveller.body);
    if (!body.is_active()) continue;
    const Vec3 second = turn_of(body, body.angular_velocity, half);
    const Vec3 mean = (traveller.first_turn + second) / step.dt;
    const Vec3 assumed = 0.5 * (middle_.angular[static_cast<std::size_t>(traveller.body)] + body.angular_velocity);
    Vec3& rate = step.rates.angular[static_cast<std::size_t>(traveller.body)];
    rate += mean - assumed;
    turns_.push_back({traveller.body, mean, normalized(rotation(second) * body.orientation)});
  }
  step.halves = turns_;
}

void Midway::leave(StepContext& step) {
  for (const Traveller& traveller : travellers_) {
    Body& body = step.world->at(traveller.body);
    const Vec3 spin = body.inertia() * body.angular_velocity;
    body.position = traveller.position;
    body.orientation = traveller.orientation;
    body.rotation = traveller.rotation;
    body.inverse_inertia = traveller.inverse_inertia;
    if (body.is_dynamic()) body.angular_velocity = body.inverse_inertia * spin;
  }
}

}  // namespace carom
