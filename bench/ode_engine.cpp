#include <ode/ode.h>

#include <deque>
#include <variant>

#include "engine.h"

namespace carom::bench {
namespace {

constexpr int kMostContactsPerPair = 8;   // two boxes need up to eight
constexpr dReal kLeastBounceSpeed = 0.1;  // m/s: below it ODE lets a contact rest

class OdeEngine final : public Engine {
 public:
  explicit OdeEngine(Effort effort) : exact_(effort == Effort::Accurate) {
    dInitODE2(0);
    // QuickStep shuffles its rows with ODE's own generator: the same seed makes a run repeat.
    dRandSetSeed(0);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    contacts_ = dJointGroupCreate(0);
  }
  ~OdeEngine() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdeEngine(const OdeEngine&) = delete;
  OdeEngine& operator=(const OdeEngine&) = delete;

  std::string settings() const override {
    return (exact_ ? "exact LCP (dWorldStep), "
                   : "QuickStep " + std::to_string(dWorldGetQuickStepNumIterations(world_)) + " iterations, ") +
           (sizeof(dReal) == 8 ? "double" : "float");
  }

  std::string load(const Scene& scene) override {
    if (std::string missing = not_carried_over(scene); !missing.empty()) return missing;
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    dWorldSetAutoDisableFlag(world_, 0);
    materials_.emplace(scene);
    for (const SceneBody& body : scene.bodies) add(body);
    return {};
  }

  void step(Real dt) override {
    dSpaceCollide(space_, this, &OdeEngine::near);
    if (exact_)
      dWorldStep(world_, dt);
    else
      dWorldQuickStep(world_, dt);
    dJointGroupEmpty(contacts_);
  }

  void poses(std::vector<Pose>& out) const override {
    out.clear();
    for (std::size_t i = 0; i < geoms_.size(); ++i) {
      if (dGeomGetClass(geoms_[i]) == dPlaneClass) {
        out.push_back(start_[i]);
        continue;
      }
      const dReal* p = dGeomGetPosition(geoms_[i]);
      dQuaternion q;
      dGeomGetQuaternion(geoms_[i], q);
      out.push_back({{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}});
    }
  }

 private:
  static void near(void* self, dGeomID a, dGeomID b) { static_cast<OdeEngine*>(self)->collide(a, b); }

  void collide(dGeomID a, dGeomID b) {
    dxBody *const body_a = dGeomGetBody(a), *const body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    dContact found[kMostContactsPerPair];
    const int count = dCollide(a, b, kMostContactsPerPair, &found[0].geom, sizeof(dContact));
    const Material& material = materials_->of(place_of(a), place_of(b));
    for (int i = 0; i < count; ++i) {
      found[i].surface = {};
      found[i].surface.mode = dContactBounce | dContactApprox1;
      found[i].surface.mu = material.friction;
      found[i].surface.bounce = material.restitution;
      found[i].surface.bounce_vel = kLeastBounceSpeed;
      dJointAttach(dJointCreateContact(world_, contacts_, &found[i]), body_a, body_b);
    }
  }

  /// Of its material in the table.
  static std::size_t place_of(dGeomID geom) { return *static_cast<const std::size_t*>(dGeomGetData(geom)); }

  dGeomID make_geom(const BodyDef& def) const {
    if (const auto* sphere = std::get_if<Sphere>(&def.shape->geometry())) return dCreateSphere(space_, sphere->radius);
    if (const auto* box = std::get_if<Box>(&def.shape->geometry()))
      return dCreateBox(space_, 2 * box->half_size.x, 2 * box->half_size.y, 2 * box->half_size.z);
    if (const auto* capsule = std::get_if<Capsule>(&def.shape->geometry()))
      return dCreateCapsule(space_, capsule->radius, 2 * capsule->half_length);
    if (const auto* cylinder = std::get_if<Cylinder>(&def.shape->geometry()))
      return dCreateCylinder(space_, cylinder->radius, 2 * cylinder->half_height);
    const Plane& plane = std::get<Plane>(def.shape->geometry());
    const Vec3 normal = rotate(def.pose.orientation, plane.normal);
    return dCreatePlane(space_, normal.x, normal.y, normal.z, plane.offset + dot(normal, def.pose.position));
  }

  void add(const SceneBody& body) {
    const BodyDef& def = body.def;
    dxGeom* const geom = make_geom(def);
    dGeomSetData(geom, &places_.emplace_back(materials_->place_of(body.material)));
    if (def.type == BodyType::Dynamic) {
      const MassProperties properties = mass_of(def);
      dMass mass;
      dMassSetParameters(&mass, properties.mass, 0, 0, 0, properties.inertia(0, 0), properties.inertia(1, 1),
                         properties.inertia(2, 2), 0, 0, 0);
      dxBody* const rigid = dBodyCreate(world_);
      dBodySetMass(rigid, &mass);
      dBodySetLinearVel(rigid, def.velocity.x, def.velocity.y, def.velocity.z);
      dBodySetAngularVel(rigid, def.angular_velocity.x, def.angular_velocity.y, def.angular_velocity.z);
      dGeomSetBody(geom, rigid);
    }
    if (dGeomGetClass(geom) != dPlaneClass) {
      const Quat& o = def.pose.orientation;
      const dQuaternion q{o.w, o.x, o.y, o.z};
      dGeomSetPosition(geom, def.pose.position.x, def.pose.position.y, def.pose.position.z);
      dGeomSetQuaternion(geom, q);
    }
    geoms_.push_back(geom);
    start_.push_back(def.pose);
  }

  bool exact_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID contacts_ = nullptr;
  std::optional<MaterialTable> materials_;
  std::deque<std::size_t> places_;  // of the geoms' materials; geoms point into it
  std::vector<dGeomID> geoms_;
  std::vector<Pose> start_;
};

}  // namespace

std::unique_ptr<Engine> make_ode(Effort effort) { return std::make_unique<OdeEngine>(effort); }

}  // namespace carom::bench
