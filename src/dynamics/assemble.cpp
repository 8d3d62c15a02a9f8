#include "dynamics/assemble.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "contact/rows.h"

namespace carom {
namespace {

BodyRole role_of(const Body& body) {
  if (!body.alive || body.type == BodyType::Fixed) return BodyRole::Fixed;
  if (body.type == BodyType::Kinematic) return BodyRole::Kinematic;
  return body.frozen ? BodyRole::Frozen : BodyRole::Dynamic;
}

ProblemBody problem_body(const Body& body) {
  ProblemBody p;
  p.role = role_of(body);
  p.inverse_mass = body.inverse_mass;
  p.inverse_inertia = body.inverse_inertia;
  p.velocity = p.role == BodyRole::Fixed ? Vec3{} : body.velocity;
  p.angular_velocity = p.role == BodyRole::Fixed ? Vec3{} : body.angular_velocity;
  return p;
}

/// The bodies of which a problem may differ from what it was in the last step.
template <typename Visit>
void each_changed(const WorldState& world, const StepProblem& problem, Visit&& visit) {
  if (problem.knows_still_bodies(world))
    for (const std::int32_t index : world.awake) visit(static_cast<std::size_t>(index));
  else
    for (std::size_t i = 0; i < world.bodies.size(); ++i) visit(i);
}

}  // namespace

bool StepProblem::knows_still_bodies(const WorldState& world) const {
  return still_version == world.still_version && !world.membership_changed;
}

void set_bodies(const WorldState& world, Real dt, StepProblem& problem) {
  problem.bodies.resize(world.bodies.size());
  each_changed(world, problem, [&](std::size_t i) { problem.bodies[i] = problem_body(world.bodies[i]); });
  problem.still_version = world.membership_changed ? 0 : world.still_version;
  problem.contacts.clear();
  problem.row_blocks.clear();
  problem.dt = dt;
  problem.gravity = norm(world.gravity);
  problem.down = problem.gravity > 0 ? world.gravity / problem.gravity : Vec3{};
}

void let_frozen_yield(StepProblem& problem) {
  problem.still_version = 0;
  for (ProblemBody& body : problem.bodies)
    if (body.role == BodyRole::Frozen) body.role = BodyRole::Dynamic;
}

Real normal_velocity(const ContactPoint& c, const std::vector<ProblemBody>& bodies) {
  const ProblemBody &a = bodies[static_cast<std::size_t>(c.a)], &b = bodies[static_cast<std::size_t>(c.b)];
  return dot(c.normal, relative_velocity(c, a.velocity, a.angular_velocity, b.velocity, b.angular_velocity));
}

namespace {

Real normal_velocity(const ContactPoint& c, std::span<const Vec3> v, std::span<const Vec3> w) {
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  return dot(c.normal, relative_velocity(c, v[a], w[a], v[b], w[b]));
}

}  // namespace

void place_contact(const Body& a, const Body& b, const Manifold& manifold, std::int32_t point, ContactPoint& contact) {
  const ManifoldPoint& p = manifold.points[static_cast<std::size_t>(point)];
  contact.normal = manifold.normal;
  contact.tangent = default_tangent(manifold.normal);
  // Half way between the surfaces, so that both bodies get the same angular momentum; where the other takes none,
  // the point of the body's own surface, which is where they will touch.
  contact.ra = p.point - a.position - (b.is_dynamic() ? 0 : 0.5 * p.gap) * manifold.normal;
  contact.rb = p.point - b.position + (a.is_dynamic() ? 0 : 0.5 * p.gap) * manifold.normal;
}

void gather_contacts(const WorldState& world, std::span<const Manifold> manifolds, std::vector<StepContact>& contacts,
                     std::int32_t first) {
  for (const Manifold& m : manifolds) {
    const Body &a = world.bodies[static_cast<std::size_t>(m.a)], &b = world.bodies[static_cast<std::size_t>(m.b)];
    const Material material = world.materials.pair(a.material, b.material);
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      StepContact& c = contacts.emplace_back();
      c.point.id = contact_id(m.a, m.b, m.name(i));
      c.point.a = m.a;
      c.point.b = m.b;
      place_contact(a, b, m, i, c.point);
      c.point.mu = material.friction;
      c.point.mu_static = material.static_friction;
      c.point.restitution = material.restitution;
      c.position = p.point;
      c.gap = p.gap;
      c.index = m.first_point + i;
      c.manifold = first;
      c.previous = p.previous;
    }
    ++first;
  }
}

Real approach(const WorldState& world, const StepContact& contact) {
  const ContactPoint& p = contact.point;
  const Body &a = world.bodies[static_cast<std::size_t>(p.a)], &b = world.bodies[static_cast<std::size_t>(p.b)];
  return -dot(p.normal, relative_velocity(p, a.velocity, a.angular_velocity, b.velocity, b.angular_velocity));
}

Real approach(const StepContact& contact, const Velocities& velocities) {
  return -normal_velocity(contact.point, velocities.linear, velocities.angular);
}

bool in_reach(const WorldState& world, const StepContact& contact, Real dt, Real envelope, Real pad) {
  return contact.gap <= envelope || contact.gap - dt * approach(world, contact) <= pad;
}

