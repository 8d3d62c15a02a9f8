#include "dynamics/event_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "carom/contact/classify.h"
#include "collision/motion_pairs.h"
#include "collision/time_of_impact.h"
#include "dynamics/flight.h"
#include "dynamics/forces.h"
#include "dynamics/ledger.h"
#include "dynamics/near_pairs.h"
#include "dynamics/pair_blows.h"
#include "dynamics/resting_solver.h"
#include "dynamics/snapshot.h"

namespace carom {
namespace {

constexpr Real kFloor = 1.0 / 8;       // of the envelope: the distance at which bodies collide
constexpr Real kTolerance = 1.0 / 32;  // of the envelope
constexpr Real kZone = 8;              // hops above the floor: farther apart, bodies are not in contact any more
constexpr Real kHop = 0.5;             // tolerances: how high bodies in contact hop
constexpr Real kFine = 1.0 / 32;       // of a hop: tolerance for pairs in contact, so that hops are like each other
constexpr Real kLeastHop = 0.125;      // of a hop: lower ones are not followed to their apex
constexpr int kPersistent = 2;         // microcollisions in a frame that make a contact persistent
constexpr Real kRoom = 0.05;           // of its radius: by how much a body's box is wider than its flight

/// When to look at a pair again.
struct Due {
  Real time = 0;
  std::int32_t a = 0, b = 0;  // bodies: they decide where times are equal, so that the order has no history
  std::int32_t pair = 0;
  std::uint32_t stamp = 0;
  bool at_apex = false;  // they stop parting: nothing has to happen, but the floor can be told

  /// Later first, as heaps want it.
  bool operator<(const Due& o) const { return std::tie(time, a, b, at_apex) > std::tie(o.time, o.a, o.b, o.at_apex); }
};

class EventStep final : public Stepper {
 public:
  EventStep(const EventSettings& settings, std::unique_ptr<Stepper> solver)
      : settings_(settings), solver_(std::move(solver)) {}

  StepReport advance(WorldState& world, Real dt, ThreadPool* threads) override {
    threads_ = threads;
    begin(world, dt);
    if (settings_.solve_resting) solve_resting(dt);
    report_.seconds.contacts = watch_.lap();
    start_flights();
    find_pairs();
    report_.seconds.detect = watch_.lap();
    run();
    report_.seconds.collisions = watch_.lap();
    return finish(dt);
  }

  void forget() override {
    pairs_.clear();
    held_.clear();
    solver_.forget();
  }

  void save(ByteWriter& out) const override {
    std::vector<NearPair> kept;
    for (const NearPair& pair : pairs_.all())
      if (pair.floor != rules_.floor || pair.micro != 0) kept.push_back(pair);
    std::sort(kept.begin(), kept.end(),
              [](const NearPair& p, const NearPair& q) { return std::tie(p.a, p.b) < std::tie(q.a, q.b); });
    out.put(static_cast<std::uint64_t>(kept.size()));
    for (const NearPair& pair : kept) {
      out.put(pair.a);
      out.put(pair.b);
      for (const Real value : {pair.floor, pair.struck_gap, pair.struck_time}) out.put(value);
      put(out, pair.parting);
      out.put(pair.micro);
    }
    std::vector<std::int32_t> held;
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (held_[i] != 0) held.push_back(static_cast<std::int32_t>(i));
    put(out, held);
    solver_.save(out);
  }

  bool restore(ByteReader& in, const WorldState& world) override {
    const auto count = in.get<std::uint64_t>();
    if (!in.fits(count, 3 * sizeof(std::int32_t) + 6 * sizeof(Real))) return false;
    std::vector<NearPair> pairs(count);
    for (NearPair& pair : pairs) {
      pair.a = in.get<std::int32_t>();
      pair.b = in.get<std::int32_t>();
      for (Real* value : {&pair.floor, &pair.struck_gap, &pair.struck_time}) *value = in.get<Real>();
      pair.parting = get_vec3(in);
      pair.micro = in.get<std::int32_t>();
      const auto valid = [&](std::int32_t body) {
        return body >= 0 && static_cast<std::size_t>(body) < world.bodies.size();
      };
      if (!valid(pair.a) || !valid(pair.b)) in.fail();
    }
    const std::vector<std::int32_t> held = get_bodies(in, world.bodies.size());
    if (!in.ok() || !solver_.restore(in, world)) return false;
    pairs_.restore(std::move(pairs));
    held_.assign(world.bodies.size(), 0);
    for (const std::int32_t body : held) held_[static_cast<std::size_t>(body)] = 1;
    return true;
  }

