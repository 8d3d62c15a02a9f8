#include "dynamics/fast_step.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "dynamics/integrate.h"
#include "dynamics/ledger.h"
#include "fast/batches.h"
#include "fast/kernels.h"
#include "fast/pair_cache.h"
#include "geometry/bounds.h"
#include "math/symmetric.h"
#include "math/trig.h"

namespace carom {
namespace {

using fast::BodyView;
using fast::Frame;
using fast::Motion;

Vec3 vector(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }
std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

bool is_flat(const Shape::Geometry& geometry) {
  if (const auto* compound = std::get_if<Compound>(&geometry))
    return std::all_of(compound->parts->begin(), compound->parts->end(),
                       [](const CompoundPart& part) { return is_flat(part.shape->geometry()); });
  return std::holds_alternative<Box>(geometry) || std::holds_alternative<Hull>(geometry) ||
         std::holds_alternative<Plane>(geometry);
}

class FastStep final : public Stepper {
 public:
  explicit FastStep(const FastSettings& settings) : settings_(settings), kernels_(fast::kernels(widest_simd())) {
    forces_.set_damping(settings.damping);
    batches_.lanes = kernels_.lanes;
  }

  StepReport advance(WorldState& world, Real dt, ThreadPool* threads) override {
    begin(world, dt, threads);
    detect();
    start_motions();
    solve();
    finish_bodies();
    return report();
  }

  void forget() override { cache_.clear(); }
  void save(ByteWriter& out) const override { cache_.save(out); }
  bool restore(ByteReader& in, const WorldState& world) override { return cache_.restore(in, world.bodies.size()); }
  void list_inactive(const WorldState&, std::vector<ContactRecord>&) override {}

 private:
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
      broad_.remove(body);
      cache_.forget(body);
      views_[static_cast<std::size_t>(body)] = {};
    }
    world.removed.clear();
    world.edited.clear();
    world.find_awake();
    const std::size_t n = world.bodies.size();
    views_.resize(n);
    frames_.resize(n);
    motion_of_.assign(n, 0);
    takes_.assign(n, 0);
    if (world.still_bodies_changed) {
      for (std::size_t i = 0; i < n; ++i)
        if (world.bodies[i].alive && (world.bodies[i].frozen || world.bodies[i].type == BodyType::Fixed)) view(static_cast<std::int32_t>(i));
      world.still_bodies_changed = false;
    }
    for (std::size_t k = 0; k < world.awake.size(); ++k) {
      const auto i = static_cast<std::size_t>(world.awake[k]);
      motion_of_[i] = static_cast<std::int32_t>(k) + 1;
      takes_[i] = world.bodies[i].is_active() ? 1 : 0;
      ledger_.count_before(world.bodies[i]);
      view(world.awake[k]);
    }
  }

