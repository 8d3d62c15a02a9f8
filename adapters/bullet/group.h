// A group of bodies and manifolds as Bullet hands it to a solver, in Carom's terms; and the way back.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <span>
#include <string>
#include <vector>

#include "carom/contact.h"

namespace carom {

inline Vec3 to_carom(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
inline btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

struct GroupContact {
  ContactPoint point;  ///< target and restitution as in the collision stage
  btManifoldPoint* cached = nullptr;
  const btCollisionObject *object_a = nullptr, *object_b = nullptr;
  Real gap = 0;            ///< m; negative where bodies overlap
  Vec3 last_impulse;       ///< N s, on b: that of the last step
  Vec3 collision_impulse;  ///< N s, on b: of this step's collision stage
  Vec3 impulse;            ///< N s, on b: of this step's contact stage
  bool solved = false;     ///< that stage had it
};

class BulletGroup {
 public:
  /// Empty when all of it could be taken over, else what Carom does not do.
  std::string gather(std::span<btCollisionObject* const> bodies, std::span<btPersistentManifold* const> manifolds,
                     const btContactSolverInfo& info);

  /// Adds a step of the bodies' forces to `velocities`, as Bullet's own solver does inside.
  void add_forces(const btContactSolverInfo& info);

  /// The bodies with their velocities of now, and no contacts.
  void start_problem(ContactProblem& problem) const;
  /// m/s: of b relative to a along the normal, at the velocities of now.
  Real normal_velocity(const ContactPoint& point) const;

  /// Bodies in contact all of whose points are slower than this, m/s, stop.
  void stop_below(Real speed);

  /// Velocities to the bodies, impulses to the manifold points.
  void write_back() const;
  /// Moves poses by a step of what `rates` have more than the velocities: Bullet moves them by the latter.
  void move_poses(std::span<const Vec3> rates, std::span<const Vec3> angular_rates) const;

  std::vector<ProblemBody>& bodies() { return bodies_; }
  const std::vector<ProblemBody>& bodies() const { return bodies_; }
  /// Null where impulses change nothing: body 0, and kinematic bodies.
  const btRigidBody* of_bullet(std::size_t body) const { return of_bullet_[body]; }
  std::vector<GroupContact>& contacts() { return contacts_; }
  const std::vector<GroupContact>& contacts() const { return contacts_; }
  /// True where an impulse of the contact stage can change something: one of the two is no fixed or frozen body.
  bool is_active(const GroupContact& contact) const;
  Real smallest_width() const { return smallest_width_; }
  Real gravity() const { return norm(gravity_); }
  Vec3 down() const { return normalized(gravity_); }
  Real dt() const { return dt_; }

 private:
  std::int32_t body_index(const btCollisionObject& object);
  std::string add_body(btRigidBody& body);
  std::string add_manifold(btPersistentManifold& manifold, bool warm_start);
  void add_contact(btManifoldPoint& cached, const btCollisionObject& object_b, const btCollisionObject& object_a,
                   std::int32_t a, std::int32_t b, bool warm_start);

  std::vector<ProblemBody> bodies_;      // [0] stands for everything that never moves
  std::vector<Real> radii_;              // m: no point of a body is farther from its centre
  std::vector<btRigidBody*> of_bullet_;  // by body; null where nothing is written back
  std::vector<GroupContact> contacts_;
  std::vector<char> touched_;  // by body: a contact pushes it
  Vec3 gravity_;               // m/s²: the strongest that a body of the group feels
  Real smallest_width_ = 0;    // m
  Real dt_ = 0;
};

}  // namespace carom
