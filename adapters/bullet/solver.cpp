// The step of docs/step.md inside Bullet's. Bullet hands a solver bodies with the velocities before forces, and the
// forces beside them, so that the order of Guendelman, Bridson and Fedkiw (2003) can be kept: collisions with
// restitution, forces, contacts without, positions. What moves poses without being a velocity is put into the pose
// before Bullet integrates it, as Bullet's own split impulses are.
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "carom/bullet.h"
#include "freezer.h"
#include "group.h"

namespace carom {
namespace {

struct Method {
  const SolverInfo* info = nullptr;
  Options options;
  std::unique_ptr<Solver> solver;

  explicit operator bool() const { return info != nullptr; }
};

Method make_method(const BulletMethod& choice, const char* stage) {
  if (choice.name == "none") return {};
  const std::string where = std::string("BulletSettings::") + stage + ": ";
  const SolverInfo* info = find_solver(choice.name);
  if (info == nullptr) {
    std::string known;
    for (const SolverInfo& solver : solver_registry()) known.append(known.empty() ? "" : ", ").append(solver.name);
    fail(where + "no solver is named '" + choice.name + "'; there are: " + known);
  }
  Options options(info->options);
  std::string wrong;
  for (const auto& [key, value] : choice.options)
    if (wrong.empty()) wrong = options.set_text(key, value);
  if (!wrong.empty()) fail(where + choice.name + ": " + wrong);
  return {info, options, info->make(options)};
}

bool honours(const Method& method, Feature feature) {
  return std::find(method.info->honours.begin(), method.info->honours.end(), feature) != method.info->honours.end();
}

/// Gaps are targets in both stages.
Method make_gap_method(const BulletMethod& choice, const char* stage) {
  Method method = make_method(choice, stage);
  if (method && !honours(method, Feature::GapTarget))
    fail(std::string("BulletSettings::") + stage + ": " + choice.name +
         " cannot keep bodies apart that do not touch yet");
  return method;
}

/// An impact is over before a belt has moved anything or a body has rolled.
ContactPoint in_collision(ContactPoint point) {
  point.tangent_target = {};
  point.rolling_friction = point.spinning_friction = 0;
  return point;
}

/// Of v_ref: what is slower than the solver's tolerance can tell from rest, is at rest. Bullet clips boxes that stand
/// flat on each other without loss only while they are exactly flat: what rounding turns, loses corners of its support.
constexpr Real kStill = sizeof(btScalar) == 8 ? 1e-7 : 1e-5;
/// Of ε_c: overlap that is left, since Bullet's boxes see each other only where they overlap.
constexpr Real kTrace = sizeof(btScalar) == 8 ? 2e-3 : 2e-2;
/// Of ε_c, in a step: too short a way for a position problem. Poses in single precision are no better than that.
constexpr Real kNegligible = sizeof(btScalar) == 8 ? 1e-3 : 1e-2;

}  // namespace

struct BulletSolver::Parts {
  explicit Parts(const BulletSettings& given)
      : settings(given),
        contacts(make_gap_method(given.contacts, "contacts")),
        collisions(make_method(given.collisions, "collisions")),
        collisions_left(make_method(given.collisions_left, "collisions_left")),
        positions(make_gap_method(given.positions, "positions")),
        freezer(given.quiet_steps) {
    if (!contacts) fail("BulletSettings::contacts: there must be a solver; 'none' is for the other stages");
    if (!(settings.envelope >= 0)) fail("BulletSettings::envelope: must not be negative");
    if (settings.quiet_steps < 0) fail("BulletSettings::quiet_steps: must not be negative");
  }

  std::string refused();
  void solve(const btContactSolverInfo& info);
  void collide();
  bool collide_by(const Method& method);
  void set_targets();
  void hold();
  void settle_positions(const btContactSolverInfo& info);
  void take_velocities();
  void find_struck();
  void revive(const Method& method);

  BulletSettings settings;
  Method contacts, collisions, collisions_left, positions;
  btSequentialImpulseConstraintSolver bullets_own;
  BulletReport report;

