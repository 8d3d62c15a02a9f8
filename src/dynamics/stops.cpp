#include "dynamics/stops.h"

#include <algorithm>
#include <cmath>

#include "math/trig.h"

namespace carom {
namespace {

constexpr std::size_t kPairsPerChunk = 64;
constexpr Real kNever = -1;
constexpr Real kDeeper = 0.2;  // of the slop: how much deeper bodies may get in a step that overlap by more than it

/// How much of its way a body can at most bring between itself and another, m.
Real travel(const Motion& m, Real dt) { return dt * (norm(m.velocity) + norm(m.angular_velocity) * m.radius); }

Real relative_travel(const Motion& a, const Motion& b, Real dt) {
  return dt *
         (norm(b.velocity - a.velocity) + norm(a.angular_velocity) * a.radius + norm(b.angular_velocity) * b.radius);
}

}  // namespace

void set_movers(const WorldState& world, std::span<const std::int32_t> bodies, std::vector<Mover>& movers) {
  movers.resize(world.bodies.size());
  for (const std::int32_t i : bodies) {
    const Body& body = world.bodies[static_cast<std::size_t>(i)];
    Mover& mover = movers[static_cast<std::size_t>(i)];
    // Who was frozen in this step stays where he is.
    const bool moves = body.type != BodyType::Fixed && !body.frozen;
    mover.role = {moves, moves && body.is_dynamic(), body.category, body.mask};
    mover.asks = false;
    mover.stray = 0;
    Motion& m = mover.motion = {};
    m.geometry = &body.shape->geometry();
    m.position = body.position;
    m.orientation = body.orientation;
    m.center_local = body.center_local;
    m.radius = body.radius;
  }
}

void set_movers(const WorldState& world, std::span<const std::int32_t> bodies, const Velocities& rates, Real dt,
                std::vector<Mover>& movers) {
  set_movers(world, bodies, movers);
  for (const std::int32_t body : bodies) {
    const auto i = static_cast<std::size_t>(body);
    movers[i].motion.velocity = rates.linear[i];
    movers[i].motion.angular_velocity = turn_of(world.bodies[i], rates.angular[i], dt) / dt;
  }
}

void set_obstacles(const WorldState& world, const MotionPairs& pairs, std::span<const MotionPairs::Pair> list,
                   std::vector<Mover>& movers) {
  for (const MotionPairs::Pair& pair : list) {
    if (pairs.is_awake(pair.second)) continue;
    set_movers(world, {&pair.second, 1}, movers);
    movers[static_cast<std::size_t>(pair.second)].role = {};
  }
}

Vec3 common_velocity(const Body& a, const Vec3& velocity_a, const Body& b, const Vec3& velocity_b) {
  return (b.inverse_mass * velocity_a + a.inverse_mass * velocity_b) / (a.inverse_mass + b.inverse_mass);
}

std::span<const StoppedBody> Stops::find(const WorldState& world, std::span<const std::int32_t> awake,
                                         const Detector& detector, Real dt, const StopRules& rules, ThreadPool* threads,
                                         Velocities& rates) {
  world_ = &world;
  dt_ = dt;
  rules_ = rules;
  stopped_.clear();
  met_.clear();
  set_movers(world, awake, rates, dt_, movers_);
  for (const StoppedBody& end : rules.settled) mover(end.body).motion.angular_velocity = end.angular_velocity;
  bool needed = false;
  for (const std::int32_t body : awake) {
    Mover& m = mover(body);
    // A pair that comes together by that much has a body that goes half of it.
    const Real way = travel(m.motion, dt_);
    m.asks = way > 0.5 * rules.lengths.least_motion;
    needed = needed || way > 0.5 * rules.lengths.fast || (m.asks && !rules.deep.empty());
  }
  if (!needed) return stopped_;
  find_pairs(awake, detector, threads);
  foresee_all(threads);
  // Whom those may meet that go on together is known once it is known who that may be.
  if (find_strays()) {
    find_pairs(awake, detector, threads);
    foresee_all(threads);
  }
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Event event = queue_.back();
    queue_.pop_back();
    if (event.stamp == stamp_of(event.pair)) resolve(event);
  }
  finish(awake, rates);
  return stopped_;
}

