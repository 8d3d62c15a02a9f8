// Velocities are differences of poses: v = (x₁ − x₀)/dt, ω from the rotation between the two orientations. The energy
// of a step is that of these velocities at the mean of the two heights; both the parabola and symplectic Euler keep it
// to round-off in free flight. A bounce inside a step makes its difference too small, so the energy counts as the
// largest of three consecutive steps before a rise is looked for.
#include "quality.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

namespace carom::bench {
namespace {

constexpr std::size_t kEnergyWindow = 3;

/// rad/s, in the body's axes.
Vec3 spin_between(const Quat& from, const Quat& to, Real dt) {
  Quat turn = conjugate(from) * to;
  if (turn.w < 0) turn = {-turn.w, -turn.x, -turn.y, -turn.z};
  const Vec3 axis{turn.x, turn.y, turn.z};
  const Real sine = norm(axis);
  if (sine < 1e-12) return (2 / dt) * axis;
  return (2 * std::atan2(sine, turn.w) / (sine * dt)) * axis;
}

struct Solid {
  Real volume = 0;
  Vec3 radii;     // squared radii of gyration about the three axes
  Real size = 0;  // the least extent along the axes
};

Solid solid(const Sphere& s) {
  const Real r = s.radius * s.radius * 2 / 5;
  return {4 * std::numbers::pi / 3 * s.radius * s.radius * s.radius, {r, r, r}, 2 * s.radius};
}

Solid solid(const Box& b) {
  const Vec3 h = b.half_size, h2{h.x * h.x / 3, h.y * h.y / 3, h.z * h.z / 3};
  return {8 * h.x * h.y * h.z, {h2.y + h2.z, h2.z + h2.x, h2.x + h2.y}, 2 * std::min({h.x, h.y, h.z})};
}

Solid solid(const Cylinder& c) {
  const Real r2 = c.radius * c.radius, across = r2 / 4 + c.half_height * c.half_height / 3;
  return {2 * std::numbers::pi * r2 * c.half_height, {across, across, r2 / 2}, 2 * std::min(c.radius, c.half_height)};
}

/// A cylinder, and a ball cut in two whose halves stand at its ends.
Solid solid(const Capsule& c) {
  const Real r = c.radius, h = c.half_length;
  const Solid middle = solid(Cylinder{r, h}), ball = solid(Sphere{r});
  const Real volume = middle.volume + ball.volume;
  // Half a ball about its flat side has ⅖ r² as the whole has; its centre is ⅜ r from there.
  const Real across =
      (middle.volume * middle.radii.x + ball.volume * (ball.radii.x + h * h + 2 * h * (3 * r / 8))) / volume;
  return {volume, {across, across, (middle.volume * middle.radii.z + ball.volume * ball.radii.z) / volume}, 2 * r};
}

std::optional<Solid> solid_of(const Shape& shape) {
  const auto& geometry = shape.geometry();
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) return solid(*sphere);
  if (const auto* box = std::get_if<Box>(&geometry)) return solid(*box);
  if (const auto* cylinder = std::get_if<Cylinder>(&geometry)) return solid(*cylinder);
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) return solid(*capsule);
  return std::nullopt;
}

Real friction_of(const Scene& scene, const std::string& material) {
  for (const auto& [name, values] : scene.materials)
    if (name == material) return values.friction;
  return 0;
}

}  // namespace

const Figure* Quality::find(std::string_view name) const {
  for (const Figure& figure : figures)
    if (figure.name == name) return &figure;
  return nullptr;
}

std::optional<JudgedMass> judged_mass(const BodyDef& def) {
  if (def.inertia || def.center_of_mass) return std::nullopt;
  const std::optional<Solid> found = solid_of(*def.shape);
  if (!found) return std::nullopt;
  const Real mass = def.mass.value_or(def.density * found->volume);
  return JudgedMass{mass, mass * found->radii, found->size};
}

QualityJudge::QualityJudge(const Scene& scene, Real duration, Task task, Real neck)
    : scene_(scene), duration_(duration), task_(task), neck_(neck), audit_(audit_bodies(scene)) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDef& def = scene.bodies[i].def;
    start_.push_back(def.pose);
    masses_.emplace_back();
    if (def.type != BodyType::Dynamic) continue;
    dynamic_.push_back(i);
    masses_.back() = judged_mass(def);
    knows_masses_ = knows_masses_ && masses_.back().has_value();
    if (masses_.back()) mass_times_size_ += masses_.back()->mass * masses_.back()->size;
  }
  last_ = before_ = early_ = middle_ = start_;
  energies_.resize(kEnergyWindow);
  audit_.judge(start_);
}

void QualityJudge::add(const std::vector<Pose>& poses) {
  if (!running_.finite) return;
  const PoseReport report = audit_.judge(poses);
  running_.finite = report.finite;
  if (!report.finite) return;
  running_.worst_penetration = std::max(running_.worst_penetration, report.worst_depth);
  running_.lost = std::max(running_.lost, report.outside);
  depth_sum_ += report.depth_sum;
  overlaps_ += report.overlaps;
  if (knows_masses_) follow_energy(poses);
  ++running_.steps;
  before_ = std::move(last_);
  last_ = poses;
  const Real time = (running_.steps - 0.5) * scene_.dt;
  if (time < 0.1 * duration_) early_ = poses;
  if (time < 0.5 * duration_)
    middle_ = poses;
  else
    running_.rest_penetration = std::max(running_.rest_penetration, report.worst_depth);
}

