#include "study/kind_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "carom/io/scene.h"
#include "io/json_number.h"

namespace carom {
namespace {

std::string body_json(const KindBody& b) {
  std::string text = fmt::format(
      R"({{"name": {}, "type": {}, "shape": {{{}}}, "position": {}, "orientation": [{},{},{},{}])", json_string(b.name),
      json_string(b.type), b.shape, json_vector(b.position), json_number(b.orientation.w), json_number(b.orientation.x),
      json_number(b.orientation.y), json_number(b.orientation.z));
  if (b.type == "dynamic") text += fmt::format(R"(, "mass": {})", json_number(b.mass));
  if (b.material != "default") text += fmt::format(R"(, "material": {})", json_string(b.material));
  if (b.center_of_mass) text += fmt::format(R"(, "center_of_mass": {})", json_vector(*b.center_of_mass));
  if (b.inertia)
    text += fmt::format(R"(, "inertia": [{}, {}, {}])", json_vector(b.inertia->row(0)), json_vector(b.inertia->row(1)),
                        json_vector(b.inertia->row(2)));
  if (b.type != "fixed")
    text += fmt::format(R"(, "velocity": {}, "angular_velocity": {})", json_vector(b.velocity),
                        json_vector(b.angular_velocity));
  return text + "}";
}

/// All materials are alike but for what `pairs` say.
std::string materials_json(const KindScene& scene) {
  std::set<std::string> names{"default"};
  for (const KindBody& body : scene.bodies) names.insert(body.material);
  std::string text = "\"materials\": {";
  for (const std::string& name : names)
    text += fmt::format(R"({}{}: {{"friction": {}, "restitution": {}}})", name == *names.begin() ? "" : ", ",
                        json_string(name), json_number(scene.friction), json_number(scene.restitution));
  text += "},\n";
  if (scene.pairs.empty()) return text;
  text += "\"pairs\": [";
  for (std::size_t i = 0; i < scene.pairs.size(); ++i)
    text += fmt::format(R"({}{{"materials": [{}, {}], "friction": {}, "static_friction": {}}})", i > 0 ? ", " : "",
                        json_string(scene.pairs[i].first), json_string(scene.pairs[i].second),
                        json_number(scene.pairs[i].friction), json_number(scene.pairs[i].friction));
  return text + "],\n";
}

std::string option_json(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return json_number(*number);
  return json_string(std::get<std::string>(value));
}

std::string options_json(const SuiteOptions& options) {
  std::string text;
  for (const auto& [name, value] : options)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json_string(name), option_json(value));
  return text;
}

/// Those of the scene, but where whoever runs the case asked for others.
SuiteOptions merged(SuiteOptions of_scene, const SuiteOptions& asked) {
  for (const auto& option : asked) {
    std::erase_if(of_scene, [&](const auto& old) { return old.first == option.first; });
    of_scene.push_back(option);
  }
  return of_scene;
}

/// Whether the suite has the options that the scene asks for.
bool suits(const std::string& suite, const SuiteOptions& asked) {
  const SuiteInfo* info = find_suite(suite);
  if (info == nullptr) return true;  // the reader of scenes has more to say about that
  Options options(info->options);
  return std::ranges::all_of(asked,
                             [&](const auto& option) { return options.set(option.first, option.second).empty(); });
}

std::string scene_json(const std::string& name, const std::string& suite, const SuiteOptions& options,
                       const KindScene& scene, Real dt) {
  std::string text = fmt::format(
      "{{\n\"carom\": 1, \"name\": {}, \"gravity\": [0, 0, {}], \"dt\": {}, \"duration\": {}, \"suite\": {}, "
      "\"options\": {{{}}},\n",
      json_string(name), json_number(scene.gravity == 0 ? 0 : -scene.gravity), json_number(dt),
      json_number(scene.duration), json_string(suite), options_json(options));
  text += materials_json(scene) + "\"bodies\": [";
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
std::string capsule_shape(Real radius, Real length) {
  return fmt::format(R"("capsule": {{"radius": {}, "length": {}}})", json_number(radius), json_number(length));
}
std::string cylinder_shape(Real radius, Real height) {
  return fmt::format(R"("cylinder": {{"radius": {}, "height": {}}})", json_number(radius), json_number(height));
}
std::string cone_shape(Real radius, Real height) {
  return fmt::format(R"("cone": {{"radius": {}, "height": {}}})", json_number(radius), json_number(height));
}
std::string ellipsoid_shape(const Vec3& radii) {
  return fmt::format(R"("ellipsoid": {{"radii": {}}})", json_vector(radii));
}
std::string hull_shape(const std::vector<Vec3>& points) {
  std::string text = R"("hull": {"points": [)";
  for (std::size_t i = 0; i < points.size(); ++i) text += (i > 0 ? ", " : "") + json_vector(points[i]);
  return text + "]}";
}

KindBody floor_body(Real height) { return {"floor", plane_shape({0, 0, 1}, height), "fixed"}; }

KindScene read_kind_scene(const JsonView& setup, std::optional<Real> friction) {
  KindScene scene;
  scene.gravity = need(setup, "g").non_negative();
  scene.friction = friction ? *friction : need(setup, "mu").non_negative();
  scene.restitution = need(setup, "e").between(0, 1);
  return scene;
}

Quat tilt(Real radians) { return {std::cos(radians / 2), 0, std::sin(radians / 2), 0}; }

SuiteOptions where_known(const std::string& suite, SuiteOptions asked) {
  std::erase_if(asked, [&](const auto& option) { return !suits(suite, {option}); });
  return asked;
}

SuiteOptions to_impacts(const std::string& suite) { return where_known(suite, {{"step", std::string("toi")}}); }

SuiteOptions small_hops(const std::string& suite) {
  const SuiteInfo* info = find_suite(suite);
  if (info == nullptr || !info->event_driven) return {};
  return {{"envelope", 1e-5}};
}

SceneRun::SceneRun(const KindInput& input, const KindScene& scene, Measurements& out, const std::string& name)
    : out_(out),
      name_(input.id + (name.empty() ? "" : "." + name) + "." + input.suite),
      dt_(input.dt),
      last_dt_(input.dt),
      seconds_left_(input.time_limit > 0 ? input.time_limit : std::numeric_limits<double>::infinity()) {
  const SuiteOptions options = merged(scene.options, input.options);
  if (!input.setup.ok() || !suits(input.suite, options)) return;
  const std::string text = scene_json(name_, input.suite, options, scene, dt_);
  const Result<Scene> read = parse_scene(text, name_);
  if (!read) {
    input.setup.complain("as a scene, " + read.message());
    return;
  }
  out_.keep(name_ + ".scene.json", text);
  out_.ran = true;
  const Options chosen = scene_options(read.value());
  hops_ = find_suite(input.suite)->event_driven && chosen.word("resting") == "micro";
  world_.emplace(make_world(read.value(), chosen));
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
    trajectory_ +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", world_->time(), world_->name(body),
                    s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y,
                    s.orientation.z, s.velocity.x, s.velocity.y, s.velocity.z, s.angular_velocity.x,
                    s.angular_velocity.y, s.angular_velocity.z, world_->is_frozen(body) ? 1 : 0);
  }
}

