#include "group.h"

#include <algorithm>
#include <cmath>

namespace carom {
namespace {

constexpr std::int32_t kFixed = 0;  // index of the body that stands for everything that never moves

/// Bullet keeps a body's place in the group on the body; its own solver does the same.
constexpr int kNowhere = -1;

bool moves(const btRigidBody& body) { return body.getInvMass() > 0 && !body.isStaticOrKinematicObject(); }

struct Extent {
  Real width = 0;   // m, along the axis along which the shape's box is narrowest
  Real radius = 0;  // m: no point is farther from the centre of mass
};

Extent extent_of(const btCollisionShape& shape) {
  btVector3 low, high;
  shape.getAabb(btTransform::getIdentity(), low, high);
  const Vec3 size = to_carom(high - low);
  btVector3 farthest = high.absolute();
  farthest.setMax(low.absolute());
  return {std::min({size.x, size.y, size.z}), farthest.length()};
}

/// Games lock turning by a factor of zero or by an inertia of zero, which stands for an infinite one. Solvers want a
/// positive definite matrix, so a locked axis turns a million times harder than the body is long; what it turns
/// nevertheless is not written back.
Mat3 inverse_inertia_of(const btRigidBody& body, Real width) {
  const btMatrix3x3& world = body.getInvInertiaTensorWorld();
  const Vec3 factor = to_carom(body.getAngularFactor());
  const Real hardly = 1e-6 * body.getInvMass() / (width * width);
  Mat3 inverse;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inverse(i, j) = 0.5 * factor[i] * factor[j] * (world[i][j] + world[j][i]);
  const Vec3 local = to_carom(body.getInvInertiaDiagLocal());
  if (std::min({local.x, local.y, local.z}) <= 0 || std::min({factor.x, factor.y, factor.z}) <= 0)
    for (int i = 0; i < 3; ++i) inverse(i, i) += hardly;
  return inverse;
}

Vec3 angular_velocity_with_locks(const btRigidBody& body, const Vec3& wanted) {
  Vec3 result = wanted;
  const Vec3 factor = to_carom(body.getAngularFactor()), now = to_carom(body.getAngularVelocity());
  const bool turns = body.getInvInertiaDiagLocal().length2() > 0;
  for (int i = 0; i < 3; ++i)
    if (!turns || factor[i] == 0) result[i] = now[i];
  return result;
}

}  // namespace

std::string BulletGroup::gather(std::span<btCollisionObject* const> bodies,
                                std::span<btPersistentManifold* const> manifolds, const btContactSolverInfo& info) {
  bodies_.assign(1, {.role = BodyRole::Fixed});
  of_bullet_.assign(1, nullptr);
  radii_.assign(1, 0);
  contacts_.clear();
  gravity_ = {};
  smallest_width_ = 0;
  dt_ = info.m_timeStep;
  std::string refused;
  for (btCollisionObject* object : bodies) {
    object->setCompanionId(kNowhere);
    btRigidBody* body = btRigidBody::upcast(object);
    if (body == nullptr || !moves(*body)) continue;
    if (refused.empty()) refused = add_body(*body);
  }
  const bool warm_start = (info.m_solverMode & SOLVER_USE_WARMSTARTING) != 0;
  for (btPersistentManifold* manifold : manifolds)
    if (refused.empty()) refused = add_manifold(*manifold, warm_start);
  for (btCollisionObject* object : bodies) object->setCompanionId(kNowhere);
  return refused;
}

std::string BulletGroup::add_body(btRigidBody& body) {
  const Vec3 factor = to_carom(body.getLinearFactor());
  if (factor != Vec3{1, 1, 1}) return "a body has a linear factor";
  const auto [width, radius] = extent_of(*body.getCollisionShape());
  smallest_width_ = bodies_.size() == 1 ? width : std::min(smallest_width_, width);
  const Vec3 gravity = to_carom(body.getGravity());
  if (squared_norm(gravity) > squared_norm(gravity_)) gravity_ = gravity;

  body.setCompanionId(static_cast<int>(bodies_.size()));
  ProblemBody& added = bodies_.emplace_back();
  added.inverse_mass = body.getInvMass();
  added.inverse_inertia = inverse_inertia_of(body, width);
  added.velocity = to_carom(body.getLinearVelocity());
  added.angular_velocity = to_carom(body.getAngularVelocity());
  of_bullet_.push_back(&body);
  radii_.push_back(radius);
  return {};
}

/// Kinematic bodies are in no group and may be in several manifolds: each gets an entry of its own, which costs little
/// and leaves no mark on a body that other groups read too.
std::int32_t BulletGroup::body_index(const btCollisionObject& object) {
  const btRigidBody* body = btRigidBody::upcast(&object);
  if (body == nullptr) return kFixed;
  if (moves(*body)) return body->getCompanionId() == kNowhere ? kFixed : body->getCompanionId();
  if (!body->isKinematicObject()) return kFixed;
  ProblemBody& added = bodies_.emplace_back();
  added.role = BodyRole::Kinematic;
  added.velocity = to_carom(body->getLinearVelocity());
  added.angular_velocity = to_carom(body->getAngularVelocity());
  of_bullet_.push_back(nullptr);
  radii_.push_back(0);
  return static_cast<std::int32_t>(bodies_.size()) - 1;
}

std::string BulletGroup::add_manifold(btPersistentManifold& manifold, bool warm_start) {
  if (manifold.getNumContacts() == 0) return {};
  // Bullet's normal points from its second body to its first: these are Carom's a and b.
  const btCollisionObject &object_b = *manifold.getBody0(), &object_a = *manifold.getBody1();
  const std::int32_t a = body_index(object_a), b = body_index(object_b);
  if (of_bullet_[static_cast<std::size_t>(a)] == nullptr && of_bullet_[static_cast<std::size_t>(b)] == nullptr)
    return {};
  for (const btCollisionObject* object : {&object_a, &object_b})
    if (object->hasAnisotropicFriction()) return "a body has anisotropic friction";
  for (int i = 0; i < manifold.getNumContacts(); ++i) {
    btManifoldPoint& cached = manifold.getContactPoint(i);
    if (cached.getDistance() > manifold.getContactProcessingThreshold()) continue;
    constexpr int kSoft =
        BT_CONTACT_FLAG_HAS_CONTACT_CFM | BT_CONTACT_FLAG_HAS_CONTACT_ERP | BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING;
    if ((cached.m_contactPointFlags & kSoft) != 0) return "a contact is soft";
    add_contact(cached, object_b, object_a, a, b, warm_start);
  }
  return {};
}

void BulletGroup::add_contact(btManifoldPoint& cached, const btCollisionObject& object_b,
                              const btCollisionObject& object_a, std::int32_t a, std::int32_t b, bool warm_start) {
  GroupContact& contact = contacts_.emplace_back();
  ContactPoint& point = contact.point;
  contact.cached = &cached;
  contact.object_a = &object_a;
  contact.object_b = &object_b;
  contact.gap = cached.getDistance();
  point.a = a;
  point.b = b;
  point.normal = normalized(to_carom(cached.m_normalWorldOnB));
  point.tangent = default_tangent(point.normal);
  if ((cached.m_contactPointFlags & BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED) != 0) {
    // A direction of the caller's, with the velocity that a conveyor belt has along it.
    const Vec3 given = to_carom(cached.m_lateralFrictionDir1);
    const Vec3 along = given - dot(given, point.normal) * point.normal;
    if (norm(along) > 1e-3) {
      point.tangent = normalized(along);
      const Real side = dot(point.second_tangent(), to_carom(cached.m_lateralFrictionDir2)) < 0 ? -1 : 1;
      point.tangent_target = {cached.m_contactMotion1, side * cached.m_contactMotion2};
    }
  }
  // Half way between the surfaces, so that both bodies get the same angular momentum; where the other takes none, the
  // point of the body's own surface.
  const Vec3 on_b = to_carom(cached.getPositionWorldOnA()), on_a = to_carom(cached.getPositionWorldOnB());
  const Vec3 middle = 0.5 * (on_a + on_b);
  const bool both =
      of_bullet_[static_cast<std::size_t>(a)] != nullptr && of_bullet_[static_cast<std::size_t>(b)] != nullptr;
  point.ra = (both ? middle : on_a) - to_carom(object_a.getWorldTransform().getOrigin());
  point.rb = (both ? middle : on_b) - to_carom(object_b.getWorldTransform().getOrigin());
  point.mu = point.mu_static = std::max<Real>(cached.m_combinedFriction, 0);
  point.restitution = std::clamp<Real>(cached.m_combinedRestitution, 0, 1);
  point.rolling_friction = std::max<Real>(cached.m_combinedRollingFriction, 0);
  point.spinning_friction = std::max<Real>(cached.m_combinedSpinningFriction, 0);
  // Bullet's cache carries the impulses of a point along as it follows, moves or replaces it: they are the memory of a
  // warm start, and no names of contacts are needed.
  if (warm_start)
    contact.last_impulse = cached.m_appliedImpulse * point.normal + cached.m_appliedImpulseLateral1 * point.tangent +
                           cached.m_appliedImpulseLateral2 * point.second_tangent();
}

void BulletGroup::add_forces(const btContactSolverInfo& info) {
  const btScalar dt = info.m_timeStep;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    btRigidBody* body = of_bullet_[i];
    if (body == nullptr || bodies_[i].role == BodyRole::Frozen) continue;
    // The gyroscopic terms read the body: it has the velocities after collisions by now.
    body->setLinearVelocity(to_bullet(bodies_[i].velocity));
    body->setAngularVelocity(to_bullet(angular_velocity_with_locks(*body, bodies_[i].angular_velocity)));
    const btMatrix3x3& inverse_inertia = body->getInvInertiaTensorWorld();
    btVector3 turn = body->getTotalTorque() * inverse_inertia * dt;
    const int flags = body->getFlags();
    if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT) != 0)
      turn -= body->computeGyroscopicForceExplicit(info.m_maxGyroscopicForce) * inverse_inertia * dt;
    if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_WORLD) != 0)
      turn += body->computeGyroscopicImpulseImplicit_World(dt);
    if ((flags & BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY) != 0)
      turn += body->computeGyroscopicImpulseImplicit_Body(dt);
    bodies_[i].velocity += (dt_ * body->getInvMass()) * to_carom(body->getTotalForce());
    bodies_[i].angular_velocity += to_carom(turn);
  }
}

