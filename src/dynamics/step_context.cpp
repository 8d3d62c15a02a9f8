#include "dynamics/step_context.h"

#include <algorithm>

#include "carom/contact/classify.h"
#include "carom/contact/measures.h"
#include "dynamics/snapshot.h"
#include "math/trig.h"
#include "solvers/model_residual.h"

namespace carom {
namespace {

Proxy proxy_of(const Body& body) {
  Proxy p;
  p.geometry = &body.shape->geometry();
  p.position = body.shape_position();
  p.rotation = body.rotation;
  p.bounded = body.shape->is_bounded();
  p.dynamic = body.type == BodyType::Dynamic;
  p.moves = body.type != BodyType::Fixed;
  p.category = body.category;
  p.mask = body.mask;
  return p;
}

}  // namespace

void StepContext::begin(WorldState& state, Real step_dt, Real envelope_share, ThreadPool* pool) {
  world = &state;
  dt = whole_dt = step_dt;
  threads = pool;
  watch = {};
  report = {};
  envelope = envelope_share * state.smallest_size;
  resting_speed = carom::resting_speed(norm(state.gravity), envelope);
  forces.begin();
  held.resize(state.bodies.size(), 0);
  state.revived.clear();
  take_edits();
}

/// What the caller has done to bodies since the last step.
void StepContext::take_edits() {
  std::vector<std::int32_t> neighbours;
  std::vector<const Manifold*> resting;
  for (const std::int32_t body : world->edited) {
    detector.resting_of(body, resting);
    for (const Manifold* m : resting) neighbours.push_back(m->a == body ? m->b : m->a);
  }
  for (const std::int32_t body : world->removed) {
    detector.remove(body);
    held[static_cast<std::size_t>(body)] = 0;
  }
  world->removed.clear();
  if (world->still_bodies_changed) give_still_bodies();
  world->still_bodies_changed = false;
  for (const std::int32_t body : neighbours)
    if (world->at(body).alive) revive(body);
  world->find_awake();
}

/// Fixed bodies, and those that the caller has frozen or revived.
void StepContext::give_still_bodies() {
  std::vector<std::int32_t> frozen_by_caller;
  for (std::size_t i = 0; i < world->bodies.size(); ++i) {
    const Body& body = world->bodies[i];
    const auto index = static_cast<std::int32_t>(i);
    if (!body.alive) continue;
    if (body.frozen || body.type == BodyType::Fixed) {
      detector.set(index, proxy_of(body));
      if (body.frozen && !detector.is_frozen(index)) frozen_by_caller.push_back(index);
    } else if (detector.is_frozen(index)) {
      detector.revive(index);
    }
  }
  if (frozen_by_caller.empty()) return;
  // Their contacts are found while they are still awake.
  world->find_awake();
  std::vector<std::int32_t> list(world->awake);
  list.insert(list.end(), frozen_by_caller.begin(), frozen_by_caller.end());
  std::sort(list.begin(), list.end());
  set_proxies(list);
  detector.detect(list, threads);
  for (const std::int32_t body : frozen_by_caller) detector.freeze(body);
}

void StepContext::detect() {
  set_proxies(world->awake);
  contacts.clear();
  parted.clear();
  gather(detector.detect(world->awake, threads));
  collision_impulses.assign(contacts.size(), {});
  report.manifolds += detector.counts().manifolds;
  report.manifolds_reused += detector.counts().reused;
  report.seconds.detect += watch.lap();
}

void StepContext::detect_again() {
  collided_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (collision_impulses[i] != Vec3{}) collided_.emplace_back(contacts[i], collision_impulses[i]);
  if (collided_.empty()) return;
  const auto by_id = [](const auto& a, const auto& b) { return a.first.point.id < b.first.point.id; };
  std::sort(collided_.begin(), collided_.end(), by_id);
  detect();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::pair<StepContact, Vec3> wanted{contacts[i], {}};
    const auto found = std::lower_bound(collided_.begin(), collided_.end(), wanted, by_id);
    if (found == collided_.end() || found->first.point.id != contacts[i].point.id) continue;
    collision_impulses[i] = found->second;
    found->second = {};
  }
  for (const auto& [contact, impulse] : collided_)
    if (impulse != Vec3{}) parted.emplace_back(contact, impulse);
}