bool SceneRun::run_to(Real time, const std::function<bool()>& seen) {
  // Who looks on sees steps that are alike, and half of one is left over rather than taken; else the last one is as
  // short as it takes.
  constexpr Real kRounding = 1e-9;
  const Real left_over = (seen ? 0.5 : kRounding) * dt_;
  while (world_->time() < time - left_over) {
    const Real left = time - world_->time();
    last_dt_ = seen || left > (1 - kRounding) * dt_ ? dt_ : left;
    report_ = world_->step(last_dt_);
    if (!report_.finite) return false;
    seconds_left_ -= watch_.lap();
    if (seconds_left_ < 0) {
      out_.gave_up = true;
      return false;
    }
    sample();
    if (seen && !seen()) break;
  }
  return true;
}

Real SceneRun::normal_force(std::size_t a, std::size_t b) const {
  Real impulse = 0;
  for (const ContactRecord& c : world_->contacts())
    if (is_pair(c, a, b)) impulse += dot(c.impulse, c.normal);
  return impulse / last_dt_;
}

Vec3 SceneRun::collision_impulse(std::size_t a, std::size_t b) const {
  Vec3 sum;
  for (const ContactRecord& c : world_->contacts())
    if (is_pair(c, a, b)) sum += (c.b == handles_[b] ? 1 : -1) * c.collision_impulse;
  return sum;
}

std::vector<Real> SceneRun::hits(std::size_t a, std::size_t b) const {
  std::vector<Real> times;
  for (const ImpactStop& stop : world_->stops())
    if (is_pair(stop, a, b)) times.push_back(stop.time);
  for (const ImpactEvent& event : world_->events())
    if (is_pair(event, a, b) && event.kind == EventKind::Impact) times.push_back(event.time);
  return times;
}

std::optional<bool> stays_put(const KindInput& input, const KindScene& scene, Real allowed, Measurements& out,
                              const std::string& name) {
  SceneRun run(input, scene, out, name);
  if (!run.ok()) return {};
  std::vector<Vec3> start;
  start.reserve(scene.bodies.size());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) start.push_back(run.state(i).position);
  Real moved = 0;
  const bool finite = run.run_to(scene.duration, [&] {
    for (std::size_t i = 0; i < start.size(); ++i)
      if (scene.bodies[i].type == "dynamic") moved = std::max(moved, norm(run.state(i).position - start[i]));
    return moved <= allowed;
  });
  if (!finite) return {};
  return moved <= allowed;
}

Real stop_time(const std::vector<Real>& speeds, Real end, Real dt, Real nothing) {
  std::size_t last = speeds.size();
  while (last > 0 && !(speeds[last - 1] > nothing)) --last;
  if (last < 2) return 0;
  const Real time = end - static_cast<Real>(speeds.size() - last) * dt;  // of the last that moved
  const Real before = speeds[last - 2], after = speeds[last - 1];
  return before > after ? time + dt * after / (before - after) : time;
}

Real opening_time(const std::vector<Real>& forces, Real end, Real dt) {
  std::size_t last = forces.size();
  while (last > 0 && !(forces[last - 1] > 0)) --last;
  if (last < 2 || !(forces[last - 2] > 0)) return std::numeric_limits<Real>::quiet_NaN();
  const Real middle = end - (static_cast<Real>(forces.size() - last) + 0.5) * dt;
  const Real before = forces[last - 2], after = forces[last - 1];
  return before > after ? middle + dt * after / (before - after) : middle;
}

Real value_at(const std::vector<Real>& values, Real time, Real dt) {
  const Real place = std::clamp(time / dt, 0.0, static_cast<Real>(values.size()) - 1);
  const auto i = std::min(static_cast<std::size_t>(place), values.size() - 2);
  const Real share = place - static_cast<Real>(i);
  return (1 - share) * values[i] + share * values[i + 1];
}

}  // namespace carom