bool BulletGroup::is_active(const GroupContact& contact) const {
  return takes_impulse(bodies_[static_cast<std::size_t>(contact.point.a)].role) ||
         takes_impulse(bodies_[static_cast<std::size_t>(contact.point.b)].role);
}

void BulletGroup::start_problem(ContactProblem& problem) const {
  problem.bodies = bodies_;
  problem.contacts.clear();
  problem.row_blocks.clear();
  problem.dt = dt_;
  problem.gravity = norm(gravity_);
  problem.down = normalized(gravity_);
}

Real BulletGroup::normal_velocity(const ContactPoint& point) const {
  const ProblemBody &a = bodies_[static_cast<std::size_t>(point.a)], &b = bodies_[static_cast<std::size_t>(point.b)];
  return dot(point.normal,
             b.velocity + cross(b.angular_velocity, point.rb) - a.velocity - cross(a.angular_velocity, point.ra));
}

void BulletGroup::stop_below(Real speed) {
  touched_.assign(bodies_.size(), 0);
  for (const GroupContact& contact : contacts_)
    if (contact.impulse != Vec3{})
      touched_[static_cast<std::size_t>(contact.point.a)] = touched_[static_cast<std::size_t>(contact.point.b)] = 1;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    ProblemBody& body = bodies_[i];
    if (touched_[i] == 0 || of_bullet_[i] == nullptr) continue;
    if (norm(body.velocity) + norm(body.angular_velocity) * radii_[i] < speed)
      body.velocity = body.angular_velocity = {};
  }
}

