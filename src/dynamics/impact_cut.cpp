#include "dynamics/impact_cut.h"

#include <algorithm>

#include "dynamics/stops.h"

namespace carom {
namespace {

/// Times of impact are found to within this share of the envelope, but no two of them closer than this share of a step.
constexpr Real kArrived = 1e-2, kShortest = 1e-9;
/// How often the way to an impact is looked at: how bodies turn and slide depends a little on the time that they have.
constexpr int kAttempts = 2;

}  // namespace

void ImpactCut::find(StepContext& step, ContactStage& contacts, Midway* midway, int most_stops) {
  WorldState& world = *step.world;
  to_impact_ = static_cast<int>(world.stops.size()) < most_stops;
  step.report.stops_limited = step.report.stops_limited || !to_impact_;
  if (!to_impact_) return;
  const Real left = step.dt, tolerance = kArrived * step.envelope;
  find_touching(step);
  std::optional<FirstImpact> first;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    predict(step, contacts, midway);
    step.dt = left;
    const std::span<const MotionPairs::Pair> pairs =
        ways_.find(movers_, step.awake(), step.detector, left, tolerance, step.threads);
    set_obstacles(world, ways_, pairs, movers_);
    first = first_impact(movers_, pairs, touching_, {0, left, 0, tolerance}, step.resting_speed);
    const std::optional<FirstImpact> other = first_closing(step, left, tolerance);
    if (other && (!first || other->impact.time < first->impact.time)) first = other;
    if (!first) break;
    step.dt = std::min(std::max(first->impact.time, kShortest * left), left);
  }
  if (first) world.stops.push_back({world.time + step.dt, world.handle(first->a), world.handle(first->b)});
}

/// The pairs with a closed contact that does not open: the contact stage keeps them apart.
void ImpactCut::find_touching(const StepContext& step) {
  touching_.clear();
  for (const StepContact& c : step.contacts) {
    if (c.gap > step.envelope || approach(*step.world, c) < -step.resting_speed) continue;
    // As pairs of the broad phase are named: contacts name the body that does not move first.
    touching_.push_back({c.point.b, c.point.a});
    touching_.push_back({c.point.a, c.point.b});
  }
  std::sort(touching_.begin(), touching_.end());
}

/// Of bodies that touch, the first of their points to meet besides: the other edge of a box that rocks on a floor. One
/// of the two stands still, so that the normal is its own and does not turn.
std::optional<FirstImpact> ImpactCut::first_closing(const StepContext& step, Real end, Real tolerance) const {
  constexpr int kHalvings = 50;  // more than a number has digits, from a step on
  std::optional<FirstImpact> first;
  for (const StepContact& c : step.contacts) {
    if (c.gap <= step.envelope) continue;
    const Body &a = step.world->at(c.point.a), &b = step.world->at(c.point.b);
    const bool a_moves = a.is_active();
    if (a_moves == b.is_active() || !(a_moves ? b : a).stands_still()) continue;
    if (!std::binary_search(touching_.begin(), touching_.end(), BroadPhase::Pair{c.point.a, c.point.b})) continue;
    const std::int32_t moving = a_moves ? c.point.a : c.point.b;
    const Motion& motion = movers_[static_cast<std::size_t>(moving)].motion;
    const Vec3 normal = a_moves ? -c.point.normal : c.point.normal;  // towards the body that moves
    const Vec3 point = c.position + 0.5 * c.gap * normal;
    const Vec3 arm = rotate(conjugate(motion.orientation), point - motion.position);
    const auto at = [&](Real time) { return motion.center(time) + rotate(motion.pose(time).orientation, arm); };
    const auto gap = [&](Real time) { return c.gap + dot(normal, at(time) - point); };
    if (gap(end) > tolerance) continue;
    Real open = 0, closed = end;
    for (int i = 0; i < kHalvings; ++i) {
      const Real middle = 0.5 * (open + closed);
      (gap(middle) > tolerance ? open : closed) = middle;
    }
    if (dot(normal, motion.velocity_at(open, at(open))) > -step.resting_speed) continue;
    if (first && first->impact.time <= open) continue;
    first = FirstImpact{c.point.a, c.point.b, {}};
    first->impact.time = open;
  }
  return first;
}

/// The ways of all bodies for the next dt seconds. What is in contact does not fly on a parabola of gravity; the
/// acceleration that contacts leave it is found by solving them for that time.
void ImpactCut::predict(StepContext& step, ContactStage& contact_stage, Midway* midway) {
  WorldState& world = *step.world;
  const std::vector<StepContact> contacts = step.contacts;
  const std::vector<Vec3> collision_impulses = step.collision_impulses;
  start_.linear.resize(world.bodies.size());
  start_.angular.resize(world.bodies.size());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    start_.linear[i] = world.bodies[i].velocity;
    start_.angular[i] = world.bodies[i].angular_velocity;
  }
  step.forces.apply(world, step.dt);
  drop_contacts_out_of_reach(step);
  if (!step.contacts.empty()) {
    step.predicting = true;
    if (midway != nullptr) midway->enter(step);
    contact_stage.resolve(step);
    if (midway != nullptr) midway->leave(step);
    step.predicting = false;
  }
  set_movers(world, step.awake(), movers_);
  for (const std::int32_t awake : step.awake()) {
    const auto i = static_cast<std::size_t>(awake);
    Body& body = world.bodies[i];
    Motion& m = movers_[i].motion;
    movers_[i].asks = true;
    m.velocity = start_.linear[i];
    // One step of symplectic Euler, x + t (v + t a), is a parabola of twice the acceleration.
    const bool euler = step.integrator == Integrator::Euler;
    m.acceleration = (euler ? 2 : 1) * (body.velocity - start_.linear[i]) / step.dt;
    const Vec3 rate = euler ? body.angular_velocity : 0.5 * (start_.angular[i] + body.angular_velocity);
    m.angular_velocity = turn_of(body, rate, step.dt) / step.dt;
    body.velocity = start_.linear[i];
    body.angular_velocity = start_.angular[i];
  }
  step.contacts = contacts;
  step.collision_impulses = collision_impulses;
}

/// Where the next impact ends this part of the step, bodies that are on their way to it, or have just bounced, fly:
/// they are not in contact. Those of pairs that touch elsewhere stay, and so do slow ones, and those that overlap: no
/// impact would end their flight.
bool ImpactCut::flies(const StepContext& step, const StepContact& c) const {
  if (!to_impact_ || c.gap < -step.envelope) return false;
  if (std::binary_search(touching_.begin(), touching_.end(), BroadPhase::Pair{c.point.a, c.point.b})) return false;
  return c.gap <= step.envelope || approach(*step.world, c) > step.resting_speed;
}

void ImpactCut::drop_contacts_out_of_reach(StepContext& step) {
  const Real pad = 2 * step.base_margin();
  std::vector<StepContact>& contacts = step.contacts;
  std::vector<Vec3>& collision_impulses = step.collision_impulses;
  std::size_t kept = 0;
  flown_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const bool collided = collision_impulses[i] != Vec3{};
    if (flies(step, contacts[i])) {
      if (collided) flown_.emplace_back(contacts[i], collision_impulses[i]);
      continue;
    }
    if (!collided && !in_reach(*step.world, contacts[i], step.dt, step.envelope, pad)) continue;
    contacts[kept] = contacts[i];
    collision_impulses[kept++] = collision_impulses[i];
  }
  contacts.resize(kept);
  collision_impulses.resize(kept);
}

}  // namespace carom
