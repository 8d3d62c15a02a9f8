// One body on a plane: boxes that slide, stop, hold and tip; balls that slide and roll.
#include <algorithm>
#include <cmath>

#include "study/kind_scene.h"

namespace carom {
namespace {

constexpr Real kAtRest = 1e-6;    // of the first speed: below it a slider has stopped
constexpr Real kHopsOnly = 1e-3;  // the same where microcollisions turn what slip is left to and fro

/// A plane through the origin that falls towards +x, and the axes of what lies on it.
struct Slope {
  explicit Slope(Real degrees) : angle(degrees * kDegree) {}

  KindBody body() const { return {"slope", plane_shape(normal()), "fixed"}; }
  Vec3 normal() const { return {std::sin(angle), 0, std::cos(angle)}; }
  Vec3 down() const { return {std::cos(angle), 0, -std::sin(angle)}; }

  Real angle;  // rad
};

/// What every case of this file has: gravity, friction and, mostly, restitution.
KindScene read_scene(const JsonView& setup) {
  KindScene scene;
  scene.gravity = need(setup, "g").non_negative();
  scene.friction = need(setup, "mu").non_negative();
  if (const auto e = setup.find("e")) scene.restitution = e->between(0, 1);
  return scene;
}

/// A box with its face flat on the slope.
KindBody box_on(const Slope& slope, const Vec3& size, Real mass) {
  KindBody box{"box", box_shape(size)};
  box.mass = mass;
  box.position = 0.5 * size.z * slope.normal();
  box.orientation = tilt(slope.angle);
  return box;
}

void measure_incline_stop(const KindInput& input, Measurements& out) {
  const Slope slope(need(input.setup, "alpha_deg").between(0, 89));
  const Real speed = need(input.setup, "v0_down_plane").positive(), hold = need(input.setup, "hold_s").positive();
  KindScene scene = read_scene(input.setup);
  const Real brake = scene.gravity * (scene.friction * std::cos(slope.angle) -
                                      std::sin(slope.angle));  // m/s²: only for how long to wait
  if (input.setup.ok() && !(brake > 0)) input.setup.complain("a slope that is too steep to stop on", "mu > tan alpha");
  scene.duration = 1.5 * speed / brake + hold;
  scene.bodies = {slope.body(), box_on(slope, need(input.setup, "box").positive3(), need(input.setup, "m").positive())};
  scene.bodies[1].velocity = speed * slope.down();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;

  const Vec3 start = run.state(1).position;
  std::vector<Real> speeds{speed};
  const bool finite = run.run_to(scene.duration - hold, [&] {
    speeds.push_back(norm(run.state(1).velocity));
    return speeds.back() > kAtRest * speed;
  });
  if (!finite || speeds.back() > kAtRest * speed) return;
  const Vec3 stop = run.state(1).position;
  out.add("stop_distance", dot(stop - start, slope.down()));
  out.add("stop_time", stop_time(speeds, run.time(), run.dt(), kAtRest * speed));
  if (run.run_to(run.time() + hold)) out.add("creep_after_stop_10s", norm(run.state(1).position - stop));
}

void measure_incline_hold(const KindInput& input, Measurements& out) {
  const Slope slope(need(input.setup, "alpha_deg").between(0, 89));
  KindScene scene = read_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.options = small_hops(input.suite);
  scene.bodies = {slope.body(), box_on(slope, need(input.setup, "box").positive3(), need(input.setup, "m").positive())};
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const Vec3 start = run.state(1).position;
  if (run.run_to(scene.duration)) out.add("displacement", norm(run.state(1).position - start));
}

void measure_isotropy(const KindInput& input, Measurements& out) {
  const Slope floor(0);
  const Real speed = need(input.setup, "v0").positive(),
             heading = need(input.setup, "direction_deg").number() * kDegree;
  KindScene scene = read_scene(input.setup);
  if (input.setup.ok() && !(scene.friction * scene.gravity > 0))
    input.setup.complain("nothing that brakes", "mu g > 0");
  scene.duration = 1.5 * speed / (scene.friction * scene.gravity);
  scene.bodies = {floor.body(), box_on(floor, need(input.setup, "box").positive3(), need(input.setup, "m").positive())};
  scene.bodies[1].velocity = speed * Vec3{std::cos(heading), std::sin(heading), 0};
  SceneRun run(input, scene, out);
  if (!run.ok() || !run.run_to(scene.duration)) return;
  const Vec3 stop = run.state(1).position;
  out.add("stop_exact", std::vector<Real>{stop.x, stop.y});
  out.add("stop_distance_exact", std::hypot(stop.x, stop.y));
}

/// Rests, slides or tips, as the case's words define them.
void measure_tip_or_slide(const KindInput& input, Measurements& out) {
  const Slope slope(need(input.setup, "alpha_deg").between(0, 89));
  const Vec3 size{need(input.setup, "width_along_slope").positive(), need(input.setup, "depth").positive(),
                  need(input.setup, "height").positive()};
  KindScene scene = read_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {slope.body(), box_on(slope, size, need(input.setup, "m").positive())};
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const BodyState start = run.state(1);
  Real moved = 0, turned = 0;
  const bool finite = run.run_to(scene.duration, [&] {
    const BodyState now = run.state(1);
    const Quat between = conjugate(start.orientation) * now.orientation;
    moved = std::max(moved, norm(now.position - start.position));
    turned = std::max(turned, 2 * std::atan2(norm(between.vector()), std::abs(between.w)));
    return turned <= 10 * kDegree;
  });
  if (!finite) return;
  const bool rests = moved <= 0.01 * std::min({size.x, size.y, size.z});
  const char* slides = turned < 2 * kDegree ? "slides" : "undecided";
  out.add("mode", std::string(turned > 10 * kDegree ? "tips" : rests ? "rests" : slides));
}

KindBody ball_on(const Slope& slope, Real radius, Real mass) {
  KindBody ball{"ball", sphere_shape(radius)};
  ball.mass = mass;
  ball.position = radius * slope.normal();
  return ball;
}

/// Of the point that touches the plane.
Vec3 slip(const BodyState& ball, const Slope& slope, Real radius) {
  return ball.velocity + cross(ball.angular_velocity, -radius * slope.normal());
}

void measure_roll_incline(const KindInput& input, Measurements& out) {
  const Slope slope(need(input.setup, "alpha_deg").between(0, 89));
  const Real radius = need(input.setup, "r").positive(), mass = need(input.setup, "m").positive();
  const Real moment = need(input.setup, "k").positive() * mass * radius * radius;
  KindScene scene = read_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {slope.body(), ball_on(slope, radius, mass)};
  scene.bodies[1].inertia = moment * Mat3::identity();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const Vec3 start = run.state(1).position;
  if (!run.run_to(scene.duration)) return;
  const BodyState end = run.state(1);
  constexpr Real kRolls = 1e-3;  // of the speed: less slip than this is none
  const Real speed = dot(end.velocity, slope.down());
  out.add("x_2s", dot(end.position - start, slope.down()));
  out.add("v_2s", speed);
  out.add("w_2s", norm(end.angular_velocity));
  out.add("mode", std::string(norm(slip(end, slope, radius)) < kRolls * speed ? "roll" : "slide"));
}

void measure_bowling(const KindInput& input, Measurements& out) {
  const Slope lane(0);
  const Real radius = need(input.setup, "r").positive();
  KindScene scene = read_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {lane.body(), ball_on(lane, radius, need(input.setup, "m").positive())};
  scene.bodies[1].velocity = need(input.setup, "v0").vec3();
  scene.bodies[1].angular_velocity = need(input.setup, "w0").vec3();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  constexpr Real kLook = 3;  // s: where the case asks for the position
  const Real first = norm(slip(run.state(1), lane, radius));
  std::vector<Real> slips{first};
  const auto record = [&] {
    slips.push_back(norm(slip(run.state(1), lane, radius)));
    return true;
  };
  if (!run.run_to(std::min(kLook, scene.duration), record)) return;
  const Vec3 then = run.state(1).position;
  if (!run.run_to(scene.duration, record)) return;
  if (scene.duration >= kLook) out.add("x_at_3s", std::vector<Real>{then.x, then.y});
  const Real nothing = (run.hops() ? kHopsOnly : kAtRest) * first;
  if (slips.back() > nothing) return;
  const Vec3 v = run.state(1).velocity;
  out.add("t_roll", stop_time(slips, run.time(), run.dt(), nothing));
  out.add("v_roll", std::vector<Real>{v.x, v.y});
}

}  // namespace

std::vector<KindInfo> slope_kinds() {
  return {{"incline_stop", true, measure_incline_stop}, {"incline_hold", true, measure_incline_hold},
          {"isotropy", true, measure_isotropy},         {"tip_or_slide", true, measure_tip_or_slide},
          {"roll_incline", true, measure_roll_incline}, {"bowling", true, measure_bowling}};
}

}  // namespace carom