void StepContext::freeze(std::int32_t index) {
  Body& body = world->at(index);
  body.velocity = body.angular_velocity = {};
  body.frozen = true;
  held[static_cast<std::size_t>(index)] = 0;
  detector.proxy(index) = proxy_of(body);
  detector.freeze(index);
  world->membership_changed = true;
}

void StepContext::revive(std::int32_t index) {
  Body& body = world->at(index);
  if (!body.frozen) return;
  body.frozen = false;
  world->revived.emplace_back(index, BodyState{body.position, body.orientation, body.velocity, body.angular_velocity});
  world->membership_changed = true;
  gather(detector.revive(index));
  collision_impulses.resize(contacts.size());
}

void StepContext::gather(std::span<const Manifold> manifolds) {
  const std::size_t first = contacts.size();
  gather_contacts(*world, manifolds, contacts,
                  static_cast<std::int32_t>(manifolds.data() - detector.manifolds().data()));
  if (bias == 0) return;
  for (std::size_t i = first; i < contacts.size(); ++i)
    contacts[i].bias = bias * std::max(-contacts[i].gap - kSlop * envelope, 0.0) / whole_dt;
}

/// How far each body may come in this step: its own motion, and what its neighbours may do to it.
void StepContext::set_proxies(std::span<const std::int32_t> moving) {
  // A body that is struck may leave with up to the velocity of what strikes it.
  neighbour_speed_.assign(world->bodies.size(), 0);
  for (const Manifold& m : detector.manifolds()) {
    const auto a = static_cast<std::size_t>(m.a), b = static_cast<std::size_t>(m.b);
    const Real speed = norm(world->bodies[a].velocity - world->bodies[b].velocity);
    neighbour_speed_[a] = std::max(neighbour_speed_[a], speed);
    neighbour_speed_[b] = std::max(neighbour_speed_[b], speed);
  }
  forces.find(*world, moving);
  const Real base = base_margin();
  for (const std::int32_t index : moving) {
    const Body& body = world->at(index);
    Proxy& p = detector.proxy(index);
    p = proxy_of(body);
    p.sweep = dt * body.velocity;
    p.reach = base + dt * norm(body.angular_velocity) * body.radius;
    p.reach += dt * dt * body.inverse_mass * norm(forces.on(index).force);
    p.reach += dt * neighbour_speed_[static_cast<std::size_t>(index)];
  }
}

std::span<const Manifold> StepContext::look_ahead(Real least_motion, Real depth) {
  centers.resize(world->bodies.size());
  for (const std::int32_t index : world->awake) {
    const Body& body = world->at(index);
    const auto i = static_cast<std::size_t>(index);
    centers[i] = body.position + dt * rates.linear[i];
    Proxy& p = detector.proxy(index);
    // Who has just been frozen stays exactly where it is: that is where it is looked for from now on.
    if (body.frozen) {
      p = proxy_of(body);
      continue;
    }
    const Vec3 turn = dt * rates.angular[i];
    const TurnByHalves* half = find_turn(halves, index);
    p.rotation =
        to_matrix(half != nullptr ? orientation_after(*half, rates.angular[i], dt) : rotation(turn) * body.orientation);
    p.position = centers[i] - p.rotation * body.center_local;
    p.sweep = dt * rates.linear[i];
    p.reach = norm(turn) * body.radius;
  }
  return find_overlaps(least_motion, depth);
}

std::span<const Manifold> StepContext::look_here(Real depth) {
  centers.resize(world->bodies.size());
  for (const std::int32_t index : world->awake) {
    centers[static_cast<std::size_t>(index)] = world->at(index).position;
    detector.proxy(index) = proxy_of(world->at(index));
  }
  constexpr Real kHoweverLittle = -1;  // they have moved
  return find_overlaps(kHoweverLittle, depth);
}

/// Of bodies that are not awake the centres are those of now.
std::span<const Manifold> StepContext::find_overlaps(Real least_motion, Real depth) {
  const std::span<const Manifold> overlaps = detector.detect_overlaps(world->awake, least_motion, depth, threads);
  for (const Manifold& m : overlaps)
    for (const std::int32_t index : {m.a, m.b})
      if (const Body& body = world->at(index); body.frozen || body.type == BodyType::Fixed)
        centers[static_cast<std::size_t>(index)] = body.position;
  return overlaps;
}

