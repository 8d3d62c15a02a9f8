#include <Jolt/Jolt.h>
// Jolt wants its main header first.
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseLayerInterfaceTable.h>
#include <Jolt/Physics/Collision/BroadPhase/ObjectVsBroadPhaseLayerFilterTable.h>
#include <Jolt/Physics/Collision/ObjectLayerPairFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/CylinderShape.h>
#include <Jolt/Physics/Collision/Shape/PlaneShape.h>
#include <Jolt/Physics/Collision/Shape/RotatedTranslatedShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <algorithm>
#include <deque>
#include <numbers>
#include <variant>

#include <fmt/format.h>

#include "engine.h"

namespace carom::bench {
namespace {

constexpr JPH::uint kAccurateVelocitySteps = 50, kAccuratePositionSteps = 10;  // five times the default
constexpr JPH::ObjectLayer kFixed = 0, kMoving = 1;
constexpr JPH::uint kLayers = 2;
constexpr JPH::uint kTemporaryBytes = 64u << 20;
// Of its buffers, which do not grow: a cube in a crowd touches about six others and is near to twice as many.
constexpr JPH::uint kPairsPerBody = 32, kContactsPerBody = 16, kLeastBuffer = 1024;

JPH::Vec3 to_jolt(const Vec3& v) { return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; }
JPH::Quat to_jolt(const Quat& q) {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

/// What Jolt keeps once a process.
struct Library {
  Library() {
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory;
    JPH::RegisterTypes();
  }
  ~Library() {
    JPH::UnregisterTypes();
    delete JPH::Factory::sInstance;
    JPH::Factory::sInstance = nullptr;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

/// The material of a body: its user data points here.
struct Surface {
  const MaterialTable* table = nullptr;
  std::size_t place = 0;
};

const Surface& surface_of(const JPH::Body& body) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Jolt carries nothing else
  return *reinterpret_cast<const Surface*>(body.GetUserData());
}
const Material& material_between(const JPH::Body& a, const JPH::Body& b) {
  return surface_of(a).table->of(surface_of(a).place, surface_of(b).place);
}
float friction_between(const JPH::Body& a, const JPH::SubShapeID& /*a*/, const JPH::Body& b,
                       const JPH::SubShapeID& /*b*/) {
  return static_cast<float>(material_between(a, b).friction);
}
float restitution_between(const JPH::Body& a, const JPH::SubShapeID& /*a*/, const JPH::Body& b,
                          const JPH::SubShapeID& /*b*/) {
  return static_cast<float>(material_between(a, b).restitution);
}

/// Fixed bodies and those that move, each with a tree of their own; fixed ones do not meet each other.
struct Layers {
  Layers() {
    trees.MapObjectToBroadPhaseLayer(kFixed, JPH::BroadPhaseLayer(kFixed));
    trees.MapObjectToBroadPhaseLayer(kMoving, JPH::BroadPhaseLayer(kMoving));
    pairs.EnableCollision(kFixed, kMoving);
    pairs.EnableCollision(kMoving, kMoving);
  }
  JPH::BroadPhaseLayerInterfaceTable trees{kLayers, kLayers};
  JPH::ObjectLayerPairFilterTable pairs{kLayers};
};

class JoltEngine final : public Engine {
 public:
  explicit JoltEngine(Effort effort) : effort_(effort) {}

  std::string settings() const override {
    const JPH::PhysicsSettings& s = system_.GetPhysicsSettings();
    return fmt::format("{} velocity and {} position iterations, float", s.mNumVelocitySteps, s.mNumPositionSteps);
  }

  std::string load(const Scene& scene) override {
    if (std::string missing = not_carried_over(scene); !missing.empty()) return missing;
    const auto bodies = static_cast<JPH::uint>(scene.bodies.size());
    system_.Init(bodies, 0, std::max(kLeastBuffer, kPairsPerBody * bodies),
                 std::max(kLeastBuffer, kContactsPerBody * bodies), layers_.trees, filter_, layers_.pairs);
    system_.SetGravity(to_jolt(scene.gravity));
    JPH::PhysicsSettings settings;
    settings.mAllowSleeping = false;
    if (effort_ != Effort::Default) {
      settings.mNumVelocitySteps = kAccurateVelocitySteps;
      settings.mNumPositionSteps = kAccuratePositionSteps;
    }
    system_.SetPhysicsSettings(settings);
    materials_.emplace(scene);
    // Its own rules are the geometric mean and the larger of the two: the same where there is one material.
    if (materials_differ(scene)) {
      system_.SetCombineFriction(friction_between);
      system_.SetCombineRestitution(restitution_between);
    }
    for (const SceneBody& body : scene.bodies) add(scene, body);
    system_.OptimizeBroadPhase();
    return {};
  }

  void step(Real dt) override {
    const JPH::EPhysicsUpdateError error = system_.Update(static_cast<float>(dt), 1, &temporary_, &jobs_);
    if (error != JPH::EPhysicsUpdateError::None) fail("Jolt left contacts out: its buffers are full");
  }

  void poses(std::vector<Pose>& out) const override {
    out.clear();
    const JPH::BodyInterface& interface = system_.GetBodyInterfaceNoLock();
    for (const JPH::BodyID body : bodies_) {
      JPH::RVec3 p;
      JPH::Quat q;
      interface.GetPositionAndRotation(body, p, q);
      out.push_back({{p.GetX(), p.GetY(), p.GetZ()}, {q.GetW(), q.GetX(), q.GetY(), q.GetZ()}});
    }
  }

 private:
  /// Its capsules and cylinders have their axis along y.
  static JPH::ShapeRefC along_z(const JPH::Shape* shape) {
    const JPH::Quat turn = JPH::Quat::sRotation(JPH::Vec3::sAxisX(), std::numbers::pi_v<float> / 2);
    return new JPH::RotatedTranslatedShape(JPH::Vec3::sZero(), turn, shape);
  }

  static JPH::ShapeRefC make_shape(const Shape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape.geometry()))
      return new JPH::SphereShape(static_cast<float>(sphere->radius));
    if (const auto* box = std::get_if<Box>(&shape.geometry())) return new JPH::BoxShape(to_jolt(box->half_size));
    if (const auto* capsule = std::get_if<Capsule>(&shape.geometry()))
      return along_z(
          new JPH::CapsuleShape(static_cast<float>(capsule->half_length), static_cast<float>(capsule->radius)));
    if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry())) {
      const auto half = static_cast<float>(cylinder->half_height), radius = static_cast<float>(cylinder->radius);
      return along_z(new JPH::CylinderShape(half, radius, std::min({half, radius, JPH::cDefaultConvexRadius})));
    }
    const Plane& plane = std::get<Plane>(shape.geometry());
    return new JPH::PlaneShape(JPH::Plane(to_jolt(plane.normal), -static_cast<float>(plane.offset)));
  }