  /// What detection and the kernels know of a body.
  void view(std::int32_t index) {
    const Body& body = world_->at(index);
    const auto i = static_cast<std::size_t>(index);
    BodyView& v = views_[i];
    if (v.geometry != &body.shape->geometry()) {
      v = {};
      v.geometry = &body.shape->geometry();
      v.size = body.shape->smallest_size();
      v.flat = is_flat(*v.geometry);
    }
    v.radius = body.radius;
    v.center = body.position;
    v.origin = body.shape_position();
    v.rotation = body.rotation;
    v.orientation = body.orientation;
    v.velocity = body.velocity;
    v.spin_reach = dt_ * norm(body.angular_velocity) * body.radius;
    v.role = {body.type != BodyType::Fixed, body.type == BodyType::Dynamic, body.category, body.mask, body.frozen};
    Frame& f = frames_[i];
    Mat3 whitening;
    if (body.is_active())
      whitening = transposed(body.rotation * cholesky(body.inverse_inertia_local));
    else if (body.type == BodyType::Kinematic)
      whitening = Mat3::identity();
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        f.rotation[r][c] = static_cast<float>(body.rotation.m[r][c]);
        f.whitening[r][c] = static_cast<float>(whitening.m[r][c]);
      }
    }
    if (!body.shape->is_bounded()) {
      const Plane& plane = std::get<Plane>(*v.geometry);
      const Vec3 normal = body.rotation * plane.normal;
      broad_.place_half_space(index, {normal, plane.offset + dot(normal, v.origin)}, v.role);
      return;
    }
    const Aabb box = bounds(*v.geometry, v.origin, v.rotation);
    if (v.role.awake()) {
      const Vec3 sweep = dt_ * v.velocity;
      broad_.place(index, box.swept(sweep, v.spin_reach + 0.01 * v.size + least_margin()), sweep, v.role);
    } else {
      broad_.place(index, box, {}, v.role);
    }
  }

  Real least_margin() const { return norm(world_->gravity) * dt_ * dt_; }

  void detect() {
    broad_.update(threads_);
    broad_.candidates(threads_, pairs_);
    cache_.update(pairs_, views_, {dt_, least_margin()}, threads_);
    for (const std::int32_t r : cache_.active()) {
      fast::Record& record = cache_.records()[static_cast<std::size_t>(r)];
      const Material m = world_->materials.pair(world_->at(record.base).material, world_->at(record.probe).material);
      record.friction = static_cast<float>(m.friction);
      record.static_friction = static_cast<float>(m.static_friction);
      record.restitution = static_cast<float>(m.restitution);
    }
    coloring_.run(cache_.active(), cache_.records(), motion_of_, takes_, batches_);
    report_.seconds.detect = watch_.lap();
  }

  void start_motions() {
    const std::size_t n = world_->awake.size() + 1;
    motions_.assign(n, {});
    shifts_.assign(n, {});
    starts_.assign(n, {});
    increments_.assign(n, {});
    for (std::size_t k = 1; k < n; ++k) {
      const Body& body = world_->at(world_->awake[k - 1]);
      motions_[k].linear = floats(body.velocity);
      motions_[k].inverse_mass = static_cast<float>(body.is_active() ? body.inverse_mass : 0);
      motions_[k].turning = floats(whitened(world_->awake[k - 1], body.angular_velocity));
    }
    before_.linear.resize(n);
    before_.angular.resize(n);
    for (std::size_t k = 1; k < n; ++k) {
      const Body& body = world_->at(world_->awake[k - 1]);
      before_.linear[k] = body.velocity;
      before_.angular[k] = body.angular_velocity;
    }
    forces_.apply(*world_, dt_);
    const Real share = 1.0 / settings_.substeps;
    for (std::size_t k = 1; k < n; ++k) {
      const std::int32_t index = world_->awake[k - 1];
      const Body& body = world_->at(index);
      if (!body.is_active()) continue;
      const auto i = static_cast<std::size_t>(index);
      increments_[k].linear = floats(share * forces_.gained().linear[i]);
      increments_[k].turning = floats(whitened(index, share * forces_.gained().angular[i]));
    }
  }

  /// ω̃ with ω = F ω̃.
  Vec3 whitened(std::int32_t index, const Vec3& rate) const {
    const Body& body = world_->at(index);
    if (!body.is_active()) return rate;
    const Mat3 factor = body.rotation * cholesky(body.inverse_inertia_local);
    return inverse(factor) * rate;
  }

  template <class Kernel>
  void sweep(Kernel&& kernel) {
    for (std::size_t c = 0; c + 1 < batches_.colors.size(); ++c)
      kernel(static_cast<std::size_t>(batches_.colors[c]), static_cast<std::size_t>(batches_.colors[c + 1]));
  }

  void solve() {
    using fast::Field;
    kernels_.prepare(batches_, cache_.records().data(), frames_.data(), motions_.data(), 0, batches_.size());
    const std::size_t n = motions_.size();
    const auto n_substeps = settings_.substeps;
    fast::SweepSettings s;
    s.h = static_cast<float>(dt_ / n_substeps);
    s.share = 0.3F;
    s.leak = n_substeps <= 8 ? 0.2F : 0.15F;
    s.most_push = 4;
    for (int step = 0; step < n_substeps; ++step) {
      if (step == 0) {
        for (std::size_t k = 0; k < n; ++k) {
          starts_[k] = motions_[k];
          for (std::size_t c = 0; c < 3; ++c) {
            motions_[k].linear[c] += increments_[k].linear[c];
            motions_[k].turning[c] += increments_[k].turning[c];
          }
        }
        sweep([&](std::size_t b, std::size_t e) { kernels_.apply(batches_, motions_.data(), b, e); });
      } else {
        for (std::size_t k = 0; k < n; ++k) {
          const Motion now = motions_[k];
          for (std::size_t c = 0; c < 3; ++c) {
            motions_[k].linear[c] = 2 * now.linear[c] - starts_[k].linear[c];
            motions_[k].turning[c] = 2 * now.turning[c] - starts_[k].turning[c];
          }
          starts_[k] = now;
        }
      }
      sweep([&](std::size_t b, std::size_t e) { kernels_.push(batches_, s, motions_.data(), shifts_.data(), b, e); });
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
          shifts_[k].linear[c] += s.h * motions_[k].linear[c];
          shifts_[k].turning[c] += s.h * motions_[k].turning[c];
        }
      }
      sweep([&](std::size_t b, std::size_t e) { kernels_.relax(batches_, s, motions_.data(), shifts_.data(), b, e); });
    }
    report_.seconds.contacts = watch_.lap();
  }

  void finish_bodies() {
    using namespace fast;
    const std::size_t n = motions_.size();
    impulses_.linear.assign(n, {});
    impulses_.angular.assign(n, {});
    touched_.assign(n, 0);
    const std::size_t lanes = batches_.lanes;
    for (std::size_t place = 0; place < batches_.records.size(); ++place) {
      const std::int32_t r = batches_.records[place];
      if (r == 0) continue;
      const float* batch = batches_.batch(place / lanes) + place % lanes;
      const auto at = [&](std::size_t field) { return batch[field * lanes]; };
      Record& record = cache_.records()[static_cast<std::size_t>(r)];
      Vec3 n_sum, t_sum;
      bool acts = false;
      for (std::size_t i = 0; i < Record::kMaxPoints; ++i) {
        record.normal_impulse[i] = at(kNormalImpulse + i);
        record.tangent_impulse[i] = at(kTangentImpulse + i);
        record.across_impulse[i] = at(kAcrossImpulse + i);
        if (i < record.count) {
          ++report_.contacts;
          report_.max_penetration = std::max(report_.max_penetration, -Real{at(kGap + i)});
        }
        const Real j = at(kNormalSum + i), f1 = at(kTangentSum + i), f2 = at(kAcrossSum + i);
        if (j == 0 && f1 == 0 && f2 == 0) continue;
        acts = true;
        ++report_.active_contacts;
        const Real x = at(kX + i), y = at(kY + i);
        n_sum += Vec3{j, y * j, -x * j};
        t_sum += Vec3{f1, f2, x * f2 - y * f1};
      }
      if (!acts) continue;
      const Vec3 normal{at(kNormal), at(kNormal + 1), at(kNormal + 2)};
      const Vec3 t1{at(kTangent), at(kTangent + 1), at(kTangent + 2)}, t2 = cross(normal, t1);
      const Vec3 force = n_sum.x * normal + t_sum.x * t1 + t_sum.y * t2;
      const Vec3 moment = t_sum.z * normal + n_sum.y * t1 + n_sum.z * t2;
      const BodyView &base = views_[static_cast<std::size_t>(record.base)], &probe = views_[static_cast<std::size_t>(record.probe)];
      const Vec3 center = patch_center(record, probe, normal, t1, t2, at);
      const auto a = static_cast<std::size_t>(batches_.read_base[place]), b = static_cast<std::size_t>(batches_.read_probe[place]);
      impulses_.linear[a] -= force;
      impulses_.angular[a] -= cross(center - base.center, force) + moment;
      impulses_.linear[b] += force;
      impulses_.angular[b] += cross(center - probe.center, force) + moment;
      touched_[a] = touched_[b] = 1;
      const bool takes_a = takes_[static_cast<std::size_t>(record.base)] != 0, takes_b = takes_[static_cast<std::size_t>(record.probe)] != 0;
      if (takes_a != takes_b) ledger_.give_momentum(takes_b ? force : -force);
    }
    for (std::size_t k = 1; k < n; ++k) finish_body(k);
    world_->time += dt_;
    report_.seconds.positions = watch_.lap();
  }

  template <class At>
  Vec3 patch_center(const fast::Record& record, const BodyView& probe, const Vec3& normal, const Vec3& t1, const Vec3& t2, At&& at) const {
    // The kernels' own: the mean over the points across, and the middle of the deepest.
    Real x = 0, y = 0, height = 0, least = 0;
    for (std::size_t i = 0; i < fast::Record::kMaxPoints; ++i) {
      const Vec3 r = probe.rotation * Vec3{record.arms[i][0], record.arms[i][1], record.arms[i][2]};
      x += 0.25 * dot(t1, r);
      y += 0.25 * dot(t2, r);
      const Real gap = at(fast::kGap + i);
      if (i == 0 || gap < least) least = gap, height = dot(normal, r) - 0.5 * gap;
    }
    return probe.center + x * t1 + y * t2 + height * normal;
  }

  void finish_body(std::size_t k) {
    const std::int32_t index = world_->awake[k - 1];
    Body& body = world_->at(index);
    BodyView& view = views_[static_cast<std::size_t>(index)];
    const auto i = static_cast<std::size_t>(index);
    Vec3 move, turn;
    if (body.type == BodyType::Kinematic) {
      move = dt_ * body.velocity;
      turn = dt_ * body.angular_velocity;
      body.position += move;
      if (turn != Vec3{}) {
        body.orientation = normalized(rotation(turn) * body.orientation);
        body.refresh();
      }
    } else {
      ledger_.give_momentum(forces_.gained().linear[i] / body.inverse_mass);
      Vec3 spin;
      if (touched_[k] == 0) {
        move = dt_ * (before_.linear[k] + 0.5 * forces_.gained().linear[i]);
        turn = turn_of(body, body.angular_velocity - 0.5 * forces_.gained().angular[i], dt_);
        spin = body.inertia() * body.angular_velocity;
      } else {
        move = vector(shifts_[k].linear);
        const Frame& f = frames_[i];
        const Vec3 w = vector(shifts_[k].turning);
        for (int c = 0; c < 3; ++c) {
          const auto column = static_cast<std::size_t>(c);
          turn[c] = 0;
          (void)column;
        }
        const Mat3 factor = body.rotation * cholesky(body.inverse_inertia_local);
        turn = factor * w;
        (void)f;
        body.velocity += body.inverse_mass * impulses_.linear[k];
        spin = body.inertia() * body.angular_velocity + impulses_.angular[k];
      }
      body.position += move;
      if (turn != Vec3{}) {
        body.orientation = normalized(rotation(turn) * body.orientation);
        body.refresh();
      }
      body.angular_velocity = body.inverse_inertia * spin;
      const AppliedForce& on = forces_.on(index);
      ledger_.give_work(dot(on.force, move) + dot(on.torque, turn));
    }
    view.travel += norm(move) + norm(turn) * view.radius;
    ledger_.count_after(*world_, body);
  }

  StepReport report() {
    world_->find_awake();
    report_.manifolds = static_cast<std::int64_t>(cache_.active().size());
    report_.manifolds_reused = report_.manifolds - cache_.searched();
    ledger_.close(*world_, dt_, report_);
    report_.finite = forces_.finite();
    report_.time = world_->time;
    report_.frozen = world_->frozen_count;
    const StageSeconds& s = report_.seconds;
    report_.seconds.total = s.detect + s.collisions + s.contacts + s.positions + watch_.lap();
    return report_;
  }

  FastSettings settings_;
  const fast::Kernels& kernels_;
  WorldState* world_ = nullptr;
  Real dt_ = 0;
  ThreadPool* threads_ = nullptr;
  Stopwatch watch_;
  StepReport report_;
  Forces forces_;
  Ledger ledger_;

  std::vector<BodyView> views_;
  AlignedVector<Frame> frames_;
  std::vector<std::int32_t> motion_of_;
  std::vector<char> takes_, touched_;
  BroadPhase broad_;
  std::vector<BroadPhase::Pair> pairs_;
  fast::PairCache cache_;
  fast::Coloring coloring_;
  fast::Batches batches_;
  AlignedVector<Motion> motions_, shifts_, starts_, increments_;
  Velocities before_, impulses_;
};

}  // namespace

std::unique_ptr<Stepper> make_fast_step(const FastSettings& settings) { return std::make_unique<FastStep>(settings); }

}  // namespace carom
