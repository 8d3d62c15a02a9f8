#include <box3d/box3d.h>

#include <cstdint>
#include <deque>
#include <variant>

#include <fmt/format.h>

#include "engine.h"

namespace carom::bench {
namespace {

constexpr int kDefaultSubsteps = 4, kTunedSubsteps = 20;  // 4 is what its manual calls usual
constexpr float kTunedHertz = 120;                        // stiffness of contacts; its default is 30
// Box3D has no half-spaces: a plane becomes a box. Far larger than any scene, small enough for its single precision.
constexpr float kPlaneReach = 500, kPlaneThickness = 20;  // m

float to_float(Real value) { return static_cast<float>(value); }
b3Vec3 to_box3d(const Vec3& v) { return {to_float(v.x), to_float(v.y), to_float(v.z)}; }
b3Quat to_box3d(const Quat& q) { return {to_box3d(Vec3{q.x, q.y, q.z}), to_float(q.w)}; }

/// The material of a shape. Box3D hands the address to its callbacks, as a number.
struct Surface {
  const MaterialTable* table = nullptr;
  std::size_t place = 0;
};

const Surface& surface_of(std::uint64_t id) {
  return *reinterpret_cast<const Surface*>(id);  // NOLINT(performance-no-int-to-ptr): Box3D carries nothing else
}
const Material& material_between(std::uint64_t a, std::uint64_t b) {
  return surface_of(a).table->of(surface_of(a).place, surface_of(b).place);
}
float friction_between(float /*a*/, std::uint64_t id_a, float /*b*/, std::uint64_t id_b) {
  return to_float(material_between(id_a, id_b).friction);
}
float restitution_between(float /*a*/, std::uint64_t id_a, float /*b*/, std::uint64_t id_b) {
  return to_float(material_between(id_a, id_b).restitution);
}

class Box3dEngine final : public Engine {
 public:
  explicit Box3dEngine(Effort effort)
      : substeps_(effort == Effort::Default ? kDefaultSubsteps : kTunedSubsteps), def_(b3DefaultWorldDef()) {
    def_.enableSleep = false;
    def_.workerCount = 1;
    if (effort != Effort::Default) def_.contactHertz = kTunedHertz;
  }
  ~Box3dEngine() override {
    if (b3World_IsValid(world_)) b3DestroyWorld(world_);
  }
  Box3dEngine(const Box3dEngine&) = delete;
  Box3dEngine& operator=(const Box3dEngine&) = delete;

  std::string settings() const override {
    return fmt::format("{} substeps, contacts {:g} Hz, {}", substeps_, def_.contactHertz,
                       b3IsDoublePrecision() ? "double" : "float");
  }

  std::string load(const Scene& scene) override {
    if (std::string missing = not_carried_over(scene); !missing.empty()) return missing;
    for (const SceneBody& body : scene.bodies)
      if (std::holds_alternative<Cylinder>(body.def.shape->geometry())) return "cylinders";
    materials_.emplace(scene);
    // Its own rules are the geometric mean and the larger of the two: the same where there is one material.
    if (materials_differ(scene)) {
      def_.frictionCallback = friction_between;
      def_.restitutionCallback = restitution_between;
    }
    def_.gravity = to_box3d(scene.gravity);
    world_ = b3CreateWorld(&def_);
    for (const SceneBody& body : scene.bodies) add(scene, body);
    return {};
  }

  void step(Real dt) override { b3World_Step(world_, to_float(dt), substeps_); }

  void poses(std::vector<Pose>& out) const override {
    out.clear();
    for (const b3BodyId body : bodies_) {
      const b3WorldTransform pose = b3Body_GetTransform(body);
      out.push_back({{pose.p.x, pose.p.y, pose.p.z}, {pose.q.s, pose.q.v.x, pose.q.v.y, pose.q.v.z}});
    }
  }

 private:
  static void add_shape(b3BodyId body, const b3ShapeDef& def, const Shape& shape) {
    if (const auto* sphere = std::get_if<Sphere>(&shape.geometry())) {
      const b3Sphere round{{0, 0, 0}, to_float(sphere->radius)};
      b3CreateSphereShape(body, &def, &round);
    } else if (const auto* box = std::get_if<Box>(&shape.geometry())) {
      const b3Vec3 half = to_box3d(box->half_size);
      const b3BoxHull hull = b3MakeBoxHull(half.x, half.y, half.z);
      b3CreateHullShape(body, &def, &hull.base);
    } else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry())) {
      const float end = to_float(capsule->half_length);
      const b3Capsule round{{0, 0, -end}, {0, 0, end}, to_float(capsule->radius)};
      b3CreateCapsuleShape(body, &def, &round);
    } else {
      const Plane& plane = std::get<Plane>(shape.geometry());
      const Vec3 center = (plane.offset - kPlaneThickness / 2) * plane.normal;
      const b3Quat turn = b3ComputeQuatBetweenUnitVectors({0, 0, 1}, to_box3d(plane.normal));
      const b3BoxHull hull =
          b3MakeTransformedBoxHull(kPlaneReach, kPlaneReach, kPlaneThickness / 2, {to_box3d(center), turn});
      b3CreateHullShape(body, &def, &hull.base);
    }
  }

  void add(const Scene& scene, const SceneBody& body) {
    const BodyDef& def = body.def;
    const bool moves = def.type == BodyType::Dynamic;
    b3BodyDef made = b3DefaultBodyDef();
    made.type = moves ? b3_dynamicBody : b3_staticBody;
    made.position = {to_float(def.pose.position.x), to_float(def.pose.position.y), to_float(def.pose.position.z)};
    made.rotation = to_box3d(def.pose.orientation);
    if (moves) {
      made.linearVelocity = to_box3d(def.velocity);
      made.angularVelocity = to_box3d(def.angular_velocity);
    }
    bodies_.push_back(b3CreateBody(world_, &made));

    const Material& material = material_of(scene, body);
    const Surface& surface = surfaces_.emplace_back(Surface{&*materials_, materials_->place_of(body.material)});
    b3ShapeDef shape = b3DefaultShapeDef();
    shape.baseMaterial.friction = to_float(material.friction);
    shape.baseMaterial.restitution = to_float(material.restitution);
    shape.baseMaterial.userMaterialId = reinterpret_cast<std::uintptr_t>(&surface);
    add_shape(bodies_.back(), shape, *def.shape);
    if (!moves) return;
    const MassProperties mass = mass_of(def);
    const auto column = [&](int i) {
      return b3Vec3{to_float(mass.inertia(0, i)), to_float(mass.inertia(1, i)), to_float(mass.inertia(2, i))};
    };
    b3Body_SetMassData(bodies_.back(), {to_float(mass.mass), {0, 0, 0}, {column(0), column(1), column(2)}});
  }

  int substeps_;
  b3WorldDef def_;
  b3WorldId world_ = b3_nullWorldId;
  std::optional<MaterialTable> materials_;
  std::deque<Surface> surfaces_;  // shapes point into it
  std::vector<b3BodyId> bodies_;
};

}  // namespace

std::unique_ptr<Engine> make_box3d(Effort effort) { return std::make_unique<Box3dEngine>(effort); }

}  // namespace carom::bench
