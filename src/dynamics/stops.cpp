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
    mover.role = {body.type != BodyType::Fixed, body.is_dynamic(), body.category, body.mask};
    mover.asks = false;
    Motion& m = mover.motion = {};
    m.geometry = &body.shape->geometry();
    m.position = body.position;
    m.orientation = body.orientation;
    m.center_local = body.center_local;
    m.radius = body.radius;
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

std::span<const StoppedBody> Stops::find(const WorldState& world, std::span<const std::int32_t> awake,
                                         const Detector& detector, Real dt, const StopLengths& lengths,
                                         ThreadPool* threads, Velocities& rates) {
  dt_ = dt;
  lengths_ = lengths;
  stopped_.clear();
  met_.clear();
  set_movers(world, awake, movers_);
  Real longest = 0;
  for (const std::int32_t body : awake) {
    const auto i = static_cast<std::size_t>(body);
    Mover& m = movers_[i];
    m.motion.velocity = rates.linear[i];
    m.motion.angular_velocity = turn_of(world.bodies[i], rates.angular[i], dt_) / dt_;
    // A pair that comes together by that much has a body that goes half of it.
    const Real way = travel(m.motion, dt_);
    m.asks = way > 0.5 * lengths.least_motion;
    longest = std::max(longest, way);
  }
  if (longest <= 0.5 * lengths.fast) return stopped_;
  list_ = pairs_.find(movers_, awake, detector, dt, lengths.tolerance, threads);
  set_obstacles(world, pairs_, list_, movers_);
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
  foresee_all(threads);
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const Event event = queue_.back();
    queue_.pop_back();
    if (event.stamp == stamp_of(event.pair)) resolve(event);
  }
  finish(world, awake, rates);
  return stopped_;
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

bool Stops::foresee(std::int32_t pair, Real from, Event& event) {
  const auto k = static_cast<std::size_t>(pair);
  const Motion &a = mover(list_[k].first).motion, &b = mover(list_[k].second).motion;
  if (relative_travel(a, b, dt_) <= (stamp_of(pair) > 0 ? lengths_.least_motion : lengths_.fast)) return false;
  if (!may_meet(a, b, from, dt_, lengths_.tolerance)) return false;
  Impact impact = time_of_impact(a, b, {from, dt_, levels_[k], lengths_.tolerance});
  if (impact.found && levels_[k] == 0) {
    // What touches at the start, or closes in slowly, is the business of contacts: it may slide and turn, but not sink.
    const bool touches = impact.at_start && (from == 0 || impact.approach <= 0);
    if (touches || impact.approach * (dt_ - impact.time) <= lengths_.slop) {
      levels_[k] = std::min(-lengths_.slop, impact.distance - kDeeper * lengths_.slop);
      impact = time_of_impact(a, b, {impact.time, dt_, levels_[k], lengths_.tolerance});
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
  const Way way = std::max({way_a, way_b, Way::Stopped});
  met_.emplace_back(a, b);
  // Between two that are held already, one of them by the other's carrier, nothing can be done.
  for (const auto& [body, other, now] : {std::tuple{a, b, way_a}, std::tuple{b, a, way_b}})
    if (mover(body).role.dynamic && now < way) set_way(body, way, other, event.time);
}

void Stops::set_way(std::int32_t body, Way way, std::int32_t other, Real time) {
  Motion& m = mover(body).motion;
  const Pose here = m.pose(time);
  const auto i = static_cast<std::size_t>(body);
  ways_[i] = way;
  if (changes_[i]++ == 0) first_stop_[i] = {body, {}, {}, time, m.velocity, m.angular_velocity};
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
    m.position = m.center(time);
    m.orientation = here.orientation;
    m.velocity = m.angular_velocity = {};
  }
  for (const std::int32_t pair : pairs_.of(body)) {
    Event event;
    if (!foresee(pair, time, event)) continue;
    queue_.push_back(event);
    std::push_heap(queue_.begin(), queue_.end());
  }
}

void Stops::finish(const WorldState& world, std::span<const std::int32_t> awake, Velocities& rates) {
  for (const std::int32_t awake_body : awake) {
    const auto i = static_cast<std::size_t>(awake_body);
    if (ways_[i] == Way::Free) continue;
    const Body& body = world.bodies[i];
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
