// Balls that strike each other, bounce down a slope, jump off a ramp, or ride on a platter.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "study/kind_scene.h"

namespace carom {
namespace {

/// A row of balls with gaps, the first of them moving along it.
void measure_marbles(const KindInput& input, Measurements& out) {
  const Real radius = need(input.setup, "r").positive(), mass = need(input.setup, "m").positive();
  const Real pitch = 2 * radius + need(input.setup, "gap").non_negative();
  const std::uint64_t count = need(input.setup, "n").natural();
  if (input.setup.ok() && (count < 1 || count > 1000)) need(input.setup, "n").expected("from 1 to 1000");
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  for (std::uint64_t i = 0; i < count; ++i) {
    KindBody marble{fmt::format("marble[{}]", i), sphere_shape(radius)};
    marble.mass = mass;
    marble.position = {pitch * static_cast<Real>(i), 0, 0};
    scene.bodies.push_back(marble);
  }
  scene.bodies[0].velocity = {need(input.setup, "v0").number(), 0, 0};
  SceneRun run(input, scene, out);
  if (!run.ok() || !run.run_to(scene.duration)) return;
  std::vector<Real> velocities(count);
  for (std::uint64_t i = 0; i < count; ++i) velocities[i] = run.state(i).velocity.x;
  out.add("v_final", velocities);
  out.add("last_marble", velocities.back());
}

/// Let go above a slope that falls towards +x, at a distance along its normal.
void measure_bounce_incline(const KindInput& input, Measurements& out) {
  const Real angle = need(input.setup, "alpha_deg").between(0, 89) * kDegree;
  const Vec3 normal{std::sin(angle), 0, std::cos(angle)}, down{std::cos(angle), 0, -std::sin(angle)};
  const Real radius = need(input.setup, "r").positive();
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {{"slope", plane_shape(normal), "fixed"}, {"ball", sphere_shape(radius)}};
  KindBody& ball = scene.bodies[1];
  ball.mass = need(input.setup, "m").positive();
  ball.position = (radius + need(input.setup, "normal_gap0").non_negative()) * normal;
  ball.velocity = need(input.setup, "v0").vec3();
  ball.angular_velocity = need(input.setup, "w0").vec3();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const Vec3 start = run.state(1).position;
  if (!run.run_to(scene.duration)) return;
  out.add("x_at_4s", dot(run.state(1).position - start, down));
  out.add("v_at_4s", dot(run.state(1).velocity, down));
}

/// A ramp that rises towards +x and ends in a drop, and the floor behind it; the ball rolls up.
struct Jump {
  explicit Jump(const JsonView& setup)
      : angle(need(setup, "ramp_deg").between(1, 80) * kDegree),
        length(need(setup, "ramp_contact_length").positive()),
        radius(need(need(setup, "ball"), "r").positive()),
        speed(need(setup, "v0_rolling_at_bottom_along_ramp").positive()) {}

  Vec3 along() const { return {std::cos(angle), 0, std::sin(angle)}; }
  Vec3 normal() const { return {-std::sin(angle), 0, std::cos(angle)}; }
  /// s: of the way to where it rolls again, and more than that.
  Real patience(const KindScene& scene) const {
    const Real up = speed + std::sqrt(2 * scene.gravity * length);  // m/s: no impact is faster
    const Real bouncing = 2 * up / (scene.gravity * std::max(1 - scene.restitution, 0.05));
    return 2 * length / speed + bouncing + speed / (scene.gravity * std::max(scene.friction, 0.01));
  }
  /// The ramp goes on below the floor, where nothing rolls: the ball begins at its foot. The floor begins inside it.
  std::vector<KindBody> bodies(Real reach) const {
    constexpr Real kHalfWidth = 1;
    const Vec3 lip = length * along(), foot = -4 * radius * along();
    std::vector<Vec3> corners;
    for (const Real y : {-kHalfWidth, kHalfWidth})
      for (const Vec3& p : {foot, lip, Vec3{lip.x, 0, foot.z}}) corners.push_back(p + Vec3{0, y, 0});
    KindBody floor{"floor", box_shape({reach, 2 * kHalfWidth, 1}), "fixed"};
    floor.position = {0.5 * lip.x + 0.5 * reach, 0, -0.5};
    KindBody ball{"ball", sphere_shape(radius)};
    ball.position = radius * normal();
    ball.velocity = speed * along();
    ball.angular_velocity = {0, speed / radius, 0};
    return {floor, {"ramp", hull_shape(corners), "fixed"}, ball};
  }

