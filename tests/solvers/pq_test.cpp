// Collisions by priority queue: rows of balls whose outcome is known, cuts, frozen bodies, and the queue itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/contact/impact.h"
#include "solvers/approach_queue.h"
#include "solvers/solving.h"
#include "support/harsh_problems.h"

namespace carom {
namespace {

using test::cradle;
using test::solve;

constexpr test::Settings kEnough{{"bounces", 100000.0}};

std::vector<Real> along_row(const ContactSolution& s) {
  std::vector<Real> speeds;
  speeds.reserve(s.velocities.size());
  for (const Vec3& v : s.velocities) speeds.push_back(v.x);
  return speeds;
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Pq, AsManyBallsLeaveARowAsCameIn) {
  for (int balls = 2; balls <= 10; ++balls) {
    for (int moving = 1; moving < balls; ++moving) {
      const ContactSolution s = solve(cradle(balls, moving, 1), "pq", kEnough);
      std::vector<Real> expected(static_cast<std::size_t>(balls), 0);
      std::fill(expected.end() - moving, expected.end(), 1);
      EXPECT_LE(largest_difference(along_row(s), expected), 1e-12) << moving << " of " << balls;
      EXPECT_EQ(s.report.iterations, moving * (balls - moving)) << moving << " of " << balls;
      EXPECT_TRUE(s.report.converged);
    }
  }
}

TEST(Pq, CutLeavesTheRestOfTheApproach) {
  // Two of five need six bounces; after four the two that move are in the middle.
  const ContactSolution s = solve(cradle(5, 2, 1), "pq", {{"bounces", 4.0}});
  EXPECT_LE(largest_difference(along_row(s), {0, 0, 1, 1, 0}), 1e-12);
  EXPECT_EQ(s.report.iterations, 4);
  EXPECT_FALSE(s.report.converged);
  EXPECT_NEAR(s.report.approach_left, 1, 1e-12);
}

TEST(Pq, CustomaryCutIsTheNumberOfBodiesOrATenthOfTheContacts) {
  EXPECT_EQ(solve(cradle(10, 5, 1), "pq").report.iterations, 10);  // would need 25
  EXPECT_EQ(solve(cradle(101, 50, 1), "pq").report.iterations, 10);
}

/// A rod of 1 m and 1 kg that falls on its end, leaning, and slides; `points` of its end touch, 0.1 m apart.
ContactProblem leaning_rod(int points) {
  constexpr Real kMoment = 1.0 / 12;
  ContactProblem problem;
  problem.bodies.resize(2);
  problem.bodies[0].role = BodyRole::Fixed;
  problem.bodies[1].inverse_mass = 1;
  problem.bodies[1].inverse_inertia = (1 / kMoment) * Mat3::identity();
  problem.bodies[1].velocity = {2, 0, -3};
  for (int i = 0; i < points; ++i) {
    ContactPoint c;
    c.a = 0;
    c.b = 1;
    c.normal = {0, 0, 1};
    c.tangent = {1, 0, 0};
    c.rb = {-0.311, points == 1 ? 0 : 0.1 * i - 0.05, -0.392};
    c.mu = c.mu_static = 0.5;
    c.restitution = 0.9;
    problem.contacts.push_back(c);
  }
  return problem;
}

TEST(Pq, LimitedBouncesOfALeaningRodAddNoEnergy) {
  for (const int points : {1, 2}) {
    const ContactProblem problem = leaning_rod(points);
    const ContactSolution newton = solve(problem, "pq", {}, {}, {{"whole", "true"}});
    const ContactSolution limited = solve(problem, "pq", {}, {}, {{"whole", "true"}, {"limit", "true"}});
    const Real before = measure(problem, newton).kinetic_energy_before;
    ASSERT_GT(measure(problem, newton).kinetic_energy_after, 1.05 * before) << "the rod shows nothing";
    EXPECT_NEAR(measure(problem, limited).kinetic_energy_after, before, 1e-9 * before) << points;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const Vec3& j = limited.impulses[i];
      EXPECT_LE(std::hypot(j.x, j.y), 0.5 * j.z + 1e-12) << points;
      EXPECT_GE(test::velocity_at(problem, limited, i).z, -1e-9) << points;
    }
  }
}

TEST(Pq, LimitChangesNoBounceThatAddsNothing) {
  for (const char* law : {"newton", "poisson", "stronge"}) {
    ContactProblem problem = leaning_rod(1);
    problem.contacts[0].rb = {0, 0, -0.5};  // upright
    const ContactSolution plain = solve(problem, "pq", {}, {}, {{"law", law}});
    const ContactSolution limited = solve(problem, "pq", {}, {}, {{"law", law}, {"limit", "true"}});
    const ContactErrors errors = measure(problem, plain);
    ASSERT_LT(errors.kinetic_energy_after, errors.kinetic_energy_before) << law;
    EXPECT_TRUE(test::same_bits(plain, limited)) << law;
  }
}

TEST(Pq, CubeThatLandsFlatLeavesFlatIfItsCornersBounceTogether) {
  ContactProblem problem = test::cube_on_floor({0, 0, -2}, 0.5);
  for (ContactPoint& c : problem.contacts) c.restitution = 0.5;
  const auto cube = static_cast<std::size_t>(problem.contacts[0].b);
  const ContactSolution whole = solve(problem, "pq", {}, {}, {{"whole", "true"}});
  EXPECT_LE(norm(whole.velocities[cube] - Vec3{0, 0, 1}), 1e-8);  // pairs are solved to 1e-9 of the approach
  EXPECT_LE(norm(whole.angular_velocities[cube]), 1e-8);
  EXPECT_EQ(whole.report.iterations, 1);
  EXPECT_TRUE(whole.report.converged);
  // As published a corner bounces alone, and the cube turns.
  EXPECT_GE(norm(solve(problem, "pq", {{"bounces", 1.0}}).angular_velocities[cube]), 1);
}

/// A block 1 wide and 2 high rocks about its edge x = 1/2 and lands on the other.
ContactProblem block_lands_on_edge(Real depth) {
  ContactProblem problem;
  const Vec3 size{1, depth, 2}, square{1, depth * depth, 4};
  const Vec3 moments{square.y + square.z, square.x + square.z, square.x + square.y};
  problem.bodies = {test::fixed_body(), test::dynamic_body(12, Mat3::diagonal(moments))};
  problem.bodies[1].angular_velocity = {0, -1, 0};
  problem.bodies[1].velocity = {-0.5 * size.z, 0, -0.5 * size.x};
  for (const Real x : {-0.5, 0.5})
    for (const Real y : {-0.5, 0.5}) {
      const Vec3 corner{x * size.x, y * size.y, -0.5 * size.z};
      problem.contacts.push_back(test::contact(0, 1, {0, 0, 1}, corner, corner, 2));
    }
  problem.dt = test::kStep;
  problem.gravity = test::kGravity;
  return problem;
}

TEST(Pq, BlockThatLandsOnAShortEdgeDoesNotTwist) {
  for (const Real depth : {1.0, 0.3, 0.15, 0.05}) {
    const ContactSolution s = solve(block_lands_on_edge(depth), "pq", {}, {}, {{"whole", "true"}});
    // G. W. Housner, 1963: what is left of the turning. Pairs are solved to 1e-9 of the approach.
    EXPECT_LE(norm(s.angular_velocities[1] - Vec3{0, -(1 - 1.5 / 5), 0}), 1e-8) << depth;
  }
}

TEST(Pq, WholePairsReviveWhatTheyStrike) {
  // A cube falls flat on a frozen one.
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::cube_body(1), test::cube_body(1)};
  problem.bodies[1].role = BodyRole::Frozen;
  problem.bodies[2].velocity = {0, 0, -3};
  test::add_face(problem, 1, 2, {0, 0, 1}, 0.5);
  problem.dt = test::kStep;
  problem.gravity = test::kGravity;
  const ContactSolution s = solve(problem, "pq", {}, {}, {{"whole", "true"}});
  EXPECT_EQ(s.revived, std::vector<std::int32_t>{1});
  EXPECT_LE(norm(s.angular_velocities[1]) + norm(s.angular_velocities[2]), 1e-8);
}

