// The fixed step: collisions first, with restitution, on the velocities as they are; then forces; then contacts,
// without restitution, on the velocities that forces have changed; then positions. The order of Guendelman et al. 2003,
// Schmidl and Milenkovic 2004 and Bender and Schmitt 2006: a bouncy cube at rest on a slope stays at rest. docs/step.md
// has the table.
//
// Stepping to times of impact (Bender and Schmitt 2006; Mirtich and Canny 1995, section 3.1) is the same step, cut: all
// bodies advance to the first impact of what is left of it, the collision stage acts there, and so on to its end.
#include <algorithm>
#include <utility>

#include "dynamics/energy_guard.h"
#include "dynamics/impact_cut.h"
#include "dynamics/ledger.h"
#include "dynamics/midway.h"
#include "dynamics/stage.h"
#include "dynamics/stepper.h"

namespace carom {
namespace {

class FixedStep final : public Stepper {
 public:
  explicit FixedStep(StepParts parts) : parts_(std::move(parts)), freezer_(parts_.freezing) {
    step_.forces.set_damping(parts_.damping);
    step_.integrator = parts_.integrator;
    step_.bias = parts_.bias;
  }

  StepReport advance(WorldState& world, Real dt, ThreadPool* threads) override {
    begin(world, dt, threads);
    if (parts_.order == StepOrder::Naive) {
      move_then_collide(world.time + dt);
      return finish(dt);
    }
    const Real end = world.time + dt;
    Real left = dt;
    while (left > 0) {
      step_.dt = left;
      step_.detect();
      resolve_collisions();
      if (parts_.detect_again) step_.detect_again();
      guard_.note(step_);
      if (parts_.to_impacts) cut_.find(step_, *parts_.contacts, parts_.midway ? &midway_ : nullptr, parts_.most_stops);
      apply_forces();
      cut_.drop_contacts_out_of_reach(step_);
      if (parts_.midway) midway_.enter(step_);
      resolve_contacts();
      find_rates();
      midway_.leave(step_);
      if (step_.dt == left) ledger_.give_momentum(-freezer_.update(step_));
      settle_positions();
      move(step_.dt == left ? end : world.time + step_.dt);
      if (step_.dt == left) correct_positions();
      record_contacts();
      left -= step_.dt;
    }
    return finish(dt);
  }

  void forget() override { step_.forget(); }

  void save(ByteWriter& out) const override {
    freezer_.save(out);
    step_.save(out);
  }

  bool restore(ByteReader& in, const WorldState& world) override {
    Freezer freezer(parts_.freezing);
    if (!freezer.restore(in, world.bodies.size()) || !step_.restore(in, world)) return false;
    freezer_ = std::move(freezer);
    return true;
  }

  void list_contacts(const WorldState& world, std::vector<ContactRecord>& records) override {
    std::vector<StepContact> contacts;
    for (const Manifold* m : step_.detector.resting()) gather_contacts(world, {m, 1}, contacts);
    for (const StepContact& c : contacts)
      records.push_back({c.point.id,
                         world.handle(c.point.a),
                         world.handle(c.point.b),
                         c.position,
                         c.point.normal,
                         c.gap,
                         {},
                         {},
                         ContactMode::Inactive});
  }

 private:
  void begin(WorldState& world, Real dt, ThreadPool* threads) {
    step_.begin(world, dt, parts_.envelope, threads);
    step_.observer = &observer;
    step_.guard_energy = parts_.guard_energy;
    step_.dead_zone = parts_.dead_zone * step_.envelope;
    step_.frozen_bodies = parts_.freezing.literal ? FrozenBodies::Yield : FrozenBodies::Hold;
    freezer_.revive_unsupported(step_);
    world.edited.clear();
    world.find_awake();
    rounds_ = 0;
    cut_.reset();
    midway_.skip(step_);
    world.contacts.clear();
    guarded_.clear();
    world.stops.clear();
    ledger_.begin(world);
  }

  /// M. Lembcke 2006, section 4.2: bodies collide with the speed that forces have just given them, so that one at rest
  /// bounces in every step. Every approach is a collision here, however slow.
  void move_then_collide(Real end) {
    step_.resting_speed = 0;
    step_.detect();
    guard_.note(step_);
    apply_forces();
    step_.impulses.assign(step_.contacts.size(), {});
    find_rates();
    settle_positions();
    move(end);
    correct_positions();
    step_.detect();
    step_.forces.clear_gained(*step_.world);
    resolve_collisions();
    cut_.drop_contacts_out_of_reach(step_);
    resolve_contacts();
    ledger_.give_momentum(-freezer_.update(step_));
    record_contacts();
  }

