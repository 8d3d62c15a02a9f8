// Small contact problems of the kinds that are hard for Coulomb's law: large mass ratios, large friction coefficients,
// redundant contacts, impacts, heavy on light.
#pragma once

#include <algorithm>
#include <array>

#include "support/problems.h"

namespace carom::test {

enum class Harsh {
  Web,
  HighFriction,
  Frictionless,
  Eightfold,
  Impact,
  HeavyOnLight,
  Wall,
  MixedFriction,
  LargeWeb,
  Gaps
};
inline constexpr std::array kHarshKinds{Harsh::Web,      Harsh::HighFriction, Harsh::Frictionless, Harsh::Eightfold,
                                        Harsh::Impact,   Harsh::HeavyOnLight, Harsh::Wall,         Harsh::MixedFriction,
                                        Harsh::LargeWeb, Harsh::Gaps};

inline const char* harsh_name(Harsh kind) {
  constexpr std::array kNames{"random web, masses 1 : 1e6",
                              "mu = 10, masses 1 : 1e3",
                              "mu = 0, masses 1 : 1e6",
                              "every contact eightfold, masses 1 : 1e6",
                              "impacts at 100 m/s",
                              "stacks, up to 1e6 kg on 1 kg",
                              "walls of cubes, masses 1 : 1e3",
                              "mu from 1e-3 to 10, masses 1 : 1e6",
                              "60 to 100 contacts, masses 1 : 1e6",
                              "open gaps, masses 1 : 1e4"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline void set_friction(ContactProblem& problem, Real mu) {
  for (ContactPoint& c : problem.contacts) c.mu = c.mu_static = mu;
}

/// Every contact `fold` times, at most `most` in all.
inline ContactProblem repeated_contacts(ContactProblem problem, int fold, std::size_t most) {
  const std::vector<ContactPoint> once = problem.contacts;
  problem.contacts.clear();
  problem.contacts.reserve(most);
  for (const ContactPoint& c : once)
    for (int k = 0; k < fold && problem.contacts.size() < most; ++k) problem.contacts.push_back(c);
  return problem;
}

/// Four corners of a face of unit cubes.
inline void add_face(ContactProblem& problem, int a, int b, const Vec3& normal, Real mu) {
  const Vec3 t = default_tangent(normal), s = cross(normal, t);
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.5, 0.5}) {
      const Vec3 corner = x * t + y * s;
      problem.contacts.push_back(contact(a, b, normal, corner + 0.5 * normal, corner - 0.5 * normal, mu));
    }
}

inline ProblemBody falling_cube(Random& random, Real mass, Real stir) {
  ProblemBody body = cube_body(mass);
  body.velocity = random.vector(stir) - Vec3{0, 0, kGravity * kStep};
  body.angular_velocity = random.vector(stir);
  return body;
}

/// A stack of cubes, each heavier than the one below by the same factor.
inline ContactProblem heavy_on_light(Random& random, int levels, Real mass_ratio, Real mu) {
  ContactProblem problem;
  problem.bodies.push_back(fixed_body());
  for (int i = 0; i < levels; ++i) {
    const Real mass = levels > 1 ? std::pow(mass_ratio, static_cast<Real>(i) / (levels - 1)) : 1;
    problem.bodies.push_back(falling_cube(random, mass, 0.1));
    add_face(problem, i, i + 1, {0, 0, 1}, mu);
  }
  problem.dt = kStep;
  problem.gravity = kGravity;
  return problem;
}

/// Cubes above and beside each other between two fixed sides, some of which are missing.
inline ContactProblem wall_of_cubes(Random& random, int width, int height) {
  ContactProblem problem;
  problem.bodies.push_back(fixed_body());
  const Real mu = random.uniform(0, 1.5);
  for (int z = 0; z < height; ++z)
    for (int x = 0; x < width; ++x) problem.bodies.push_back(falling_cube(random, random.scale(1, 1e3), 0.05));
  const auto cube = [&](int x, int z) { return 1 + z * width + x; };
  for (int z = 0; z < height; ++z)
    for (int x = 0; x < width; ++x) {
      add_face(problem, z == 0 ? 0 : cube(x, z - 1), cube(x, z), {0, 0, 1}, mu);
      if (x > 0 || random.coin()) add_face(problem, x == 0 ? 0 : cube(x - 1, z), cube(x, z), {1, 0, 0}, mu);
      if (x == width - 1 && random.coin()) add_face(problem, cube(x, z), 0, {1, 0, 0}, mu);
    }
  problem.dt = kStep;
  problem.gravity = kGravity;
  return problem;
}

inline ContactProblem harsh_problem(Harsh kind, Random& random) {
  const auto web = [&](int least, int most, Real ratio) {
    return random_problem(random, random.integer(least, most), ratio);
  };
  ContactProblem problem;
  switch (kind) {
    case Harsh::Web:
      return web(2, 40, 1e6);
    case Harsh::HighFriction:
      problem = web(2, 40, 1e3);
      set_friction(problem, 10);
      return problem;
    case Harsh::Frictionless:
      problem = web(2, 40, 1e6);
      set_friction(problem, 0);
      return problem;
    case Harsh::Eightfold:
      return repeated_contacts(web(1, 10, 1e6), 8, 80);
    case Harsh::Impact:
      problem = web(2, 40, 1e2);
      for (ProblemBody& body : problem.bodies) body.velocity *= 100, body.angular_velocity *= 100;
      return problem;
    case Harsh::HeavyOnLight:
      return heavy_on_light(random, random.integer(1, 12), random.scale(1, 1e6),
                            random.integer(0, 3) == 0 ? 10 : random.uniform(0, 1));
    case Harsh::Wall:
      return wall_of_cubes(random, random.integer(1, 4), random.integer(1, 3));
    case Harsh::MixedFriction:
      problem = web(2, 25, 1e6);
      for (ContactPoint& c : problem.contacts) c.mu = c.mu_static = random.scale(1e-3, 10);
      return problem;
    case Harsh::LargeWeb:
      return web(60, 100, 1e6);
    case Harsh::Gaps:
      problem = web(2, 40, 1e4);
      for (ContactPoint& c : problem.contacts) c.target = -random.uniform(0, 1);
      return problem;
  }
  return problem;
}

}  // namespace carom::test
