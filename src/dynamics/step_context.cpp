#include "dynamics/step_context.h"

#include <algorithm>

#include "carom/contact/classify.h"
#include "carom/contact/measures.h"
#include "dynamics/snapshot.h"
#include "math/trig.h"

namespace carom {
namespace {

std::size_t point_count(std::span<const Manifold> manifolds) {
  return manifolds.empty() ? 0 : static_cast<std::size_t>(manifolds.back().first_point + manifolds.back().count);
}

}  // namespace

void StepContext::begin(WorldState& state, Real step_dt, Real envelope_share, ThreadPool* pool) {
  world = &state;
  dt = step_dt;
  threads = pool;
  watch = {};
  report = {};
  envelope = envelope_share * state.smallest_size;
  resting_speed = carom::resting_speed(norm(state.gravity), envelope);
}

void StepContext::detect() {
  keep_impulses();
  held.resize(world->bodies.size(), 0);
  for (const std::int32_t body : world->forgotten) {
    detector.forget(body);
    held[static_cast<std::size_t>(body)] = 0;
  }
  world->forgotten.clear();
  if (world->fixed_bodies_changed) detector.fixed_bodies_changed();
  world->fixed_bodies_changed = false;
  set_proxies();
  gather_contacts(*world, detector.detect(proxies_, threads), contacts);
  collision_impulses.assign(contacts.size(), {});
  report.manifolds += detector.counts().manifolds;
  report.manifolds_reused += detector.counts().reused;
  report.seconds.detect += watch.lap();
}

/// Impulses of the last step by the index of their points, for the warm start.
void StepContext::keep_impulses() {
  previous_impulses_.assign(point_count(detector.manifolds()), {});
  for (std::size_t i = 0; i < contacts.size(); ++i)
    previous_impulses_[static_cast<std::size_t>(contacts[i].index)] = impulses[i];
}

/// How far each body may come in this step: its own motion, and what its neighbours may do to it.
void StepContext::set_proxies() {
  const Real base = base_margin();
  proxies_.assign(world->bodies.size(), {});
  awake.clear();
  for (std::size_t i = 0; i < world->bodies.size(); ++i) {
    const Body& body = world->bodies[i];
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
    awake.push_back(static_cast<std::int32_t>(i));
    p.sweep = dt * body.velocity;
    p.reach = base + dt * norm(body.angular_velocity) * body.radius + dt * dt * body.inverse_mass * norm(body.force);
  }
  // A body that is struck may leave with up to the velocity of what strikes it.
  neighbour_speed_.assign(world->bodies.size(), 0);
  for (const Manifold& m : detector.manifolds()) {
    const auto a = static_cast<std::size_t>(m.a), b = static_cast<std::size_t>(m.b);
    const Real speed = norm(world->bodies[a].velocity - world->bodies[b].velocity);
    neighbour_speed_[a] = std::max(neighbour_speed_[a], speed);
    neighbour_speed_[b] = std::max(neighbour_speed_[b], speed);
  }
  for (std::size_t i = 0; i < proxies_.size(); ++i)
    if (proxies_[i].moves) proxies_[i].reach += dt * neighbour_speed_[i];
}

std::span<const Manifold> StepContext::look_ahead(Real least_motion, Real depth) {
  centers.resize(world->bodies.size());
  for (std::size_t i = 0; i < world->bodies.size(); ++i) {
    const Body& body = world->bodies[i];
    centers[i] = body.position + dt * rates.linear[i];
    Proxy& p = proxies_[i];
    if (!body.alive || !p.moves) continue;
    const Vec3 turn = dt * rates.angular[i];
    p.rotation = to_matrix(rotation(turn) * body.orientation);
    p.position = centers[i] - p.rotation * body.center_local;
    p.sweep = dt * rates.linear[i];
    p.reach = norm(turn) * body.radius;
  }
  return detector.detect_overlaps(proxies_, least_motion, depth, threads);
}

std::span<const Vec3> StepContext::last_impulses() {
  last_impulses_.assign(contacts.size(), {});
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (contacts[i].previous >= 0)
      last_impulses_[i] = previous_impulses_[static_cast<std::size_t>(contacts[i].previous)];
  return last_impulses_;
}

void StepContext::take_velocities(const ContactSolution& solution) {
  for (std::size_t i = 0; i < world->bodies.size(); ++i) {
    Body& body = world->bodies[i];
    if (!body.is_dynamic()) continue;
    body.velocity = solution.velocities[i];
    body.angular_velocity = solution.angular_velocities[i];
  }
}

void StepContext::velocities_before_forces(Velocities& before) const {
  before.linear.resize(world->bodies.size());
  before.angular.resize(world->bodies.size());
  for (std::size_t i = 0; i < world->bodies.size(); ++i) {
    const Body& body = world->bodies[i];
    before.linear[i] = body.velocity;
    before.angular[i] = body.angular_velocity;
    if (!body.is_dynamic()) continue;
    before.linear[i] -= dt * (world->gravity + body.inverse_mass * body.force);
    before.angular[i] -= dt * (body.inverse_inertia * body.torque);
  }
}

void StepContext::report_contacts(const ContactProblem& problem, ContactSolution& solution) {
  if (predicting) return;
  const ContactErrors errors = measure(problem, solution);
  report.residual_coulomb = std::max(report.residual_coulomb, errors.residual_coulomb);
  report.rms_coulomb = std::max(report.rms_coulomb, errors.rms_coulomb);
  report.residual_model = report.residual_coulomb;  // the law that this suite's solvers aim at is Coulomb's
  report.iterations += solution.report.iterations;
  report.converged = report.converged && solution.report.converged;
}

void StepContext::forget() {
  detector.clear();
  contacts.clear();
  impulses.clear();
  std::fill(held.begin(), held.end(), 0);
}

void StepContext::save(ByteWriter& out) const {
  detector.save(out);
  out.put(static_cast<std::uint64_t>(contacts.size()));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    out.put(contacts[i].index);
    put(out, impulses[i]);
  }
  out.put(static_cast<std::uint64_t>(held.size()));
  for (const char h : held) out.put(h);
}

bool StepContext::restore(ByteReader& in, std::size_t body_count) {
  Detector restored;
  if (!restored.restore(in, body_count)) return false;
  constexpr std::size_t kContactBytes = sizeof(std::int32_t) + 3 * sizeof(Real);
  const auto count = in.get<std::uint64_t>();
  if (!in.fits(count, kContactBytes)) return false;
  const auto points = static_cast<std::int64_t>(point_count(restored.manifolds()));
  std::vector<StepContact> restored_contacts(count);  // the next step asks for nothing but their indices
  std::vector<Vec3> restored_impulses(count);
  for (std::size_t i = 0; i < count; ++i) {
    restored_contacts[i].index = in.get<std::int32_t>();
    restored_impulses[i] = get_vec3(in);
    if (restored_contacts[i].index < 0 || restored_contacts[i].index >= points) return false;
  }
  const auto held_count = in.get<std::uint64_t>();
  if (held_count > body_count || !in.fits(held_count, 1)) return false;
  std::vector<char> restored_held(held_count);
  for (char& h : restored_held) h = in.get<char>();
  if (!in.ok() || !in.at_end()) return false;

  detector = std::move(restored);
  contacts = std::move(restored_contacts);
  impulses = std::move(restored_impulses);
  held = std::move(restored_held);
  return true;
}

}  // namespace carom
