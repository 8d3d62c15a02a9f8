// MuJoCo has no restitution: a contact is a spring with a damper, and the damping ratio that returns the fraction e of
// the speed is ζ = −ln e / √(π² + ln² e). Of two coefficients of friction it takes the larger, so scenes of several
// materials are not carried over.
#include <mujoco/mujoco.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <variant>

#include "engine.h"

namespace carom::bench {
namespace {

void give_up(const char* message) {
  std::fputs(message, stderr);
  std::_Exit(1);
}

void ignore_warning(const char* /*message*/) {}

class MujocoEngine final : public Engine {
 public:
  explicit MujocoEngine(Effort effort)
      : accurate_(effort == Effort::Accurate), substeps_(accurate_ ? kAccurateSubsteps : 1) {
    // Its own answers to errors and warnings write a log file where the program runs.
    mju_user_error = give_up;
    mju_user_warning = ignore_warning;
  }
  ~MujocoEngine() override {
    if (data_ != nullptr) mj_deleteData(data_);
    if (model_ != nullptr) mj_deleteModel(model_);
  }
  MujocoEngine(const MujocoEngine&) = delete;
  MujocoEngine& operator=(const MujocoEngine&) = delete;

  std::string settings() const override {
    return accurate_ ? fmt::format("Newton to 1e-12, round cone, impratio 10, {} substeps", substeps_)
                     : "Newton, pyramid";
  }

  std::string load(const Scene& scene) override {
    if (std::string missing = not_carried_over(scene); !missing.empty()) return missing;
    if (materials_differ(scene)) return "several materials, which it combines by a rule of its own";
    if (most_contacts(scene) < kLeastPerBody * count_moving(scene))
      return "more contacts than it can address: a full matrix over them would exceed 2 GB";
    start_.clear();
    std::string text = head(scene);
    for (const SceneBody& body : scene.bodies) {
      start_.push_back(body.def.pose);
      text += body.def.type == BodyType::Dynamic ? dynamic_text(body.def)
                                                 : geom_text(body.def, place_text(body.def.pose)) + "\n";
      is_dynamic_.push_back(body.def.type == BodyType::Dynamic);
    }
    compile(text + "</worldbody></mujoco>\n");
    set_velocities(scene);
    return {};
  }

  void step(Real /*dt*/) override {
    for (int i = 0; i < substeps_; ++i) mj_step(model_, data_);
    // It goes on without the contacts that found no room: no run to publish.
    for (const int full : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL})
      if (data_->warning[full].number > 0) fail("MuJoCo: more contacts than there is room for");
  }

