#include "study/kind_scene.h"

#include <cmath>

#include <fmt/format.h>

#include "carom/io/scene.h"
#include "io/json_number.h"
#include "study/scene_lookup.h"

namespace carom {
namespace {

std::string body_json(const KindBody& b) {
  std::string text = fmt::format(
      R"({{"name": {}, "type": {}, "shape": {{{}}}, "position": {}, "orientation": [{},{},{},{}])", json_string(b.name),
      json_string(b.type), b.shape, json_vector(b.position), json_number(b.orientation.w), json_number(b.orientation.x),
      json_number(b.orientation.y), json_number(b.orientation.z));
  if (b.type == "dynamic") text += fmt::format(R"(, "mass": {})", json_number(b.mass));
  if (b.inertia) text += fmt::format(R"(, "inertia": {})", json_vector(*b.inertia));
  if (b.type != "fixed")
    text += fmt::format(R"(, "velocity": {}, "angular_velocity": {})", json_vector(b.velocity),
                        json_vector(b.angular_velocity));
  return text + "}";
}

std::string scene_json(const std::string& name, const KindScene& scene, Real dt) {
  std::string text = fmt::format(
      "{{\n\"carom\": 1, \"name\": {}, \"gravity\": [0, 0, {}], \"dt\": {}, \"duration\": {}, \"options\": {{{}}},\n"
      "\"materials\": {{\"default\": {{\"friction\": {}, \"restitution\": {}}}}},\n\"bodies\": [",
      json_string(name), json_number(scene.gravity == 0 ? 0 : -scene.gravity), json_number(dt),
      json_number(scene.duration), scene.options, json_number(scene.friction), json_number(scene.restitution));
  const char* separator = "\n";
  for (const KindBody& body : scene.bodies) {
    text += separator + body_json(body);
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

}  // namespace

std::string sphere_shape(Real radius) { return fmt::format(R"("sphere": {{"radius": {}}})", json_number(radius)); }
std::string box_shape(const Vec3& size) { return fmt::format(R"("box": {{"size": {}}})", json_vector(size)); }
std::string plane_shape(const Vec3& normal, Real offset) {
  return fmt::format(R"("plane": {{"normal": {}, "offset": {}}})", json_vector(normal), json_number(offset));
}

Quat tilt(Real radians) { return {std::cos(radians / 2), 0, std::sin(radians / 2), 0}; }

SceneRun::SceneRun(const KindInput& input, const KindScene& scene, Measurements& out, const std::string& name)
    : out_(out), name_(input.id + (name.empty() ? "" : "." + name) + "." + input.suite), dt_(input.dt) {
  if (!input.setup.ok()) return;
  const std::string text = scene_json(name_, scene, dt_);
  Result<Scene> read = parse_scene(text, name_);
  if (!read) {
    input.setup.complain("as a scene, " + read.message());
    return;
  }
  if (const std::string refusal = choose_suite(read.value(), input.suite); !refusal.empty()) {
    input.setup.complain(refusal);
    return;
  }
  out_.keep(name_ + ".scene.json", text);
  world_.emplace(make_world(read.value(), scene_options(read.value())));
  handles_ = world_->bodies();
  trajectory_ = "time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,frozen\n";
  sample();
}

SceneRun::~SceneRun() {
  if (ok()) out_.keep(name_ + ".trajectory.csv", std::move(trajectory_));
}

void SceneRun::sample() {
  constexpr Real kEvery = 1.0 / 30;
  if (world_->time() < next_sample_ - 0.5 * dt_) return;
  next_sample_ += kEvery;
  for (const BodyHandle body : handles_) {
    const BodyState s = world_->state(body);
    trajectory_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},0\n", world_->time(), world_->name(body),
                               s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x,
                               s.orientation.y, s.orientation.z, s.velocity.x, s.velocity.y, s.velocity.z,
                               s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z);
  }
}

bool SceneRun::run_to(Real time, const std::function<bool()>& seen) {
  // Half a step is left over rather than taken: times of cases are whole steps but for rounding.
  while (world_->time() < time - 0.5 * dt_) {
    if (!world_->step(dt_).finite) return false;
    sample();
    if (seen && !seen()) break;
  }
  return true;
}

Real SceneRun::normal_force(std::size_t a, std::size_t b) const {
  Real impulse = 0;
  for (const ContactRecord& c : world_->contacts()) {
    const bool is_pair = (c.a == handles_[a] && c.b == handles_[b]) || (c.a == handles_[b] && c.b == handles_[a]);
    if (is_pair) impulse += dot(c.impulse, c.normal);
  }
  return impulse / dt_;
}

Real stop_time(const std::vector<Real>& speeds, Real end, Real dt, Real nothing) {
  std::size_t last = speeds.size();
  while (last > 0 && !(speeds[last - 1] > nothing)) --last;
  if (last < 2) return 0;
  const Real time = end - static_cast<Real>(speeds.size() - last) * dt;  // of the last that moved
  const Real before = speeds[last - 2], after = speeds[last - 1];
  return before > after ? time + dt * after / (before - after) : time;
}

}  // namespace carom
