// Round bodies that roll and slip where it decides what they do next: a tippe top, a ball on a ball, a coin on its rim,
// a rattleback.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "study/kind_scene.h"

namespace carom {
namespace {

/// The turn about a horizontal axis that brings the z axis to a direction.
Quat turn_to(const Vec3& axis) {
  const Vec3 to = axis / norm(axis);
  const Vec3 about = cross({0, 0, 1}, to);
  return normalized(Quat{1 + to.z, about.x, about.y, about.z});
}

/// When values seen every dt, the first at time 0, first exceed a level; not a number where they never do.
Real passing_time(const std::vector<Real>& values, Real level, Real dt) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > level && values[i - 1] <= level)
      return dt * (static_cast<Real>(i - 1) + (level - values[i - 1]) / (values[i] - values[i - 1]));
  return std::numeric_limits<Real>::quiet_NaN();
}

/// A ball whose centre of mass lies below its middle, spinning about the vertical. Jellett's constant is −L·r with r
/// from the centre of mass to the point that touches; what is measured is the value farthest from the first.
void measure_tippe_top(const KindInput& input, Measurements& out) {
  const Real radius = need(input.setup, "R").positive(), offset = need(input.setup, "ec").non_negative();
  const Real across = need(input.setup, "I1").positive(), along = need(input.setup, "I3").positive();
  const Vec3 axis0 = need(input.setup, "axis0").vec3();
  if (input.setup.ok() && !(norm(axis0) > 0)) need(input.setup, "axis0").expected("a direction");
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {floor_body(), {"top", sphere_shape(radius)}};
  KindBody& top = scene.bodies[1];
  top.mass = need(input.setup, "m").positive();
  top.inertia = Mat3::diagonal({across, across, along});
  top.center_of_mass = Vec3{0, 0, -offset};
  top.position = {0, 0, radius};
  top.orientation = turn_to(axis0);
  top.velocity = need(input.setup, "v0").vec3();
  top.angular_velocity = need(input.setup, "w0_world").vec3();
  SceneRun run(input, scene, out);
  if (!run.ok()) return;

  const auto jellett = [&] {
    const BodyState s = run.state(1);
    const Vec3 axis = rotate(s.orientation, {0, 0, 1});
    const Vec3 momentum = across * s.angular_velocity + (along - across) * dot(s.angular_velocity, axis) * axis;
    return -dot(momentum, offset * axis - Vec3{0, 0, radius});
  };
  const auto angle = [&] { return std::acos(std::clamp(rotate(run.state(1).orientation, {0, 0, 1}).z, -1.0, 1.0)); };
  const Real first = jellett();
  Real farthest = first;
  std::vector<Real> angles{angle()};
  const bool finite = run.run_to(scene.duration, [&] {
    angles.push_back(angle());
    if (const Real now = jellett(); std::abs(now - first) > std::abs(farthest - first)) farthest = now;
    return true;
  });
  if (!finite) return;
  const Real upside = passing_time(angles, 90 * kDegree, run.dt()),
             late = passing_time(angles, 150 * kDegree, run.dt());
  if (std::isfinite(upside)) out.add("t_theta_90", upside);
  if (std::isfinite(late)) out.add("t_theta_150", late);
  out.add("inverts", std::isfinite(upside));
  out.add("jellett", farthest);
}

/// A ball that rolls off a fixed one, let go at rest a little beside the top.
void measure_sphere_on_sphere(const KindInput& input, Measurements& out) {
  constexpr Real kSmall = 3 * kDegree;  // up to where the growth is that of the linear equation
  const Real lower = need(input.setup, "R_lower").positive(), upper = need(input.setup, "r_upper").positive();
  const Real angle0 = need(input.setup, "theta0_deg").between(0, 80) * kDegree;
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = 10 * std::sqrt((lower + upper) / std::max(scene.gravity, 1e-2));
  scene.bodies = {{"lower", sphere_shape(lower), "fixed"}, {"upper", sphere_shape(upper)}};
  scene.bodies[1].mass = need(input.setup, "m").positive();
  scene.bodies[1].position = (lower + upper) * Vec3{std::sin(angle0), 0, std::cos(angle0)};
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  const auto angle = [&] {
    const Vec3 x = run.state(1).position;
    return std::atan2(x.x, x.z);
  };
  std::vector<Real> angles{angle()}, forces;
  Real ty = 0, tt = 0;  // of the least squares
  Real parted = 0;      // s: since the last force
  const bool finite = run.run_to(scene.duration, [&] {
    angles.push_back(angle());
    forces.push_back(run.normal_force(0, 1));
    if (angles.back() > angle0 && angles.back() <= kSmall) {
      ty += run.time() * std::acosh(angles.back() / angle0);
      tt += run.time() * run.time();
    }
    parted = forces.back() > 0 ? 0 : parted + run.dt();
    return parted < kParted;
  });
  if (!finite) return;
  if (tt > 0) out.add("growth_rate_lower_fixed", ty / tt);
  const Real leaves = opening_time(forces, run.time(), run.dt());
  if (parted < kParted || !std::isfinite(leaves)) return;
  out.add("leave_time_fixed", leaves);
  out.add("leave_angle_deg_fixed", value_at(angles, leaves, run.dt()) / kDegree);
}