  void apply_forces() {
    step_.forces.apply(*step_.world, step_.dt);
    ledger_.add_forces(*step_.world, step_.forces);
  }

  void resolve_collisions() {
    freezer_.revive_pushed(step_);
    if (!parts_.collisions) return;
    parts_.collisions->resolve(step_);
    freezer_.follow_collisions(step_);
    step_.report.seconds.collisions += step_.watch.lap();
  }

  void resolve_contacts() {
    parts_.contacts->resolve(step_);
    freezer_.weigh(step_);
    step_.keep_impulses();
    for (std::size_t i = 0; i < step_.contacts.size(); ++i)
      ledger_.add_contact(*step_.world, step_.contacts[i].point, step_.impulses[i] + step_.collision_impulses[i]);
    for (const auto& list : {&cut_.flown(), &std::as_const(step_.parted)})
      for (const auto& [contact, impulse] : *list) ledger_.add_contact(*step_.world, contact.point, impulse);
    step_.report.seconds.contacts += step_.watch.lap();
  }

  void find_rates() {
    if (parts_.integrator == Integrator::Euler) {
      take_rates(*step_.world, step_.rates);
      return;
    }
    rates_.compute(*step_.world, step_.contacts, step_.impulses, step_.forces.gained(), midway_.marks(), step_.dt,
                   step_.envelope, step_.rates);
    midway_.turn_by_halves(step_);
  }

  void settle_positions() {
    for (const std::int32_t body : step_.awake())
      if (step_.world->at(body).frozen)
        step_.rates.linear[static_cast<std::size_t>(body)] = step_.rates.angular[static_cast<std::size_t>(body)] = {};
    guard_.assess(step_);
    step_.stopped = {};
    step_.kept_apart.clear();
    if (parts_.positions) parts_.positions->settle(step_);
    if (parts_.guard_energy) guard_.limit_motion(step_);
    step_.report.seconds.positions += step_.watch.lap();
  }

  void move(Real time) {
    WorldState& world = *step_.world;
    ledger_.add_work(world, step_.forces, step_.rates, step_.dt);
    integrate_positions(world, step_.rates, step_.dt, step_.halves, step_.stopped, find_limited());
    // Bias gives energy, that is its nature.
    if (parts_.guard_energy) guard_energy();
    world.time = time;
    if (parts_.integrator == Integrator::Verlet && world.field) take_forces_at_end();
  }

  /// Bodies whose way the position stage has changed. The guard sees to their gains in its own way.
  std::span<const char> find_limited() {
    if (parts_.guard_energy) return {};
    limited_.assign(step_.world->bodies.size(), 0);
    for (const std::int32_t body : step_.awake()) {
      const auto i = static_cast<std::size_t>(body);
      limited_[i] = step_.held[i] != kNotHeld ? 1 : 0;
    }
    return limited_;
  }

  /// What the guard takes is in the list of contacts, so that momentum can be reckoned up from outside.
  void guard_energy() {
    constexpr std::uint64_t kFeature = 0xffff;  // of its name, where a contact has what touches
    constexpr Real kHardly = 1e-10;             // of a step of gravity: bodies at rest have heights rounded
    constexpr Real kRounding = 1e-14;           // of a momentum
    WorldState& world = *step_.world;
    guard_.take_back(step_);
    for (const EnergyGuard::Taken& taken : guard_.taken()) {
      ContactPoint point;
      point.id = contact_id(taken.by, taken.body, kFeature);
      point.a = taken.by;
      point.b = taken.body;
      ledger_.add_contact(world, point, taken.impulse);
      const Real size = norm(taken.impulse), mass = 1 / world.at(point.b).inverse_mass;
      const Real speed = norm(world.at(point.b).velocity);
      if (size > mass * (kHardly * norm(world.gravity) * step_.dt + kRounding * speed))
        guarded_.push_back({point.id,
                            world.handle(point.a),
                            world.handle(point.b),
                            world.at(point.b).position,
                            taken.impulse / size,
                            0,
                            {},
                            taken.impulse,
                            ContactMode::Guard});
    }
  }