  void list_inactive(const WorldState& /*world*/, std::vector<ContactRecord>& /*records*/) override {}

 private:
  void begin(WorldState& world, Real dt) {
    world_ = &world;
    watch_ = {};
    report_ = {};
    world.revived.clear();
    world.contacts.clear();
    world.stops.clear();
    world.events.clear();
    solved_contacts_.clear();
    solved_momentum_error_ = 0;
    world.find_awake();
    now_ = world.time;
    end_ = world.time + dt;
    ledger_.begin(world);
    led_.assign(world.bodies.size(), 0);
    held_.resize(world.bodies.size(), 0);
    set_rules();
    const Real bodies = std::max<Real>(1, static_cast<Real>(world.awake.size()));
    most_events_ = std::max(1000.0, settings_.most_events * bodies * dt);
  }

  void set_rules() {
    rules_.law = settings_.law;
    rules_.reverse = settings_.reverse;
    rules_.artificial = settings_.artificial;
    rules_.envelope = settings_.envelope * world_->smallest_size;
    rules_.micro_speed = resting_speed(norm(world_->gravity), rules_.envelope);
    rules_.floor = kFloor * rules_.envelope;
    rules_.tolerance = kTolerance * rules_.envelope;
    rules_.hop = kHop * rules_.tolerance;
    fine_ = kFine * rules_.hop;
  }

  /// Who has hopped on something through the last frame, or was held by it, goes to the solver for this one.
  void solve_resting(Real dt) {
    for (const NearPair& pair : pairs_.all())
      if (pair.micro >= kPersistent)
        led_[static_cast<std::size_t>(pair.a)] = led_[static_cast<std::size_t>(pair.b)] = 1;
    bool any = false;
    for (std::size_t i = 0; i < led_.size(); ++i) {
      led_[i] = (led_[i] != 0 || held_[i] != 0) && world_->bodies[i].is_active() ? 1 : 0;
      any = any || led_[i] != 0;
    }
    std::fill(held_.begin(), held_.end(), 0);
    if (!any) return;
    if (!solver_.advance(*world_, led_, dt, threads_)) {
      std::fill(led_.begin(), led_.end(), 0);
      return;
    }
    take_solution();
  }

  /// What the solver says of its part of the frame.
  void take_solution() {
    const StepReport& solved = solver_.report();
    report_.residual_model = solved.residual_model;
    report_.residual_coulomb = solved.residual_coulomb;
    report_.rms_coulomb = solved.rms_coulomb;
    report_.approach_left = solved.approach_left;
    report_.iterations = solved.iterations;
    report_.converged = solved.converged;
    report_.max_penetration = std::max(report_.max_penetration, solved.max_penetration);
    solved_momentum_error_ = solved.momentum_error;
    ledger_.give_work(solved.external_work);
    report_.solved = static_cast<std::int64_t>(std::count(led_.begin(), led_.end(), 1));
    for (const ContactRecord& contact : solver_.contacts()) {
      if (contact.impulse == Vec3{} && contact.collision_impulse == Vec3{}) continue;
      solved_contacts_.push_back(contact);
      for (const BodyHandle& body : {contact.a, contact.b}) held_[body.index - 1] = 1;
    }
  }