  BulletFreezer freezer;
  BulletGroup group;
  ContactProblem problem;
  ContactSolution solution;
  std::vector<std::size_t> indices;        // of the problem's contacts among those of the group
  std::vector<std::size_t> struck;         // frozen bodies that something runs into
  std::vector<ProblemBody> before_forces;  // the bodies after the collision stage
  std::vector<Vec3> warm_impulses;
  Real dt = 0, envelope = 0, resting = 0;
};

/// What the solvers of this group's stages cannot do, whatever the velocities; empty where there is nothing.
std::string BulletSolver::Parts::refused() {
  group.start_problem(problem);
  for (const GroupContact& contact : group.contacts()) problem.contacts.push_back(contact.point);
  for (ContactPoint& point : problem.contacts) point.restitution = 0;
  std::string why = refusal(*contacts.info, contacts.options, problem);
  if (!why.empty() || !collisions) return why;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    problem.contacts[i] = in_collision(group.contacts()[i].point);
  return refusal(*collisions.info, collisions.options, problem);
}

void BulletSolver::Parts::solve(const btContactSolverInfo& info) {
  dt = info.m_timeStep;
  envelope = settings.envelope > 0 ? settings.envelope : 1e-4 * group.smallest_width();
  resting = std::max<Real>(resting_speed(group.gravity(), envelope), info.m_restitutionVelocityThreshold);
  if (settings.freezing) freezer.hold_frozen(group, envelope);
  collide();
  before_forces = group.bodies();
  group.add_forces(info);
  hold();
  if (settings.freezing) freezer.update(group);
  settle_positions(info);
  group.write_back();
  for (const ProblemBody& body : group.bodies()) report.frozen += body.role == BodyRole::Frozen ? 1 : 0;
}

/// Who bounces. Slower approach than the resting speed is left to the contact stage.
void BulletSolver::Parts::collide() {
  if (!collisions || !collide_by(collisions)) return;
  if (collisions_left && solution.report.approach_left > resting) collide_by(collisions_left);
  report.approach_left = std::max(report.approach_left, solution.report.approach_left);
}

/// False where nothing collides.
bool BulletSolver::Parts::collide_by(const Method& method) {
  group.start_problem(problem);
  indices.clear();
  bool any = false;
  const std::vector<GroupContact>& all = group.contacts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].gap > envelope) continue;
    problem.contacts.push_back(in_collision(all[i].point));
    indices.push_back(i);
    any = any || group.normal_velocity(all[i].point) < -resting;
  }
  if (!any) return false;
  find_struck();
  if (!method.info->revives)
    for (const std::size_t body : struck) problem.bodies[body].role = BodyRole::Dynamic;
  method.solver->solve(problem, {{}, {}, resting, nullptr}, solution);
  for (std::size_t k = 0; k < indices.size(); ++k)
    group.contacts()[indices[k]].collision_impulse += solution.impulses[k];
  report.collisions += static_cast<int>(indices.size());
  revive(method);
  take_velocities();
  return true;
}

void BulletSolver::Parts::find_struck() {
  struck.clear();
  for (const std::size_t i : indices) {
    const ContactPoint& point = group.contacts()[i].point;
    if (group.normal_velocity(point) >= -resting) continue;
    for (const std::int32_t side : {point.a, point.b})
      if (group.bodies()[static_cast<std::size_t>(side)].role == BodyRole::Frozen)
        struck.push_back(static_cast<std::size_t>(side));
  }
}

/// Frozen bodies have their mass in a collision. The priority queue says whom it revives; other methods revive what
/// they have given more than the energy of a step of free fall (Schmidl and Milenkovic 2004, eq. 15).
void BulletSolver::Parts::revive(const Method& method) {
  if (!settings.freezing) return;
  std::vector<ProblemBody>& bodies = group.bodies();
  for (const std::int32_t body : solution.revived) bodies[static_cast<std::size_t>(body)].role = BodyRole::Dynamic;
  const Real fall = group.gravity() * dt;
  for (const std::size_t body : struck) {
    if (method.info->revives) continue;
    const Vec3 &v = solution.velocities[body], &w = solution.angular_velocities[body];
    const Real energy = squared_norm(v) / bodies[body].inverse_mass + dot(w, inverse(bodies[body].inverse_inertia) * w);
    if (energy * bodies[body].inverse_mass > fall * fall) bodies[body].role = BodyRole::Dynamic;
  }
  freezer.revive_left_alone(group);
}

void BulletSolver::Parts::take_velocities() {
  std::vector<ProblemBody>& bodies = group.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].role == BodyRole::Frozen) continue;
    bodies[i].velocity = solution.velocities[i];
    bodies[i].angular_velocity = solution.angular_velocities[i];
  }
}

/// The contact stage's problem: the least normal velocity that each contact is asked for.
void BulletSolver::Parts::set_targets() {
  group.start_problem(problem);
  indices.clear();
  warm_impulses.clear();
  for (std::size_t i = 0; i < group.contacts().size(); ++i) {
    const GroupContact& contact = group.contacts()[i];
    if (!group.is_active(contact)) continue;
    indices.push_back(i);
    warm_impulses.push_back(contact.last_impulse);
    ContactPoint& point = problem.contacts.emplace_back(contact.point);
    point.restitution = 0;
    if (contact.gap <= envelope) continue;  // closed; a target of −gap/dt would let the load flicker
    point.target = -contact.gap / dt;
    const Real approach = -group.normal_velocity(point);
    if (approach <= resting) continue;
    // It will touch with speed: it keeps the speed that it has by then, and the next step's collision stage bounces it.
    const auto a = static_cast<std::size_t>(point.a), b = static_cast<std::size_t>(point.b);
    const ProblemBody &body_a = before_forces[a], &body_b = before_forces[b];
    const Real before = -dot(point.normal, body_b.velocity + cross(body_b.angular_velocity, point.rb) -
                                               body_a.velocity - cross(body_a.angular_velocity, point.ra));
    const Real squared = before * std::abs(before) + 2 * (approach - before) / dt * contact.gap;
    point.target = -std::max(contact.gap / dt, std::sqrt(std::max(squared, 0.0)));
  }
}

