// Contacts as a linear complementarity problem: pivots against sweeps, small answers by hand, and what is refused.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "contact/pyramid.h"
#include "contact/rows.h"
#include "solvers/solving.h"

namespace carom {
namespace {

using test::kGravity;
using test::kStep;
using test::Random;

constexpr Real kClose = 1e-12;  // answers of a few operations, of size 1
constexpr Real kWeight = kGravity * kStep;

ContactSolution lcp(const ContactProblem& problem, const char* method, const char* level = "velocity") {
  return test::solve(problem, "lcp", {{"iterations", 5000.0}}, {}, {{"method", method}, {"level", level}});
}

/// The natural map of the complementarity conditions at the velocities given, in units of v_ref.
Real residual(const ContactProblem& problem, const ContactSolution& s) {
  Real largest = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ContactPoint& c = problem.contacts[i];
    const Real trace = diagonal_block(c, mobility(problem.bodies[static_cast<std::size_t>(c.a)]),
                                      mobility(problem.bodies[static_cast<std::size_t>(c.b)]))
                           .trace();
    if (trace == 0) continue;
    const Vec3 u = to_frame(c, test::velocity_at(problem, s, i)) - target_of(c), j = to_frame(c, s.impulses[i]);
    const Vec3 shifted{u.x + c.mu * pyramid_slip(u), u.y, u.z};
    largest = std::max(largest, norm(j - project_on_pyramid(j - (3 / trace) * shifted, c.mu)) * trace / 3);
  }
  return largest / reference_velocity(problem);
}

TEST(Lcp, FrictionIsThatOfThePolygonAgainstTheSlip) {
  // The ball presses with 1 N s and slides fast enough to go on sliding.
  const Real mu = 0.25, inner = std::cos(std::acos(-1.0) / 8), half_side = std::sin(std::acos(-1.0) / 8);
  ContactProblem problem = test::ball_on_floor({7, 0, -1}, mu);
  for (const char* method : {"lemke", "pgs"}) {
    // Along a tangent: the middle of a side.
    problem.contacts[0].tangent = {1, 0, 0};
    EXPECT_LE(norm(lcp(problem, method).impulses[0] - Vec3{-mu * inner, 0, 1}), kClose) << method;
    // Along an edge: the cone's own.
    problem.contacts[0].tangent = {inner, half_side, 0};
    EXPECT_LE(norm(lcp(problem, method).impulses[0] - Vec3{-mu, 0, 1}), kClose) << method;
  }
  // In between it is the edge nearest to the slip, and not against it: here the one at 22.5° of 10°.
  const Real angle = std::acos(-1.0) / 18;
  problem.contacts[0].tangent = {std::cos(angle), -std::sin(angle), 0};
  const Vec3 j = lcp(problem, "lemke").impulses[0];
  EXPECT_NEAR(std::sqrt(j.x * j.x + j.y * j.y), mu, kClose);
  EXPECT_NEAR(std::atan2(-j.y, -j.x), std::acos(-1.0) / 8 - angle, kClose);
}

TEST(Lcp, CubesThatHaveFallenForAStepComeToRest) {
  for (const char* method : {"lemke", "pgs"}) {
    for (const Real mu : {0.0, 0.5}) {
      const ContactProblem problem = test::cube_stack(5, mu);
      const ContactSolution s = lcp(problem, method);
      EXPECT_TRUE(s.report.converged) << method;
      for (const Vec3& v : s.velocities) EXPECT_LE(norm(v), 1e-9) << method;
      EXPECT_LE(residual(problem, s), 1e-9) << method;
    }
  }
}

/// Every third contact or so is there eight times.
ContactProblem redundant_problem(Random& random, std::size_t most_contacts, Real mass_ratio) {
  ContactProblem problem = test::random_problem(random, random.integer(2, static_cast<int>(most_contacts)), mass_ratio);
  const std::vector<ContactPoint> contacts = problem.contacts;
  problem.contacts.clear();
  for (const ContactPoint& c : contacts) {
    const int copies = random.integer(0, 2) == 0 ? 8 : 1;
    for (int k = 0; k < copies && problem.contacts.size() < most_contacts; ++k) problem.contacts.push_back(c);
  }
  return problem;
}

Real velocity_scale(const ContactProblem& problem) {
  Real scale = 0;
  for (const ProblemBody& body : problem.bodies)
    scale = std::max({scale, norm(body.velocity), norm(body.angular_velocity)});
  return scale;
}

TEST(Lcp, PivotsAndSweepsGiveTheSameVelocitiesWithoutFriction) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    ContactProblem problem = redundant_problem(random, 20, random.scale(1, 1e6));
    for (ContactPoint& c : problem.contacts) c.mu = c.mu_static = 0;
    const ContactSolution a = lcp(problem, "lemke"), b = lcp(problem, "pgs");
    EXPECT_LE(test::velocity_difference(a, b), 1e-8 * velocity_scale(problem)) << i;
    EXPECT_LE(std::max(residual(problem, a), residual(problem, b)), 1e-8) << i;
  }
}