  void start_flights() {
    const std::size_t n = world_->bodies.size();
    if (world_->still_bodies_changed || spins_.size() != n) spins_.assign(n, {});
    flights_.resize(n);
    accelerations_.resize(n);
    torques_.resize(n);
    boxes_.resize(n);
    starts_.resize(n);
    if (world_->still_bodies_changed || courses_.size() != n) {
      courses_.resize(n);
      for (std::size_t i = 0; i < n; ++i)
        if (world_->bodies[i].alive) courses_[i] = course_at_rest(world_->bodies[i]);
    }
    for (const std::int32_t index : world_->awake) {
      const auto i = static_cast<std::size_t>(index);
      const Body& body = world_->bodies[i];
      if (body.is_active()) {
        if (spins_[i].smallest == 0) spins_[i] = spin_shape(body);
        feel_forces(index);
      }
      if (led_[i] != 0)
        lead_flight(index);
      else
        start_flight(index, now_);
      starts_[i] = flights_[i].at(now_);
      boxes_[i] = box_of(index, now_);
    }
  }

  /// Fields are felt as they are at the start of the frame.
  void feel_forces(std::int32_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = world_->bodies[i];
    AppliedForce on{body.force, body.torque};
    if (world_->field) {
      const AppliedForce field = field_force(*world_, index);
      on.force += field.force;
      on.torque += field.torque;
    }
    accelerations_[i] = world_->gravity + body.inverse_mass * on.force;
    torques_[i] = on.torque;
    report_.finite = report_.finite && std::isfinite(squared_norm(on.force) + squared_norm(on.torque));
  }

  void start_flight(std::int32_t index, Real time) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = world_->bodies[i];
    flights_[i].start(body, spins_[i], accelerations_[i], torques_[i], time);
    courses_[i] = flights_[i].course(body);
  }

  /// To where the solver has it at the end of the frame.
  void lead_flight(std::int32_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = world_->bodies[i];
    flights_[i].lead(body, solver_.result(index), end_ - now_, now_);
    courses_[i] = flights_[i].course(body);
  }

  /// The books of a flight that ends: what forces, or the solver, have given to the body.
  void book_flight(std::int32_t index, Real time) {
    const Body& body = world_->at(index);
    if (!body.is_active()) return;
    const Vec3 gained = flights_[static_cast<std::size_t>(index)].gained_velocity(time);
    ledger_.give_momentum(gained / body.inverse_mass);
  }

  Aabb box_of(std::int32_t index, Real time) const {
    const Body& body = world_->at(index);
    const Real span = end_ - time;
    const Real room = kRoom * body.radius + rules_.envelope;
    return swept_bounds(flights_[static_cast<std::size_t>(index)].motion(body, time, span), span).swept({}, room);
  }

  void find_pairs() {
    pairs_.begin(*world_, world_->awake, boxes_, rules_.floor);
    world_->still_bodies_changed = false;
    world_->removed.clear();
    world_->edited.clear();
    queue_.clear();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto k = static_cast<std::int32_t>(i);
      pairs_[k].micro = 0;
      pairs_[k].solved = is_solved(pairs_[k]);
      if (pairs_[k].floor == rules_.floor)
        foresee(k, now_);
      else
        tell_floor(k, now_, false);
    }
  }

  /// The solver has seen to the two already: both in its hands, or one and something that takes no impulses.
  bool is_solved(const NearPair& pair) const {
    const auto flies = [&](std::int32_t body) {
      return world_->at(body).is_active() && led_[static_cast<std::size_t>(body)] == 0;
    };
    return !flies(pair.a) && !flies(pair.b);
  }

  Motion motion(std::int32_t index, Real time) const {
    const Body& body = world_->at(index);
    if (body.type != BodyType::Fixed && !body.frozen)
      return flights_[static_cast<std::size_t>(index)].motion(body, time, end_ - time);
    return motion_at_rest(body);
  }

  const Course& course(std::int32_t index) const { return courses_[static_cast<std::size_t>(index)]; }

  void put_down(Real time, std::int32_t k, bool at_apex) {
    const NearPair& pair = pairs_[k];
    queue_.push_back({time, pair.a, pair.b, k, pair.stamp, at_apex});
    std::push_heap(queue_.begin(), queue_.end());
  }

  /// m: how much earlier than at its floor the pair may be taken to have met.
  Real tolerance_of(const NearPair& pair) const { return pair.floor == rules_.floor ? rules_.tolerance : fine_; }

