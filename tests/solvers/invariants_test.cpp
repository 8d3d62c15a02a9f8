// A thousand random problems: what must hold of every answer, whatever the method.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/solving.h"
#include "support/motion.h"
#include "support/slow_build.h"

namespace carom {
namespace {

using test::Motion;
using test::Random;

/// The nearest point of the cone |z_t| ≤ μ z_n, by walking down its edge: in the plane of z and the normal the cone is
/// a wedge, so the nearest point is z itself, or on the edge's ray.
Vec3 nearest_in_cone(const Vec3& z, const Vec3& n, Real mu) {
  const Real height = dot(z, n);
  const Vec3 side = z - height * n;
  if (norm(side) <= mu * height) return z;
  if (norm(side) <= 1e-14 * norm(z)) return std::max(height, 0.0) * n;  // on the axis: what is left is rounding
  const Vec3 edge = n + mu * normalized(side);
  return std::max(dot(z, edge) / dot(edge, edge), 0.0) * edge;
}

/// The residual of docs/theory.md from the impulses alone, in world axes, sharing no code with the library: the trace
/// of a contact's diagonal block comes from three unit pushes.
Real residual_from_scratch(const ContactProblem& problem, const ContactSolution& s) {
  const Motion before(problem), after(problem, s.impulses);
  Real reference = std::max(problem.gravity * problem.dt, 1e-9);
  for (const ContactPoint& c : problem.contacts) reference = std::max(reference, 1e-3 * norm(before.at(c)));
  Real largest = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    Real trace = 0;
    for (int k = 0; k < 3; ++k) {
      Vec3 unit;
      unit[k] = 1;
      Motion pushed = before;
      pushed.push(problem, c, unit);
      trace += (pushed.at(c) - before.at(c))[k];
    }
    const Real rho = 3 / trace;
    const Vec3 u = after.at(c);
    const Vec3 slip = u - dot(u, c.normal) * c.normal;
    const Vec3 shifted = u + c.mu * norm(slip) * c.normal;
    const Vec3 j = s.impulses[i];
    largest = std::max(largest, norm(j - nearest_in_cone(j - rho * shifted, c.normal, c.mu)) / (rho * reference));
  }
  return largest;
}

Real momentum_scale(const ContactProblem& problem, const ContactSolution& s) {
  Real scale = 0;
  for (const ProblemBody& body : problem.bodies)
    if (body.role == BodyRole::Dynamic) scale += norm(body.velocity) / body.inverse_mass;
  for (const Vec3& j : s.impulses) scale += norm(j);
  return scale;
}

/// How far the change of each body's momentum and spin is from the sum of its impulses and their moments; relative.
Real balance_error(const ContactProblem& problem, const ContactSolution& s) {
  std::vector<Vec3> p(problem.bodies.size()), l(problem.bodies.size());
  for (std::size_t i = 0; i < s.impulses.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    p[a] -= s.impulses[i], p[b] += s.impulses[i];
    l[a] -= cross(c.ra, s.impulses[i]), l[b] += cross(c.rb, s.impulses[i]);
  }
  Real largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (body.role != BodyRole::Dynamic) continue;
    const Vec3 spin = inverse(body.inverse_inertia) * (s.angular_velocities[i] - body.angular_velocity);
    largest =
        std::max({largest, norm((s.velocities[i] - body.velocity) / body.inverse_mass - p[i]), norm(spin - l[i])});
  }
  return largest / momentum_scale(problem, s);
}

/// How far outside its cone an impulse is; relative to the largest.
Real cone_error(const ContactProblem& problem, const ContactSolution& s) {
  Real outside = 0, size = 1e-300;
  for (std::size_t i = 0; i < s.impulses.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    outside = std::max(outside, norm(s.impulses[i] - nearest_in_cone(s.impulses[i], c.normal, c.mu)));
    size = std::max(size, norm(s.impulses[i]));
  }
  return outside / size;
}

struct Method {
  const char* solver;
  test::Settings settings;
  test::Words words;
  bool keeps_energy;  // where it has converged
};

/// Shock propagation does not promise to keep energy.
const Method kMethods[] = {
    {"sequential", {{"iterations", 300.0}}, {}, true},
    {"sequential", {{"iterations", 100.0}}, {{"order", "level"}}, true},
    {"sequential", {{"iterations", 100.0}}, {{"order", "velocity"}}, true},
    {"sequential", {{"iterations", 100.0}}, {{"order", "gravity"}}, true},
    {"iterative", {{"iterations", 300.0}}, {}, true},
    {"pairwise", {{"sweeps", 50.0}}, {}, true},
    {"pq", {{"bounces", 500.0}}, {{"law", "poisson"}}, true},
    {"pq", {{"bounces", 500.0}}, {{"law", "stronge"}}, true},
    {"pq", {{"bounces", 500.0}}, {{"law", "newton"}}, true},
    {"shock", {{"iterations", 10.0}}, {}, false},
    {"lcp", {}, {{"method", "lemke"}}, true},
    {"lcp", {{"iterations", 300.0}}, {{"method", "pgs"}}, true},
};

/// 2 to 60 contacts, masses to 1 : 10 000, redundant points, coefficients from 0 to 2.
ContactProblem next_problem(Random& random) {
  ContactProblem problem = test::random_problem(random, random.integer(2, 60), random.scale(1, 1e4));
  for (ContactPoint& c : problem.contacts) c.mu_static = c.mu = 2 * c.mu;
  return problem;
}

class Invariants : public testing::TestWithParam<std::size_t> {};

TEST_P(Invariants, HoldOnAThousandRandomProblems) {
  const Method& method = kMethods[GetParam()];
  const auto solver = test::make_solver(method.solver, method.settings, method.words);
  const bool promises_balance = find_solver(method.solver)->balanced;
  constexpr int kCount = CAROM_SLOW_BUILD ? 100 : 1000;
  Random random(4);
  int converged = 0, rises = 0;
  ContactSolution s;
  for (int i = 0; i < kCount; ++i) {
    const ContactProblem problem = next_problem(random);
    ASSERT_EQ(check(problem), "");
    solver->solve(problem, {}, s);
    const ContactErrors errors = measure(problem, s);
    // Sums of up to some hundred terms; many bounces round more often.
    const bool balanced = promises_balance || s.report.momentum_error == 0;
    EXPECT_LE(balanced ? balance_error(problem, s) : 0, 1e-13) << i;
    EXPECT_LE(cone_error(problem, s), 1e-9) << i;  // impact laws are good to 1e-10
    EXPECT_NEAR(errors.residual_coulomb, residual_from_scratch(problem, s), 1e-9 * (1 + errors.residual_coulomb)) << i;
    if (!s.report.converged) continue;
    ++converged;
    // An error of velocity of some tolerances does work on the impulses.
    const bool rose = errors.kinetic_energy_after > errors.kinetic_energy_before * (1 + 1e-6);
    rises += rose ? 1 : 0;
    EXPECT_FALSE(rose && method.keeps_energy) << i;
  }
  RecordProperty("converged", converged);
  RecordProperty("energy_rises", rises);
  std::printf("%s: %d of %d converged, energy rose in %d of them\n", method.solver, converged, kCount, rises);
}

INSTANTIATE_TEST_SUITE_P(Methods, Invariants, testing::Range(std::size_t{0}, std::size(kMethods)), [](const auto& p) {
  const Method& method = kMethods[p.param];
  return std::string(method.solver) + (method.words.size() > 0 ? std::string("_") + method.words.begin()->value : "");
});

}  // namespace
}  // namespace carom
