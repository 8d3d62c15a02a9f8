// The fixed step: collisions first, with restitution, on the velocities as they are; then forces; then contacts,
// without restitution, on the velocities that forces have changed; then positions. The order of Guendelman et al. 2003,
// Schmidl and Milenkovic 2004 and Bender and Schmitt 2006: a bouncy cube at rest on a slope stays at rest. docs/step.md
// has the table.
//
// Stepping to times of impact (Bender and Schmitt 2006; Mirtich and Canny 1995, section 3.1) is the same step, cut: all
// bodies advance to the first impact of what is left of it, the collision stage acts there, and so on to its end.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/stopwatch.h"
#include "carom/base/error.h"
#include "carom/contact/classify.h"
#include "carom/contact/measures.h"
#include "collision/detector.h"
#include "collision/motion_pairs.h"
#include "dynamics/assemble.h"
#include "dynamics/integrate.h"
#include "dynamics/ledger.h"
#include "dynamics/snapshot.h"
#include "dynamics/stepper.h"
#include "dynamics/stops.h"
#include "math/trig.h"

namespace carom {
namespace {

/// Penetrations up to this many envelopes are left alone: taking back the last of them would keep a pile at rest astir.
constexpr Real kSlop = 2;
/// Pairs that move less than this share of the smallest body against each other are seen by the next step in time.
constexpr Real kLeastMotion = 0.02;
/// Times of impact are found to within this share of the envelope, but no two of them closer than this share of a step.
constexpr Real kArrived = 1e-2, kShortest = 1e-9;
/// How often the way to an impact is looked at: how bodies turn and slide depends a little on the time that they have.
constexpr int kAttempts = 2;
/// Pairs that move farther than this share of it may get past each other: they are followed on their way.
constexpr Real kFast = 1;

class FixedStep final : public Stepper {
 public:
  explicit FixedStep(StepParts parts) : parts_(std::move(parts)) {}

  StepReport advance(WorldState& world, Real dt, ThreadPool* threads) override {
    begin(world, dt, threads);
    const Real end = world.time + dt;
    Real left = dt;
    while (left > 0) {
      dt_ = left;
      detect(world);
      resolve_collisions(world);
      if (parts_.to_impacts) cut_at_impact(world);
      integrate_forces(world, dt_);
      drop_contacts_out_of_reach(world);
      resolve_contacts(world);
      settle_positions(world);
      move(world, dt_ == left ? end : world.time + dt_);
      record_contacts(world);
      left -= dt_;
    }
    return finish(world, dt);
  }

  void forget() override {
    detector_.clear();
    contacts_.clear();
    impulses_.clear();
    std::fill(held_.begin(), held_.end(), 0);
  }

  void save(ByteWriter& out) const override {
    detector_.save(out);
    out.put(static_cast<std::uint64_t>(contacts_.size()));
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      out.put(contacts_[i].index);
      put(out, impulses_[i]);
    }
    out.put(static_cast<std::uint64_t>(held_.size()));
    for (const char held : held_) out.put(held);
  }

  bool restore(ByteReader& in, const WorldState& world) override {
    Detector detector;
    if (!detector.restore(in, world.bodies.size())) return false;
    constexpr std::size_t kContactBytes = sizeof(std::int32_t) + 3 * sizeof(Real);
    const auto count = in.get<std::uint64_t>();
    if (!in.fits(count, kContactBytes)) return false;
    const auto points = static_cast<std::int64_t>(point_count(detector.manifolds()));
    std::vector<StepContact> contacts(count);  // the next step asks for nothing but their indices
    std::vector<Vec3> impulses(count);
    for (std::size_t i = 0; i < count; ++i) {
      contacts[i].index = in.get<std::int32_t>();
      impulses[i] = get_vec3(in);
      if (contacts[i].index < 0 || contacts[i].index >= points) return false;
    }
    const auto bodies = in.get<std::uint64_t>();
    if (bodies > world.bodies.size() || !in.fits(bodies, 1)) return false;
    std::vector<char> held(bodies);
    for (char& h : held) h = in.get<char>();
    if (!in.ok() || !in.at_end()) return false;

    detector_ = std::move(detector);
    contacts_ = std::move(contacts);
    impulses_ = std::move(impulses);
    held_ = std::move(held);
    return true;
  }

