#include "compare/bullet_scene.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "carom/dynamics/world.h"

namespace carom {
namespace {

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

// Bullet multiplies coefficients; scenes mean the geometric mean and the larger restitution.
btScalar combined_friction(const btCollisionObject* a, const btCollisionObject* b) {
  return std::sqrt(a->getFriction() * b->getFriction());
}
btScalar combined_restitution(const btCollisionObject* a, const btCollisionObject* b) {
  return std::max(a->getRestitution(), b->getRestitution());
}

std::shared_ptr<btCollisionShape> make_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape.geometry()))
    return std::make_shared<btSphereShape>(static_cast<btScalar>(sphere->radius));
  if (const auto* box = std::get_if<Box>(&shape.geometry()))
    return std::make_shared<btBoxShape>(to_bullet(box->half_size));
  if (const auto* plane = std::get_if<Plane>(&shape.geometry()))
    return std::make_shared<btStaticPlaneShape>(to_bullet(plane->normal), static_cast<btScalar>(plane->offset));
  return nullptr;
}

}  // namespace

BulletScene::BulletScene(btConstraintSolver& solver) : world_(&dispatcher_, &broadphase_, &solver, &configuration_) {
  gCalculateCombinedFrictionCallback = combined_friction;
  gCalculateCombinedRestitutionCallback = combined_restitution;
}

BulletScene::~BulletScene() {
  for (const auto& body : bodies_) world_.removeRigidBody(body.get());
}

std::string BulletScene::load(const Scene& scene) {
  if (!scene.pairs.empty()) return "material pairs";
  world_.setGravity(to_bullet(scene.gravity));
  for (const SceneBody& body : scene.bodies)
    if (std::string missing = add(scene, body); !missing.empty()) return missing;
  return {};
}

std::string BulletScene::add(const Scene& scene, const SceneBody& body) {
  const BodyDef& def = body.def;
  shapes_.push_back(make_shape(*def.shape));
  if (shapes_.back() == nullptr) return def.name + ": a shape that is no sphere, box or plane";
  if (def.type == BodyType::Kinematic) return def.name + ": a kinematic body";
  btVector3 inertia(0, 0, 0);
  btScalar mass = 0;
  if (def.type == BodyType::Dynamic) {
    const MassProperties properties = def.shape->mass_properties(def.density);
    const Real scale = def.mass ? *def.mass / properties.mass : 1;
    mass = static_cast<btScalar>(scale * properties.mass);
    inertia = to_bullet(scale * Vec3{properties.inertia(0, 0), properties.inertia(1, 1), properties.inertia(2, 2)});
  }
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
  const Quat& q = def.pose.orientation;
  info.m_startWorldTransform.setOrigin(to_bullet(def.pose.position));
  info.m_startWorldTransform.setRotation(btQuaternion(static_cast<btScalar>(q.x), static_cast<btScalar>(q.y),
                                                      static_cast<btScalar>(q.z), static_cast<btScalar>(q.w)));
  const auto material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                     [&](const auto& entry) { return entry.first == body.material; });
  if (material == scene.materials.end()) return def.name + ": a material that the scene does not have";
  info.m_friction = static_cast<btScalar>(material->second.friction);
  info.m_restitution = static_cast<btScalar>(material->second.restitution);
  bodies_.push_back(std::make_shared<btRigidBody>(info));
  if (mass > 0) {
    bodies_.back()->setLinearVelocity(to_bullet(def.velocity));
    bodies_.back()->setAngularVelocity(to_bullet(def.angular_velocity));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
  }
  world_.addRigidBody(bodies_.back().get());
  return {};
}

void BulletScene::step(Real dt) { world_.stepSimulation(static_cast<btScalar>(dt), 0); }

std::vector<Pose> BulletScene::poses() const {
  std::vector<Pose> out;
  for (const auto& body : bodies_) {
    const btTransform& pose = body->getWorldTransform();
    const btVector3& p = pose.getOrigin();
    const btQuaternion q = pose.getRotation();
    out.push_back({{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}});
  }
  return out;
}

}  // namespace carom
