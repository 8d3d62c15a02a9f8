#include "dynamics/blow.h"

#include <algorithm>
#include <cmath>

#include "contact/rows.h"

namespace carom {
namespace {

Vec3 velocity_at(const Body& body, const Vec3& point) {
  return body.type == BodyType::Fixed ? Vec3{} : body.velocity + cross(body.angular_velocity, point - body.position);
}

Mobility mobility_of(const Body& body) {
  return body.is_active() ? Mobility{body.inverse_mass, body.inverse_inertia} : Mobility{};
}

void push(Body& body, const Vec3& arm, const Vec3& impulse) {
  if (!body.is_active()) return;
  body.velocity += body.inverse_mass * impulse;
  body.angular_velocity += body.inverse_inertia * cross(arm, impulse);
}

void turn(Body& body, const Vec3& moment) {
  if (body.is_active()) body.angular_velocity += body.inverse_inertia * moment;
}

/// The largest s in [0, 1] for which p + s q lies in the friction cone; negative: none.
Real largest_share(const Vec3& p, const Vec3& q, const Vec3& normal, Real mu) {
  const auto outside = [&](Real s) {
    const Vec3 sum = p + s * q;
    const Real along = dot(sum, normal);
    return along < 0 || norm(sum - along * normal) > mu * along;
  };
  if (!outside(1)) return 1;
  if (outside(0)) return -1;
  Real low = 0, high = 1;  // the cone is convex: it is left once
  constexpr int kHalvings = 20;
  for (int i = 0; i < kHalvings; ++i) {
    const Real middle = 0.5 * (low + high);
    (outside(middle) ? high : low) = middle;
  }
  return low;
}

/// What a microcollision is to bring about.
struct HopGoal {
  Real speed = 0;  // m/s, at which the bodies part
  Vec3 slip;       // m/s, after it
};

/// Half of the slip that the last hop has added is turned round, so that the next one begins as far on one side of no
/// slip as it ends on the other: in a hop like the last one that is the reversal of section 4.5, and where hops differ
/// it does not add up. A body that has just come to rest has no last hop; gravity tells what the next one will add.
HopGoal goal_of(const BlowRules& rules, const PointImpact& impact, Real gap, const Pull& pull, Real restitution) {
  constexpr Real kStill = 0.1;
  const Vec3& n = impact.normal;
  const auto across = [&n](const Vec3& v) { return v - dot(v, n) * n; };
  const Real approach = -dot(n, impact.velocity), along = pull.along(n, impact.velocity);
  const Vec3 slip = across(impact.velocity);
  HopGoal goal;
  goal.speed = std::max(hop_speed(rules, {{}, n, gap}, along), restitution * approach);
  if (!rules.reverse) return goal;
  goal.slip = -slip;
  if (pull.since.time > 0)
    goal.slip = -0.5 * across(impact.velocity - pull.since.parting);
  else if (along > 0 && std::abs(approach) <= kStill * goal.speed && norm(slip) <= kStill * goal.speed)
    goal.slip = (goal.speed / along) * across(pull.accelerations);
  return goal;
}

/// The bodies part as they are to, and slip as they are to as far as friction can make them. Returns how.
EventKind hop(const PointImpact& impact, const HopGoal& goal, ImpactOutcome& outcome) {
  const Vec3 lift = goal.speed * impact.normal;
  const Vec3 slip = impact.velocity - dot(impact.velocity, impact.normal) * impact.normal;
  const Mat3 mass = inverse(impact.inverse_mass);
  const Vec3 stick = mass * (lift - impact.velocity), more = mass * goal.slip;
  const Real share = largest_share(stick, more, impact.normal, impact.mu_static);
  if (share >= 0) {
    outcome.impulse = stick + share * more;
    outcome.velocity = lift + share * goal.slip;
    outcome.add_mode(ImpactMode::Stick);
    return share == 1 && goal.slip != Vec3{} ? EventKind::Reversed : EventKind::Micro;
  }
  const Vec3 direction = impact.normal - impact.mu * normalized(slip);
  const Real gain = dot(impact.normal, impact.inverse_mass * direction);
  if (gain <= 0) {  // friction presses more than the impulse lifts: only the whole law knows what happens
    outcome = resolve_impact(ImpactLaw::Poisson, impact);
    return EventKind::Micro;
  }
  outcome.impulse = ((goal.speed - dot(impact.velocity, impact.normal)) / gain) * direction;
  outcome.velocity = impact.velocity + impact.inverse_mass * outcome.impulse;
  outcome.add_mode(ImpactMode::Slide);
  return EventKind::Micro;
}

/// True if c, seen along the normal, lies in the convex hull of the points: no side of the hull has it outside.
bool lies_within(const Vec3& c, const Vec3& normal, std::span<const BlowPoint> points) {
  bool has_sides = false;
  for (const BlowPoint& from : points) {
    for (const BlowPoint& to : points) {
      const Vec3 side = cross(normal, to.point - from.point);
      const Real rounding = 1e-9 * squared_norm(side);
      bool is_side = squared_norm(side) > 0, spans = false;
      for (const BlowPoint& other : points) {
        const Real inward = dot(side, other.point - from.point);
        is_side = is_side && inward >= -rounding;
        spans = spans || inward > rounding;
      }
      if (!is_side || !spans) continue;
      has_sides = true;
      if (dot(side, c - from.point) < 0) return false;
    }
  }
  return has_sides;
}

/// An impulse p at a point and a moment about two tangents, which stands for a shift of p within the patch.
struct PatchImpulse {
  Vec3 impulse, moment;
};

/// What such an impulse does to the contact velocity, and to the relative turning across the normal.
class PatchMatrix {
 public:
  PatchMatrix(const PointImpact& impact, const Vec3& arm_a, const Vec3& arm_b, const Mat3& turn_a, const Mat3& turn_b,
              DenseLu& lu)
      : lu_(lu) {
    tangents_[0] = default_tangent(impact.normal);
    tangents_[1] = cross(impact.normal, tangents_[0]);
    lu.start(5);
    for (int j = 0; j < 3; ++j) {
      Vec3 axis;
      axis[j] = 1;
      fill(j, impact.inverse_mass * axis, turn_b * cross(arm_b, axis) + turn_a * cross(arm_a, axis));
    }
    for (int j = 0; j < 2; ++j) {
      const Vec3 wa = turn_a * tangents_[j], wb = turn_b * tangents_[j];
      fill(3 + j, cross(wb, arm_b) + cross(wa, arm_a), wa + wb);
    }
    lu.factor();  // it is the mass of a body that moves: regular
  }

