#include <btBulletDynamicsCommon.h>

#include <variant>

#include "engine.h"

namespace carom::bench {
namespace {

constexpr int kAccurateIterations = 50;  // five times the default

btVector3 to_bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

// Bullet multiplies coefficients by default; scenes have a rule and a table of their own, which bodies point to.
const Material& material_between(const btCollisionObject* a, const btCollisionObject* b) {
  const auto* table = static_cast<const MaterialTable*>(a->getUserPointer());
  return table->of(static_cast<std::size_t>(a->getUserIndex()), static_cast<std::size_t>(b->getUserIndex()));
}
btScalar combined_friction(const btCollisionObject* a, const btCollisionObject* b) {
  return static_cast<btScalar>(material_between(a, b).friction);
}
btScalar combined_restitution(const btCollisionObject* a, const btCollisionObject* b) {
  return static_cast<btScalar>(material_between(a, b).restitution);
}

class BulletEngine final : public Engine {
 public:
  explicit BulletEngine(Effort effort) {
    btContactSolverInfo& info = world_.getSolverInfo();
    if (effort != Effort::Default) info.m_numIterations = kAccurateIterations;
    // Not part of the accurate setting: piles come out worse with it (docs/performance.md).
    if (effort == Effort::TwoDirections) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    gCalculateCombinedFrictionCallback = combined_friction;
    gCalculateCombinedRestitutionCallback = combined_restitution;
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletEngine(const BulletEngine&) = delete;
  BulletEngine& operator=(const BulletEngine&) = delete;

  std::string settings() const override {
    const btContactSolverInfo& info = world_.getSolverInfo();
    return std::to_string(info.m_numIterations) + " iterations, " + (info.m_splitImpulse ? "split impulse, " : "") +
           ((info.m_solverMode & SOLVER_USE_2_FRICTION_DIRECTIONS) != 0 ? "two friction directions, " : "") +
           (sizeof(btScalar) == 8 ? "double" : "float");
  }

  std::string load(const Scene& scene) override {
    if (std::string missing = not_carried_over(scene); !missing.empty()) return missing;
    world_.setGravity(to_bullet(scene.gravity));
    materials_.emplace(scene);
    for (const SceneBody& body : scene.bodies) add(body);
    return {};
  }

  void step(Real dt) override {
    // No substeps: one step of exactly dt.
    world_.stepSimulation(static_cast<btScalar>(dt), 0);
  }

  void poses(std::vector<Pose>& out) const override {
    out.clear();
    for (const auto& body : bodies_) {
      const btTransform& pose = body->getWorldTransform();
      const btVector3& p = pose.getOrigin();
      const btQuaternion q = pose.getRotation();
      out.push_back({{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}});
    }
  }

 private:
  static std::unique_ptr<btCollisionShape> make_shape(const Shape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape.geometry()))
      return std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius));
    if (const auto* box = std::get_if<Box>(&shape.geometry()))
      return std::make_unique<btBoxShape>(to_bullet(box->half_size));
    if (const auto* capsule = std::get_if<Capsule>(&shape.geometry()))
      return std::make_unique<btCapsuleShapeZ>(static_cast<btScalar>(capsule->radius),
                                               static_cast<btScalar>(2 * capsule->half_length));
    if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry()))
      return std::make_unique<btCylinderShapeZ>(to_bullet({cylinder->radius, cylinder->radius, cylinder->half_height}));
    const Plane& plane = std::get<Plane>(shape.geometry());
    return std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), static_cast<btScalar>(plane.offset));
  }

  void add(const SceneBody& body) {
    const BodyDef& def = body.def;
    shapes_.push_back(make_shape(*def.shape));
    btScalar mass = 0;
    btVector3 inertia(0, 0, 0);
    if (def.type == BodyType::Dynamic) {
      const MassProperties properties = mass_of(def);
      mass = static_cast<btScalar>(properties.mass);
      inertia = to_bullet({properties.inertia(0, 0), properties.inertia(1, 1), properties.inertia(2, 2)});
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    const Quat& q = def.pose.orientation;
    info.m_startWorldTransform.setOrigin(to_bullet(def.pose.position));
    info.m_startWorldTransform.setRotation(btQuaternion(static_cast<btScalar>(q.x), static_cast<btScalar>(q.y),
                                                        static_cast<btScalar>(q.z), static_cast<btScalar>(q.w)));
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& added = *bodies_.back();
    added.setUserPointer(&*materials_);
    added.setUserIndex(static_cast<int>(materials_->place_of(body.material)));
    if (mass > 0) {
      added.setLinearVelocity(to_bullet(def.velocity));
      added.setAngularVelocity(to_bullet(def.angular_velocity));
      added.setActivationState(DISABLE_DEACTIVATION);
    }
    world_.addRigidBody(&added);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::optional<MaterialTable> materials_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

std::unique_ptr<Engine> make_bullet(Effort effort) { return std::make_unique<BulletEngine>(effort); }

}  // namespace carom::bench