  /// Puts down when the pair can come down to its floor, if that is before the end of the frame.
  void foresee(std::int32_t k, Real time) {
    NearPair& pair = pairs_[k];
    if (pair.solved) return;
    if (!may_meet(course(pair.a), course(pair.b), time, end_, rules_.envelope)) return;
    const Motion a = motion(pair.a, time), b = motion(pair.b, time);
    const Real span = end_ - time;
    const Impact impact = time_of_impact(a, b, {0, span, pair.floor, tolerance_of(pair)}, pair.hint);
    if (impact.found) put_down(time + impact.time, k, false);
  }

  /// For a pair in contact: at which distance its next blow is due. Just after a blow that is a little below where they
  /// are; once they have risen, where the last one was, or, if they overlapped there, a little below where they are.
  void tell_floor(std::int32_t k, Real time, bool struck) {
    NearPair& pair = pairs_[k];
    if (pair.solved) return;
    const Motion a = motion(pair.a, time), b = motion(pair.b, time);
    const Real zone = rules_.floor + kZone * rules_.hop;
    const Impact at = time_of_impact(a, b, {0, 0, zone, rules_.tolerance}, pair.hint);
    tell_floor(k, time, struck, at, a, b);
  }

  /// The same where it is known how they are now.
  void tell_floor(std::int32_t k, Real time, bool struck, const Impact& at, const Motion& a, const Motion& b) {
    NearPair& pair = pairs_[k];
    if (!at.found) {
      pair.floor = rules_.floor;
      return foresee(k, time);
    }
    const Real below = at.distance - 2 * fine_;
    // The blow comes half a fine tolerance to a whole one earlier: above the floor of the rules it is to come lower
    // each time, below it higher, so that hops neither climb nor sink.
    const Real again = pair.struck_gap - (pair.struck_gap > rules_.floor ? 1 : 0.5) * fine_;
    if (struck)
      pair.floor = below;
    else
      pair.floor = std::max(pair.floor, pair.struck_gap >= 0 ? std::min(again, below) : below);
    // They part, and will come back: where they turn round, the floor can be raised.
    const Real pull = dot(at.normal, a.acceleration - b.acceleration);
    const bool hops = at.approach < 0 && at.approach * at.approach > 2 * pull * (kLeastHop * rules_.hop);
    if (hops && pull > 0) {
      const Real apex = time - at.approach / pull;
      if (apex < end_) put_down(apex, k, true);
    }
    foresee(k, time);
  }