  /// Velocity Verlet: half of the step belongs to the forces at its start, half to those at its end. Other forces than
  /// the field's are the same at both.
  void take_forces_at_end() {
    WorldState& world = *step_.world;
    step_.forces.find_change(world, step_.dt, change_);
    rates_.project(world, step_.contacts, step_.impulses, change_);
    ledger_.add_change(world, change_);
    for (const std::int32_t body : step_.awake()) {
      world.at(body).velocity += change_.linear[static_cast<std::size_t>(body)];
      world.at(body).angular_velocity += change_.angular[static_cast<std::size_t>(body)];
    }
  }

  void correct_positions() {
    if (!parts_.correction) return;
    parts_.correction->correct(step_);
    step_.report.seconds.positions += step_.watch.lap();
  }

  StepReport finish(Real dt) {
    WorldState& world = *step_.world;
    world.find_awake();
    StepReport& report = step_.report;
    if (rounds_ > 1) merge_records(world.contacts);
    count_contacts();
    if (rounds_ > 1) merge_records(guarded_);
    world.contacts.insert(world.contacts.end(), guarded_.begin(), guarded_.end());
    ledger_.finish(world, dt, report);
    report.finite = report.finite && step_.forces.finite();
    report.stops = static_cast<std::int64_t>(world.stops.size());
    report.time = world.time;
    report.frozen = world.frozen_count;
    const StageSeconds& s = report.seconds;
    report.seconds.total = s.detect + s.collisions + s.contacts + s.positions + step_.watch.lap();
    return report;
  }

  static ContactMode mode_of(const StepContact& c, const Vec3& impulse) {
    if (dot(impulse, c.point.normal) <= 0) return ContactMode::Separating;
    return sticks(c.point, impulse) ? ContactMode::Stick : ContactMode::Slide;
  }

  void record_contacts() {
    WorldState& world = *step_.world;
    const auto record = [&](const StepContact& c, const Vec3& impulse, const Vec3& collision_impulse) {
      world.contacts.push_back({c.point.id, world.handle(c.point.a), world.handle(c.point.b), c.position,
                                c.point.normal, c.gap, impulse, collision_impulse, mode_of(c, impulse)});
      step_.report.max_penetration = std::max(step_.report.max_penetration, -c.gap);
    };
    for (const auto& list : {&cut_.flown(), &std::as_const(step_.parted)})
      for (const auto& [contact, impulse] : *list) record(contact, {}, impulse);
    for (std::size_t i = 0; i < step_.contacts.size(); ++i)
      record(step_.contacts[i], step_.impulses[i], step_.collision_impulses[i]);
    ++rounds_;
  }

  void count_contacts() {
    const std::vector<ContactRecord>& records = step_.world->contacts;
    step_.report.contacts = static_cast<std::int64_t>(records.size());
    for (const ContactRecord& c : records)
      if (c.impulse != Vec3{} || c.collision_impulse != Vec3{}) ++step_.report.active_contacts;
  }

  /// Of a contact that was there in several parts of the step: where it was last, and all that it did.
  static void merge_records(std::vector<ContactRecord>& records) {
    std::stable_sort(records.begin(), records.end(),
                     [](const ContactRecord& a, const ContactRecord& b) { return a.id < b.id; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (i > 0 && records[i].id == records[kept - 1].id) {
        records[i].impulse += records[kept - 1].impulse;
        records[i].collision_impulse += records[kept - 1].collision_impulse;
        records[kept - 1] = records[i];
      } else {
        records[kept++] = records[i];
      }
    }
    records.resize(kept);
  }

  StepParts parts_;
  Freezer freezer_;
  StepContext step_;
  ImpactCut cut_;
  Midway midway_;
  EnergyGuard guard_;
  DisplacementRates rates_;
  Velocities change_;
  Ledger ledger_;
  std::vector<ContactRecord> guarded_;  // what the guard has taken in this step
  std::vector<char> limited_;           // per body
  int rounds_ = 0;                      // parts that the step was cut into so far
};

}  // namespace

std::unique_ptr<Stepper> make_fixed_step(StepParts parts) { return std::make_unique<FixedStep>(std::move(parts)); }

}  // namespace carom
