// The measures of error on problems solved by hand.
#include "carom/contact/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carom/base/error.h"
#include "support/problems.h"

namespace carom {
namespace {

using test::kGravity;
using test::kStep;

// Impulses are of size 0.04 to 0.2, velocities in units of v_ref = 0.16: a few roundings.
constexpr Real kRoundOff = 1e-13;
constexpr Real kWeight = kGravity * kStep;  // N s, of a mass of 1 in a step

ContactSolution answer(std::vector<Vec3> impulses) {
  ContactSolution solution;
  solution.impulses = std::move(impulses);
  return solution;
}

/// Four corners, x outer: what the front (x = 1/2) carries more than the back is friction's tilting moment.
ContactSolution sliding_cube(Real mu) {
  const Real back = kWeight / 4 * (1 - mu), front = kWeight / 4 * (1 + mu);
  return answer({{-mu * back, 0, back}, {-mu * back, 0, back}, {-mu * front, 0, front}, {-mu * front, 0, front}});
}

TEST(Measures, CubeAtRestOnQuartersOfItsWeightIsExact) {
  const ContactProblem problem = test::cube_on_floor({0, 0, -kWeight}, 0.5);
  const ContactErrors errors = measure(problem, answer(std::vector<Vec3>(4, {0, 0, kWeight / 4})));
  EXPECT_LE(errors.residual_coulomb, kRoundOff);
  EXPECT_LE(errors.rms_coulomb, kRoundOff);
  EXPECT_LE(errors.max_penetrating_velocity, kRoundOff);
  EXPECT_EQ(errors.max_cone_violation, 0);
  EXPECT_NEAR(errors.reference_velocity, kWeight, kRoundOff);
  EXPECT_NEAR(errors.kinetic_energy_before, 0.5 * kWeight * kWeight, kRoundOff);
  EXPECT_NEAR(errors.kinetic_energy_after, 0, kRoundOff);
  EXPECT_LE(norm(errors.momentum_change), kRoundOff);
}

TEST(Measures, SlidingCubeWithItsTiltedWeightIsExact) {
  for (const Real mu : {0.0, 0.3, 0.9}) {
    const ContactProblem problem = test::cube_on_floor({2, 0, -kWeight}, mu);
    const ContactErrors errors = measure(problem, sliding_cube(mu));
    EXPECT_LE(errors.residual_coulomb, kRoundOff) << mu;
    EXPECT_LE(errors.max_cone_violation, kRoundOff) << mu;
    EXPECT_LE(norm(errors.momentum_change), kRoundOff) << mu;
    // It loses what friction takes: from 2 to 2 − mu g dt.
    const Real after = 2 - mu * kWeight;
    EXPECT_NEAR(errors.kinetic_energy_after, 0.5 * after * after, kRoundOff) << mu;
  }
}

TEST(Measures, ErrorGrowsInProportionToAPerturbation) {
  const ContactProblem problem = test::cube_on_floor({2, 0, -kWeight}, 0.3);
  for (int component = 0; component < 3; ++component) {
    for (const Real sign : {-1.0, 1.0}) {
      const auto residual = [&](Real size) {
        ContactSolution solution = sliding_cube(0.3);
        solution.impulses[1][component] += sign * size;
        return measure(problem, solution).residual_coulomb;
      };
      const Real small = residual(1e-7), large = residual(1e-5);
      // At least what one mass in four corners makes of the impulse, in units of v_ref, up to the cone's slope.
      EXPECT_GT(small, 0.1 * 1e-7 / kWeight) << component << sign;
      EXPECT_NEAR(large / small, 100, 1) << component << sign;
    }
  }
}

TEST(Measures, ApproachLeftAloneCountsItsSpeed) {
  const ContactProblem problem = test::ball_on_floor({0, 0, -3}, 0.5);
  const ContactErrors errors = measure(problem, answer({{}}));
  EXPECT_NEAR(errors.residual_coulomb, 3 / kWeight, 1e-12);
  EXPECT_EQ(errors.max_penetrating_velocity, 3);
}

TEST(Measures, SeparatingContactMustNotPull) {
  const ContactProblem problem = test::ball_on_floor({0, 0, 1}, 0.5);
  EXPECT_EQ(measure(problem, answer({{}})).residual_coulomb, 0);
  EXPECT_GT(measure(problem, answer({{0, 0, -0.5}})).residual_coulomb, 0.1);
  EXPECT_NEAR(measure(problem, answer({{0, 0, -0.5}})).max_cone_violation, 0.5, kRoundOff);
  // Nor push: it would leave faster than the law lets it.
  const ContactErrors pushed = measure(problem, answer({{0, 0, 0.5}}));
  EXPECT_GT(pushed.residual_coulomb, 0.1);
  EXPECT_NEAR(pushed.max_complementarity, 0.5 * 1.5, kRoundOff);
}

TEST(Measures, GapAllowsItsTarget) {
  ContactProblem problem = test::ball_on_floor({0, 0, -3}, 0.5);
  problem.contacts[0].target = -3;
  EXPECT_EQ(measure(problem, answer({{}})).residual_coulomb, 0);
  problem.contacts[0].target = -2;
  EXPECT_LE(measure(problem, answer({{0, 0, 1}})).residual_coulomb, kRoundOff);
}

TEST(Measures, FrictionAgainstTheWrongDirectionIsAnError) {
  const ContactProblem problem = test::cube_on_floor({2, 0, -kWeight}, 0.3);
  ContactSolution forward = sliding_cube(0.3);
  for (Vec3& j : forward.impulses) j.x = -j.x;
  EXPECT_GT(measure(problem, forward).residual_coulomb, 0.1);
}

TEST(Measures, ConvexModelThatLiftsASliderIsFarFromCoulomb) {
  // A point mass at 6 m/s, mu = 0.5. Minimal kinetic energy over the cone lifts it; Coulomb's law does not.
  ContactProblem problem = test::ball_on_floor({6, 0, 0}, 0.5);
  problem.contacts[0].rb = {};
  problem.contacts[0].tangent = {1, 0, 0};
  const Real normal = 0.5 * 6 / (1 + 0.25);
  const ContactErrors errors = measure(problem, answer({{-0.5 * normal, 0, normal}}));
  EXPECT_GT(errors.residual_coulomb, 1);
  EXPECT_EQ(measure(problem, answer({{}})).residual_coulomb, 0);
}

TEST(Measures, StaticFrictionHoldsOnlyWhatSticks) {
  // A sideways push of 0.6 of the weight, between dynamic 0.5 and static 0.8.
  ContactProblem problem = test::ball_on_floor({0.6 * kWeight, 0, -kWeight}, 0.5);
  problem.contacts[0].rb = {};
  problem.contacts[0].mu_static = 0.8;
  EXPECT_LE(measure(problem, answer({{-0.6 * kWeight, 0, kWeight}})).residual_coulomb, kRoundOff);
  problem.contacts[0].mu_static = 0.55;
  EXPECT_GT(measure(problem, answer({{-0.6 * kWeight, 0, kWeight}})).residual_coulomb, 0.01);
  // What slides is braked by the dynamic coefficient.
  problem.contacts[0].mu_static = 0.8;
  problem.bodies[1].velocity.x = 2;
  EXPECT_LE(measure(problem, answer({{-0.5 * kWeight, 0, kWeight}})).residual_coulomb, kRoundOff);
  EXPECT_GT(measure(problem, answer({{-0.8 * kWeight, 0, kWeight}})).residual_coulomb, 0.1);
}

TEST(Measures, ImpulseThatIsNotANumberNeverPasses) {
  const ContactProblem problem = test::cube_on_floor({0, 0, -kWeight}, 0.5);
  for (std::size_t i = 0; i < 4; ++i) {
    ContactSolution solution = answer(std::vector<Vec3>(4, {0, 0, kWeight / 4}));
    solution.impulses[i].z = std::numeric_limits<Real>::quiet_NaN();
    const ContactErrors errors = measure(problem, solution);
    EXPECT_FALSE(errors.residual_coulomb <= 1e300) << i;
    EXPECT_FALSE(errors.rms_coulomb <= 1e300) << i;
  }
}

TEST(Measures, ReferenceVelocityIsTheLargestOfItsThree) {
  ContactProblem problem = test::ball_on_floor({0, 0, -1}, 0.5);
  EXPECT_NEAR(reference_velocity(problem), kWeight, kRoundOff);
  problem.bodies[1].velocity = {3000, 0, -4000};
  EXPECT_NEAR(reference_velocity(problem), 5, 1e-12);
  problem.gravity = 0;
  problem.bodies[1].velocity = {};
  EXPECT_EQ(reference_velocity(problem), 1e-9);
}

TEST(Measures, RmsIsOverAllContacts) {
  // Two balls, one wrong by 3 m/s, one right: the root mean square is 3/√2.
  ContactProblem problem = test::ball_on_floor({0, 0, -3}, 0);
  problem.bodies.push_back(problem.bodies[1]);
  problem.bodies[2].velocity = {0, 0, 1};
  problem.contacts.push_back(problem.contacts[0]);
  problem.contacts[1].b = 2;
  const ContactErrors errors = measure(problem, answer({{}, {}}));
  EXPECT_NEAR(errors.residual_coulomb, 3 / kWeight, 1e-12);
  EXPECT_NEAR(errors.rms_coulomb, 3 / kWeight / std::sqrt(2.0), 1e-12);
}

TEST(Measures, MomentumBalancesForAnyImpulses) {
  test::Random random(1);
  for (int round = 0; round < 100; ++round) {
    const ContactProblem problem = test::random_problem(random, random.integer(1, 30), 1000);
    ContactSolution solution;
    Real size = 0;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      solution.impulses.push_back(random.vector(1));
      size += norm(solution.impulses.back());
    }
    Real momentum = 0;
    for (const ProblemBody& body : problem.bodies)
      if (body.role == BodyRole::Dynamic) momentum += norm(body.velocity) / body.inverse_mass;
    EXPECT_LE(norm(measure(problem, solution).momentum_change), 1e-15 * (10 * size + momentum));
  }
}

TEST(Measures, NeedAnImpulseForEveryContact) {
  EXPECT_THROW(measure(test::cube_on_floor({}, 0.5), answer({{}})), Error);
}

TEST(Measures, ContactBetweenBodiesThatDoNotMoveIsNotJudged) {
  ContactProblem problem = test::ball_on_floor({0, 0, -3}, 0.5);
  problem.bodies[1].role = BodyRole::Kinematic;
  EXPECT_EQ(measure(problem, answer({{}})).residual_coulomb, 0);
}

}  // namespace
}  // namespace carom