void StepContext::pose_contacts(StepProblem& problem) {
  velocities_before_forces(before_);
  assemble_contacts(*world, contacts, before_, dt, envelope, dead_zone, resting_speed, problem);
  if (frozen_bodies == FrozenBodies::Yield) let_frozen_yield(problem);
  show(Stage::Contacts, problem);
}

std::span<const Vec3> StepContext::last_impulses() {
  const std::span<const Vec3> of_points = detector.impulses();
  last_impulses_.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    last_impulses_[i] = of_points[static_cast<std::size_t>(contacts[i].index)];
  return last_impulses_;
}

void StepContext::keep_impulses() {
  // Where nothing obeys all contacts, impulses against each other grow from step to step until their rounding is all
  // that is left of velocities. A body of a millionth of the mass that it carries has a thousandth of this.
  constexpr Real kSenseless = 1e9;  // times what gravity adds in a step, or a thousandth of the fastest speed
  Real fastest = 0;
  for (const std::int32_t body : awake()) fastest = std::max(fastest, norm(world->at(body).velocity));
  const Real most = kSenseless * std::max(norm(world->gravity) * dt, 1e-3 * fastest);
  const std::span<Vec3> of_points = detector.impulses();
  std::fill(of_points.begin(), of_points.end(), Vec3{});
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactPoint& c = contacts[i].point;
    const Real inverse_mass = world->at(c.a).inverse_mass + world->at(c.b).inverse_mass;
    if (norm(impulses[i]) * inverse_mass <= most) of_points[static_cast<std::size_t>(contacts[i].index)] = impulses[i];
  }
  kept_dt_ = dt;
}

void StepContext::take_velocities(const ContactSolution& solution) {
  for (const std::int32_t index : world->awake) {
    Body& body = world->at(index);
    if (!body.is_active()) continue;
    body.velocity = solution.velocities[static_cast<std::size_t>(index)];
    body.angular_velocity = solution.angular_velocities[static_cast<std::size_t>(index)];
  }
}

void StepContext::velocities_before_forces(Velocities& before) const {
  before.linear.resize(world->bodies.size());
  before.angular.resize(world->bodies.size());
  const auto set = [&](std::int32_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Body& body = world->bodies[i];
    before.linear[i] = body.velocity;
    before.angular[i] = body.angular_velocity;
    if (!body.is_active()) return;
    before.linear[i] -= forces.gained().linear[i];
    before.angular[i] -= forces.gained().angular[i];
  };
  for (const std::int32_t index : world->awake) set(index);
  for (const StepContact& c : contacts) {
    if (!world->at(c.point.a).is_active()) set(c.point.a);
    if (!world->at(c.point.b).is_active()) set(c.point.b);
  }
}

void StepContext::report_contacts(const ContactProblem& problem, SolverModel model, const ContactSolution& solution) {
  if (predicting) return;
  const ContactErrors errors = measure(problem, solution);
  report.residual_coulomb = std::max(report.residual_coulomb, errors.residual_coulomb);
  report.rms_coulomb = std::max(report.rms_coulomb, errors.rms_coulomb);
  const Real model_error = model == SolverModel::Coulomb
                               ? errors.residual_coulomb
                               : model_residual(model, problem, solution, resting_speed) / errors.reference_velocity;
  report.residual_model = std::max(report.residual_model, model_error);
  report.iterations += solution.report.iterations;
  report.converged = report.converged && solution.report.converged;
}

void StepContext::forget() {
  detector.clear();
  contacts.clear();
  impulses.clear();
  kept_dt_ = 0;
  std::fill(held.begin(), held.end(), 0);
}

void StepContext::save(ByteWriter& out) const {
  detector.save(out);
  out.put(static_cast<std::uint64_t>(held.size()));
  for (const char h : held) out.put(h);
  out.put(kept_dt_);
}

bool StepContext::restore(ByteReader& in, const WorldState& state) {
  const std::size_t bodies = state.bodies.size();
  Detector restored;
  if (!restored.restore(in, bodies)) return false;
  const auto held_count = in.get<std::uint64_t>();
  if (held_count > bodies || !in.fits(held_count, 1)) return false;
  std::vector<char> restored_held(held_count);
  for (char& h : restored_held) h = in.get<char>();
  const Real kept = in.get<Real>();
  if (!(kept >= 0) || !in.ok() || !in.at_end()) return false;
  detector = std::move(restored);
  held = std::move(restored_held);
  kept_dt_ = kept;
  contacts.clear();
  impulses.clear();
  return true;
}

}  // namespace carom