TEST(Lcp, PivotsAndSweepsBothSolveProblemsWithFriction) {
  // Where both converge both must be solutions; they need not be the same one, since there may be several.
  Random random(6);
  std::array<int, 2> converged{};
  int compared = 0, different = 0;
  for (int i = 0; i < 300; ++i) {
    const ContactProblem problem = redundant_problem(random, 20, random.scale(1, 1e6));
    const ContactSolution a = lcp(problem, "lemke"), b = lcp(problem, "pgs");
    converged[0] += a.report.converged ? 1 : 0;
    converged[1] += b.report.converged ? 1 : 0;
    if (!a.report.converged || !b.report.converged) continue;
    ++compared;
    EXPECT_LE(residual(problem, a), 1e-8) << i;
    EXPECT_LE(residual(problem, b), 1e-8) << i;
    if (test::velocity_difference(a, b) > 1e-6 * velocity_scale(problem)) ++different;
  }
  std::printf("[ FIGURE   ] of 300 problems with friction Lemke solves %d, sweeps %d; of %d solved by both %d differ\n",
              converged[0], converged[1], compared, different);
  EXPECT_EQ(converged[0], 300);
  EXPECT_GE(compared, 290);
}

TEST(Lcp, LemkeTakesAHundredContactsAndRefusesMore) {
  const SolverInfo& info = *find_solver("lcp");
  Options options(info.options);
  const ContactProblem most = test::cube_stack(25, 0.5), more = test::cube_stack(26, 0.5);
  ASSERT_EQ(options.set_text("method", "lemke"), "");
  EXPECT_EQ(refusal(info, options, most), "");
  EXPECT_EQ(refusal(info, options, more),
            "lcp: the problem has 104 contacts, Lemke's method takes up to 100: method=pgs takes any number");
  for (const char* method : {"pgs", "auto"}) {
    ASSERT_EQ(options.set_text("method", method), "");
    EXPECT_EQ(refusal(info, options, more), "") << method;
    // Sweeps alone: a stack of 26 is where they are slow.
    EXPECT_LE(residual(more, lcp(more, method)), 1e-4) << method;
  }
  EXPECT_LE(residual(most, lcp(most, "lemke")), 1e-8);
}

TEST(Lcp, SlidingStackThatTipsIsSolvedByPivots) {
  // Four redundant corners a cube, all slip along the middle of a side: as many ties as there can be.
  ContactProblem problem = test::cube_stack(15, 0.5);
  for (ProblemBody& body : problem.bodies)
    if (body.role == BodyRole::Dynamic) body.velocity.x = 0.3;
  EXPECT_LE(residual(problem, lcp(problem, "lemke")), 1e-8);
  EXPECT_LE(residual(problem, lcp(problem, "auto")), 1e-8);
}

TEST(Lcp, SaysWhereTargetsContradictEachOther) {
  // A cube between two walls that it is to leave both.
  ContactProblem problem;
  problem.bodies = {test::fixed_body(), test::cube_body(1)};
  problem.bodies[1].velocity = {1, 0, 0};
  problem.contacts = {test::contact(0, 1, {1, 0, 0}, {}, {-0.5, 0, 0}, 0.3),
                      test::contact(0, 1, {-1, 0, 0}, {}, {0.5, 0, 0}, 0.3)};
  for (ContactPoint& c : problem.contacts) c.target = 0.5;
  for (const char* method : {"lemke", "auto"}) {
    const ContactSolution s = lcp(problem, method);
    EXPECT_FALSE(s.report.converged) << method;
    EXPECT_TRUE(s.report.ray) << method;
    for (const Vec3& v : s.velocities) EXPECT_TRUE(std::isfinite(norm(v))) << method;
  }
  EXPECT_FALSE(lcp(test::cube_stack(2, 0.5), "lemke").report.ray);
}

