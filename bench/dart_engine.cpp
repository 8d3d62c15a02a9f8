// DART's friction is that of the smaller coefficient and its restitution the product of the two, so scenes of several
// materials are not carried over, and each body gets the root of the restitution that is meant. Of its collision
// detectors the native one knows boxes and spheres only, but there it is 30 times faster than the one that it comes
// with, which makes meshes of them: it is used where the scene allows.
#include <dart/dart.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "engine.h"

namespace carom::bench {
namespace {

namespace dyn = dart::dynamics;

Eigen::Vector3d to_dart(const Vec3& v) { return {v.x, v.y, v.z}; }

Eigen::Isometry3d to_dart(const Pose& pose) {
  const Quat& q = pose.orientation;
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
  transform.translation() = to_dart(pose.position);
  return transform;
}

class DartEngine final : public Engine {
 public:
  explicit DartEngine(Effort effort) : substeps_(effort == Effort::Accurate ? 4 : 1) {}

  std::string settings() const override {
    return fmt::format("Dantzig, pyramid, {} detector{}", native_ ? "native" : "FCL",
                       substeps_ > 1 ? fmt::format(", {} substeps", substeps_) : "");
  }

  std::string load(const Scene& scene) override {
    if (std::string missing = not_carried_over(scene); !missing.empty()) return missing;
    if (materials_differ(scene)) return "several materials, which it combines by a rule of its own";
    world_->setGravity(to_dart(scene.gravity));
    world_->setTimeStep(scene.dt / substeps_);
    native_ = std::ranges::all_of(scene.bodies, [](const SceneBody& body) {
      const auto& geometry = body.def.shape->geometry();
      return std::holds_alternative<Box>(geometry) || std::holds_alternative<Sphere>(geometry);
    });
    if (native_) world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    for (const SceneBody& body : scene.bodies) add(body.def, material_of(scene, body));
    return {};
  }

  void step(Real /*dt*/) override {
    for (int i = 0; i < substeps_; ++i) world_->step();
  }

  void poses(std::vector<Pose>& out) const override {
    out = start_;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i] == nullptr) continue;
      const Eigen::Isometry3d& t = bodies_[i]->getWorldTransform();
      const Eigen::Vector3d p = t.translation();
      const Eigen::Quaterniond q(t.linear());
      out[i] = {{p.x(), p.y(), p.z()}, {q.w(), q.x(), q.y(), q.z()}};
    }
  }

 private:
  static dyn::ShapePtr make_shape(const Shape& shape) {
    const auto& geometry = shape.geometry();
    if (const auto* sphere = std::get_if<Sphere>(&geometry)) return std::make_shared<dyn::SphereShape>(sphere->radius);
    if (const auto* box = std::get_if<Box>(&geometry))
      return std::make_shared<dyn::BoxShape>(to_dart(2 * box->half_size));
    if (const auto* capsule = std::get_if<Capsule>(&geometry))
      return std::make_shared<dyn::CapsuleShape>(capsule->radius, 2 * capsule->half_length);
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
      return std::make_shared<dyn::CylinderShape>(cylinder->radius, 2 * cylinder->half_height);
    const Plane& plane = std::get<Plane>(geometry);
    return std::make_shared<dyn::PlaneShape>(to_dart(plane.normal), plane.offset);
  }

  void add(const BodyDef& def, const Material& material) {
    const bool moves = def.type == BodyType::Dynamic;
    const dyn::SkeletonPtr skeleton = dyn::Skeleton::create(std::to_string(start_.size()));
    dyn::BodyNode* body = nullptr;
    if (moves) {
      const auto [joint, node] = skeleton->createJointAndBodyNodePair<dyn::FreeJoint>();
      body = node;
      const MassProperties mass = mass_of(def);
      body->setInertia(dyn::Inertia(
          mass.mass, Eigen::Vector3d::Zero(),
          Eigen::Vector3d(mass.inertia(0, 0), mass.inertia(1, 1), mass.inertia(2, 2)).asDiagonal().toDenseMatrix()));
      joint->setTransform(to_dart(def.pose));
      joint->setLinearVelocity(to_dart(def.velocity));
      joint->setAngularVelocity(to_dart(def.angular_velocity));
    } else {
      const auto [joint, node] = skeleton->createJointAndBodyNodePair<dyn::WeldJoint>();
      body = node;
      joint->setTransformFromParentBodyNode(to_dart(def.pose));
      skeleton->setMobile(false);
    }
    auto* shape = body->createShapeNodeWith<dyn::CollisionAspect, dyn::DynamicsAspect>(make_shape(*def.shape));
    shape->getDynamicsAspect()->setFrictionCoeff(material.friction);
    shape->getDynamicsAspect()->setRestitutionCoeff(std::sqrt(material.restitution));
    world_->addSkeleton(skeleton);
    start_.push_back(def.pose);
    bodies_.push_back(moves ? body : nullptr);
  }

  int substeps_;
  bool native_ = false;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dyn::BodyNode*> bodies_;  // null: fixed
  std::vector<Pose> start_;
};

}  // namespace

std::unique_ptr<Engine> make_dart(Effort effort) { return std::make_unique<DartEngine>(effort); }

}  // namespace carom::bench