/// The row again, with all contacts looked at before every bounce.
std::vector<Real> bounce_in_turn(const ContactProblem& problem) {
  std::vector<Real> v;
  v.reserve(problem.bodies.size());
  for (const ProblemBody& body : problem.bodies) v.push_back(body.velocity.x);
  for (;;) {
    std::size_t fastest = 0;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      if (v[i] - v[i + 1] > v[fastest] - v[fastest + 1]) fastest = i;
    const Real approach = v[fastest] - v[fastest + 1];
    if (approach < 1e-14) return v;
    const Real a = problem.bodies[fastest].inverse_mass, b = problem.bodies[fastest + 1].inverse_mass;
    const Real impulse = (1 + problem.contacts[fastest].restitution) * approach / (a + b);
    v[fastest] -= a * impulse;
    v[fastest + 1] += b * impulse;
  }
}

TEST(Pq, LossyRowsOfUnequalBallsGoAsByLookingAtAllContacts) {
  test::Random random(3);
  for (int round = 0; round < 200; ++round) {
    ContactProblem problem = cradle(random.integer(2, 8), 1, 0);
    for (ProblemBody& body : problem.bodies) {
      body.inverse_mass = random.scale(0.2, 5);
      body.velocity.x = random.uniform(-1, 1);
    }
    for (ContactPoint& c : problem.contacts) c.restitution = random.uniform(0.5, 1);
    const ContactSolution s = solve(problem, "pq", kEnough);
    EXPECT_TRUE(s.report.converged) << round;
    // Ends differ by what counts as rounding; each bounce rounds once.
    EXPECT_LE(largest_difference(along_row(s), bounce_in_turn(problem)), 1e-11) << round;
  }
}