  void add(const Scene& scene, const SceneBody& body) {
    const BodyDef& def = body.def;
    const bool moves = def.type == BodyType::Dynamic;
    JPH::BodyCreationSettings made(make_shape(*def.shape), to_jolt(def.pose.position), to_jolt(def.pose.orientation),
                                   moves ? JPH::EMotionType::Dynamic : JPH::EMotionType::Static,
                                   moves ? kMoving : kFixed);
    const Material& material = material_of(scene, body);
    made.mFriction = static_cast<float>(material.friction);
    made.mRestitution = static_cast<float>(material.restitution);
    const Surface& surface = surfaces_.emplace_back(Surface{&*materials_, materials_->place_of(body.material)});
    made.mUserData = reinterpret_cast<JPH::uint64>(&surface);
    // Its bodies are braked a little as they come; those of the scene are not.
    made.mLinearDamping = made.mAngularDamping = 0;
    if (moves) {
      made.mLinearVelocity = to_jolt(def.velocity);
      made.mAngularVelocity = to_jolt(def.angular_velocity);
      const MassProperties mass = mass_of(def);
      made.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
      made.mMassPropertiesOverride.mMass = static_cast<float>(mass.mass);
      made.mMassPropertiesOverride.mInertia =
          JPH::Mat44::sScale(to_jolt(Vec3{mass.inertia(0, 0), mass.inertia(1, 1), mass.inertia(2, 2)}));
    }
    bodies_.push_back(system_.GetBodyInterfaceNoLock().CreateAndAddBody(
        made, moves ? JPH::EActivation::Activate : JPH::EActivation::DontActivate));
  }

  Effort effort_;
  Library library_;
  Layers layers_;
  // It reads the layers when it is made, so they are complete by then.
  JPH::ObjectVsBroadPhaseLayerFilterTable filter_{layers_.trees, kLayers, layers_.pairs, kLayers};
  JPH::TempAllocatorImplWithMallocFallback temporary_{kTemporaryBytes};
  JPH::JobSystemSingleThreaded jobs_{JPH::cMaxPhysicsJobs};
  JPH::PhysicsSystem system_;
  std::optional<MaterialTable> materials_;
  std::deque<Surface> surfaces_;  // bodies point into it
  std::vector<JPH::BodyID> bodies_;
};

}  // namespace

std::unique_ptr<Engine> make_jolt(Effort effort) { return std::make_unique<JoltEngine>(effort); }

}  // namespace carom::bench
