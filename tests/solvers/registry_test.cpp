#include <gtest/gtest.h>

#include <set>

#include "base/thread_pool.h"
#include "solvers/solving.h"

namespace carom {
namespace {

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const SolverInfo& info : solver_registry()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(find_solver(info.name), &info);
    EXPECT_FALSE(info.solves.empty()) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.fails.empty()) << info.name;
  }
  EXPECT_EQ(names.count("sequential"), 1U);
  EXPECT_EQ(names.count("pairwise"), 1U);
  EXPECT_EQ(find_solver("no such solver"), nullptr);
}

TEST(Registry, DefaultsOfAllOptionsAreTheirOwnValidValues) {
  for (const SolverInfo& info : solver_registry()) {
    Options options(info.options);
    std::set<std::string> names;
    for (const OptionSpec& spec : info.options) {
      EXPECT_TRUE(names.insert(spec.name).second) << info.name << "." << spec.name;
      EXPECT_EQ(options.set(spec.name, spec.standard), "") << info.name << "." << spec.name;
      EXPECT_FALSE(spec.help.empty()) << info.name << "." << spec.name;
    }
  }
}

/// Every solver there is, also ones that come later.
class EverySolver : public testing::TestWithParam<std::size_t> {
 protected:
  const SolverInfo& info() const { return solver_registry()[GetParam()]; }
  /// With its defaults, but as many bounces as it likes: the default cut of `pq` leaves work to others.
  std::unique_ptr<Solver> make() const {
    Options options(info().options);
    if (info().name == "pq") {
      EXPECT_EQ(options.set("bounces", 20000.0), "");
    }
    return info().make(options);
  }
};

TEST_P(EverySolver, AnswersTheEmptyProblem) {
  ContactSolution solution;
  make()->solve({}, {}, solution);
  EXPECT_TRUE(solution.impulses.empty());
  EXPECT_TRUE(solution.velocities.empty());
  EXPECT_TRUE(solution.report.converged);
}

TEST_P(EverySolver, LeavesBodiesWithoutContactsAlone) {
  ContactProblem problem = test::ball_on_floor({1, 2, 3}, 0.5);
  problem.contacts.clear();
  ContactSolution solution;
  make()->solve(problem, {}, solution);
  EXPECT_EQ(solution.velocities[1], (Vec3{1, 2, 3}));
}

TEST_P(EverySolver, FillsInEverySize) {
  const ContactProblem problem = test::cube_on_floor({1, 0, -1}, 0.5);
  ContactSolution solution;
  solution.impulses.resize(77);  // left over from another problem
  solution.row_impulses.resize(5);
  make()->solve(problem, {}, solution);
  EXPECT_EQ(solution.impulses.size(), 4U);
  EXPECT_EQ(solution.row_impulses.size(), 0U);
  EXPECT_EQ(solution.velocities.size(), 2U);
  EXPECT_EQ(solution.angular_velocities.size(), 2U);
}

TEST_P(EverySolver, AnswersInFullWhereSquaresOverflow) {
  // Velocities and starts as a damaged state may hold them: residuals are no numbers then, whatever the method tries.
  test::Random random(4);
  for (const int contacts : {5, 30, 90, 300}) {
    for (const Real speed : {1e100, 1e160, 1e300}) {
      ContactProblem problem = test::random_problem(random, contacts, 100);
      problem.bodies.back().velocity = {0, speed, -speed};
      problem.bodies.back().inverse_inertia = 1e100 * problem.bodies.back().inverse_inertia;
      const std::vector<Vec3> warm(problem.contacts.size(), Vec3{speed, 0, 0});
      for (const std::span<const Vec3> start : {std::span<const Vec3>{}, std::span<const Vec3>(warm)}) {
        ContactSolution solution;
        make()->solve(problem, {start, {}, 0, nullptr}, solution);
        EXPECT_EQ(solution.impulses.size(), problem.contacts.size());
        EXPECT_EQ(solution.velocities.size(), problem.bodies.size());
      }
    }
  }
}