void Stops::find_pairs(std::span<const std::int32_t> awake, const Detector& detector, ThreadPool* threads) {
  list_ = pairs_.find(movers_, awake, detector, dt_, rules_.lengths.tolerance, threads);
  set_obstacles(*world_, pairs_, list_, movers_);
  ways_.resize(movers_.size());
  changes_.resize(movers_.size());
  carrier_.resize(movers_.size());
  first_stop_.resize(movers_.size());
  const auto start = [&](std::int32_t body) {
    const auto i = static_cast<std::size_t>(body);
    ways_[i] = Way::Free;
    changes_[i] = 0;
    carrier_[i] = -1;
  };
  for (const std::int32_t body : awake) start(body);
  for (const MotionPairs::Pair& pair : list_) start(pair.second);
}

/// How far off its way a body may be led by another that it meets in the air: by no more than their common velocity
/// differs from its own. False where nobody may.
bool Stops::find_strays() {
  bool any = false;
  for (const Event& event : queue_) {
    const auto [a, b] = list_[static_cast<std::size_t>(event.pair)];
    if (!mover(a).role.dynamic || !mover(b).role.dynamic) continue;
    const Vec3 &v_a = mover(a).motion.velocity, &v_b = mover(b).motion.velocity;
    const Vec3 together = common_velocity(world_->at(a), v_a, world_->at(b), v_b);
    mover(a).stray = std::max(mover(a).stray, dt_ * norm(together - v_a));
    mover(b).stray = std::max(mover(b).stray, dt_ * norm(together - v_b));
    mover(a).asks = mover(b).asks = any = true;
  }
  return any;
}

Stops::Way Stops::way_of(std::int32_t body) const {
  const Mover& m = movers_[static_cast<std::size_t>(body)];
  if (m.role.dynamic) return ways_[static_cast<std::size_t>(body)];
  return m.role.moves ? Way::Carried : Way::Pinned;
}

std::uint32_t Stops::stamp_of(std::int32_t pair) const {
  const MotionPairs::Pair& p = list_[static_cast<std::size_t>(pair)];
  return changes_[static_cast<std::size_t>(p.first)] + changes_[static_cast<std::size_t>(p.second)];
}

bool Stops::is_followed(std::int32_t pair) const {
  const MotionPairs::Pair& p = list_[static_cast<std::size_t>(pair)];
  const auto deep = [&](std::int32_t body) { return std::ranges::binary_search(rules_.deep, body); };
  return stamp_of(pair) > 0 || (!rules_.deep.empty() && (deep(p.first) || deep(p.second)));
}

bool Stops::foresee(std::int32_t pair, Real from, Event& event) {
  const auto k = static_cast<std::size_t>(pair);
  const StopLengths& lengths = rules_.lengths;
  const Motion &a = mover(list_[k].first).motion, &b = mover(list_[k].second).motion;
  if (relative_travel(a, b, dt_) <= (is_followed(pair) ? lengths.least_motion : lengths.fast)) return false;
  if (!may_meet(a, b, from, dt_, lengths.tolerance)) return false;
  Impact impact = time_of_impact(a, b, {from, dt_, levels_[k], lengths.tolerance});
  if (impact.found && levels_[k] == 0) {
    // What touches at the start, or closes in slowly, is the business of contacts: it may slide and turn, but not sink.
    const bool touches = impact.at_start && (from == 0 || impact.approach <= 0);
    if (touches || impact.approach * (dt_ - impact.time) <= lengths.slop) {
      levels_[k] = std::min(-lengths.slop, impact.distance - kDeeper * lengths.slop);
      impact = time_of_impact(a, b, {impact.time, dt_, levels_[k], lengths.tolerance});
    }
  }
  if (!impact.found || impact.approach <= 0) return false;
  event = {impact.time, pair, stamp_of(pair)};
  return true;
}

