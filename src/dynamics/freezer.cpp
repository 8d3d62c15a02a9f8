#include "dynamics/freezer.h"

#include <algorithm>
#include <cmath>

#include "dynamics/snapshot.h"

namespace carom {
namespace {

/// What carries less than this share of a body's weight does not support it.
constexpr Real kCarried = 1e-2;
/// A body whose energy has grown by this factor since it became quiet is on its way somewhere, unless that energy is
/// less than this share of the threshold: then it is noise.
constexpr Real kGrowth = 1.5, kNoise = 1e-6;
/// Forces balance on a body whose change of velocity in a step has less than this share of the threshold's energy: a
/// third of what free fall would change.
constexpr Real kBalanced = 0.1;
/// A support that has moved farther than this many envelopes no longer carries what it carried.
constexpr Real kMoved = 3;
/// A field whose force has changed by this share of a body's weight moves it.
constexpr Real kPushed = 1e-2;

/// A frozen body whose load has changed by this share of all that acts on it may give way.
constexpr Real kLoaded = 0.5;
/// A body that has been revived so and froze again where it was takes this many times the change.
constexpr Real kSeen = 4;

/// Whether an impulse on a body carries some of its weight.
bool carries(const RestingStep& step, std::int32_t body, const Vec3& impulse) {
  const Vec3& gravity = step.world->gravity;
  return -dot(impulse, gravity) * step.world->at(body).inverse_mass > kCarried * squared_norm(gravity) * step.dt;
}

bool in_cold_volume(const WorldState& world, const Vec3& p) {
  if (world.cold_volumes.empty()) return true;
  return std::any_of(world.cold_volumes.begin(), world.cold_volumes.end(), [&](const ColdVolume& volume) {
    for (int i = 0; i < 3; ++i)
      if (p[i] < volume.min[i] || p[i] > volume.max[i]) return false;
    return true;
  });
}

/// Calls visit(contact, impulse) for each pair of bodies that touch: one of their contacts, and what passes between the
/// two at all of them, on b. Contacts of a pair stand in a row.
template <typename Visit>
void each_pair(const RestingStep& step, Visit&& visit) {
  const std::span<const StepContact> all = step.contacts;
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    Vec3 impulse;
    bool touches = false;
    for (end = first; end < all.size(); ++end) {
      if (all[end].point.a != all[first].point.a || all[end].point.b != all[first].point.b) break;
      impulse += step.impulses[end];
      touches = touches || all[end].gap <= step.envelope;
    }
    if (touches) visit(all[first].point, impulse);
  }
}

}  // namespace

int Freezer::steps_needed(Real dt) const {
  constexpr Real kCustomary = 0.5;  // s
  constexpr Real kMost = 1e6;
  if (settings_.steps > 0) return settings_.steps;
  return std::max(30, static_cast<int>(std::min(std::ceil(kCustomary / dt), kMost)));
}

void Freezer::revive_unsupported(RestingStep& step) {
  residents_.resize(step.world->bodies.size());
  unsupported_.clear();
  if (step.world->field_used) find_pushed(step);
  if (step.world->frozen_count == 0) return;
  for (const std::int32_t body : step.world->edited) revive_carried(step, body);
  for (const std::int32_t body : step.awake())
    if (!resident(body).carries.empty()) revive_carried(step, body);
  for (const std::vector<std::int32_t>* list : {&unsupported_, &overloaded_})
    for (const std::int32_t body : *list)
      if (step.world->at(body).frozen) step.revive(body);
  overloaded_.clear();
  revive_left_alone(step);
}

/// A contact that stays, or that has come back with a revived body, changes the load by what it carries more than
/// before; a new one by all that it carries.
void Freezer::weigh(RestingStep& step) {
  const WorldState& world = *step.world;
  if (!settings_.on || settings_.literal || world.frozen_count == 0) return;
  const std::span<const Vec3> before = step.last_impulses();
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const ContactPoint& c = step.contacts[i].point;
    const bool on_b = world.at(c.b).frozen;
    if (!world.at(on_b ? c.b : c.a).frozen || !world.at(on_b ? c.a : c.b).is_active()) continue;
    const std::int32_t index = on_b ? c.b : c.a;
    Resident& r = resident(index);
    r.load += (on_b ? 1 : -1) / step.dt * (step.impulses[i] - before[i]);
    if (r.bears > 0 && norm(r.load) > r.bears) overloaded_.push_back(index);
  }
}