TEST_P(EverySolver, StopsTheApproachOfACubeOnTheFloor) {
  const ContactProblem problem = test::cube_on_floor({0, 0, -2}, 0.5);
  ContactSolution solution;
  make()->solve(problem, {}, solution);
  // The loosest default stops at changes of 1e-4 of v_ref = 0.16 m/s.
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(test::velocity_at(problem, solution, i).z, -1e-4);
}

TEST_P(EverySolver, BodiesThatFeelNothingKeepTheirVelocity) {
  for (const BodyRole role : {BodyRole::Fixed, BodyRole::Kinematic, BodyRole::Frozen}) {
    if (role == BodyRole::Frozen && info().revives) continue;
    ContactProblem problem = test::cube_on_floor({0, 0, -2}, 0.5);
    problem.bodies[0] = test::cube_body(1);
    problem.bodies[0].role = role;
    if (role == BodyRole::Kinematic) problem.bodies[0].velocity = {0, 0, 1};
    const Vec3 before = problem.bodies[0].velocity;
    ContactSolution solution;
    make()->solve(problem, {}, solution);
    EXPECT_EQ(solution.velocities[0], before);
    EXPECT_EQ(solution.angular_velocities[0], Vec3{});
    EXPECT_NEAR(solution.velocities[1].z, before.z, 1e-4);  // carried at its speed
  }
}

TEST_P(EverySolver, VelocitiesFollowFromTheImpulsesOrTheReportSaysHowFarNot) {
  test::Random random(1);
  for (int round = 0; round < 30; ++round) {
    const ContactProblem problem = test::random_problem(random, random.integer(2, 30), 100);
    ContactSolution solution;
    make()->solve(problem, {}, solution);
    std::vector<Vec3> v, w;
    for (const ProblemBody& body : problem.bodies) v.push_back(body.velocity), w.push_back(body.angular_velocity);
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const ContactPoint& c = problem.contacts[i];
      const auto apply = [&](std::int32_t index, const Vec3& j, const Vec3& r) {
        const ProblemBody& body = problem.bodies[static_cast<std::size_t>(index)];
        if (body.role != BodyRole::Dynamic) return;
        v[static_cast<std::size_t>(index)] += body.inverse_mass * j;
        w[static_cast<std::size_t>(index)] += body.inverse_inertia * cross(r, j);
      };
      apply(c.a, -solution.impulses[i], c.ra);
      apply(c.b, solution.impulses[i], c.rb);
    }
    // Impulses and velocities are of size 1, light bodies move by ten times the impulse. Where momentum is not kept,
    // the report says how much is missing at most.
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Real missing = problem.bodies[i].inverse_mass * solution.report.momentum_error;
      ASSERT_LE(norm(v[i] - solution.velocities[i]), missing + 1e-11 * (1 + norm(v[i]))) << round;
      if (!info().balanced) continue;
      ASSERT_EQ(missing, 0) << round;
      ASSERT_LE(norm(w[i] - solution.angular_velocities[i]), 1e-11 * (1 + norm(w[i]))) << round;
    }
  }
}

TEST_P(EverySolver, GivesTheSameBitsOnAnyNumberOfThreadsAndForAUsedInstance) {
  test::Random random(2);
  ThreadPool two(2), three(3);
  const auto used = make();
  for (int round = 0; round < 5; ++round) {
    // Large enough for several chunks of groups in a colour.
    const ContactProblem problem = test::random_problem(random, 3000, 100);
    ContactSolution alone, on_two, on_three, again;
    make()->solve(problem, {}, alone);
    SolveContext context;
    context.threads = &two;
    make()->solve(problem, context, on_two);
    context.threads = &three;
    make()->solve(problem, context, on_three);
    used->solve(problem, {}, again);
    EXPECT_TRUE(test::same_bits(alone, on_two)) << round;
    EXPECT_TRUE(test::same_bits(alone, on_three)) << round;
    EXPECT_TRUE(test::same_bits(alone, again)) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EverySolver, testing::Range(std::size_t{0}, solver_registry().size()),
                         [](const auto& solver) { return solver_registry()[solver.param].name; });

}  // namespace
}  // namespace carom