  void run() {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end());
      const Due due = queue_.back();
      queue_.pop_back();
      if (due.time >= end_) break;
      if (due.stamp != pairs_[due.pair].stamp) continue;
      if (static_cast<Real>(world_->events.size()) > most_events_) {
        report_.events_limited = true;
        leave_rest_to_solver();
        break;
      }
      now_ = due.time;
      if (due.at_apex) {
        ++pairs_[due.pair].stamp;
        tell_floor(due.pair, now_, false);
      } else {
        arrive(due.pair);
      }
    }
  }

  /// Everything from now to the end of the frame in one step.
  void leave_rest_to_solver() {
    for (const std::int32_t index : world_->awake) {
      book_flight(index, now_);
      bring(index, now_);
      led_[static_cast<std::size_t>(index)] = world_->at(index).is_active() ? 1 : 0;
    }
    world_->time = now_;
    const bool solved = solver_.advance(*world_, led_, end_ - now_, threads_);
    if (solved) take_solution();
    for (const std::int32_t index : world_->awake) {
      const auto i = static_cast<std::size_t>(index);
      if (solved && led_[i] != 0)
        lead_flight(index);
      else
        start_flight(index, now_);
    }
  }

  /// The pair may have come together by now.
  void arrive(std::int32_t k) {
    NearPair& pair = pairs_[k];
    const Motion a = motion(pair.a, now_), b = motion(pair.b, now_);
    const Impact at = time_of_impact(a, b, {0, end_ - now_, pair.floor, tolerance_of(pair)}, pair.hint);
    if (!at.found) return;
    if (!at.at_start && now_ + at.time > now_)
      put_down(now_ + at.time, k, false);
    else
      collide(k, at);
  }

  void bring(std::int32_t index, Real time) {
    Body& body = world_->at(index);
    if (body.type == BodyType::Fixed || body.frozen) return;
    const BodyState state = flights_[static_cast<std::size_t>(index)].at(time);
    body.position = state.position;
    body.orientation = state.orientation;
    body.velocity = state.velocity;
    body.angular_velocity = state.angular_velocity;
    body.refresh();
  }

  Vec3 acceleration_of(std::int32_t body) const {
    return world_->at(body).is_active() ? accelerations_[static_cast<std::size_t>(body)] : Vec3{};
  }

  void collide(std::int32_t k, const Impact& at) {
    const std::int32_t index_a = pairs_[k].a, index_b = pairs_[k].b;
    Body &a = world_->at(index_a), &b = world_->at(index_b);
    bring(index_a, now_);
    bring(index_b, now_);
    report_.max_penetration = std::max(report_.max_penetration, -at.distance);
    const Material material = world_->materials.pair(a.material, b.material);
    const NearPair& last = pairs_[k];
    Pull pull{acceleration_of(index_a) - acceleration_of(index_b), world_->gravity};
    if (last.struck_time >= 0 && now_ > last.struck_time) pull.since = {now_ - last.struck_time, last.parting};
    const std::span<const Blow> blows = blows_.strike_all(rules_, material, pull, at, a, b);
    for (const Blow& blow : blows) note(k, blow);
    NearPair& pair = pairs_[k];
    pair.struck_gap = at.distance;
    pair.struck_time = blows.size() == 1 ? now_ : -1;
    if (!blows.empty()) pair.parting = velocity_between(a, b, blows.back().at.point);
    for (const std::int32_t body : {index_a, index_b}) {
      if (!world_->at(body).is_active() || blows.empty()) continue;
      book_flight(body, now_);
      if (led_[static_cast<std::size_t>(body)] != 0) release(body);
      depart(body);
    }
    ++pairs_[k].stamp;
    Impact parted = at;
    parted.approach = approach_at(a, b, {0.5 * (at.on_a + at.on_b), at.normal, at.distance});
    tell_floor(k, now_, true, parted, motion(index_a, now_), motion(index_b, now_));
    for (const std::int32_t body : {index_a, index_b})
      if (world_->at(body).is_active() && !blows.empty()) look_again(body, k);
  }

  /// The solver has not seen the impact: from now on the body is on its own.
  void release(std::int32_t body) {
    led_[static_cast<std::size_t>(body)] = 0;
    for (const NearPairs::Neighbour& near : pairs_.of(body)) {
      NearPair& pair = pairs_[near.pair];
      if (!pair.solved) continue;
      pair.solved = false;
      pair.floor = -std::numeric_limits<Real>::infinity();  // raised when the pair is looked at again
    }
  }

  void note(std::int32_t k, const Blow& blow) {
    ImpactEvent event = blow.event;
    NearPair& pair = pairs_[k];
    event.time = now_;
    event.a = world_->handle(pair.a);
    event.b = world_->handle(pair.b);
    const bool micro = event.kind != EventKind::Impact;
    if (micro) ++pair.micro, ++report_.micro_events;
    ContactPoint contact;
    contact.a = pair.a;
    contact.b = pair.b;
    contact.ra = event.point - world_->at(pair.a).position;
    contact.rb = event.point - world_->at(pair.b).position;
    ledger_.add_contact(*world_, contact, event.impulse);

    if (pair.record < 0) {
      pair.record = static_cast<std::int32_t>(world_->contacts.size());
      world_->contacts.emplace_back();
    }
    ContactRecord& record = world_->contacts[static_cast<std::size_t>(pair.record)];
    record.id = static_cast<std::uint64_t>(pair.a + 1) << 32U | static_cast<std::uint64_t>(pair.b + 1);
    record.a = event.a;
    record.b = event.b;
    record.point = event.point;
    record.normal = event.normal;
    record.gap = blow.at.gap;
    (micro ? record.impulse : record.collision_impulse) += event.impulse;
    const bool sticks = event.mode_count > 0 && event.all_modes().back() == ImpactMode::Stick;
    record.mode = sticks ? ContactMode::Stick : ContactMode::Slide;
    world_->events.push_back(event);
  }

  /// The body goes on from where it is, now.
  void depart(std::int32_t body) {
    start_flight(body, now_);
    const Aabb box = box_of(body, now_);
    if (pairs_.contains(body, box)) return;
    const std::size_t before = pairs_.size();
    pairs_.change_box(body, box, rules_.floor);
    for (std::size_t i = before; i < pairs_.size(); ++i) foresee(static_cast<std::int32_t>(i), now_);
  }

  /// The body's flight has changed: all its pairs but one, which is done already, meet at other times.
  void look_again(std::int32_t body, std::int32_t but) {
    const std::size_t count = pairs_.of(body).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t k = pairs_.of(body)[i].pair;
      if (k == but) continue;
      NearPair& pair = pairs_[k];
      ++pair.stamp;
      pair.struck_time = -1;
      if (pair.floor == rules_.floor)
        foresee(k, now_);
      else
        tell_floor(k, now_, false);
    }
  }

  /// J: of forces other than gravity in this frame, that of a torque by the trapezoidal rule.
  Real work_on(std::int32_t index, Real dt) const {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = world_->bodies[i];
    const Vec3 force = (accelerations_[i] - world_->gravity) / body.inverse_mass;
    return dot(force, body.position - starts_[i].position) +
           0.5 * dt * dot(torques_[i], body.angular_velocity + starts_[i].angular_velocity);
  }

  StepReport finish(Real dt) {
    WorldState& world = *world_;
    for (const std::int32_t index : world.awake) {
      book_flight(index, end_);
      bring(index, end_);
      if (world.at(index).is_active() && led_[static_cast<std::size_t>(index)] == 0)
        ledger_.give_work(work_on(index, dt));
    }
    world.time = end_;
    world.find_awake();
    world.contacts.insert(world.contacts.end(), solved_contacts_.begin(), solved_contacts_.end());
    std::sort(world.contacts.begin(), world.contacts.end(),
              [](const ContactRecord& x, const ContactRecord& y) { return x.id < y.id; });
    ledger_.finish(world, dt, report_);
    report_.momentum_error = std::max(report_.momentum_error, solved_momentum_error_);
    report_.events = static_cast<std::int64_t>(world.events.size());
    report_.contacts = report_.active_contacts = static_cast<std::int64_t>(world.contacts.size());
    report_.frozen = world.frozen_count;
    report_.time = world.time;
    report_.seconds.total =
        report_.seconds.detect + report_.seconds.contacts + report_.seconds.collisions + watch_.lap();
    return report_;
  }

  EventSettings settings_;
  RestingSolver solver_;
  ThreadPool* threads_ = nullptr;
  std::vector<char> led_;   // by slot: in the solver's hands in this frame
  std::vector<char> held_;  // by slot: a contact that the solver knows carries it
  std::vector<ContactRecord> solved_contacts_;
  Real solved_momentum_error_ = 0;
  BlowRules rules_;
  WorldState* world_ = nullptr;
  Stopwatch watch_;
  StepReport report_;
  Ledger ledger_;
  Real now_ = 0, end_ = 0;
  Real fine_ = 0;  // m: tolerance for pairs in contact
  Real most_events_ = 0;
  std::vector<SpinShape> spins_;  // by slot, as all of these
  std::vector<Flight> flights_;
  std::vector<Course> courses_;  // of bodies that do not fly, too
  std::vector<Vec3> accelerations_, torques_;
  std::vector<Aabb> boxes_;
  std::vector<BodyState> starts_;  // of the frame
  NearPairs pairs_;
  std::vector<Due> queue_;  // a heap
  PairBlows blows_;
};

}  // namespace

std::unique_ptr<Stepper> make_event_step(const EventSettings& settings, std::unique_ptr<Stepper> solver) {
  return std::make_unique<EventStep>(settings, std::move(solver));
}

}  // namespace carom