void assemble_collisions(const WorldState& world, std::span<const StepContact> contacts, std::span<const char> held,
                         Real dt, Real envelope, Real fast, std::vector<std::int32_t>& indices, StepProblem& problem) {
  constexpr Real kEarly = 0.25;  // of the step
  constexpr Real kNear = 0.05;   // of `fast`: what moves farther than that was stopped where it touches
  constexpr Real kNearby = 0.5;  // of the radius of a body that is stuck
  set_bodies(world, dt, problem);
  indices.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& p = contacts[i].point;
    const char was = std::max(held[static_cast<std::size_t>(p.a)], held[static_cast<std::size_t>(p.b)]);
    const Real approach = -dt * normal_velocity(p, problem.bodies);
    const Real early = approach > fast ? std::min(kNear * fast, kEarly * approach) : kEarly * approach;
    Real reach = was == kNotHeld ? 0 : early;
    const bool a_moves = world.at(p.a).is_active(), b_moves = world.at(p.b).is_active();
    if (was == kStuck && a_moves != b_moves) reach = std::min(approach, kNearby * world.at(a_moves ? p.a : p.b).radius);
    if (contacts[i].gap > std::max(envelope, reach)) continue;
    problem.contacts.push_back(p);
    indices.push_back(static_cast<std::int32_t>(i));
  }
}

namespace {

/// Whether the surfaces slide on each other by more than `still`, m/s.
bool slips(const ContactPoint& c, const Velocities& velocities, Real still) {
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  const Vec3 u =
      relative_velocity(c, velocities.linear[a], velocities.angular[a], velocities.linear[b], velocities.angular[b]);
  return norm(u - dot(u, c.normal) * c.normal) > still;
}

}  // namespace

void assemble_contacts(const WorldState& world, std::span<StepContact> contacts, const Velocities& before, Real dt,
                       Real envelope, Real dead_zone, Real resting_speed, StepProblem& problem) {
  constexpr Real kStill = 1e-3, kLeast = 1e-9;  // of what gravity adds in a step; m/s
  const Real still = std::max(kStill * dt * norm(world.gravity), kLeast);
  set_bodies(world, dt, problem);
  for (StepContact& c : contacts) {
    ContactPoint& p = problem.contacts.emplace_back(c.point);
    p.restitution = 0;
    if (p.mu_static > p.mu) p.mu = p.mu_static = slips(p, before, still) ? p.mu : p.mu_static;
    p.target = c.bias + c.turning.x;
    p.tangent_target = {c.turning.y, c.turning.z};
    c.fast = false;
    if (c.gap <= dead_zone) continue;
    p.target = c.turning.x - c.gap / dt;
    if (c.gap <= envelope) continue;
    const Real approach = -normal_velocity(p, problem.bodies);
    if (approach <= resting_speed) continue;
    const Real approach_before = -normal_velocity(p, before.linear, before.angular);
    const Real acceleration = (approach - approach_before) / dt;
    const Real squared = approach_before * std::abs(approach_before) + 2 * acceleration * c.gap;
    c.fast = true;
    p.target = -std::max(c.gap / dt, std::sqrt(std::max(squared, 0.0)));
  }
}

void move_bodies(const WorldState& world, const Velocities& rates, StepProblem& problem) {
  each_changed(world, problem, [&](std::size_t i) {
    problem.bodies[i].velocity = rates.linear[i];
    problem.bodies[i].angular_velocity = rates.angular[i];
  });
}

bool assemble_positions(const WorldState& world, std::span<const StepContact> contacts, const Velocities& rates,
                        std::span<const char> settled, Real dt, Real far, Real slop, StepProblem& problem) {
  set_bodies(world, dt, problem);
  // Turning a ball does nothing to its gaps that moving it does not do, and would move a top's axis.
  constexpr Real kHardly = 1e-6;
  for (const std::int32_t index : world.awake) {
    if (!std::holds_alternative<Sphere>(world.at(index).shape->geometry())) continue;
    ProblemBody& ball = problem.bodies[static_cast<std::size_t>(index)];
    ball.inverse_inertia = kHardly * ball.inverse_inertia;
  }
  move_bodies(world, rates, problem);
  bool needed = false;
  const Real negligible = 0.1 * slop / dt;
  for (const StepContact& c : contacts) {
    ContactPoint& p = problem.contacts.emplace_back(c.point);
    p.restitution = p.mu = p.mu_static = 0;
    p.target = c.gap > 0 ? -c.gap / dt : 0;
    const Real velocity = normal_velocity(p, rates.linear, rates.angular);
    // Far away the plane of a contact says little about the shape behind it: bodies are followed there.
    if (c.gap > far) p.target = std::min(p.target, 2 * velocity);
    if (settled[static_cast<std::size_t>(p.a)] != 0 || settled[static_cast<std::size_t>(p.b)] != 0)
      p.target = std::min(p.target, velocity);
    needed = needed || velocity < p.target - negligible;
  }
  return needed;
}

bool ask_for_recovery(std::span<const StepContact> contacts, Real dt, Real share, Real slop, ContactProblem& problem) {
  bool asked = false;
  const Real negligible = 0.1 * slop / dt;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].gap >= -slop) continue;
    ContactPoint& p = problem.contacts[i];
    p.target = share * (-contacts[i].gap - slop) / dt;
    asked = asked || normal_velocity(p, problem.bodies) < p.target - negligible;
  }
  return asked;
}

void add_overlaps(std::span<const Manifold> overlaps, std::span<const Vec3> centers, Real dt, Real slop,
                  ContactProblem& problem) {
  for (const Manifold& m : overlaps) {
    for (int i = 0; i < m.count; ++i) {
      const ManifoldPoint& point = m.points[static_cast<std::size_t>(i)];
      ContactPoint p;
      p.a = m.a;
      p.b = m.b;
      p.normal = m.normal;
      p.tangent = default_tangent(m.normal);
      p.ra = point.point - centers[static_cast<std::size_t>(m.a)];
      p.rb = point.point - centers[static_cast<std::size_t>(m.b)];
      p.target = normal_velocity(p, problem.bodies) - (point.gap + slop) / dt;
      problem.contacts.push_back(p);
    }
  }
}

}  // namespace carom