 private:
  void begin(WorldState& world, Real dt, ThreadPool* threads) {
    dt_ = dt;
    threads_ = threads;
    watch_ = {};
    report_ = {};
    rounds_ = 0;
    world.contacts.clear();
    world.stops.clear();
    ledger_.begin(world);
    envelope_ = parts_.envelope * world.smallest_size;
    resting_speed_ = resting_speed(norm(world.gravity), envelope_);
  }

  void detect(WorldState& world) {
    keep_impulses();
    held_.resize(world.bodies.size(), 0);
    for (const std::int32_t body : world.forgotten) {
      detector_.forget(body);
      held_[static_cast<std::size_t>(body)] = 0;
    }
    world.forgotten.clear();
    if (world.fixed_bodies_changed) detector_.fixed_bodies_changed();
    world.fixed_bodies_changed = false;
    set_proxies(world);
    gather_contacts(world, detector_.detect(proxies_, threads_), contacts_);
    collision_impulses_.assign(contacts_.size(), {});
    report_.manifolds += detector_.counts().manifolds;
    report_.manifolds_reused += detector_.counts().reused;
    report_.seconds.detect += watch_.lap();
  }

  /// Impulses of the last step by the index of their points, for the warm start.
  void keep_impulses() {
    previous_impulses_.assign(point_count(detector_.manifolds()), {});
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      previous_impulses_[static_cast<std::size_t>(contacts_[i].index)] = impulses_[i];
  }

  static std::size_t point_count(std::span<const Manifold> manifolds) {
    return manifolds.empty() ? 0 : static_cast<std::size_t>(manifolds.back().first_point + manifolds.back().count);
  }

  /// How far each body may come in this step: its own motion, and what its neighbours may do to it.
  void set_proxies(const WorldState& world) {
    const Real base = base_margin(world);
    proxies_.assign(world.bodies.size(), {});
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const Body& body = world.bodies[i];
      if (!body.alive) continue;
      Proxy& p = proxies_[i];
      p.geometry = &body.shape->geometry();
      p.position = body.shape_position();
      p.rotation = body.rotation;
      p.bounded = body.shape->is_bounded();
      p.dynamic = body.type == BodyType::Dynamic;
      p.moves = body.type != BodyType::Fixed;
      p.category = body.category;
      p.mask = body.mask;
      if (!p.moves) continue;
      p.sweep = dt_ * body.velocity;
      p.reach =
          base + dt_ * norm(body.angular_velocity) * body.radius + dt_ * dt_ * body.inverse_mass * norm(body.force);
    }
    // A body that is struck may leave with up to the velocity of what strikes it.
    neighbour_speed_.assign(world.bodies.size(), 0);
    for (const Manifold& m : detector_.manifolds()) {
      const auto a = static_cast<std::size_t>(m.a), b = static_cast<std::size_t>(m.b);
      const Real speed = norm(world.bodies[a].velocity - world.bodies[b].velocity);
      neighbour_speed_[a] = std::max(neighbour_speed_[a], speed);
      neighbour_speed_[b] = std::max(neighbour_speed_[b], speed);
    }
    for (std::size_t i = 0; i < proxies_.size(); ++i)
      if (proxies_[i].moves) proxies_[i].reach += dt_ * neighbour_speed_[i];
  }

  Real base_margin(const WorldState& world) const { return 2 * envelope_ + norm(world.gravity) * dt_ * dt_; }

  void resolve_collisions(WorldState& world) {
    if (!parts_.collisions) return;
    assemble_collisions(world, contacts_, held_, dt_, envelope_, kFast * world.smallest_size, indices_, problem_);
    if (observer) observer(Stage::Collisions, problem_);
    parts_.collisions->solve(problem_, {{}, {}, resting_speed_, threads_}, solution_);
    for (std::size_t k = 0; k < indices_.size(); ++k)
      collision_impulses_[static_cast<std::size_t>(indices_[k])] = solution_.impulses[k];
    take_velocities(world);
    report_.approach_left = std::max(report_.approach_left, solution_.report.approach_left);
    report_.seconds.collisions += watch_.lap();
  }