/// Revives what stands on nothing but bodies that have just been revived.
void Freezer::revive_left_alone(RestingStep& step) {
  WorldState& world = *step.world;
  // The list grows on the way: whatever stands on those that are revived here comes next.
  for (std::size_t i = 0; i < world.revived.size(); ++i) {
    for (const std::int32_t other : resident(world.revived[i].first).carries) {
      const std::vector<Support>& supports = resident(other).supports;
      const bool held = std::any_of(supports.begin(), supports.end(), [&](const Support& s) {
        return world.at(s.body).alive && world.at(s.body).stands_still();
      });
      if (!held) step.revive(other);
    }
  }
}

/// A kinematic body goes its way whatever is in it. What it pushes it pushes on, as far as that is in line: others
/// hold, or are revived by their load.
void Freezer::revive_pushed(RestingStep& step) {
  constexpr Real kInLine = 0.2;  // of the speed that the first of them is pushed with
  WorldState& world = *step.world;
  driven_.assign(world.bodies.size(), 0);
  if (!settings_.on && world.frozen_count == 0) return;
  pushes_.clear();
  for (const std::int32_t index : step.awake()) {
    const Body& body = world.at(index);
    if (body.type == BodyType::Kinematic && !body.stands_still())
      pushes_.push_back({index, body.velocity, body.angular_velocity, 0});
  }
  // Both lists grow on the way.
  for (std::size_t k = 0; k < pushes_.size(); ++k) {
    const Push push = pushes_[k];
    for (std::size_t i = 0; i < step.contacts.size(); ++i) {
      const ContactPoint& c = step.contacts[i].point;
      if (c.a != push.body && c.b != push.body) continue;
      const bool from_a = c.a == push.body;
      const std::int32_t other = from_a ? c.b : c.a;
      const Vec3 towards = from_a ? c.normal : -c.normal;
      const Real speed = dot(towards, push.velocity + cross(push.turning, from_a ? c.ra : c.rb));
      if (!(speed > push.least) || step.contacts[i].gap > step.dt * speed) continue;
      if (!world.at(other).is_dynamic() || driven_[static_cast<std::size_t>(other)] != 0) continue;
      driven_[static_cast<std::size_t>(other)] = 1;
      pushes_.push_back({other, speed * towards, {}, push.least > 0 ? push.least : kInLine * speed});
      step.revive(other);
    }
  }
  world.find_awake();
}

void Freezer::follow_collisions(RestingStep& step) {
  WorldState& world = *step.world;
  const std::size_t first = world.revived.size();
  revive_left_alone(step);
  if (world.revived.size() == first) return;
  world.find_awake();
  std::vector<char> joins(world.bodies.size(), 0);
  for (std::size_t i = first; i < world.revived.size(); ++i)
    joins[static_cast<std::size_t>(world.revived[i].first)] = 1;
  const auto push = [&](std::int32_t index, const Vec3& impulse, const Vec3& arm) {
    if (joins[static_cast<std::size_t>(index)] == 0) return;
    Body& body = world.at(index);
    body.velocity += body.inverse_mass * impulse;
    body.angular_velocity += body.inverse_inertia * cross(arm, impulse);
  };
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const ContactPoint& c = step.contacts[i].point;
    push(c.b, step.collision_impulses[i], c.rb);
    push(c.a, -step.collision_impulses[i], c.ra);
  }
}

/// Lists those on which the field acts otherwise than when they froze.
void Freezer::find_pushed(const RestingStep& step) {
  const WorldState& world = *step.world;
  for (std::size_t i = 0; i < residents_.size(); ++i) {
    const Body& body = world.bodies[i];
    Resident& r = residents_[i];
    r.field_known = r.field_known && body.frozen;
    if (!body.frozen) continue;
    const AppliedForce now = field_force(world, static_cast<std::int32_t>(i));
    if (!r.field_known) r.field = now;
    r.field_known = true;
    const Real little = kPushed * norm(world.gravity) / body.inverse_mass;
    const bool same =
        norm(now.force - r.field.force) <= little && norm(now.torque - r.field.torque) <= little * body.radius;
    if (!same) unsupported_.push_back(static_cast<std::int32_t>(i));
  }
}

/// Lists those that stood on `body` if it has left them.
void Freezer::revive_carried(RestingStep& step, std::int32_t body) {
  std::vector<std::int32_t>& carried = resident(body).carries;
  std::size_t kept = 0;
  for (const std::int32_t other : carried) {
    if (!step.world->at(other).frozen) continue;  // it has gone its own way since
    bool lost = false;
    for (const Support& s : resident(other).supports) lost = lost || (s.body == body && has_moved(step, s));
    if (lost)
      unsupported_.push_back(other);
    else
      carried[kept++] = other;
  }
  carried.resize(kept);
}