/// A plank with a load on it, on two supports: what the cases of this kind are made of.
ContactProblem plank(Real load_place) {
  ContactProblem problem;
  // Plank of 2 kg and 4 m, load of 1 kg: centre of mass at a third of the load's place.
  const Real centre = load_place / 3;
  const Real moment = 2 * 16.0 / 12 + 2 * centre * centre + (load_place - centre) * (load_place - centre);
  problem.bodies = {test::fixed_body(), test::dynamic_body(3, Mat3::diagonal({moment, moment, moment}))};
  problem.bodies[1].velocity = {0, 0, -kWeight};
  for (const Real x : {-1.0, 1.0})
    problem.contacts.push_back(test::contact(0, 1, {0, 0, 1}, {}, {x - centre, 0, 0}, 0));
  problem.dt = kStep;
  problem.gravity = kGravity;
  problem.down = {0, 0, -1};
  return problem;
}

TEST(Lcp, ForcesAtRestAreThoseOfStatics) {
  // Levers about the supports: 2·9.81/2 + 9.81 (1 ∓ x)/2.
  const ContactProblem problem = plank(0.4);
  for (const char* method : {"lemke", "pgs"}) {
    const ContactSolution s = lcp(problem, method, "acceleration");
    EXPECT_NEAR(s.impulses[0].z / kStep, kGravity * 1.3, 1e-9) << method;
    EXPECT_NEAR(s.impulses[1].z / kStep, kGravity * 1.7, 1e-9) << method;
    // A load far out tips it: the other support lets go.
    EXPECT_EQ(lcp(plank(1.9 * 3), method, "acceleration").impulses[0].z, 0) << method;
  }
}

TEST(Lcp, OnlyRestingContactsTakeForces) {
  ContactProblem problem = plank(0.4);
  // It turns about the right support, so that the left one separates before gravity acts.
  const Real lever = problem.contacts[1].rb.x;
  problem.bodies[1].angular_velocity = {0, 1, 0};
  problem.bodies[1].velocity.z += lever * 1;
  const ContactSolution s = lcp(problem, "lemke", "acceleration");
  EXPECT_EQ(s.impulses[0].z, 0);
  EXPECT_GT(s.impulses[1].z, 0);
  EXPECT_NEAR(test::velocity_at(problem, s, 1).z, 0, kClose) << "and keep their velocity";
}

TEST(Lcp, AccelerationLevelRefusesWhatIsNotItsOwn) {
  const SolverInfo& info = *find_solver("lcp");
  Options options(info.options);
  ASSERT_EQ(options.set_text("level", "acceleration"), "");
  const auto why = [&](const ContactProblem& problem) { return refusal(info, options, problem); };
  ContactProblem problem = plank(0.4);
  EXPECT_EQ(why(problem), "");
  problem.contacts[1].mu = problem.contacts[1].mu_static = 0.1;
  EXPECT_EQ(why(problem), "lcp: level=acceleration: contacts[1] has friction, which is for level=velocity");
  problem = plank(0.4);
  problem.contacts[0].target = -0.1;
  EXPECT_NE(why(problem).find("contacts[0] has a normal target"), std::string::npos);
  problem = plank(0.4);
  problem.bodies[1].velocity.z -= 1e-3;
  EXPECT_NE(why(problem).find("contacts[0] approaches before forces act"), std::string::npos);
  problem = plank(0.4);
  problem.down = {};
  EXPECT_NE(why(problem).find("does not say dt, gravity and down"), std::string::npos);
}

TEST(Lcp, AWarmStartOfSweepsFromTheAnswerStaysThere) {
  Random random(8);
  for (int i = 0; i < 20; ++i) {
    const ContactProblem problem = test::random_problem(random, 12, 10);
    const ContactSolution cold = lcp(problem, "lemke");
    SolveContext context;
    context.warm_impulses = cold.impulses;
    const ContactSolution warm = test::solve(problem, "lcp", {}, context, {{"method", "pgs"}});
    EXPECT_LE(warm.report.iterations, 8) << i;
    EXPECT_LE(test::velocity_difference(cold, warm), 1e-7) << i;
  }
}

}  // namespace
}  // namespace carom