TEST(Pq, FiveBallsWithLossesEndAtTheKnownVelocities) {
  // From an enumeration of the ten bounces.
  const ContactSolution s = solve(cradle(5, 1, 0.9), "pq", kEnough);
  EXPECT_LE(largest_difference(along_row(s), {0.043525082031250016, 0.04537296484375007, 0.047296640625,
                                              0.04929906250000004, 0.8145062499999999}),
            1e-12);
  EXPECT_EQ(s.report.iterations, 10);
}

TEST(Pq, EveryLawBouncesABallToItsRestitution) {
  // A ball without slip: all laws say the same.
  ContactProblem problem = test::ball_on_floor({0, 0, -2}, 0.3);
  problem.contacts[0].restitution = 0.5;
  for (const char* law : {"newton", "newton_eq5", "newton_eq6", "poisson", "stronge"}) {
    const ContactSolution s = solve(problem, "pq", {}, {}, {{"law", law}});
    EXPECT_LE(norm(s.velocities[1] - Vec3{0, 0, 1}), 1e-12) << law;
    EXPECT_EQ(s.report.iterations, 1) << law;
  }
}

TEST(Pq, ContactsUpToTheRestingSpeedDoNotBounce) {
  ContactProblem problem = test::ball_on_floor({0, 0, -0.25}, 0);
  problem.contacts[0].restitution = 1;
  SolveContext context;
  context.resting_speed = 0.25;
  const ContactSolution resting = solve(problem, "pq", {}, context);
  EXPECT_EQ(resting.velocities[1].z, -0.25);
  EXPECT_EQ(resting.report.iterations, 0);
  EXPECT_TRUE(resting.report.converged);
  context.resting_speed = 0.2499;
  EXPECT_NEAR(solve(problem, "pq", {}, context).velocities[1].z, 0.25, 1e-15);
}