  void poses(std::vector<Pose>& out) const override {
    out = start_;
    const mjtNum* q = data_->qpos;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!is_dynamic_[i]) continue;
      out[i] = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
      q += 7;
    }
  }

 private:
  std::string head(const Scene& scene) const {
    const Material& material = material_of(scene, scene.bodies.front());
    const Vec3& g = scene.gravity;
    return fmt::format(
        "<mujoco><option timestep=\"{}\" gravity=\"{} {} {}\"{}/>\n"
        "<size nconmax=\"{}\" njmax=\"{}\" nstack=\"{}\"/>\n"
        "<default><geom condim=\"{}\" friction=\"{} 0 0\" {}/></default>\n<worldbody>\n",
        scene.dt / substeps_, g.x, g.y, g.z,
        accurate_ ? " cone=\"elliptic\" impratio=\"10\" iterations=\"200\" tolerance=\"1e-12\"" : "",
        most_contacts(scene), most_contacts(scene) * static_cast<std::size_t>(rows_per_contact()), kStack,
        material.friction > 0 ? 3 : 1, std::max(material.friction, 1e-5), bounce_text(scene, material.restitution));
  }

  static std::size_t count_moving(const Scene& scene) {
    return static_cast<std::size_t>(
        std::ranges::count(scene.bodies, BodyType::Dynamic, [](const SceneBody& body) { return body.def.type; }));
  }

  /// Contacts that there is room for. MuJoCo reserves a full matrix over all rows (a number and an index for each
  /// element) and two of rows by velocities, and cannot address more than 2 GB: 12 r² + 24 r n < 2e9.
  std::size_t most_contacts(const Scene& scene) const {
    const double velocities = 6 * static_cast<double>(count_moving(scene));
    const double rows = std::sqrt(velocities * velocities + kMostElements) - velocities;
    const double wanted = kContactsPerBody * static_cast<double>(count_moving(scene)) + 100;
    return static_cast<std::size_t>(std::min(wanted, rows / rows_per_contact()));
  }
  int rows_per_contact() const { return accurate_ ? 3 : 4; }

  /// The spring as it comes has a time constant of 0.02 s, and never less than two steps.
  std::string bounce_text(const Scene& scene, Real restitution) const {
    if (restitution <= kSpringLosesAll) return "";
    const Real log_e = std::log(restitution);
    const Real damping = -log_e / std::sqrt(std::numbers::pi * std::numbers::pi + log_e * log_e);
    const Real time = std::max(0.02, 2 * scene.dt / substeps_);
    return fmt::format("solref=\"{} {}\"", -1 / (time * time), -2 * damping / time);
  }

  static std::string place_text(const Pose& pose) {
    const Vec3& p = pose.position;
    const Quat& q = pose.orientation;
    return fmt::format("pos=\"{} {} {}\" quat=\"{} {} {} {}\"", p.x, p.y, p.z, q.w, q.x, q.y, q.z);
  }

  static std::string geom_text(const BodyDef& def, const std::string& place) {
    const auto& geometry = def.shape->geometry();
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
      return fmt::format("<geom type=\"sphere\" size=\"{}\" {}/>", sphere->radius, place);
    if (const auto* box = std::get_if<Box>(&geometry))
      return fmt::format("<geom type=\"box\" size=\"{} {} {}\" {}/>", box->half_size.x, box->half_size.y,
                         box->half_size.z, place);
    if (const auto* capsule = std::get_if<Capsule>(&geometry))
      return fmt::format("<geom type=\"capsule\" size=\"{} {}\" {}/>", capsule->radius, capsule->half_length, place);
    if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
      return fmt::format("<geom type=\"cylinder\" size=\"{} {}\" {}/>", cylinder->radius, cylinder->half_height, place);
    const Plane& plane = std::get<Plane>(geometry);
    const Vec3 n = rotate(def.pose.orientation, plane.normal);
    const Vec3 p = def.pose.position + plane.offset * n;
    return fmt::format("<geom type=\"plane\" size=\"0 0 1\" pos=\"{} {} {}\" zaxis=\"{} {} {}\"/>", p.x, p.y, p.z, n.x,
                       n.y, n.z);
  }

  static std::string dynamic_text(const BodyDef& def) {
    const MassProperties mass = mass_of(def);
    return fmt::format("<body {}><freejoint/><inertial pos=\"0 0 0\" mass=\"{}\" diaginertia=\"{} {} {}\"/>{}</body>\n",
                       place_text(def.pose), mass.mass, mass.inertia(0, 0), mass.inertia(1, 1), mass.inertia(2, 2),
                       geom_text(def, ""));
  }

  void compile(const std::string& text) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    require(mj_makeEmptyFileVFS(files.get(), "m.xml", static_cast<int>(text.size())) == 0,
            "MuJoCo does not take the scene's text");
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "m.xml")], text.data(), text.size());
    char error[300] = "";
    model_ = mj_loadXML("m.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) fail(std::string("MuJoCo: ") + error);
    data_ = mj_makeData(model_);
  }

  /// A free joint turns in the body's own axes.
  void set_velocities(const Scene& scene) {
    mjtNum* v = data_->qvel;
    for (const SceneBody& body : scene.bodies) {
      const BodyDef& def = body.def;
      if (def.type != BodyType::Dynamic) continue;
      const Vec3 w = rotate(conjugate(def.pose.orientation), def.angular_velocity);
      for (int i = 0; i < 3; ++i) v[i] = def.velocity[i], v[3 + i] = w[i];
      v += 6;
    }
  }

  static constexpr double kContactsPerBody = 12;
  static constexpr std::size_t kLeastPerBody = 6;  // a heap of cubes has more
  static constexpr double kMostElements = 1.9e9 / 12;
  static constexpr std::size_t kStack = 40'000'000;  // numbers: 320 MB, of which the system gives what is touched
  static constexpr Real kSpringLosesAll = 0.2;       // the spring as it comes returns next to nothing

  static constexpr int kAccurateSubsteps = 8;

  bool accurate_;
  int substeps_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<Pose> start_;
  std::vector<bool> is_dynamic_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco(Effort effort) { return std::make_unique<MujocoEngine>(effort); }

}  // namespace carom::bench