  /// What brings about these changes.
  PatchImpulse solve(const Vec3& velocity, const Vec3& turning) const {
    Real x[5] = {velocity.x, velocity.y, velocity.z, dot(tangents_[0], turning), dot(tangents_[1], turning)};
    lu_.solve(x);
    return {{x[0], x[1], x[2]}, x[3] * tangents_[0] + x[4] * tangents_[1]};
  }

 private:
  void fill(int column, const Vec3& velocity, const Vec3& turning) {
    const auto j = static_cast<std::size_t>(column);
    for (int i = 0; i < 3; ++i) lu_.row(static_cast<std::size_t>(i))[j] = velocity[i];
    for (int i = 0; i < 2; ++i) lu_.row(3 + static_cast<std::size_t>(i))[j] = dot(tangents_[i], turning);
  }

  DenseLu& lu_;
  Vec3 tangents_[2];
};

PointImpact impact_at(const Material& material, const BlowPoint& at, const Body& a, const Body& b) {
  PointImpact impact;
  add_inverse_mass(mobility_of(a), at.point - a.position, impact.inverse_mass);
  add_inverse_mass(mobility_of(b), at.point - b.position, impact.inverse_mass);
  impact.velocity = velocity_between(a, b, at.point);
  impact.normal = at.normal;
  impact.mu = material.friction;
  impact.mu_static = material.static_friction;
  impact.restitution = material.restitution;
  return impact;
}

ImpactEvent event_at(const BlowPoint& at, const PointImpact& impact) {
  ImpactEvent event;
  event.point = at.point;
  event.normal = at.normal;
  event.approach = -dot(at.normal, impact.velocity);
  return event;
}

void finish(const PointImpact& impact, const ImpactOutcome& outcome, ImpactEvent& event) {
  event.impulse = outcome.impulse;
  // Of a constant force over an instant: the mean of the velocities before and after.
  event.energy_loss = -0.5 * dot(outcome.impulse, impact.velocity + outcome.velocity);
  event.modes = outcome.modes;
  event.mode_count = outcome.mode_count;
}

Real kinetic_energy_of(const Body& body) { return body.is_active() ? kinetic_energy(body) : 0; }

}  // namespace

Vec3 velocity_between(const Body& a, const Body& b, const Vec3& point) {
  return velocity_at(b, point) - velocity_at(a, point);
}

Real approach_at(const Body& a, const Body& b, const BlowPoint& at) {
  return dot(at.normal, velocity_at(a, at.point) - velocity_at(b, at.point));
}

Real hop_speed(const BlowRules& rules, const BlowPoint& at, Real pull) {
  // Bodies that overlap are to climb.
  const Real rise = at.gap >= 0 ? rules.hop : std::min(rules.hop - at.gap, 2 * rules.hop);
  return pull > 0 ? std::sqrt(2 * pull * rise) : 0;
}

Real Pull::along(const Vec3& normal, const Vec3& velocity) const {
  const Real falling = std::max(dot(normal, accelerations), std::abs(dot(normal, gravity)));
  if (since.time == 0) return falling;
  const Real measured = dot(normal, since.parting - velocity) / since.time;
  constexpr Real kLeast = 0.1, kMost = 100;  // beyond that the two flights have little in common
  return measured > kLeast * falling && measured < kMost * falling ? measured : falling;
}

ImpactEvent strike(const BlowRules& rules, const Material& material, const BlowPoint& at, const Pull& pull, Body& a,
                   Body& b) {
  const Vec3 arm_a = at.point - a.position, arm_b = at.point - b.position;
  PointImpact impact = impact_at(material, at, a, b);
  ImpactEvent event = event_at(at, impact);
  ImpactOutcome outcome;
  if (event.approach > rules.micro_speed) {
    outcome = resolve_impact(rules.law, impact);
  } else if (rules.artificial || at.gap < 0) {
    event.kind = hop(impact, goal_of(rules, impact, at.gap, pull, material.restitution), outcome);
  } else {
    event.kind = EventKind::Reversed;
    if (rules.reverse) outcome = resolve_impact(ImpactLaw::Reverse, impact);
    if (!rules.reverse || !outcome.in_cone) {
      event.kind = EventKind::Micro;
      outcome = resolve_impact(rules.law, impact);
    }
  }
  push(a, arm_a, -outcome.impulse);
  push(b, arm_b, outcome.impulse);
  finish(impact, outcome, event);
  return event;
}

std::optional<ImpactEvent> strike_patch(const BlowRules& rules, const Material& material,
                                        std::span<const BlowPoint> points, const Pull& pull, DenseLu& lu, Body& a,
                                        Body& b) {
  BlowPoint center{{}, points.front().normal, 0};
  const Real part = 1 / static_cast<Real>(points.size());
  for (const BlowPoint& point : points) {
    if (approach_at(a, b, point) > rules.micro_speed) return {};
    center.point += part * point.point;
    center.gap += part * point.gap;
  }
  const PointImpact impact = impact_at(material, center, a, b);
  const Vec3 arm_a = center.point - a.position, arm_b = center.point - b.position;
  const Real approach = -dot(impact.normal, impact.velocity);
  const Vec3 slip = impact.velocity + approach * impact.normal;
  const HopGoal goal = goal_of(rules, impact, center.gap, pull, material.restitution);
  const PatchMatrix matrix(impact, arm_a, arm_b, mobility_of(a).inverse_inertia, mobility_of(b).inverse_inertia, lu);
  // Lifting alone, and the change of slip, of which friction may bring about all, or a part.
  const PatchImpulse lift =
      matrix.solve((goal.speed + approach) * impact.normal, a.angular_velocity - b.angular_velocity);
  const PatchImpulse stop = matrix.solve(goal.slip - slip, {});
  Real share = largest_share(lift.impulse, stop.impulse, impact.normal, impact.mu_static);
  const bool slides = dot(slip, slip + share * (goal.slip - slip)) > 0;
  if (slides) share = largest_share(lift.impulse, stop.impulse, impact.normal, impact.mu);
  if (share < 0) return {};
  const PatchImpulse patch{lift.impulse + share * stop.impulse, lift.moment + share * stop.moment};
  const Real normal = dot(patch.impulse, impact.normal);
  if (normal <= 0) return {};
  const Vec3 shift = cross(impact.normal, patch.moment) / normal;
  if (!lies_within(center.point + shift, impact.normal, points)) return {};
  ImpactOutcome outcome;
  outcome.velocity = goal.speed * impact.normal + slip + share * (goal.slip - slip);

  const Real before = kinetic_energy_of(a) + kinetic_energy_of(b);
  push(a, arm_a, -patch.impulse);
  push(b, arm_b, patch.impulse);
  turn(a, -patch.moment);
  turn(b, patch.moment);
  outcome.impulse = patch.impulse;
  outcome.add_mode(slides ? ImpactMode::Slide : ImpactMode::Stick);
  center.point += shift;
  ImpactEvent event = event_at(center, impact);
  event.kind = share == 1 ? EventKind::Reversed : EventKind::Micro;
  finish(impact, outcome, event);
  event.energy_loss = before - kinetic_energy_of(a) - kinetic_energy_of(b);
  return event;
}

}  // namespace carom