bool Freezer::has_moved(const RestingStep& step, const Support& support) const {
  const Body& body = step.world->at(support.body);
  if (!body.alive) return true;
  const Quat& q = body.orientation;
  const Quat& p = support.orientation;
  // Twice the sine of half the angle between them, near enough.
  const Real turn = 2 * norm((Quat{p.w, -p.x, -p.y, -p.z} * q).vector());
  return norm(body.position - support.position) + turn * body.radius > kMoved * step.envelope;
}

/// A body is supported where fixed or frozen ones carry some of its weight, and in a crowd where others push it.
void Freezer::look_around(const RestingStep& step) {
  const WorldState& world = *step.world;
  supported_.assign(world.bodies.size(), 0);
  crowded_.assign(world.bodies.size(), 0);
  const Real gravity = norm(world.gravity);
  if (gravity == 0) return;
  const Real much = kCarried * gravity * step.dt;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const ContactPoint& c = step.contacts[i].point;
    const Body &a = world.at(c.a), &b = world.at(c.b);
    if (a.stands_still() || b.stands_still()) continue;
    const Real push = norm(step.impulses[i]);
    if (push * a.inverse_mass > much) crowded_[static_cast<std::size_t>(c.a)] = 1;
    if (push * b.inverse_mass > much) crowded_[static_cast<std::size_t>(c.b)] = 1;
  }
  each_pair(step, [&](const ContactPoint& c, const Vec3& impulse) {
    const bool holds_a = world.at(c.b).stands_still(), holds_b = world.at(c.a).stands_still();
    if (holds_a == holds_b) return;
    const std::int32_t held = holds_b ? c.b : c.a;
    if (settings_.literal || carries(step, held, holds_b ? impulse : -impulse))
      supported_[static_cast<std::size_t>(held)] = 1;
  });
}

bool Freezer::is_quiet(const RestingStep& step, std::int32_t index) {
  const Body& body = step.world->at(index);
  const Real threshold = step.quiet_energy(body);
  const Real energy = kinetic_energy(body);
  Resident& r = resident(index);
  if (r.quiet == 0) r.least_energy = energy;
  r.least_energy = std::min(r.least_energy, energy);
  if (supported_[static_cast<std::size_t>(index)] == 0 || !(energy < threshold)) return false;
  if (!in_cold_volume(*step.world, body.position)) return false;
  if (driven_[static_cast<std::size_t>(index)] != 0) return false;
  if (settings_.literal) return true;
  const Real change = kinetic_energy(body, body.velocity - r.velocity, body.angular_velocity - r.spin);
  if (r.moved && !(change < kBalanced * threshold)) return false;
  if (crowded_[static_cast<std::size_t>(index)] != 0 && !(energy < settings_.crowd * threshold)) return false;
  return energy <= std::max(kGrowth * r.least_energy, kNoise * threshold);
}

/// Writes down what the bodies that freeze now stand on.
void Freezer::note_supports(const RestingStep& step) {
  for (const std::int32_t index : freezing_) resident(index).supports.clear();
  if (freezing_.empty()) return;
  const WorldState& world = *step.world;
  const auto note = [&](std::int32_t index, std::int32_t support, const Vec3& impulse) {
    if (!std::binary_search(freezing_.begin(), freezing_.end(), index) || !carries(step, index, impulse)) return;
    std::vector<Support>& supports = resident(index).supports;
    if (std::any_of(supports.begin(), supports.end(), [&](const Support& s) { return s.body == support; })) return;
    supports.push_back({support, world.at(support).position, world.at(support).orientation});
    std::vector<std::int32_t>& carried = resident(support).carries;
    if (std::find(carried.begin(), carried.end(), index) == carried.end()) carried.push_back(index);
  };
  each_pair(step, [&](const ContactPoint& c, const Vec3& impulse) {
    note(c.b, c.a, impulse);
    note(c.a, c.b, -impulse);
  });
}

/// Writes down what acts on bodies that freeze now, and what change of it they may be trusted with.
void Freezer::note_loads(const RestingStep& step) {
  acting_.assign(step.world->bodies.size(), 0);
  for (std::size_t i = 0; i < step.contacts.size(); ++i)
    for (const std::int32_t body : {step.contacts[i].point.a, step.contacts[i].point.b})
      acting_[static_cast<std::size_t>(body)] += norm(step.impulses[i]) / step.dt;
  for (const std::int32_t index : freezing_) {
    Resident& r = resident(index);
    const Vec3& here = step.world->at(index).position;
    const bool back = r.bears > 0 && norm(here - r.place) <= kMoved * step.envelope;
    r.bears = back ? kSeen * r.bears : kLoaded * acting_[static_cast<std::size_t>(index)];
    r.place = here;
    r.load = {};
  }
}

