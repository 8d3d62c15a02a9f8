// The real-time step, one clear idea: n times the same small step.
//
// Contacts are found once a step, by a cache of pairs (fast/pair_cache.h). Then n substeps in single precision,
// relative to the bodies, many manifolds at once (fast/substeps.h). What the substeps have done is read back in double
// precision: velocities follow from the impulses that are reported, so that momentum balances to rounding, and bodies
// that nothing has touched fly their exact parabola.
#include "dynamics/fast_step.h"

#include <algorithm>
#include <cmath>

#include "base/prefetch.h"
#include "base/stopwatch.h"
#include "dynamics/fast_bodies.h"
#include "dynamics/fast_freezing.h"
#include "dynamics/ledger.h"
#include "dynamics/snapshot.h"
#include "fast/pair_cache.h"
#include "fast/patch_view.h"
#include "fast/residual.h"

namespace carom {
namespace {

using fast::PatchView;
using fast::Record;

class FastStep final : public Stepper {
 public:
  explicit FastStep(const FastSettings& settings)
      : settings_(settings), kernels_(fast::kernels(widest_simd())), substeps_(kernels_), freezing_(settings.freezing) {
    forces_.set_damping(settings.damping);
    batches_.lanes = kernels_.lanes;
  }

  StepReport advance(WorldState& world, Real dt, ThreadPool* threads) override {
    begin(world, dt, threads);
    detect();
    if (freezing_.used(world)) {
      while (freezing_.revive_struck(world, dt, patches())) detect();
    }
    bodies_.start(world, dt, settings_.substeps, forces_);
    solve();
    read_impulses();
    if (freezing_.used(world)) ledger_.give_momentum(-freezing_.update(patches()));
    move_bodies();
    return report();
  }

  void forget() override {
    cache_.clear();
    batches_.colors.clear();
    batches_.records.clear();
  }

  void save(ByteWriter& out) const override {
    out.put(steps_);
    out.put(residual_.worst);
    out.put(residual_.rms);
    out.put(static_cast<std::uint64_t>(bodies_.views.size()));
    for (const fast::BodyView& view : bodies_.views) out.put(view.travel);
    cache_.save(out);
    freezing_.save(out);
  }

  bool restore(ByteReader& in, const WorldState& world) override {
    const auto steps = in.get<std::int64_t>();
    const fast::Residual residual{in.get<Real>(), in.get<Real>()};
    const auto count = in.get<std::uint64_t>();
    if (count > world.bodies.size() || !in.fits(count, sizeof(Real))) return false;
    std::vector<Real> travels(count);
    for (Real& travel : travels) travel = in.get<Real>();
    fast::PairCache cache;
    FastFreezing freezing(settings_.freezing);
    if (!cache.restore(in, world.bodies.size()) || !freezing.restore(in, world.bodies.size())) return false;
    steps_ = steps;
    residual_ = residual;
    cache_ = std::move(cache);
    freezing_ = std::move(freezing);
    broad_ = {};
    bodies_ = {};
    bodies_.views.resize(world.bodies.size());
    travels_ = std::move(travels);
    batches_.colors.clear();
    batches_.records.clear();
    return true;
  }

  /// All of them: most callers ask for none.
  void list_contacts(const WorldState& world, std::vector<ContactRecord>& records) override;

 private:
  FastPatches patches() { return {batches_, cache_.records(), cache_.active(), substeps_.impacts(), bodies_}; }

  void begin(WorldState& world, Real dt, ThreadPool* threads) {
    world_ = &world;
    dt_ = dt;
    threads_ = threads;
    watch_ = {};
    report_ = {};
    forces_.begin();
    ledger_.open();
    world.revived.clear();
    world.contacts.clear();
    world.stops.clear();
    world.events.clear();
    for (const std::int32_t body : world.removed) {
      bodies_.forget(body, broad_);
      cache_.forget(body);
    }
    world.removed.clear();
    world.find_awake();
    freezing_.begin(world, dt);
    for (const std::int32_t body : world.edited) cache_.forget(body);
    world.edited.clear();
    world.find_awake();
    for (const std::int32_t body : world.awake) ledger_.count_before(world.at(body));
  }