void Stops::foresee_all(ThreadPool* threads) {
  levels_.assign(list_.size(), 0);
  foreseen_.assign(list_.size(), {});
  for_chunks(threads, list_.size(), kPairsPerChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      if (!foresee(static_cast<std::int32_t>(k), 0, foreseen_[k])) foreseen_[k].time = kNever;
  });
  queue_.clear();
  for (const Event& event : foreseen_)
    if (event.time != kNever) queue_.push_back(event);
  std::make_heap(queue_.begin(), queue_.end());
}

void Stops::resolve(const Event& event) {
  const auto [a, b] = list_[static_cast<std::size_t>(event.pair)];
  const Way way_a = way_of(a), way_b = way_of(b);
  const auto carried = [&](std::int32_t body) { return rules_.carried[static_cast<std::size_t>(body)] != 0; };
  const bool in_the_air = way_a == Way::Free && way_b == Way::Free && !carried(a) && !carried(b);
  const Way way = in_the_air ? Way::Together : std::max({way_a, way_b, Way::Stopped});
  Vec3 onward;
  if (in_the_air)
    onward = common_velocity(world_->at(a), mover(a).motion.velocity, world_->at(b), mover(b).motion.velocity);
  met_.emplace_back(a, b);
  // Between two that are held already, one of them by the other's carrier, nothing can be done.
  for (const auto& [body, other, now] : {std::tuple{a, b, way_a}, std::tuple{b, a, way_b}})
    if (mover(body).role.dynamic && now < way) set_way(body, way, other, onward, event.time);
}

void Stops::set_way(std::int32_t body, Way way, std::int32_t other, const Vec3& onward, Real time) {
  Motion& m = mover(body).motion;
  const Pose here = m.pose(time);
  const auto i = static_cast<std::size_t>(body);
  if (changes_[i]++ == 0) first_stop_[i] = {body, {}, {}, time, m.velocity, m.angular_velocity, dt_, onward};
  if (ways_[i] == Way::Together) first_stop_[i].until = time;
  ways_[i] = way;
  if (way == Way::Carried) {
    // The body goes on as a part of the other: about the same centre, with the same turn.
    carrier_[i] = mover(other).role.dynamic ? carrier_[static_cast<std::size_t>(other)] : other;
    const Motion& carrier = mover(carrier_[i]).motion;
    const Real own_radius = m.radius + norm(m.center_local);
    m.center_local = rotate(conjugate(here.orientation), carrier.center(time) - here.position);
    m.radius = own_radius + norm(m.center_local);
    m.orientation = rotation(-time * carrier.angular_velocity) * here.orientation;
    m.position = carrier.position;
    m.velocity = carrier.velocity;
    m.angular_velocity = carrier.angular_velocity;
  } else {
    m.position = m.center(time) - time * onward;
    m.orientation = here.orientation;
    m.velocity = onward;
    m.angular_velocity = {};
  }
  for (const std::int32_t pair : pairs_.of(body)) {
    Event event;
    if (!foresee(pair, time, event)) continue;
    queue_.push_back(event);
    std::push_heap(queue_.begin(), queue_.end());
  }
}

void Stops::finish(std::span<const std::int32_t> awake, Velocities& rates) {
  for (const std::int32_t awake_body : awake) {
    const auto i = static_cast<std::size_t>(awake_body);
    if (ways_[i] == Way::Free) continue;
    const Body& body = world_->bodies[i];
    const Pose end = movers_[i].motion.pose(dt_);
    const Vec3 center = end.position + rotate(end.orientation, body.center_local);
    stopped_.push_back(first_stop_[i]);
    stopped_.back().position = center;
    stopped_.back().orientation = end.orientation;
    rates.linear[i] = (center - body.position) / dt_;
    const Quat turn = end.orientation * conjugate(body.orientation);
    rates.angular[i] = (2 / dt_) * (turn.w < 0 ? -turn.vector() : turn.vector());
  }
}

}  // namespace carom
