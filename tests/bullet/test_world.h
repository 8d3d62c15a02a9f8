// A Bullet world with Carom's solver, and a few bodies to put into it.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "carom/bullet.h"

namespace carom {

inline constexpr btScalar kDt = static_cast<btScalar>(1.0 / 60);
inline constexpr bool kDouble = sizeof(btScalar) == 8;

class TestWorld {
 public:
  explicit TestWorld(const BulletSettings& settings = {}) : solver(settings) {
    world.setGravity({0, 0, static_cast<btScalar>(-9.81)});
  }
  ~TestWorld() {
    for (const auto& body : bodies_) world.removeRigidBody(body.get());
  }
  TestWorld(const TestWorld&) = delete;
  TestWorld& operator=(const TestWorld&) = delete;

  btRigidBody& add(std::shared_ptr<btCollisionShape> shape, btScalar mass, const btVector3& position,
                   const btQuaternion& orientation = btQuaternion::getIdentity()) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
    info.m_startWorldTransform.setOrigin(position);
    info.m_startWorldTransform.setRotation(orientation);
    info.m_friction = std::sqrt(static_cast<btScalar>(0.5));  // Bullet multiplies: 0.5 between two bodies
    bodies_.push_back(std::make_shared<btRigidBody>(info));
    shapes_.push_back(std::move(shape));
    btRigidBody& body = *bodies_.back();
    body.setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(&body);
    return body;
  }
  btRigidBody& add_box(btScalar mass, const btVector3& position, const btVector3& half_size,
                       const btQuaternion& orientation = btQuaternion::getIdentity()) {
    return add(std::make_shared<btBoxShape>(half_size), mass, position, orientation);
  }
  btRigidBody& add_cube(const btVector3& position) { return add_box(1000, position, {0.5, 0.5, 0.5}); }
  /// Cubes on each other, the lowest on z = 0 and first.
  std::vector<btRigidBody*> add_stack(int count) {
    std::vector<btRigidBody*> cubes(static_cast<std::size_t>(count));
    btScalar height = 0.5F;
    for (btRigidBody*& cube : cubes) cube = &add_cube({0, 0, height}), height += 1;
    return cubes;
  }
  btRigidBody& add_ball(btScalar mass, const btVector3& position) {
    return add(std::make_shared<btSphereShape>(static_cast<btScalar>(0.5)), mass, position);
  }
  /// Its top is at z = 0.
  btRigidBody& add_floor() { return add_box(0, {0, 0, -1}, {20, 20, 1}); }

  void step(int count = 1) {
    for (int i = 0; i < count; ++i) world.stepSimulation(kDt, 0);
  }

  /// N s: impulse on all others, summed over the contacts of a body, as the manifold points have it.
  Vec3 impulse_from(const btRigidBody& body) const {
    Vec3 sum;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
      const btPersistentManifold* manifold =
          const_cast<btCollisionDispatcher&>(dispatcher).getManifoldByIndexInternal(i);
      const Real sign = manifold->getBody1() == &body ? 1 : -1;
      if (manifold->getBody0() != &body && manifold->getBody1() != &body) continue;
      for (int k = 0; k < manifold->getNumContacts(); ++k) {
        const btManifoldPoint& point = manifold->getContactPoint(k);
        const btVector3 impulse = point.m_appliedImpulse * point.m_normalWorldOnB +
                                  point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                                  point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
        sum += sign * Vec3{impulse.x(), impulse.y(), impulse.z()};
      }
    }
    return sum;
  }

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  BulletSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};

 private:
  std::vector<std::shared_ptr<btCollisionShape>> shapes_;
  std::vector<std::shared_ptr<btRigidBody>> bodies_;
};

inline Vec3 position_of(const btCollisionObject& body) {
  const btVector3& p = body.getWorldTransform().getOrigin();
  return {p.x(), p.y(), p.z()};
}
inline Vec3 velocity_of(const btRigidBody& body) {
  const btVector3& v = body.getLinearVelocity();
  return {v.x(), v.y(), v.z()};
}

}  // namespace carom
