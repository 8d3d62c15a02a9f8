// Round bodies that roll and slip where it decides what they do next: a tippe top, a ball on a ball.
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
  top.inertia = Vec3{across, across, along};
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

}  // namespace

std::vector<KindInfo> top_kinds() {
  return {{"tippe_top", true, measure_tippe_top}, {"sphere_on_sphere", true, measure_sphere_on_sphere}};
}

}  // namespace carom
