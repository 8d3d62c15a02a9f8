#include "study/sample_impacts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/split_mix.h"

namespace carom {
namespace {

ContactProblem on_ground(const ProblemBody& body, const Vec3& arm, const ImpactSetting& setting) {
  ContactProblem problem;
  problem.bodies = {body, {}};
  problem.bodies[0].velocity = setting.velocity;
  problem.bodies[1].role = BodyRole::Fixed;
  ContactPoint& c = problem.contacts.emplace_back();
  c.a = 1;
  c.b = 0;
  c.normal = {0, 0, 1};
  c.tangent = {1, 0, 0};
  c.rb = arm;
  c.mu = c.mu_static = setting.mu;
  c.restitution = setting.restitution;
  return problem;
}

}  // namespace

ContactProblem rod_impact(Real degrees, const ImpactSetting& setting) {
  constexpr Real kSide = 0.02;
  const Real angle = degrees * std::numbers::pi / 180;
  ProblemBody rod;
  rod.inverse_mass = 1;
  // Its contact is on its axis, so that nothing turns about that and one moment does for all axes.
  rod.inverse_inertia = (12 / (1 + kSide * kSide)) * Mat3::identity();
  return on_ground(rod, -0.5 * Vec3{std::sin(angle), 0, std::cos(angle)}, setting);
}

ContactProblem brick_impact(const ImpactSetting& setting) {
  const Vec3 size{1, 0.5, 0.1};
  const Quat turned = normalized(Quat{0.9, 0.12, -0.38, 0.17});
  const Mat3 axes = to_matrix(turned);
  ProblemBody brick;
  brick.inverse_mass = 1;
  const auto moment = [&](int i, int j) { return (size[i] * size[i] + size[j] * size[j]) / 12; };
  brick.inverse_inertia =
      axes * Mat3::diagonal({1 / moment(1, 2), 1 / moment(0, 2), 1 / moment(0, 1)}) * transposed(axes);
  Vec3 lowest{0, 0, 1};
  for (int corner = 0; corner < 8; ++corner) {
    const auto half = [&](int axis) { return ((corner >> axis) & 1) != 0 ? 0.5 * size[axis] : -0.5 * size[axis]; };
    const Vec3 arm = axes * Vec3{half(0), half(1), half(2)};
    if (arm.z < lowest.z) lowest = arm;
  }
  return on_ground(brick, lowest, setting);
}

ContactProblem ball_impact(const ImpactSetting& setting, Real spin) {
  constexpr Real kRadius = 0.1;
  ProblemBody ball;
  ball.inverse_mass = 1;
  ball.inverse_inertia = (2.5 / (kRadius * kRadius)) * Mat3::identity();
  ball.angular_velocity = {0, spin, 0};
  return on_ground(ball, {0, 0, -kRadius}, setting);
}

ContactProblem random_impact(std::uint64_t seed) {
  SplitMix64 random(seed);
  const auto between = [&](Real low, Real high) { return low + (high - low) * random.fraction(); };
  const auto vector = [&](Real most) { return Vec3{between(-most, most), between(-most, most), between(-most, most)}; };
  ContactProblem problem;
  ContactPoint& c = problem.contacts.emplace_back();
  for (int i = 0; i < 2; ++i) {
    ProblemBody& body = problem.bodies.emplace_back();
    const Real mass = between(0.3, 6);
    const Vec3 size{between(0.2, 1.2), between(0.2, 1.2), between(0.2, 1.2)};  // m, of a box
    const Mat3 axes = to_matrix(normalized(Quat{between(0.1, 1), between(-1, 1), between(-1, 1), between(-1, 1)}));
    const Vec3 square{size.x * size.x, size.y * size.y, size.z * size.z};
    const Vec3 moments = (mass / 12) * Vec3{square.y + square.z, square.x + square.z, square.x + square.y};
    body.inverse_mass = 1 / mass;
    body.inverse_inertia = axes * Mat3::diagonal({1 / moments.x, 1 / moments.y, 1 / moments.z}) * transposed(axes);
    body.velocity = vector(3);
    body.angular_velocity = vector(4);
    // A point of the box's surface, about: a corner of one half its size to its whole size.
    const auto half = [&](Real length) { return (random.fraction() < 0.5 ? -0.5 : 0.5) * between(0.5, 1) * length; };
    (i == 0 ? c.ra : c.rb) = axes * Vec3{half(size.x), half(size.y), half(size.z)};
  }
  c.a = 0;
  c.b = 1;
  c.normal = normalized(vector(1) + Vec3{0, 0, 1.01});
  c.tangent = default_tangent(c.normal);
  c.mu = c.mu_static = between(0, 1.2);
  c.restitution = between(0, 1);
  const auto point = [](const ProblemBody& body, const Vec3& arm) {
    return body.velocity + cross(body.angular_velocity, arm);
  };
  const Real approach = dot(c.normal, point(problem.bodies[1], c.rb) - point(problem.bodies[0], c.ra));
  // Those that would part are turned round as a whole.
  if (approach > 0)
    for (ProblemBody& body : problem.bodies) body.velocity *= -1, body.angular_velocity *= -1;
  return problem;
}

Mat3 inverse_mass_at(const ContactProblem& problem) {
  std::vector<Vec3> velocities(problem.bodies.size());
  return point_impact(problem, 0, velocities, velocities).inverse_mass;
}

}  // namespace carom
