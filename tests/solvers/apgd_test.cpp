// Gradient steps in two precisions: what they end at is good in double, also where single precision fails.
#include "solvers/apgd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "solvers/solving.h"

namespace carom {
namespace {

/// The problem with all masses so many times as large: the same velocities, and impulses as much larger.
ContactProblem heavier(ContactProblem problem, Real factor) {
  for (ProblemBody& body : problem.bodies) {
    body.inverse_mass /= factor;
    body.inverse_inertia = (1 / factor) * body.inverse_inertia;
  }
  return problem;
}

/// The residual in double precision, from the impulses alone, in units of v_ref.
Real residual_of(const ConeSystem& system, std::span<const Vec3> impulses) {
  std::vector<Vec6> velocities;
  system.velocities_after(impulses, velocities);
  Real largest = 0;
  for (std::size_t i = 0; i < impulses.size(); ++i)
    largest = std::max(largest, convex_residual(system.contacts[i], impulses[i],
                                                ConeSystem::velocity(system.contacts[i], velocities)));
  return largest / system.reference_velocity;
}

/// Passes over a problem from a cold start.
struct Passes {
  explicit Passes(const ContactProblem& problem) {
    system.build(problem);
    lanes.build(system);
    impulses.resize(system.contacts.size());
    gradients.start(system, lanes, LaneLaw::Cone, impulses);
  }
  bool run(int passes, Real tolerance) { return gradients.run(passes, tolerance * system.reference_velocity); }
  /// Of the impulses they have come to, in double precision and in units of v_ref.
  Real residual() {
    gradients.give_impulses(impulses);
    return residual_of(system, impulses);
  }

  ConeSystem system;
  Lanes lanes;
  Apgd gradients;
  std::vector<Vec3> impulses;
};

/// The residual that passes over a stack of cubes end at, which is also what they say.
Real end_of_passes(Real mass_factor, Real tolerance, int passes) {
  Passes stack(heavier(test::cube_stack(20, 0.5), mass_factor));
  stack.run(passes, tolerance);
  const Real residual = stack.residual();
  EXPECT_NEAR(stack.gradients.residual() / stack.system.reference_velocity, residual, 1e-9 + 1e-3 * residual);
  return residual;
}

TEST(Apgd, EndsInDoublePrecisionAtAnyTolerance) {
  for (const Real tolerance : {1e-1, 2e-3, 1e-3, 5e-4, 1e-6, 1e-9})
    EXPECT_LE(end_of_passes(1, tolerance, 20000), tolerance * (1 + 1e-6));
}

TEST(Apgd, WhatItCallsSolvedIsSolvedHoweverShortItsRuns) {
  constexpr Real kTolerance = 1e-10;
  // A cube comes to rest at once, so that single precision sees no error at all.
  for (const ContactProblem& problem : {test::cube_on_floor({0, 0, -0.327}, 0.5), test::cube_stack(6, 0.5)})
    for (int chunk = 1; chunk <= 60; ++chunk) {
      Passes passes(problem);
      bool solved = false;
      while (!solved && passes.gradients.passes() < 20000) solved = passes.run(chunk, kTolerance);
      EXPECT_TRUE(solved) << chunk;
      EXPECT_LE(passes.residual(), 2 * kTolerance) << chunk;
    }
}

TEST(Apgd, MassesBeyondSinglePrecisionMakeNoDifference) {
  for (const Real factor : {1e-30, 1e-15, 1e15, 1e30}) EXPECT_LE(end_of_passes(factor, 1e-9, 20000), 1e-9) << factor;
}

}  // namespace
}  // namespace carom