  Real angle, length, radius, speed;  // rad, m, m, m/s
};

/// Until it rolls on the floor. In flight the place of the landing follows from the state.
void measure_terrain_jump(const KindInput& input, Measurements& out) {
  const Jump jump(input.setup);
  const Real mass = need(need(input.setup, "ball"), "m").positive();
  KindScene scene = read_kind_scene(input.setup);
  if (input.setup.ok() && scene.gravity == 0) need(input.setup, "g").expected("a positive number");
  if (!input.setup.ok()) return;
  constexpr Real kLook = 0.2;  // s: the speed at the end is a mean over this
  scene.duration = jump.patience(scene) + kLook;
  scene.bodies = jump.bodies(2 * jump.speed * scene.duration);
  scene.bodies[2].mass = mass;
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const auto landing = [&]() -> std::optional<Real> {
    const BodyState ball = run.state(2);
    const Real gap = ball.position.z - jump.radius;
    if (dot(ball.position, jump.along()) <= jump.length || gap < 0) return {};
    const Real fall = std::sqrt(ball.velocity.z * ball.velocity.z + 2 * scene.gravity * gap);
    const Real time = (ball.velocity.z + fall) / scene.gravity;
    return time <= run.dt() ? std::optional(ball.position.x + time * ball.velocity.x) : std::nullopt;
  };
  std::optional<Real> landed;
  Mean speed, slip;
  const bool finite = run.run_to(scene.duration, [&] {
    if (!landed) landed = landing();
    if (run.time() < scene.duration - kLook) return true;
    speed.add(run.state(2).velocity.x);
    slip.add(run.state(2).velocity.x - run.state(2).angular_velocity.y * jump.radius);
    return true;
  });
  if (!finite || !landed) return;
  out.add("x_first_landing_centre", *landed);
  constexpr Real kRolls = 1e-3;  // of the speed: less slip than this is none
  if (std::abs(slip.value()) < kRolls * speed.value()) out.add("v_final_rolling", speed.value());
}

/// The circle that fits points best in the sense of I. Kåsa (1976): least squares of x² + y² − 2ax − 2by − c. Points
/// that hardly differ are their own centre.
std::vector<Real> circle_centre(const std::vector<Vec3>& points, Real nothing) {
  Vec3 mean;
  for (const Vec3& p : points) mean += p / static_cast<Real>(points.size());
  Real xx = 0, xy = 0, yy = 0, xr = 0, yr = 0, widest = 0;
  for (const Vec3& p : points) {
    const Real x = p.x - mean.x, y = p.y - mean.y, r = x * x + y * y;
    xx += x * x, xy += x * y, yy += y * y, xr += x * r, yr += y * r;
    widest = std::max(widest, std::sqrt(r));
  }
  const Real determinant = xx * yy - xy * xy;
  if (widest < nothing || determinant == 0) return {mean.x, mean.y};
  return {mean.x + 0.5 * (yy * xr - xy * yr) / determinant, mean.y + 0.5 * (xx * yr - xy * xr) / determinant};
}

/// A ball that rolls on a turning platter goes round in a circle.
void measure_platter(const KindInput& input, Measurements& out) {
  const JsonView ball_setup = need(input.setup, "ball");
  const Real radius = need(ball_setup, "r").positive(), reach = need(input.setup, "platter_radius").positive();
  const auto vector2 = [&](const char* key) {
    const JsonView list = need(input.setup, key);
    if (!list.is_list_of(2, "a list of two numbers")) return Vec3{};
    return Vec3{list.items()[0].number(), list.items()[1].number(), 0};
  };
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  // Square instead of round: the ball stays where that makes no difference.
  scene.bodies = {{"platter", box_shape({2 * reach, 2 * reach, 0.2}), "kinematic"}, {"ball", sphere_shape(radius)}};
  scene.bodies[0].position = {0, 0, -0.1};
  scene.bodies[0].angular_velocity = {0, 0, need(input.setup, "Omega").number()};
  KindBody& ball = scene.bodies[1];
  ball.mass = need(ball_setup, "m").positive();
  ball.position = vector2("x0") + Vec3{0, 0, radius};
  ball.velocity = vector2("v0");
  ball.angular_velocity = need(input.setup, "w0").vec3();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  std::vector<Vec3> places{run.state(1).position};
  Real turned = 0;  // rad: by the velocity, so far
  Vec3 last = run.state(1).velocity;
  const bool finite = run.run_to(scene.duration, [&] {
    const BodyState now = run.state(1);
    places.push_back(now.position);
    turned += std::atan2(last.x * now.velocity.y - last.y * now.velocity.x,
                         last.x * now.velocity.x + last.y * now.velocity.y);
    last = now.velocity;
    return true;
  });
  if (!finite) return;
  out.add("orbit_rate", turned / scene.duration);
  out.add("centre", circle_centre(places, 1e-3 * radius));
  out.add("x_at_10s", std::vector<Real>{places.back().x, places.back().y});
}

}  // namespace

std::vector<KindInfo> ball_kinds() {
  return {{"marbles", true, measure_marbles},
          {"bounce_incline", true, measure_bounce_incline},
          {"terrain_jump", true, measure_terrain_jump},
          {"platter", true, measure_platter}};
}

}  // namespace carom
