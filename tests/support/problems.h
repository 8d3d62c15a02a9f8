// Small contact problems: by hand, and at random.
#pragma once

#include <limits>

#include "carom/contact/problem.h"
#include "support/random.h"

namespace carom::test {

inline constexpr Real kGravity = 9.81, kStep = 1.0 / 60;

inline ProblemBody dynamic_body(Real mass, const Mat3& inertia) {
  ProblemBody body;
  body.inverse_mass = 1 / mass;
  body.inverse_inertia = inverse(inertia);
  return body;
}
inline ProblemBody cube_body(Real mass, Real size = 1) {
  const Real moment = mass * size * size / 6;
  return dynamic_body(mass, Mat3::diagonal({moment, moment, moment}));
}
inline ProblemBody fixed_body() {
  ProblemBody body;
  body.role = BodyRole::Fixed;
  return body;
}

inline ContactPoint contact(int a, int b, const Vec3& normal, const Vec3& ra, const Vec3& rb, Real mu) {
  ContactPoint c;
  c.a = a;
  c.b = b;
  c.normal = normal;
  c.tangent = default_tangent(normal);
  c.ra = ra;
  c.rb = rb;
  c.mu = c.mu_static = mu;
  return c;
}

/// A unit cube of mass 1 on a fixed floor, touching in its four corners, with the velocity given.
inline ContactProblem cube_on_floor(const Vec3& velocity, Real mu) {
  ContactProblem problem;
  problem.bodies = {fixed_body(), cube_body(1)};
  problem.bodies[1].velocity = velocity;
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.5, 0.5}) problem.contacts.push_back(contact(0, 1, {0, 0, 1}, {x, y, 0}, {x, y, -0.5}, mu));
  problem.dt = kStep;
  problem.gravity = kGravity;
  return problem;
}

/// One contact of a ball of mass 1 and radius 1/2 at the origin's height with a floor.
inline ContactProblem ball_on_floor(const Vec3& velocity, Real mu) {
  ContactProblem problem;
  problem.bodies = {fixed_body(), dynamic_body(1, Mat3::diagonal({0.1, 0.1, 0.1}))};
  problem.bodies[1].velocity = velocity;
  problem.contacts = {contact(0, 1, {0, 0, 1}, {}, {0, 0, -0.5}, mu)};
  problem.dt = kStep;
  problem.gravity = kGravity;
  return problem;
}

/// Puts a problem beside another, with its own floor: they share no body.
inline void put_beside(ContactProblem& problem, const ContactProblem& other) {
  const auto first = static_cast<std::int32_t>(problem.bodies.size());
  problem.bodies.insert(problem.bodies.end(), other.bodies.begin(), other.bodies.end());
  for (ContactPoint c : other.contacts) {
    c.a += first;
    c.b += first;
    problem.contacts.push_back(c);
  }
  problem.dt = other.dt;
  problem.gravity = other.gravity;
}

/// Bodies whose masses differ by up to `mass_ratio` in a random web of contacts, every third pair of them touching in
/// four redundant points. Body 0 is fixed. All targets are zero, so that Coulomb's law has a solution.
inline ContactProblem random_problem(Random& random, int contacts, Real mass_ratio) {
  ContactProblem problem;
  problem.bodies.push_back(fixed_body());
  const int bodies = std::max(2, contacts / 3);
  for (int i = 0; i < bodies; ++i) {
    const Real mass = random.scale(1, mass_ratio);
    const Mat3 r = to_matrix(random.rotation());
    const Mat3 moments =
        Mat3::diagonal(mass * Vec3{random.uniform(0.1, 0.2), random.uniform(0.1, 0.2), random.uniform(0.1, 0.2)});
    ProblemBody body = dynamic_body(mass, r * moments * transposed(r));
    // Exactly symmetric, whatever rounding did.
    body.inverse_inertia = 0.5 * (body.inverse_inertia + transposed(body.inverse_inertia));
    body.velocity = random.vector(1);
    body.angular_velocity = random.vector(1);
    problem.bodies.push_back(body);
  }
  while (static_cast<int>(problem.contacts.size()) < contacts) {
    const int a = random.integer(0, bodies), b = random.integer(1, bodies);
    if (a == b) continue;
    const Vec3 normal = random.unit(), tangent = default_tangent(normal), second = cross(normal, tangent);
    const Real mu = random.integer(0, 4) == 0 ? 0 : random.uniform(0, 1);
    const Vec3 ra = 0.5 * normal + random.vector(0.3), rb = -0.5 * normal + random.vector(0.3);
    const int points = random.integer(0, 2) == 0 ? 4 : 1;
    for (int k = 0; k < points && static_cast<int>(problem.contacts.size()) < contacts; ++k) {
      const Vec3 off = points == 1 ? Vec3{} : (k % 2 == 0 ? 0.3 : -0.3) * tangent + (k / 2 == 0 ? 0.3 : -0.3) * second;
      problem.contacts.push_back(contact(a, b, normal, ra + off, rb + off, mu));
    }
  }
  problem.dt = kStep;
  problem.gravity = kGravity;
  return problem;
}

/// A ball joint at a point given from both centres of mass: three unbounded rows along the axes.
inline RowBlock ball_joint(int a, int b, const Vec3& ra, const Vec3& rb) {
  RowBlock block;
  block.a = a;
  block.b = b;
  block.rows = 3;
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[static_cast<int>(k)] = 1;
    block.jacobian_a[k] = {-axis, -cross(ra, axis)};
    block.jacobian_b[k] = {axis, cross(rb, axis)};
    block.lower[k] = -std::numeric_limits<Real>::infinity();
    block.upper[k] = std::numeric_limits<Real>::infinity();
  }
  return block;
}

}  // namespace carom::test