void BulletGroup::write_back() const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    btRigidBody* body = of_bullet_[i];
    if (body == nullptr) continue;
    body->setLinearVelocity(to_bullet(bodies_[i].velocity));
    body->setAngularVelocity(to_bullet(angular_velocity_with_locks(*body, bodies_[i].angular_velocity)));
  }
  for (const GroupContact& contact : contacts_) {
    // What rests keeps the impulses that it had: they are what it still carries.
    if (!contact.solved) continue;
    const ContactPoint& point = contact.point;
    const Vec3 impulse = contact.impulse + contact.collision_impulse;
    btManifoldPoint& cached = *contact.cached;
    cached.m_appliedImpulse = static_cast<btScalar>(dot(impulse, point.normal));
    cached.m_appliedImpulseLateral1 = static_cast<btScalar>(dot(impulse, point.tangent));
    cached.m_appliedImpulseLateral2 = static_cast<btScalar>(dot(impulse, point.second_tangent()));
    if ((cached.m_contactPointFlags & BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED) != 0) continue;
    cached.m_lateralFrictionDir1 = to_bullet(point.tangent);
    cached.m_lateralFrictionDir2 = to_bullet(point.second_tangent());
  }
}

void BulletGroup::move_poses(std::span<const Vec3> rates, std::span<const Vec3> angular_rates) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    btRigidBody* body = of_bullet_[i];
    if (body == nullptr) continue;
    const Vec3 shift = rates[i] - bodies_[i].velocity;
    Vec3 turn = angular_rates[i] - bodies_[i].angular_velocity;
    if (body->getAngularFactor().fuzzyZero()) turn = {};
    if (shift == Vec3{} && turn == Vec3{}) continue;
    btTransform moved;
    btTransformUtil::integrateTransform(body->getWorldTransform(), to_bullet(shift), to_bullet(turn),
                                        static_cast<btScalar>(dt_), moved);
    body->setWorldTransform(moved);
  }
}

}  // namespace carom
