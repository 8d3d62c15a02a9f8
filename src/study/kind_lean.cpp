// Bodies that lean on each other or on a wall: cards, round things in a pile, a ladder.
#include <algorithm>
#include <cmath>
#include <vector>

#include "study/kind_scene.h"

namespace carom {
namespace {

constexpr Real kStill = 0.01;  // of the smallest edge or radius: what holds moves no further

/// Builds a scene for a coefficient of friction and sees whether it holds at the one and falls at the other.
template <class Build>
void measure_threshold(const KindInput& input, Measurements& out, Real size, const Build& build) {
  const Real hold = need(input.setup, "mu_hold").non_negative(), fall = need(input.setup, "mu_fall").non_negative();
  const auto stays = [&](Real friction, const char* name) -> std::optional<bool> {
    KindScene scene = read_kind_scene(input.setup, friction);
    scene.duration = need(input.setup, "duration").positive();
    if (!input.setup.ok()) return {};
    build(scene);
    return stays_put(input, scene, kStill * size, out, name);
  };
  if (const auto held = stays(hold, "hold")) out.add("holds_at_mu_hold", *held);
  if (const auto held = stays(fall, "fall")) out.add("falls_at_mu_fall", !*held);
}

/// Two cards that lean on each other with their inner edges, like a roof.
void measure_card_house(const KindInput& input, Measurements& out) {
  const Vec3 card = need(input.setup, "card").positive3();  // across, along the ridge, up
  const Real lean = need(input.setup, "half_apex_deg").between(0, 89) * kDegree;
  const Real mass = need(input.setup, "m").positive();
  measure_threshold(input, out, std::min({card.x, card.y, card.z}), [&](KindScene& scene) {
    scene.bodies = {floor_body()};
    for (const int side : {-1, 1}) {
      KindBody body{side < 0 ? "left card" : "right card", box_shape(card)};
      body.mass = mass;
      body.orientation = tilt(-side * lean);
      // The upper inner edge is at x = 0, the lower one on the floor.
      body.position = {side * 0.5 * (card.x * std::cos(lean) + card.z * std::sin(lean)), 0,
                       0.5 * (card.x * std::sin(lean) + card.z * std::cos(lean))};
      scene.bodies.push_back(body);
    }
  });
}

/// Where the bodies of a pile stand: those below touch each other and the floor, the one on top touches all of them.
std::vector<Vec3> pile_places(bool is_round, Real r) {
  if (!is_round) return {{-r, 0, r}, {r, 0, r}, {0, 0, r + std::sqrt(3.0) * r}};
  const Real out = 2 * r / std::sqrt(3.0);  // from the middle of an equilateral triangle to its corners
  return {{out, 0, r}, {-0.5 * out, r, r}, {-0.5 * out, -r, r}, {0, 0, r + std::sqrt(4 * r * r - out * out)}};
}

/// Three cylinders, two below and one on top, or four balls, three below.
void measure_pile(const KindInput& input, Measurements& out) {
  const JsonView what = need(input.setup, "kind");
  const std::string words = what.text();
  const bool is_cylinders = words.find("cylinder") != std::string::npos;
  if (input.setup.ok() && !is_cylinders && words.find("sphere") == std::string::npos)
    what.expected("three cylinders (2+1) or four spheres (3+1)");
  const Real radius = need(input.setup, "r").positive(), mass = need(input.setup, "m").positive();
  const Real length = is_cylinders ? need(input.setup, "cylinder_length").positive() : 0;
  measure_threshold(input, out, radius, [&](KindScene& scene) {
    scene.bodies = {floor_body()};
    for (const Vec3& place : pile_places(!is_cylinders, radius)) {
      KindBody body{"body" + std::to_string(scene.bodies.size()),
                    is_cylinders ? cylinder_shape(radius, length) : sphere_shape(radius)};
      body.mass = mass;
      body.position = place;
      // Along y.
      if (is_cylinders) body.orientation = {std::sqrt(0.5), std::sqrt(0.5), 0, 0};
      scene.bodies.push_back(body);
    }
  });
}

/// A ladder without friction: a thin capsule whose axis is the ladder, its ends at the floor and the wall.
void measure_ladder(const KindInput& input, Measurements& out) {
  const Real length = need(input.setup, "rod_length").positive();
  const Real radius = need(input.setup, "capsule_radius").positive(), mass = need(input.setup, "m").positive();
  const Real angle = need(input.setup, "theta0_from_floor_deg").between(1, 89) * kDegree;
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  const Real across = mass * length * length / 12;
  scene.duration = 10 * std::sqrt(length / std::max(scene.gravity, 1e-2));
  scene.bodies = {floor_body(-radius),
                  {"wall", plane_shape({1, 0, 0}, -radius), "fixed"},
                  {"ladder", capsule_shape(radius, length)}};
  KindBody& ladder = scene.bodies[2];
  ladder.mass = mass;
  ladder.inertia = Mat3::diagonal({across, across, 0.5 * mass * radius * radius});
  ladder.position = 0.5 * length * Vec3{std::cos(angle), 0, std::sin(angle)};
  ladder.orientation = tilt(angle - 90 * kDegree);
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const auto angle_now = [&] {
    const Vec3 axis = rotate(run.state(2).orientation, {0, 0, 1});
    return std::atan2(axis.z, -axis.x);
  };
  std::vector<Real> forces, angles{angle_now()}, turning{0}, speeds{0};
  Real parted = 0;  // s: since the last force
  const bool finite = run.run_to(scene.duration, [&] {
    forces.push_back(run.normal_force(1, 2));
    angles.push_back(angle_now());
    turning.push_back(norm(run.state(2).angular_velocity));
    speeds.push_back(run.state(2).velocity.x);
    parted = forces.back() > 0 ? 0 : parted + run.dt();
    return parted < kParted;
  });
  const Real time = opening_time(forces, run.time(), run.dt());
  if (!finite || parted < kParted || !std::isfinite(time)) return;
  out.add("t_separation", time);
  out.add("theta_separation_deg", value_at(angles, time, run.dt()) / kDegree);
  out.add("w_separation", value_at(turning, time, run.dt()));
  out.add("vx_com_after", speeds.back());
}

}  // namespace

std::vector<KindInfo> lean_kinds() {
  return {{"card_house", true, measure_card_house}, {"pile", true, measure_pile}, {"ladder", true, measure_ladder}};
}

}  // namespace carom