  /// Shortens the step to the first impact, if there is one before its end.
  void cut_at_impact(WorldState& world) {
    to_impact_ = static_cast<int>(world.stops.size()) < parts_.most_stops;
    report_.stops_limited = report_.stops_limited || !to_impact_;
    if (!to_impact_) return;
    const Real left = dt_, tolerance = kArrived * envelope_;
    find_touching(world);
    std::optional<FirstImpact> first;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      predict(world);
      dt_ = left;
      first = first_impact(movers_, ways_.find(movers_, left, tolerance, threads_), touching_, {0, left, 0, tolerance},
                           resting_speed_);
      if (!first) break;
      dt_ = std::min(std::max(first->impact.time, kShortest * left), left);
    }
    if (first) world.stops.push_back({world.time + dt_, world.handle(first->a), world.handle(first->b)});
  }

  /// The pairs with a closed contact that does not open: the contact stage keeps them apart.
  void find_touching(const WorldState& world) {
    touching_.clear();
    for (const StepContact& c : contacts_) {
      if (c.gap > envelope_ || approach(world, c) < -resting_speed_) continue;
      // As pairs of the broad phase are named: contacts name the body that does not move first.
      touching_.push_back({c.point.b, c.point.a});
      touching_.push_back({c.point.a, c.point.b});
    }
    std::sort(touching_.begin(), touching_.end());
  }

  /// The ways of all bodies for the next dt_ seconds. What is in contact does not fly on a parabola of gravity; the
  /// acceleration that contacts leave it is found by solving them for that time.
  void predict(WorldState& world) {
    const std::vector<StepContact> contacts = contacts_;
    const std::vector<Vec3> collision_impulses = collision_impulses_;
    start_.linear.resize(world.bodies.size());
    start_.angular.resize(world.bodies.size());
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      start_.linear[i] = world.bodies[i].velocity;
      start_.angular[i] = world.bodies[i].angular_velocity;
    }
    integrate_forces(world, dt_);
    drop_contacts_out_of_reach(world);
    if (!contacts_.empty()) {
      predicting_ = true;
      solve_contacts(world);
      predicting_ = false;
      take_velocities(world);
    }
    set_movers(world, movers_);
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      Body& body = world.bodies[i];
      Motion& m = movers_[i].motion;
      movers_[i].asks = movers_[i].role.moves;
      m.velocity = start_.linear[i];
      m.acceleration = (body.velocity - start_.linear[i]) / dt_;
      m.angular_velocity = turn_of(body, 0.5 * (start_.angular[i] + body.angular_velocity), dt_) / dt_;
      body.velocity = start_.linear[i];
      body.angular_velocity = start_.angular[i];
    }
    contacts_ = contacts;
    collision_impulses_ = collision_impulses;
  }

  /// Where the next impact ends this part of the step, bodies that are on their way to it, or have just bounced, fly:
  /// they are not in contact. Those of pairs that touch elsewhere stay, and so do slow ones.
  bool flies(const WorldState& world, const StepContact& c) const {
    if (!to_impact_) return false;
    if (std::binary_search(touching_.begin(), touching_.end(), BroadPhase::Pair{c.point.a, c.point.b})) return false;
    return c.gap <= envelope_ || approach(world, c) > resting_speed_;
  }

  /// Contacts were found for whatever collisions might do. Now that they are over, most gaps turn out not to close.
  void drop_contacts_out_of_reach(const WorldState& world) {
    const Real pad = 2 * base_margin(world);
    std::size_t kept = 0;
    flown_.clear();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (flies(world, contacts_[i])) {
        if (collision_impulses_[i] != Vec3{}) flown_.emplace_back(contacts_[i], collision_impulses_[i]);
        continue;
      }
      if (collision_impulses_[i] == Vec3{} && !in_reach(world, contacts_[i], dt_, envelope_, pad)) continue;
      contacts_[kept] = contacts_[i];
      collision_impulses_[kept++] = collision_impulses_[i];
    }
    contacts_.resize(kept);
    collision_impulses_.resize(kept);
  }

  void resolve_contacts(WorldState& world) {
    solve_contacts(world);
    impulses_ = solution_.impulses;
    take_velocities(world);
    const ContactErrors errors = measure(problem_, solution_);
    report_.residual_coulomb = std::max(report_.residual_coulomb, errors.residual_coulomb);
    report_.rms_coulomb = std::max(report_.rms_coulomb, errors.rms_coulomb);
    report_.residual_model = report_.residual_coulomb;  // the law that this suite's solvers aim at is Coulomb's
    report_.iterations += solution_.report.iterations;
    report_.converged = report_.converged && solution_.report.converged;
    report_.seconds.contacts += watch_.lap();
  }

  void solve_contacts(const WorldState& world) {
    before_forces(world);
    assemble_contacts(world, contacts_, before_, dt_, envelope_, resting_speed_, problem_);
    if (observer && !predicting_) observer(Stage::Contacts, problem_);
    parts_.contacts->solve(problem_, {warm_impulses(), {}, resting_speed_, threads_}, solution_);
  }

  /// The velocities that the collision stage left, from those after forces.
  void before_forces(const WorldState& world) {
    before_.linear.resize(world.bodies.size());
    before_.angular.resize(world.bodies.size());
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const Body& body = world.bodies[i];
      before_.linear[i] = body.velocity;
      before_.angular[i] = body.angular_velocity;
      if (!body.is_dynamic()) continue;
      before_.linear[i] -= dt_ * (world.gravity + body.inverse_mass * body.force);
      before_.angular[i] -= dt_ * (body.inverse_inertia * body.torque);
    }
  }

  std::span<const Vec3> warm_impulses() {
    if (!parts_.warm_start) return {};
    warm_.assign(contacts_.size(), {});
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      if (contacts_[i].previous >= 0) warm_[i] = previous_impulses_[static_cast<std::size_t>(contacts_[i].previous)];
    return warm_;
  }

  /// The rates at which poses move: up to the surfaces, not into them. Bodies that move fast are looked at again where
  /// they would end up, since turning and sliding bring points together that were no contacts before.
  void settle_positions(const WorldState& world) {
    rates_.compute(world, contacts_, impulses_, dt_, displacement_);
    stopped_ = {};
    if (!parts_.positions) return;
    wanted_ = displacement_;
    if (assemble_positions(contacts_, displacement_, dt_, parts_.correction, kSlop * envelope_,
                           kFast * world.smallest_size, problem_))
      solve_positions();
    // Small overlaps are worth a few looks; deep ones a few more.
    constexpr int kLooks = 3, kDeepLooks = 8;
    for (int look = 0; look < kDeepLooks; ++look) {
      const std::span<const Manifold> overlaps = look_ahead(world, (look < kLooks ? 30 : 100) * envelope_);
      if (overlaps.empty()) break;
      move_bodies(displacement_, problem_);
      add_overlaps(overlaps, centers_, dt_, envelope_, problem_);
      solve_positions();
    }
    stopped_ = stops_.find(world, dt_, stop_lengths(world), threads_, displacement_);
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const Vec3 change = displacement_.linear[i] - wanted_.linear[i];
      const Vec3 turn = displacement_.angular[i] - wanted_.angular[i];
      held_[i] = dt_ * (norm(change) + norm(turn) * world.bodies[i].radius) > envelope_ ? 1 : 0;
    }
    report_.seconds.positions += watch_.lap();
  }

  StopLengths stop_lengths(const WorldState& world) const {
    return {kFast * world.smallest_size, kLeastMotion * world.smallest_size, 0.5 * envelope_, 100 * envelope_};
  }

  void solve_positions() {
    parts_.positions->solve(problem_, {{}, {}, 0, threads_}, solution_);
    displacement_.linear = solution_.velocities;
    displacement_.angular = solution_.angular_velocities;
  }

  /// Overlaps deeper than `depth` at the poses that the rates lead to.
  std::span<const Manifold> look_ahead(const WorldState& world, Real depth) {
    const Real least_motion = kLeastMotion * world.smallest_size;
    centers_.resize(world.bodies.size());
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const Body& body = world.bodies[i];
      centers_[i] = body.position + dt_ * displacement_.linear[i];
      Proxy& p = proxies_[i];
      if (!body.alive || !p.moves) continue;
      const Vec3 turn = dt_ * displacement_.angular[i];
      p.rotation = to_matrix(rotation(turn) * body.orientation);
      p.position = centers_[i] - p.rotation * body.center_local;
      p.sweep = dt_ * displacement_.linear[i];
      p.reach = norm(turn) * body.radius;
    }
    return detector_.detect_overlaps(proxies_, least_motion, depth, threads_);
  }

  void move(WorldState& world, Real time) {
    ledger_.add_forces(world, displacement_, dt_);
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      ledger_.add_contact(world, contacts_[i].point, impulses_[i] + collision_impulses_[i]);
    for (const auto& [contact, impulse] : flown_) ledger_.add_contact(world, contact.point, impulse);
    integrate_positions(world, displacement_, dt_, stopped_);
    world.time = time;
  }

  StepReport finish(WorldState& world, Real dt) {
    if (rounds_ > 1) merge_records(world.contacts);
    count_contacts(world);
    ledger_.finish(world, dt, report_);
    report_.stops = static_cast<std::int64_t>(world.stops.size());
    report_.time = world.time;
    const StageSeconds& s = report_.seconds;
    report_.seconds.total = s.detect + s.collisions + s.contacts + s.positions + watch_.lap();
    return report_;
  }

  void take_velocities(WorldState& world) const {
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      if (!world.bodies[i].is_dynamic()) continue;
      world.bodies[i].velocity = solution_.velocities[i];
      world.bodies[i].angular_velocity = solution_.angular_velocities[i];
    }
  }

  static ContactMode mode_of(const StepContact& c, const Vec3& impulse) {
    if (dot(impulse, c.point.normal) <= 0) return ContactMode::Separating;
    return sticks(c.point, impulse) ? ContactMode::Stick : ContactMode::Slide;
  }

  void record_contacts(WorldState& world) {
    const auto record = [&](const StepContact& c, const Vec3& impulse, const Vec3& collision_impulse) {
      world.contacts.push_back({c.point.id, world.handle(c.point.a), world.handle(c.point.b), c.position,
                                c.point.normal, c.gap, impulse, collision_impulse, mode_of(c, impulse)});
      report_.max_penetration = std::max(report_.max_penetration, -c.gap);
    };
    for (const auto& [contact, impulse] : flown_) record(contact, {}, impulse);
    for (std::size_t i = 0; i < contacts_.size(); ++i) record(contacts_[i], impulses_[i], collision_impulses_[i]);
    ++rounds_;
  }

  void count_contacts(const WorldState& world) {
    report_.contacts = static_cast<std::int64_t>(world.contacts.size());
    for (const ContactRecord& c : world.contacts)
      if (c.impulse != Vec3{} || c.collision_impulse != Vec3{}) ++report_.active_contacts;
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
  Detector detector_;
  DisplacementRates rates_;
  Stops stops_;
  MotionPairs ways_;
  Ledger ledger_;

  // Of the step under way.
  Real dt_ = 0;
  Real envelope_ = 0;       // ε_c, m
  Real resting_speed_ = 0;  // √(2 g ε_c), m/s
  ThreadPool* threads_ = nullptr;
  Stopwatch watch_;
  StepReport report_;

  int rounds_ = 0;           // parts that the step was cut into so far
  bool to_impact_ = false;   // this part ends at an impact, or no impact is left
  bool predicting_ = false;  // the contact stage is asked what it would do
  std::vector<Mover> movers_;
  std::vector<BroadPhase::Pair> touching_;           // pairs with a contact that stays closed, both ways round, sorted
  std::vector<std::pair<StepContact, Vec3>> flown_;  // contacts that collided and parted, with the impulse on b
  Velocities start_;                                 // velocities at the start of a prediction

  std::vector<Proxy> proxies_;
  std::vector<Real> neighbour_speed_;
  std::vector<StepContact> contacts_;
  std::vector<Vec3> impulses_, collision_impulses_;  // per contact, world axes, on b
  std::vector<Vec3> previous_impulses_;              // per point of the last step's manifolds
  std::vector<Vec3> warm_, centers_;
  std::vector<std::int32_t> indices_;
  ContactProblem problem_;
  ContactSolution solution_;
  Velocities before_;        // the velocities that the collision stage left
  Velocities displacement_;  // the rates at which poses move
  Velocities wanted_;        // those before the position stage
  std::span<const StoppedBody> stopped_;
  std::vector<char> held_;  // per body: the position stage has changed its way
};

}  // namespace

std::unique_ptr<Stepper> make_fixed_step(StepParts parts) { return std::make_unique<FixedStep>(std::move(parts)); }

}  // namespace carom