/// Who stays.
void BulletSolver::Parts::hold() {
  set_targets();
  if (indices.empty()) return;
  contacts.solver->solve(problem, {warm_impulses, {}, resting, nullptr}, solution);
  ContactErrors errors = measure(problem, solution);
  // A start that leads a method astray, and not to the end, may throw a body at rest into the air.
  if (!solution.report.converged && errors.kinetic_energy_after > errors.kinetic_energy_before) {
    contacts.solver->solve(problem, {{}, {}, resting, nullptr}, solution);
    errors = measure(problem, solution);
  }
  for (std::size_t k = 0; k < indices.size(); ++k) {
    group.contacts()[indices[k]].impulse = solution.impulses[k];
    group.contacts()[indices[k]].solved = true;
  }
  report.iterations += solution.report.iterations;
  report.converged = report.converged && solution.report.converged;
  report.residual_model = std::max(report.residual_model, solution.report.residual_model);
  report.residual_coulomb = std::max(report.residual_coulomb, errors.residual_coulomb);
  take_velocities();
  group.stop_below(kStill * errors.reference_velocity);
}

/// Poses may move up to surfaces and not beyond, and a share of overlaps is taken back. Velocities stay as they are, so
/// neither adds to what moves.
void BulletSolver::Parts::settle_positions(const btContactSolverInfo& info) {
  if (!positions || group.contacts().empty()) return;
  group.start_problem(problem);
  const Real share = std::clamp<Real>(info.m_erp2, 0, 1), left = std::max<Real>(info.m_linearSlop, kTrace * envelope);
  bool needed = false;
  for (const GroupContact& contact : group.contacts()) {
    if (!group.is_active(contact)) continue;
    ContactPoint& point = problem.contacts.emplace_back(contact.point);
    point.mu = point.mu_static = point.restitution = point.rolling_friction = point.spinning_friction = 0;
    point.tangent_target = {};
    point.target = contact.gap > 0 ? -contact.gap / dt : share * std::max<Real>(-contact.gap - left, 0) / dt;
    needed = needed || group.normal_velocity(point) < point.target - kNegligible * envelope / dt;
  }
  if (!needed) return;
  positions.solver->solve(problem, {{}, {}, 0, nullptr}, solution);
  group.move_poses(solution.velocities, solution.angular_velocities);
}

BulletSolver::BulletSolver(const BulletSettings& settings) : parts_(std::make_unique<Parts>(settings)) {}
BulletSolver::~BulletSolver() = default;

const BulletReport& BulletSolver::report() const { return parts_->report; }

void BulletSolver::prepareSolve(int body_count, int manifold_count) {
  parts_->report = {};
  parts_->freezer.begin_step();
  parts_->bullets_own.prepareSolve(body_count, manifold_count);
}

btScalar BulletSolver::solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds,
                                  int manifold_count, btTypedConstraint** constraints, int constraint_count,
                                  const btContactSolverInfo& info, btIDebugDraw* debug_drawer,
                                  btDispatcher* dispatcher) {
  if (body_count == 0) return 0;  // Bullet ends a step with such a group
  BulletReport& report = parts_->report;
  const auto start = std::chrono::steady_clock::now();
  std::string why = constraint_count > 0
                        ? "it has joints"
                        : parts_->group.gather({bodies, static_cast<std::size_t>(body_count)},
                                               {manifolds, static_cast<std::size_t>(manifold_count)}, info);
  if (why.empty()) why = parts_->refused();
  if (!why.empty()) {
    ++report.passed_on;
    if (report.passed_on_why.empty()) report.passed_on_why = why;
    return parts_->bullets_own.solveGroup(bodies, body_count, manifolds, manifold_count, constraints, constraint_count,
                                          info, debug_drawer, dispatcher);
  }
  ++report.groups;
  report.contacts += static_cast<int>(parts_->group.contacts().size());
  for (const GroupContact& contact : parts_->group.contacts())
    report.worst_penetration = std::max(report.worst_penetration, -contact.gap);
  parts_->solve(info);
  report.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return 0;
}

void BulletSolver::allSolved(const btContactSolverInfo& info, btIDebugDraw* debug_drawer) {
  parts_->bullets_own.allSolved(info, debug_drawer);
}

void BulletSolver::reset() { parts_->bullets_own.reset(); }

btConstraintSolverType BulletSolver::getSolverType() const { return {}; }

}  // namespace carom