  void detect() {
    WorldState& world = *world_;
    if (world.still_bodies_changed) {
      bodies_.view_still(world, broad_);
      world.still_bodies_changed = false;
    }
    bodies_.view_awake(world, dt_, broad_);
    for (std::size_t i = 0; i < travels_.size(); ++i) bodies_.views[i].travel = travels_[i];
    travels_.clear();
    broad_.update(threads_);
    broad_.candidates(threads_, pairs_);
    cache_.update(pairs_, bodies_.views, {dt_, FastBodies::least_margin(world, dt_)}, threads_);
    if (material_changes_ != world.materials.changes()) {
      for (std::size_t r = 1; r < cache_.records().size(); ++r) set_material(cache_.records()[r]);
      material_changes_ = world.materials.changes();
    }
    for (const std::int32_t r : cache_.fresh()) set_material(cache_.records()[static_cast<std::size_t>(r)]);
    coloring_.run(cache_.active(), cache_.records(), bodies_.motion_of, bodies_.takes, world.awake.size() + 1,
                  batches_);
    bodies_.start_motions(world);
    constexpr Real kStill = 1e-3, kLeast = 1e-9;  // of what gravity adds in a step; m/s
    const auto still = static_cast<float>(std::max(kStill * norm(world.gravity) * dt_, kLeast));
    for_chunks(threads_, batches_.size(), kBatchesPerChunk, [&](std::size_t begin, std::size_t end) {
      kernels_.prepare(batches_, cache_.records().data(), bodies_.frames.data(), bodies_.motions.velocities.data(),
                       still, begin, end);
    });
    report_.seconds.detect += watch_.lap();
  }

  void set_material(Record& record) const {
    const Material m = world_->materials.pair(bodies_.views[static_cast<std::size_t>(record.base)].material,
                                              bodies_.views[static_cast<std::size_t>(record.probe)].material);
    record.friction = static_cast<float>(m.friction);
    record.static_friction = static_cast<float>(m.static_friction);
    record.restitution = static_cast<float>(m.restitution);
  }

  void solve() {
    const Real gravity = norm(world_->gravity);
    const bool measured = settings_.residual_every > 0 && steps_++ % settings_.residual_every == 0;
    // A rebound that gravity takes back within the step is none.
    substeps_.run({settings_.substeps, dt_, gravity * dt_, measured}, batches_, cache_.records(), cache_.active(),
                  bodies_.motions, threads_);
    if (measured)
      residual_ =
          fast::measure_residual(batches_, cache_.records(), substeps_.impacts(), bodies_.motions, gravity, dt_);
    report_.residual_coulomb = report_.residual_model = residual_.worst;
    report_.rms_coulomb = residual_.rms;
    report_.iterations = settings_.substeps;
    report_.seconds.contacts = watch_.lap();
  }

  /// What patches have given their bodies, and what there is to report of them. Impulses are kept for the next step.
  void read_impulses() {
    const std::span<const std::int32_t> active = cache_.active();
    for (std::size_t k = 0; k < active.size(); ++k) {
      constexpr std::size_t kLookAhead = 4;
      if (k + kLookAhead < active.size()) prefetch(cache_.records()[static_cast<std::size_t>(active[k + kLookAhead])]);
      Record& record = cache_.records()[static_cast<std::size_t>(active[k])];
      report_.contacts += record.count;
      const auto place = static_cast<std::size_t>(record.place);
      const fast::Bounce* bounce = substeps_.impacts().at(record.place);
      for (std::size_t i = 0; i < record.count; ++i)
        report_.max_penetration = std::max(report_.max_penetration, -Real{batches_.at(place, fast::kGap + i)});
      if (bounce == nullptr && batches_.is_idle(place)) {
        record.forget_impulses();
        continue;
      }
      batches_.keep_impulses(place, record);
      const Vec3& probe_center = bodies_.views[static_cast<std::size_t>(record.probe)].center;
      read_patch(place, view_patch(batches_, place, probe_center), bounce, record);
    }
    for (const std::int32_t index : world_->awake) {
      const Body& body = world_->at(index);
      if (!body.is_active()) continue;
      ledger_.give_momentum(forces_.gained().linear[static_cast<std::size_t>(index)] / body.inverse_mass);
      bodies_.take_impulses(*world_, index);
    }
  }

  void read_patch(std::size_t place, const PatchView& patch, const fast::Bounce* bounce, const Record& record) {
    Vec3 force, moment;
    for (std::size_t i = 0; i < record.count; ++i) {
      Vec3 j = patch.impulse[i];
      if (bounce != nullptr) j += FastPatches::bounced(*bounce, i);
      if (j == Vec3{}) continue;
      ++report_.active_contacts;
      force += j;
      moment += Vec3{patch.x[i] * j.z - patch.y[i] * j.y, patch.y[i] * j.x, -patch.x[i] * j.x};
    }
    give(place, patch, record, patch.world(force), patch.world(moment));
  }

