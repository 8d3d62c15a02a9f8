// Solvers by name, with options, for the tests.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "carom/contact/measures.h"
#include "carom/solvers/solver.h"
#include "support/problems.h"

namespace carom::test {

using Settings = std::initializer_list<std::pair<const char*, double>>;

/// Options whose values are words.
struct Word {
  const char* key;
  const char* value;
};
using Words = std::initializer_list<Word>;

inline std::unique_ptr<Solver> make_solver(const char* name, Settings settings = {}, Words words = {}) {
  const SolverInfo* info = find_solver(name);
  if (info == nullptr) throw std::runtime_error(std::string("no solver named ") + name);
  Options options(info->options);
  for (const auto& [key, value] : settings) EXPECT_EQ(options.set(key, value), "");
  for (const auto& [key, value] : words) EXPECT_EQ(options.set_text(key, value), "");
  return info->make(options);
}

inline ContactSolution solve(const ContactProblem& problem, const char* name, Settings settings = {},
                             const SolveContext& context = {}, Words words = {}) {
  EXPECT_EQ(check(problem), "");
  ContactSolution solution;
  make_solver(name, settings, words)->solve(problem, context, solution);
  return solution;
}

/// The relative velocity at a contact after the solution.
inline Vec3 velocity_at(const ContactProblem& problem, const ContactSolution& solution, std::size_t contact) {
  const ContactPoint& c = problem.contacts[contact];
  const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
  return solution.velocities[b] + cross(solution.angular_velocities[b], c.rb) - solution.velocities[a] -
         cross(solution.angular_velocities[a], c.ra);
}

/// Largest difference of any velocity, rad/s and m/s alike.
inline Real velocity_difference(const ContactSolution& a, const ContactSolution& b) {
  Real worst = 0;
  for (std::size_t i = 0; i < a.velocities.size(); ++i) {
    worst = std::max(
        {worst, norm(a.velocities[i] - b.velocities[i]), norm(a.angular_velocities[i] - b.angular_velocities[i])});
  }
  return worst;
}

inline bool same_bits(const ContactSolution& a, const ContactSolution& b) {
  return a.impulses == b.impulses && a.row_impulses == b.row_impulses && a.velocities == b.velocities &&
         a.angular_velocities == b.angular_velocities && a.report.iterations == b.report.iterations;
}

/// Balls of mass 1 in a row, touching; the first `moving` of them come in at 1 m/s.
inline ContactProblem cradle(int balls, int moving, Real e) {
  ContactProblem problem;
  for (int i = 0; i < balls; ++i) {
    problem.bodies.push_back(dynamic_body(1, Mat3::diagonal({0.1, 0.1, 0.1})));
    if (i < moving) problem.bodies.back().velocity = {1, 0, 0};
    if (i == 0) continue;
    problem.contacts.push_back(contact(i - 1, i, {1, 0, 0}, {0.5, 0, 0}, {-0.5, 0, 0}, 0));
    problem.contacts.back().restitution = e;
  }
  return problem;
}

/// A ball that comes in at `speed` against a row of frozen ones.
inline ContactProblem frozen_row(int count, Real speed, Real e) {
  ContactProblem problem = cradle(count + 1, 1, e);
  problem.bodies[0].velocity.x = speed;
  for (std::size_t i = 1; i < problem.bodies.size(); ++i) problem.bodies[i].role = BodyRole::Frozen;
  problem.gravity = kGravity;
  problem.dt = 1.0 / 30;
  return problem;
}

/// `count` cubes of mass 1 on a floor, each having fallen for one step. The answer is rest.
inline ContactProblem cube_stack(int count, Real mu) {
  ContactProblem problem;
  problem.bodies.push_back(fixed_body());
  for (int i = 1; i <= count; ++i) {
    problem.bodies.push_back(cube_body(1));
    problem.bodies.back().velocity = {0, 0, -kGravity * kStep};
    for (const Real x : {-0.5, 0.5})
      for (const Real y : {-0.5, 0.5})
        problem.contacts.push_back(contact(i - 1, i, {0, 0, 1}, {x, y, i == 1 ? 0 : 0.5}, {x, y, -0.5}, mu));
  }
  problem.dt = kStep;
  problem.gravity = kGravity;
  return problem;
}

}  // namespace carom::test
