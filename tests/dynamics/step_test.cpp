// What a step reports, shows and repeats.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "carom/contact/measures.h"
#include "dynamics/scenery.h"

namespace carom {
namespace {

using test::cube;

constexpr Real kStep = 1.0 / 60;

/// A heap of all kinds of shapes that falls into a box without a lid.
World heap(int threads, int bodies) {
  WorldDef def;
  def.threads = threads;
  World world(def);
  world.set_default_material(test::surface(0.4, 0.2));
  test::add_floor(world);
  for (const Real x : {-3.0, 3.0}) test::add_fixed_box(world, {1, 8, 40}, {x, 0, 20});
  for (const Real y : {-3.0, 3.0}) test::add_fixed_box(world, {8, 1, 40}, {0, y, 20});
  test::Random random(7);
  for (int i = 0; i < bodies; ++i) {
    const ShapePtr shapes[] = {Shape::sphere(0.25), Shape::box({0.5, 0.4, 0.6}), Shape::capsule(0.2, 0.4)};
    BodyDef body =
        test::body(shapes[i % 3], {random.uniform(-2, 2), random.uniform(-2, 2), 0.5 + 0.1 * i}, random.vector(1));
    body.pose.orientation = random.rotation();
    world.add_body(body);
  }
  return world;
}

TEST(Step, GivesTheSameBitsOnAnyNumberOfThreadsAndFromRunToRun) {
  World alone = heap(1, 150), again = heap(1, 150), two = heap(2, 150), three = heap(3, 150);
  for (int i = 0; i < 100; ++i) {
    const StepReport report = alone.step(kStep);
    ASSERT_TRUE(report.finite);
    again.step(kStep);
    two.step(kStep);
    three.step(kStep);
    ASSERT_EQ(alone.state_hash(), again.state_hash()) << "run to run, step " << i;
    ASSERT_EQ(alone.state_hash(), two.state_hash()) << "two threads, step " << i;
    ASSERT_EQ(alone.state_hash(), three.state_hash()) << "three threads, step " << i;
  }
  EXPECT_GT(alone.contacts().size(), 100U);
}

TEST(Step, MomentumBalancesInAHeap) {
  World world = heap(1, 150);
  for (int i = 0; i < 120; ++i) {
    const StepReport report = world.step(kStep);
    ASSERT_LE(report.momentum_error, 1e-9) << i;
    ASSERT_LE(norm(report.momentum - world.momentum()), 1e-9 * (1 + norm(report.momentum)));
  }
}

TEST(Step, HeapStaysInItsBoxAndLosesEnergy) {
  World world = heap(1, 150);
  const Real before = world.kinetic_energy() + world.potential_energy();
  test::run(world, 3, kStep);
  EXPECT_LT(world.kinetic_energy() + world.potential_energy(), before);
  for (const BodyHandle body : world.bodies()) {
    if (world.type(body) != BodyType::Dynamic) continue;
    const Vec3 x = world.state(body).position;
    EXPECT_TRUE(std::abs(x.x) < 2.5 && std::abs(x.y) < 2.5 && x.z > 0.1) << x.x << " " << x.y << " " << x.z;
  }
}

TEST(Step, ObserverSeesBothStagesOfEveryStepInOrder) {
  World world;
  test::add_floor(world);
  world.add_body(cube({0, 0, 0.5}));
  std::vector<Stage> seen;
  world.set_problem_observer([&](Stage stage, const ContactProblem& problem) {
    seen.push_back(stage);
    EXPECT_EQ(check(problem), "");
    EXPECT_EQ(problem.contacts.size(), 4U);
    EXPECT_EQ(problem.dt, kStep);
    EXPECT_NEAR(problem.gravity, 9.81, 1e-15);
    // Collisions see the velocities as they are, contacts those that gravity has changed.
    EXPECT_NEAR(problem.bodies[1].velocity.z, stage == Stage::Collisions ? 0 : -9.81 * kStep, 1e-6);
  });
  for (int i = 0; i < 3; ++i) world.step(kStep);
  EXPECT_EQ(seen, (std::vector<Stage>{Stage::Collisions, Stage::Contacts, Stage::Collisions, Stage::Contacts,
                                      Stage::Collisions, Stage::Contacts}));
  world.set_problem_observer({});
  world.step(kStep);
  EXPECT_EQ(seen.size(), 6U);
}

TEST(Step, ReportCountsContactsAndSaysHowExactTheyAre) {
  World world;
  test::add_floor(world);
  world.add_body(cube({0, 0, 0.5}));
  EXPECT_GE(world.step(kStep).iterations, 1);  // later ones may start from their answer
  test::run(world, 0.5, kStep);
  const StepReport report = world.step(kStep);
  EXPECT_EQ(report.contacts, 4);
  EXPECT_EQ(report.active_contacts, 4);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.residual_coulomb, 1e-5);
  EXPECT_LE(report.rms_coulomb, report.residual_coulomb);
  EXPECT_LE(report.max_penetration, 1e-4);
  EXPECT_NEAR(report.time, world.time(), 0);
  EXPECT_EQ(report.kinetic_energy, world.kinetic_energy());
  EXPECT_EQ(report.potential_energy, world.potential_energy());
  EXPECT_GE(report.seconds.total, report.seconds.detect + report.seconds.contacts);
}

TEST(Step, RecordsNameTheirBodiesAndKeepTheirIds) {
  World world;
  const BodyHandle floor = test::add_floor(world), body = world.add_body(cube({0, 0, 0.5}));
  test::run(world, 0.5, kStep);
  std::set<std::uint64_t> ids;
  for (const ContactRecord& c : world.contacts()) {
    EXPECT_TRUE(ids.insert(c.id).second);
    EXPECT_EQ(c.a, floor);
    EXPECT_EQ(c.b, body);
    EXPECT_LE(norm(c.normal - Vec3{0, 0, 1}), 1e-12);
    EXPECT_EQ(c.mode, ContactMode::Stick);
    EXPECT_NEAR(std::abs(c.point.x), 0.5, 1e-6);
  }
  world.step(kStep);
  for (const ContactRecord& c : world.contacts()) EXPECT_EQ(ids.count(c.id), 1U);
}

TEST(Step, RecordsTellSlidingFromSticking) {
  World world;
  world.set_default_material(test::surface(0.3));
  test::add_floor(world);
  world.add_body(test::body(Shape::box({1, 1, 0.2}), {0, 0, 0.1}, {3, 0, 0}));
  test::run(world, 0.2, kStep);
  int sliding = 0;
  for (const ContactRecord& c : world.contacts()) sliding += c.mode == ContactMode::Slide ? 1 : 0;
  EXPECT_EQ(sliding, 4);
}

TEST(Step, WarmStartSavesIterations) {
  const auto iterations = [](bool warm) {
    WorldDef def;
    def.options = Options(find_suite(kDefaultSuite)->options);
    EXPECT_EQ(def.options.set("warm_start", warm), "");
    World world(def);
    test::add_floor(world);
    for (int i = 0; i < 5; ++i) world.add_body(cube({0, 0, 0.5 + i}));
    test::run(world, 0.5, kStep);
    int sum = 0;
    for (int i = 0; i < 30; ++i) sum += world.step(kStep).iterations;
    return sum;
  };
  EXPECT_LT(2 * iterations(true), iterations(false));
}

TEST(Step, RemovedBodyLeavesNoTrace) {
  // A world in which a body came and went is in the same state as one that never had it.
  const auto hash = [](bool visitor) {
    World world;
    test::add_floor(world);
    world.add_body(cube({0, 0, 0.5}));
    if (visitor) world.remove_body(world.add_body(cube({5, 0, 0.5})));
    test::run(world, 0.5, kStep);
    return world.state_hash();
  };
  EXPECT_EQ(hash(true), hash(false));
}

TEST(Suites, AreNamedUniquelyAndTheirDefaultsAreValid) {
  std::set<std::string> names;
  for (const SuiteInfo& suite : suite_registry()) {
    EXPECT_TRUE(names.insert(suite.name).second);
    EXPECT_EQ(find_suite(suite.name), &suite);
    Options options(suite.options);
    for (const OptionSpec& spec : suite.options) EXPECT_EQ(options.set(spec.name, spec.standard), "") << spec.name;
    WorldDef def;
    def.suite = suite.name;
    World world(def);
    test::add_floor(world);
    const BodyHandle body = world.add_body(cube({0, 0, 0.6}));
    test::run(world, 1, kStep);
    EXPECT_NEAR(world.state(body).position.z, 0.5, 1e-2) << suite.name;
  }
  EXPECT_NE(find_suite(kDefaultSuite), nullptr);
  EXPECT_EQ(find_suite("no such suite"), nullptr);
}

TEST(Suites, WithoutACollisionStageTheContactStageStopsEverything) {
  WorldDef def;
  def.options = Options(find_suite(kDefaultSuite)->options);
  EXPECT_EQ(def.options.set("collisions", std::string("none")), "");
  World world(def);
  world.set_default_material(test::surface(0.5, 1));
  test::add_floor(world);
  const BodyHandle body = world.add_body(cube({0, 0, 1.5}));
  test::run(world, 2, kStep);
  EXPECT_NEAR(world.state(body).position.z, 0.5, 1e-3);
  EXPECT_LE(norm(world.state(body).velocity), 1e-3);
}

}  // namespace
}  // namespace carom
