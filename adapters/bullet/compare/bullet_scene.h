// A scene file as a Bullet world, with a constraint solver of the caller's choice and nothing else that differs.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <string>
#include <vector>

#include "carom/io/scene.h"

namespace carom {

class BulletScene {
 public:
  /// Keeps a reference to the solver, which must outlive it.
  explicit BulletScene(btConstraintSolver& solver);
  ~BulletScene();
  BulletScene(const BulletScene&) = delete;
  BulletScene& operator=(const BulletScene&) = delete;

  /// Empty when the scene was built, else what of it has no place here: spheres, boxes and planes have.
  std::string load(const Scene& scene);
  /// One step of exactly dt, s.
  void step(Real dt);
  /// Of the shapes' frames, in scene order.
  std::vector<Pose> poses() const;

  btDiscreteDynamicsWorld& world() { return world_; }

 private:
  std::string add(const Scene& scene, const SceneBody& body);

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::shared_ptr<btCollisionShape>> shapes_;
  std::vector<std::shared_ptr<btRigidBody>> bodies_;
};

}  // namespace carom