/// A coin without thickness that rolls on its rim round a centre that stays where it is. It is the base of a cone,
/// whose other side never touches the floor: a real cylinder as thin as the case asks for would be all edge.
void measure_coin_disk(const KindInput& input, Measurements& out) {
  const Real radius = need(input.setup, "R").positive(), mass = need(input.setup, "m").positive();
  const Real angle = need(input.setup, "alpha_deg").between(0.1, 89) * kDegree;
  const Real spin = need(input.setup, "w_along_contact_diameter").number();
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {floor_body(), {"coin", cone_shape(radius, radius)}};
  KindBody& coin = scene.bodies[1];
  const Real along = 0.5 * mass * radius * radius;
  coin.mass = mass;
  coin.inertia = Mat3::diagonal({0.5 * along, 0.5 * along, along});
  coin.center_of_mass = Vec3{0, 0, -0.5 * radius};
  coin.orientation = tilt(angle);
  const Vec3 centre{0, 0, radius * std::sin(angle)};
  coin.position = centre - rotate(coin.orientation, *coin.center_of_mass);
  coin.velocity = need(input.setup, "v").vec3();
  // Along the diameter from the point that touches upwards: it then goes round counter-clockwise.
  coin.angular_velocity = spin * Vec3{-std::cos(angle), 0, std::sin(angle)};
  SceneRun run(input, scene, out);
  if (!run.ok()) return;

  const auto axis = [&] { return rotate(run.state(1).orientation, {0, 0, 1}); };
  Vec3 last = axis();
  Real turned = 0;  // rad: by the axis round the vertical, so far
  Mean height;
  const bool finite = run.run_to(scene.duration, [&] {
    const Vec3 now = axis();
    turned += std::atan2(last.x * now.y - last.y * now.x, last.x * now.x + last.y * now.y);
    last = now;
    if (run.time() > 0.9 * scene.duration) height.add(run.state(1).position.z);
    return true;
  });
  if (!finite) return;
  out.add("precession_rate", turned / run.time());
  out.add("com_height", height.value());
  out.add("energy", run.world().kinetic_energy() + run.world().potential_energy());
}

/// An ellipsoid that rolls, its principal axes of inertia turned against those of its shape: spun the wrong way it
/// rattles and turns back. The spin is the vertical component of the angular velocity.
void measure_rattleback(const KindInput& input, Measurements& out) {
  const Vec3 axes = need(input.setup, "ellipsoid_semi_axes").positive3();
  const Vec3 up = need(input.setup, "gamma0_body_up").direction(), spin = need(input.setup, "w0_body").vec3();
  const Vec3 centre_of_mass{0, 0, -need(input.setup, "com_below_centre").number()};
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = {floor_body(), {"rattleback", ellipsoid_shape(axes)}};
  KindBody& body = scene.bodies[1];
  body.mass = need(input.setup, "m").positive();
  body.inertia = need(input.setup, "I").symmetric3();
  body.center_of_mass = centre_of_mass;
  body.orientation = conjugate(turn_to(up));
  const Vec3 stretched{axes.x * up.x, axes.y * up.y, axes.z * up.z};
  const Real height = norm(stretched);
  const Vec3 lowest = -Vec3{axes.x * stretched.x, axes.y * stretched.y, axes.z * stretched.z} / height;
  body.position = {0, 0, height};
  body.angular_velocity = rotate(body.orientation, spin);
  body.velocity = -cross(body.angular_velocity, rotate(body.orientation, lowest - centre_of_mass));
  SceneRun run(input, scene, out);
  if (!run.ok()) return;

  const Real sense = body.angular_velocity.z < 0 ? 1 : -1;  // so that values rise through zero where it turns back
  std::vector<Real> spins{sense * body.angular_velocity.z};
  const bool finite = run.run_to(scene.duration, [&] {
    spins.push_back(sense * run.state(1).angular_velocity.z);
    return true;
  });
  if (!finite) return;
  const Real reversal = passing_time(spins, 0, run.dt());
  out.add("reverses", std::isfinite(reversal));
  if (std::isfinite(reversal)) out.add("t_reversal", reversal);
  const auto [least, most] = std::ranges::minmax(spins);
  out.add("wz_min", sense > 0 ? least : -most);
  out.add("wz_max", sense > 0 ? most : -least);
}

}  // namespace

std::vector<KindInfo> top_kinds() {
  return {{"tippe_top", true, measure_tippe_top},
          {"sphere_on_sphere", true, measure_sphere_on_sphere},
          {"coin_disk", true, measure_coin_disk},
          {"rattleback", true, measure_rattleback}};
}

}  // namespace carom