TEST(Pq, FrozenBallsAreRevivedAsFarAsTheHitIsFasterThanAStepOfFreeFall) {
  // Each hit passes on (1 + e) / 2 of the speed; g dt = 0.327 m/s. The eighth gets 0.300 m/s.
  SolveContext context;
  context.resting_speed = std::sqrt(2 * test::kGravity * 1e-4);
  const ContactSolution s = solve(test::frozen_row(12, 3, 0.5), "pq", {{"bounces", 1000.0}}, context);
  EXPECT_EQ(s.revived, (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(solve(test::frozen_row(2, 1, 1), "pq", {{"bounces", 1000.0}}).revived, (std::vector<std::int32_t>{1, 2}));
}

TEST(Pq, ContactsAmongFrozenBodiesWaitForARevival) {
  // Too slow a hit: the first gets its momentum and stays frozen, the second is not touched.
  const ContactSolution s = solve(test::frozen_row(2, 0.1, 1), "pq", kEnough);
  EXPECT_TRUE(s.revived.empty());
  EXPECT_LE(largest_difference(along_row(s), {0, 0.1, 0}), 1e-15);
}

TEST(Pq, JammedContactsAreLeftAlone) {
  // Eq. 6 with so much friction that it only presses more: a rod that leans forward.
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::dynamic_body(1, Mat3::diagonal({1.0 / 12, 1.0 / 12, 1.0 / 12}))};
  problem.bodies[1].velocity = {1, 0, -0.1};
  problem.contacts = {test::contact(0, 1, {0, 0, 1}, {}, {0.25, 0, -0.43}, 3)};
  const auto law_applies = [&](ImpactLaw law) {
    const std::vector<Vec3> v{{}, problem.bodies[1].velocity}, w(2);
    return resolve_impact(law, point_impact(problem, 0, v, w)).applies;
  };
  ASSERT_FALSE(law_applies(ImpactLaw::NewtonEq6));
  const ContactSolution s = solve(problem, "pq", {}, {}, {{"law", "newton_eq6"}});
  EXPECT_EQ(s.velocities[1], problem.bodies[1].velocity);
  EXPECT_NEAR(s.report.approach_left, 0.1, 1e-15);
  EXPECT_FALSE(s.report.converged);
  EXPECT_TRUE(solve(problem, "pq").report.converged);
}

TEST(Pq, WithOneContactAndItsOwnProgramIsTheQuadraticProgram) {
  test::Random random(31);
  for (int i = 0; i < 50; ++i) {
    ContactProblem problem = test::ball_on_floor(random.vector(3), random.uniform(0, 1));
    problem.bodies[1].velocity.z = -random.uniform(0.1, 2);
    problem.bodies[1].angular_velocity = random.vector(5);
    problem.contacts[0].restitution = random.uniform(0, 1);
    const ContactSolution bounce = solve(problem, "pq", {}, {}, {{"law", "qp"}});
    const ContactSolution whole = solve(problem, "qp", {{"tolerance", 1e-10}}, {}, {{"cone", "exact"}});
    EXPECT_LE(test::velocity_difference(bounce, whole), 1e-7) << i;  // qp stops at 1e-10 v_ref
  }
}

TEST(Pq, WithProgramsOfItsOwnAddsNoEnergy) {
  test::Random random(32);
  for (int i = 0; i < 100; ++i) {
    ContactProblem problem = test::random_problem(random, 20, 100);
    for (ContactPoint& c : problem.contacts) c.restitution = random.uniform(0, 1);
    const ContactSolution s = solve(problem, "pq", {{"bounces", 200.0}}, {}, {{"law", "qp"}});
    const ContactErrors errors = measure(problem, s);
    EXPECT_LE(errors.kinetic_energy_after, errors.kinetic_energy_before * (1 + 1e-12)) << i;
  }
}

TEST(Pq, LawsWithOneCoefficientRefuseTwo) {
  ContactProblem problem = test::ball_on_floor({1, 0, -1}, 0.3);
  problem.contacts[0].mu_static = 0.5;
  const SolverInfo* info = find_solver("pq");
  for (const char* law : {"newton_eq5", "newton_eq6", "qp"}) {
    Options options(info->options);
    ASSERT_EQ(options.set_text("law", law), "");
    EXPECT_NE(refusal(*info, options, problem).find("static friction"), std::string::npos) << law;
  }
  EXPECT_EQ(refusal(*info, Options(info->options), problem), "");
}

TEST(ApproachQueue, GivesTheFastestOfWhatIsInIt) {
  test::Random random(7);
  ApproachQueue queue;
  constexpr std::size_t kCount = 50;
  queue.start(kCount);
  std::vector<Real> speeds(kCount, -1);  // −1: not in the queue
  for (int i = 0; i < 20000; ++i) {
    const auto contact = static_cast<std::size_t>(random.integer(0, kCount - 1));
    speeds[contact] = random.integer(0, 3) == 0 ? -1 : random.integer(0, 20);  // few values, so that many tie
    if (speeds[contact] < 0) {
      queue.remove(contact);
    } else {
      queue.set(contact, speeds[contact]);
    }
    const auto fastest = std::max_element(speeds.begin(), speeds.end());  // the first of equal ones
    ASSERT_EQ(queue.empty(), *fastest < 0);
    if (queue.empty()) continue;
    ASSERT_EQ(queue.fastest(), static_cast<std::size_t>(fastest - speeds.begin()));
  }
}

}  // namespace
}  // namespace carom