void QualityJudge::follow_energy(const std::vector<Pose>& poses) {
  const Real energy = energy_between(last_, poses);
  energies_[static_cast<std::size_t>(running_.steps) % kEnergyWindow] = energy;
  if (!first_energy_) first_energy_ = energy;
  if (running_.steps + 1 < static_cast<int>(kEnergyWindow)) return;
  const Real smoothed = *std::max_element(energies_.begin(), energies_.end());
  lowest_energy_ = std::min(lowest_energy_.value_or(smoothed), smoothed);
  energy_rise_ = std::max(energy_rise_, smoothed - *lowest_energy_);
}

Real QualityJudge::energy_between(const std::vector<Pose>& from, const std::vector<Pose>& to) const {
  const Real dt = scene_.dt;
  Real energy = 0;
  for (const std::size_t i : dynamic_) {
    const JudgedMass& m = *masses_[i];
    const Vec3 v = (1 / dt) * (to[i].position - from[i].position);
    const Vec3 w = spin_between(from[i].orientation, to[i].orientation, dt);
    energy += 0.5 * m.mass * squared_norm(v);
    for (int axis = 0; axis < 3; ++axis) energy += 0.5 * m.moments[axis] * w[axis] * w[axis];
    energy -= m.mass * dot(scene_.gravity, 0.5 * (from[i].position + to[i].position));
  }
  return energy;
}

Vec3 QualityJudge::velocity_at_end(std::size_t body) const {
  return (1 / scene_.dt) * (last_[body].position - before_[body].position);
}

Quality QualityJudge::quality(bool complete) const {
  Quality quality = running_;
  quality.mean_penetration = overlaps_ > 0 ? depth_sum_ / static_cast<Real>(overlaps_) : 0;
  const Real lift = mass_times_size_ * norm(scene_.gravity);
  if (lowest_energy_ && (lift > 0 || *first_energy_ > 0))
    quality.energy_rise = energy_rise_ / (lift > 0 ? lift : *first_energy_);
  if (!complete || !quality.finite || dynamic_.empty()) return quality;
  if (task_ == Task::Stack) add_stack(quality);
  if (task_ == Task::Incline) {
    const std::size_t body = dynamic_.front();
    // From a tenth of the run on: whether the first step finds the contact is a matter of the start's last digits.
    quality.figures.push_back({"creep_mm", 1e3 * norm(last_[body].position - early_[body].position)});
    quality.figures.push_back({"creep_from_start_mm", 1e3 * norm(last_[body].position - start_[body].position)});
  }
  if (task_ == Task::Slide) add_slide(quality);
  if (task_ == Task::Cradle) add_cradle(quality);
  if (task_ == Task::Pour) add_pour(quality);
  return quality;
}

/// Rows of equal cubes on a floor at z = 0. The ideal height of the top is that of the rows without gaps between them.
void QualityJudge::add_stack(Quality& quality) const {
  std::size_t top = dynamic_.front(), bottom = top;
  for (const std::size_t i : dynamic_) {
    if (start_[i].position.z > start_[top].position.z) top = i;
    if (start_[i].position.z < start_[bottom].position.z) bottom = i;
  }
  const Box* cube = std::get_if<Box>(&scene_.bodies[bottom].def.shape->geometry());
  if (cube == nullptr) return;
  const Real height = 2 * cube->half_size.z;
  const Real rows = std::floor((start_[top].position.z - start_[bottom].position.z) / height + 1e-6);
  const Real ideal = (rows + 0.5) * height, sag = ideal - last_[top].position.z;
  quality.figures.push_back({"sag_mm", 1e3 * sag});
  quality.figures.push_back({"drift_mm", 1e3 * norm(last_[top].position - middle_[top].position)});
  quality.figures.push_back({"stands", std::abs(sag) < 0.1 * ideal ? 1.0 : 0.0});
}

void QualityJudge::add_slide(Quality& quality) const {
  const std::size_t body = dynamic_.front();
  const SceneBody& slider = scene_.bodies[body];
  const Real mu = friction_of(scene_, slider.material), g = norm(scene_.gravity);
  if (mu * g == 0) return;
  const Real ideal = squared_norm(slider.def.velocity) / (2 * mu * g);
  const Real way = norm(last_[body].position - start_[body].position);
  quality.figures.push_back({"stopping_error_percent", 100 * (way - ideal) / ideal});
}

void QualityJudge::add_cradle(Quality& quality) const {
  const std::size_t first = dynamic_.front();
  const Vec3 start = scene_.bodies[first].def.velocity;
  const Real speed = norm(start);
  if (speed == 0) return;
  Real worst = 0, energy = 0;
  std::vector<Figure> velocities;
  for (const std::size_t body : dynamic_) {
    const Real along = dot(velocity_at_end(body), start) / (speed * speed);
    const Real ideal = body == dynamic_.back() ? 1 : 0;
    worst = std::max(worst, std::abs(along - ideal));
    energy += along * along;
    velocities.push_back({"velocity_" + std::to_string(velocities.size()), along});
  }
  quality.figures.push_back({"velocity_error", worst});
  quality.figures.push_back({"energy_percent", 100 * energy});
  quality.figures.insert(quality.figures.end(), velocities.begin(), velocities.end());
}

void QualityJudge::add_pour(Quality& quality) const {
  const auto through = std::ranges::count_if(dynamic_, [&](std::size_t i) { return last_[i].position.z < neck_; });
  quality.figures.push_back({"through_neck", static_cast<double>(through)});
}

}  // namespace carom::bench
