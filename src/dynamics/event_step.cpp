#include "dynamics/event_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/prefetch.h"
#include "base/stopwatch.h"
#include "carom/contact/classify.h"
#include "collision/motion_pairs.h"
#include "collision/time_of_impact.h"
#include "dynamics/due_queue.h"
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
constexpr std::size_t kAhead = 6;      // so many bodies, pairs or impacts ahead the memory is asked for
constexpr Real kRoom = 0.05;           // of its radius: by how much a body's box is wider than its flight

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
    pairs_.save(out);
    std::vector<std::int32_t> held;
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (held_[i] != 0) held.push_back(static_cast<std::int32_t>(i));
    put(out, held);
    solver_.save(out);
  }

  bool restore(ByteReader& in, const WorldState& world) override {
    if (!pairs_.restore(in, world)) return false;
    const std::vector<std::int32_t> held = get_bodies(in, world.bodies.size());
    if (!in.ok() || !solver_.restore(in, world)) return false;
    held_.assign(world.bodies.size(), 0);
    for (const std::int32_t body : held) held_[static_cast<std::size_t>(body)] = 1;
    return true;
  }

  void list_contacts(const WorldState& /*world*/, std::vector<ContactRecord>& /*records*/) override {}

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
    ledger_.open();
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
    flies_.assign(n, 0);
    if (world_->still_bodies_changed || courses_.size() != n) {
      courses_.resize(n);
      for (std::size_t i = 0; i < n; ++i)
        if (world_->bodies[i].alive) courses_[i] = course_at_rest(world_->bodies[i]);
    }
    for (const std::int32_t index : world_->awake) {
      const auto i = static_cast<std::size_t>(index);
      fetch_ahead(i);
      const Body& body = world_->bodies[i];
      ledger_.count_before(body);
      if (body.is_active()) {
        if (spins_[i].smallest == 0) spins_[i] = spin_shape(body);
        feel_forces(index);
      }
      if (led_[i] != 0)
        lead_flight(index);
      else
        start_flight(index, now_);
      flies_[i] = body.is_active() && led_[i] == 0 ? 1 : 0;
      if (is_pushed(i)) starts_[i] = flights_[i].at(now_);
      boxes_[i] = box_of(index, now_);
    }
  }

  /// For passes over all bodies: asks for one that comes a little later.
  void fetch_ahead(std::size_t slot) const {
    if (slot + kAhead < flights_.size()) fetch_flight(static_cast<std::int32_t>(slot + kAhead));
  }
  void fetch_flight(std::int32_t body) const {
    prefetch(world_->at(body));
    prefetch<Flight::kAlways>(flights_[static_cast<std::size_t>(body)]);
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
    ledger_.give_momentum(flights_[static_cast<std::size_t>(index)].gained_velocity(time) / body.inverse_mass);
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
    queue_.begin(now_, end_);
    // Most pairs pass each other by, as their courses show. Only then is it known which bodies will be looked at, and
    // the memory can be asked for them.
    close_.clear();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto k = static_cast<std::int32_t>(i);
      if (i + kAhead < pairs_.size()) prefetch(course(pairs_[k + static_cast<std::int32_t>(kAhead)].b));
      pairs_[k].micro = 0;
      pairs_[k].solved = is_solved(pairs_[k]);
      if (pairs_[k].floor != rules_.floor || comes_close(pairs_[k], now_)) close_.push_back(k);
    }
    for (std::size_t i = 0; i < close_.size(); ++i) {
      if (i + kAhead < close_.size()) fetch_flight(pairs_[close_[i + kAhead]].b);
      if (pairs_[close_[i]].floor == rules_.floor)
        foresee(close_[i], now_);
      else
        tell_floor(close_[i], now_, false);
    }
  }

  /// The solver has seen to the two already: both in its hands, or one and something that takes no impulses.
  bool is_solved(const NearPair& pair) const {
    return flies_[static_cast<std::size_t>(pair.a)] == 0 && flies_[static_cast<std::size_t>(pair.b)] == 0;
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
    queue_.push({time, pair.a, pair.b, k, pair.stamp, at_apex});
  }

  /// m: how much earlier than at its floor the pair may be taken to have met.
  Real tolerance_of(const NearPair& pair) const { return pair.floor == rules_.floor ? rules_.tolerance : fine_; }

  /// False: they will not meet before the end of the frame.
  bool comes_close(const NearPair& pair, Real time) const {
    return may_meet(course(pair.a), course(pair.b), time, end_, rules_.envelope);
  }

  /// Puts down when the pair can come down to its floor, if that is before the end of the frame.
  void foresee(std::int32_t k, Real time) {
    NearPair& pair = pairs_[k];
    if (pair.solved || !comes_close(pair, time)) return;
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
    for (Due due; queue_.pop(due);) {
      if (due.time >= end_) break;
      fetch_next();
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

  /// Impacts jump about in space, so that in a large scene nothing of the next one is in the cache: asks for it while
  /// this one is seen to. First for what is found by a body's number, then, when that is there, for what it points to.
  void fetch_next() {
    const std::span<const Due> soon = queue_.soon();
    if (soon.empty()) return;
    for (const Due& due : soon.subspan(1, std::min(soon.size() - 1, kAhead))) {
      prefetch(pairs_[due.pair]);
      for (const std::int32_t body : {due.a, due.b}) {
        const auto k = static_cast<std::size_t>(body);
        fetch_flight(body);
        prefetch_all(courses_[k], spins_[k], accelerations_[k], torques_[k], led_[k]);
        pairs_.fetch(body);
      }
    }
    for (const std::int32_t body : {soon[0].a, soon[0].b}) {
      pairs_.fetch_box(body);
      for (const NearPairs::Neighbour& near : pairs_.of(body)) {
        prefetch<kLine>(pairs_[near.pair]);
        prefetch(courses_[static_cast<std::size_t>(near.body)]);
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

  /// Whether forces other than gravity act on it.
  bool is_pushed(std::size_t slot) const { return accelerations_[slot] != world_->gravity || torques_[slot] != Vec3{}; }

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
      fetch_ahead(static_cast<std::size_t>(index));
      book_flight(index, end_);
      bring(index, end_);
      const auto i = static_cast<std::size_t>(index);
      if (world.at(index).is_active() && led_[i] == 0 && is_pushed(i)) ledger_.give_work(work_on(index, dt));
      ledger_.count_after(world, world.at(index));
    }
    world.time = end_;
    world.find_awake();
    world.contacts.insert(world.contacts.end(), solved_contacts_.begin(), solved_contacts_.end());
    std::sort(world.contacts.begin(), world.contacts.end(),
              [](const ContactRecord& x, const ContactRecord& y) { return x.id < y.id; });
    ledger_.close(world, dt, report_);
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
  std::vector<char> led_;    // by slot: in the solver's hands in this frame
  std::vector<char> flies_;  // by slot: takes impulses and is not in its hands as the frame begins
  std::vector<char> held_;   // by slot: a contact that the solver knows carries it
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
  std::vector<std::int32_t> close_;  // pairs that may meet as the frame begins
  DueQueue queue_;
  PairBlows blows_;
};

}  // namespace

std::unique_ptr<Stepper> make_event_step(const EventSettings& settings, std::unique_ptr<Stepper> solver) {
  return std::make_unique<EventStep>(settings, std::move(solver));
}

}  // namespace carom