Vec3 Freezer::update(RestingStep& step) {
  residents_.resize(step.world->bodies.size());
  Vec3 taken;
  if (!settings_.on) return taken;
  look_around(step);
  const int needed = steps_needed(step.whole_dt);
  freezing_.clear();
  for (const std::int32_t index : step.awake()) {
    Body& body = step.world->at(index);
    if (!body.is_active()) continue;
    Resident& r = resident(index);
    if (is_quiet(step, index)) {
      if (++r.quiet > needed) freezing_.push_back(index);
    } else {
      r.quiet = 0;
    }
    r.moved = true;
    r.velocity = body.velocity;
    r.spin = body.angular_velocity;
  }
  for (const std::int32_t index : freezing_) {
    const Body& body = step.world->at(index);
    taken += body.velocity / body.inverse_mass;
  }
  note_supports(step);
  if (!freezing_.empty()) note_loads(step);
  for (const std::int32_t index : freezing_) {
    Resident& r = resident(index);
    r.quiet = 0;
    r.moved = false;
    step.freeze(index);
    r.field = field_force(*step.world, index);
    r.field_known = true;
  }
  return taken;
}

void Freezer::save(ByteWriter& out) const {
  out.put(static_cast<std::uint64_t>(residents_.size()));
  for (const Resident& r : residents_) {
    out.put(r.quiet);
    out.put(r.least_energy);
    out.put(static_cast<std::uint8_t>(r.moved));
    put(out, r.velocity);
    put(out, r.spin);
    out.put(static_cast<std::uint8_t>(r.field_known));
    put(out, r.field.force);
    put(out, r.field.torque);
    put(out, r.load);
    out.put(r.bears);
    put(out, r.place);
    out.put(static_cast<std::uint64_t>(r.supports.size()));
    for (const Support& s : r.supports) {
      out.put(s.body);
      put(out, s.position);
      put(out, s.orientation);
    }
    out.put(static_cast<std::uint64_t>(r.carries.size()));
    for (const std::int32_t body : r.carries) out.put(body);
  }
  out.put(static_cast<std::uint64_t>(overloaded_.size()));
  for (const std::int32_t body : overloaded_) out.put(body);
}

bool Freezer::restore(ByteReader& in, std::size_t bodies) {
  constexpr std::size_t kLeastBytes = sizeof(std::int32_t) + 20 * sizeof(Real) + 2 + 2 * sizeof(std::uint64_t);
  const auto known = [&](std::int32_t body) { return body >= 0 && static_cast<std::size_t>(body) < bodies; };
  const auto count = in.get<std::uint64_t>();
  if (count > bodies || !in.fits(count, kLeastBytes)) return false;
  std::vector<Resident> residents(count);
  for (Resident& r : residents) {
    r.quiet = in.get<std::int32_t>();
    r.least_energy = in.get<Real>();
    r.moved = in.get<std::uint8_t>() != 0;
    r.velocity = get_vec3(in);
    r.spin = get_vec3(in);
    r.field_known = in.get<std::uint8_t>() != 0;
    r.field.force = get_vec3(in);
    r.field.torque = get_vec3(in);
    r.load = get_vec3(in);
    r.bears = in.get<Real>();
    r.place = get_vec3(in);
    const auto supports = in.get<std::uint64_t>();
    if (!in.fits(supports, sizeof(std::int32_t) + 7 * sizeof(Real))) return false;
    r.supports.resize(supports);
    for (Support& s : r.supports) {
      s.body = in.get<std::int32_t>();
      s.position = get_vec3(in);
      s.orientation = get_quat(in);
      if (!known(s.body)) return false;
    }
    const auto carries = in.get<std::uint64_t>();
    if (!in.fits(carries, sizeof(std::int32_t))) return false;
    r.carries.resize(carries);
    for (std::int32_t& body : r.carries) {
      body = in.get<std::int32_t>();
      if (!known(body)) return false;
    }
  }
  const auto overloaded_count = in.get<std::uint64_t>();
  if (!in.fits(overloaded_count, sizeof(std::int32_t))) return false;
  std::vector<std::int32_t> overloaded(overloaded_count);
  for (std::int32_t& body : overloaded) {
    body = in.get<std::int32_t>();
    if (!known(body)) return false;
  }
  if (!in.ok()) return false;
  residents_ = std::move(residents);
  overloaded_ = std::move(overloaded);
  return true;
}

}  // namespace carom