  /// An impulse at the patch's centre, and one that turns.
  void give(std::size_t place, const PatchView& patch, const Record& record, const Vec3& force, const Vec3& moment) {
    Velocities& given = bodies_.impulses;
    const auto give_to = [&](std::int32_t body, std::int32_t motion, Real sign) {
      const auto k = static_cast<std::size_t>(motion);
      const Vec3 arm = patch.center - bodies_.views[static_cast<std::size_t>(body)].center;
      given.linear[k] += sign * force;
      given.angular[k] += sign * (cross(arm, force) + moment);
      bodies_.touched[k] = 1;
    };
    give_to(record.base, batches_.read_base[place], -1);
    give_to(record.probe, batches_.read_probe[place], 1);
    const bool base_takes = bodies_.takes[static_cast<std::size_t>(record.base)] != 0;
    const bool probe_takes = bodies_.takes[static_cast<std::size_t>(record.probe)] != 0;
    if (base_takes == probe_takes) return;
    const Vec3 on_active = probe_takes ? force : -force;
    ledger_.give_momentum(on_active);
    const Body& other = world_->at(probe_takes ? record.base : record.probe);
    if (other.type != BodyType::Kinematic) return;
    const Vec3 twist = probe_takes ? moment : -moment;
    ledger_.give_work(dot(on_active, other.velocity + cross(other.angular_velocity, patch.center - other.position)) +
                      dot(twist, other.angular_velocity));
  }

  void move_bodies() {
    WorldState& world = *world_;
    const bool damps = !forces_.damped().linear.empty();
    for (const std::int32_t index : world.awake) {
      const Body& body = world.at(index);
      Vec3 move, turn;
      if (body.frozen) continue;  // since a moment ago
      if (body.is_active()) {
        const auto i = static_cast<std::size_t>(index);
        bodies_.finish(world, index, dt_, forces_, move, turn);
        const AppliedForce& on = forces_.on(index);
        ledger_.give_work(dot(on.force, move) + dot(on.torque, turn));
        if (damps)
          ledger_.give_damping_work((dot(forces_.damped().linear[i], move) / body.inverse_mass +
                                     dot(body.inertia() * forces_.damped().angular[i], turn)) /
                                    dt_);
      } else {
        bodies_.finish(world, index, dt_, forces_, move, turn);
      }
    }
    world.time += dt_;
  }

  StepReport report() {
    WorldState& world = *world_;
    for (const std::int32_t index : world.awake) ledger_.count_after(world, world.at(index));
    world.find_awake();
    report_.manifolds = static_cast<std::int64_t>(cache_.active().size());
    report_.manifolds_reused = report_.manifolds - std::min(report_.manifolds, cache_.searched());
    ledger_.close(world, dt_, report_);
    report_.finite = report_.finite && forces_.finite();
    report_.time = world.time;
    report_.frozen = world.frozen_count;
    report_.seconds.positions = watch_.lap();
    const StageSeconds& s = report_.seconds;
    report_.seconds.total = s.detect + s.collisions + s.contacts + s.positions;
    return report_;
  }

  static constexpr std::size_t kBatchesPerChunk = 16;

  FastSettings settings_;
  const fast::Kernels& kernels_;
  WorldState* world_ = nullptr;
  Real dt_ = 0;
  ThreadPool* threads_ = nullptr;
  Stopwatch watch_;
  StepReport report_;
  Forces forces_;
  Ledger ledger_;

  FastBodies bodies_;
  BroadPhase broad_;
  std::vector<BroadPhase::Pair> pairs_;
  fast::PairCache cache_;
  fast::Coloring coloring_;
  fast::Batches batches_;
  fast::Substeps substeps_;
  FastFreezing freezing_;
  fast::Residual residual_;  // as last measured
  std::int64_t steps_ = 0;
  std::int64_t material_changes_ = 0;  // that records know of
  std::vector<Real> travels_;          // of a snapshot: for the views of the next step
};

void FastStep::list_contacts(const WorldState& world, std::vector<ContactRecord>& records) {
  patches().for_each([&](std::size_t, const PatchView& patch, const fast::Bounce* bounce, const Record& record) {
    const std::int32_t a = record.base_is_a ? record.base : record.probe;
    const std::int32_t b = record.base_is_a ? record.probe : record.base;
    const Real sign = record.base_is_a ? 1 : -1;
    Manifold name;
    name.part = record.part;
    for (std::size_t i = 0; i < record.count; ++i) {
      name.points[0].feature = record.features[i];
      const Vec3& j = patch.impulse[i];
      ContactRecord c;
      c.id = contact_id(a, b, name.name(0));
      c.a = world.handle(a);
      c.b = world.handle(b);
      c.point = patch.point(i);
      c.normal = sign * patch.normal;
      c.gap = patch.gap[i];
      c.impulse = sign * patch.world(j);
      if (bounce != nullptr) c.collision_impulse = sign * patch.world(FastPatches::bounced(*bounce, i));
      c.mode = FastPatches::mode_of(j, record);
      records.push_back(c);
    }
  });
  freezing_.list_inactive(world, broad_, bodies_.views, records);
}

}  // namespace

std::unique_ptr<Stepper> make_fast_step(const FastSettings& settings) { return std::make_unique<FastStep>(settings); }

}  // namespace carom
