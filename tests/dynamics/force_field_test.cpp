// Forces that a caller's function gives.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "carom/dynamics/world.h"
#include "dynamics/scenery.h"

namespace carom::test {
namespace {

constexpr Real kDt = 1.0 / 60;

WorldDef with(const std::string& key, const OptionValue& value) {
  WorldDef def;
  def.options = Options(find_suite(kDefaultSuite)->options);
  EXPECT_EQ(def.options.set(key, value), "");
  return def;
}

WorldDef freezing() {
  WorldDef def = with("freezing", true);
  EXPECT_EQ(def.options.set("c_f", 3.0), "");
  return def;
}

TEST(ForceField, AUniformOneIsAnotherGravity) {
  for (const SuiteInfo& suite : suite_registry()) {
    WorldDef def;
    def.suite = suite.name;
    World falls(def), pushed(def);
    pushed.set_force_field([](const FieldPoint& p) { return AppliedForce{{0, 2 * p.mass, 0}, {}}; });
    const BodyHandle a = falls.add_body(cube({})), b = pushed.add_body(cube({}));
    run(falls, 1, kDt);
    run(pushed, 1, kDt);
    EXPECT_LE(norm(pushed.state(b).position - falls.state(a).position - Vec3{0, 1, 0}), 1e-11) << suite.name;
    EXPECT_LE(norm(pushed.state(b).velocity - falls.state(a).velocity - Vec3{0, 2, 0}), 1e-12) << suite.name;
  }
}

TEST(ForceField, IsAskedAboutTheBodyItsStateItsMassAndTheTime) {
  World world;
  BodyDef def = body(Shape::sphere(0.5), {1, 2, 3}, {4, 5, 6});
  def.mass = 7;
  const BodyHandle ball = world.add_body(def);
  add_floor(world, {0, 0, -1});
  bool first = true;
  Real last = 0;
  world.set_force_field([&](const FieldPoint& p) {
    EXPECT_EQ(p.body, ball);
    EXPECT_NEAR(p.mass, 7, 1e-14);
    if (first) {
      EXPECT_EQ(p.state.position, (Vec3{1, 2, 3}));
      EXPECT_EQ(p.state.velocity, (Vec3{4, 5, 6}));
      EXPECT_EQ(p.time, 0);
    }
    first = false;
    last = p.time;
    return AppliedForce{};
  });
  run(world, 1, kDt);
  EXPECT_FALSE(first);
  EXPECT_NEAR(last, 1 - kDt, 1e-12);
  world.set_force_field({});
  last = -1;
  world.step(kDt);
  EXPECT_EQ(last, -1);
}

TEST(ForceField, ATorqueTurnsABall) {
  World world(without_gravity());
  BodyDef def = body(Shape::sphere(0.5), {});
  def.mass = 10;  // 2/5 · 10 · 1/4 = 1 kg m²
  const BodyHandle ball = world.add_body(def);
  world.set_force_field([](const FieldPoint&) { return AppliedForce{{}, {0, 0, 0.5}}; });
  run(world, 2, 0.01);
  EXPECT_NEAR(world.state(ball).angular_velocity.z, 1, 1e-12);
}

TEST(ForceField, BooksOfEnergyAndMomentumBalanceWithEveryExactIntegrator) {
  for (const char* integrator : {"parabola", "verlet"}) {
    World world(with("integrator", std::string(integrator)));
    BodyDef def = body(Shape::sphere(0.5), {1, 0, 2}, {0, 3, 0});
    def.mass = 2;
    def.force = {0.5, 0, 0};
    world.add_body(def);
    // A spring to the origin, a swirl, a drag, and a wave.
    world.set_force_field([](const FieldPoint& p) {
      const Vec3& x = p.state.position;
      const Real wave = p.time - std::floor(p.time);
      return AppliedForce{-40 * x + cross(Vec3{0, 0, 2}, x) - 0.3 * p.state.velocity + Vec3{0, 0, wave},
                          -0.1 * p.state.angular_velocity + Vec3{0.2, 0, 0}};
    });
    for (int i = 0; i < 300; ++i) {
      const Real before = world.kinetic_energy() + world.potential_energy();
      const StepReport report = world.step(kDt);
      const Real gained = report.kinetic_energy + report.potential_energy - before;
      EXPECT_NEAR(gained, report.external_work, 1e-11 * (1 + std::abs(before))) << integrator << " " << i;
      EXPECT_LE(report.momentum_error, 1e-12) << integrator << " " << i;
    }
  }
}

TEST(ForceField, MayLookAtOtherBodiesWhoseMomentumItKeeps) {
  World world(without_gravity());
  BodyDef def = body(Shape::sphere(0.1), {-1, 0, 0}, {0, 0.5, 0});
  def.mass = 2;
  const BodyHandle a = world.add_body(def);
  def.pose.position = {1, 0, 0};
  def.velocity = {0, -1, 0};
  def.mass = 1;
  const BodyHandle b = world.add_body(def);
  // Each is drawn to the other: forces are equal and opposite only if both are asked about the same poses.
  world.set_force_field([&](const FieldPoint& p) {
    const Vec3 to = world.state(p.body == a ? b : a).position - p.state.position;
    return AppliedForce{1 / (norm(to) * squared_norm(to)) * to, {}};
  });
  run(world, 5, kDt);
  EXPECT_LE(norm(world.momentum()), 1e-13);
  EXPECT_GT(norm(world.state(a).position - Vec3{-1, 0, 0}), 0.1);
}

TEST(ForceField, PressesABoxOnTheFloorAndIsCarriedThere) {
  for (const char* integrator : {"parabola", "euler", "verlet"}) {
    World world(with("integrator", std::string(integrator)));
    world.set_default_material(surface(0.5));
    add_floor(world);
    BodyDef def = cube({0, 0, 0.5});
    def.mass = 2;
    const BodyHandle box = world.add_body(def);
    world.set_force_field([](const FieldPoint& p) { return AppliedForce{{5, 0, -30 - p.state.position.z}, {}}; });
    run(world, 1, kDt);
    Vec3 sum;
    for (const ContactRecord& c : world.contacts()) sum += c.impulse;
    EXPECT_LE(norm(sum - kDt * Vec3{-5, 0, 2 * kStandardGravity + 30.5}), 1e-5 * kDt * 50) << integrator;
    EXPECT_LE(norm(world.state(box).position - Vec3{0, 0, 0.5}), 2e-4) << integrator;
    EXPECT_LE(norm(world.state(box).velocity), 1e-6) << integrator;
  }
}

TEST(ForceField, OneThatIsNotFiniteIsReportedAndTheStepNotTaken) {
  World world;
  const BodyHandle body = world.add_body(cube({0, 0, 5}));
  world.step(kDt);
  const BodyState good = world.state(body);
  world.set_force_field(
      [](const FieldPoint&) { return AppliedForce{{std::numeric_limits<Real>::quiet_NaN(), 0, 0}, {}}; });
  EXPECT_FALSE(world.step(kDt).finite);
  EXPECT_EQ(world.state(body).position, good.position);
  EXPECT_EQ(world.state(body).velocity, good.velocity);
  world.set_force_field({});
  EXPECT_TRUE(world.step(kDt).finite);
}

/// A row of frozen cubes, and a wind along x that blows beyond x = 4 from the third second on.
TEST(ForceField, RevivesTheFrozenBodiesThatItComesToMoveAndNoOthers) {
  World world(freezing());
  world.set_default_material(surface(0.2));
  add_floor(world);
  const BodyHandle near = world.add_body(cube({0, 0, 0.5})), far = world.add_body(cube({6, 0, 0.5}));
  world.set_force_field([](const FieldPoint& p) {
    const bool blows = p.time > 3 && p.state.position.x > 4;
    return AppliedForce{{blows ? 0.5 * kStandardGravity * p.mass : 0, 0, 0}, {}};
  });
  run(world, 2, kDt);
  ASSERT_EQ(world.frozen_count(), 2u);
  const BodyState before = world.state(near);
  run(world, 2, kDt);
  EXPECT_TRUE(world.is_frozen(near));
  EXPECT_EQ(world.state(near).position, before.position);
  EXPECT_FALSE(world.is_frozen(far));
  EXPECT_GT(world.state(far).position.x, 6.5);
}

TEST(ForceField, ThatWasThereWhenABodyFrozeLetsItRestUntilItIsTakenAway) {
  World world(freezing());
  world.set_default_material(surface(0.2));
  add_floor(world);
  const BodyHandle box = world.add_body(cube({0, 0, 0.5}));
  // Below the friction's limit, with a ripple of a thousandth of the weight.
  world.set_force_field([](const FieldPoint& p) {
    const Real ripple = p.time - std::floor(p.time);
    return AppliedForce{{(0.1 + 1e-3 * ripple) * kStandardGravity * p.mass, 0, 0}, {}};
  });
  run(world, 2, kDt);
  ASSERT_TRUE(world.is_frozen(box));
  run(world, 2, kDt);
  EXPECT_TRUE(world.is_frozen(box));
  world.set_force_field({});
  world.step(kDt);
  EXPECT_FALSE(world.is_frozen(box));
  run(world, 1, kDt);
  EXPECT_TRUE(world.is_frozen(box));
}

TEST(ForceField, ABodyThatTheCallerFreezesKeepsStillInAFieldThatStays) {
  World world;
  const BodyHandle box = world.add_body(cube({0, 0, 5}));
  world.set_force_field([](const FieldPoint& p) { return AppliedForce{{p.mass, 0, 0}, {}}; });
  world.freeze(box);
  run(world, 0.5, kDt);
  EXPECT_TRUE(world.is_frozen(box));
  world.set_force_field([](const FieldPoint& p) { return AppliedForce{{2 * p.mass, 0, 0}, {}}; });
  world.step(kDt);
  EXPECT_FALSE(world.is_frozen(box));
}

TEST(ForceField, AWorldThatIsGivenItsBytesBackAndTheSameFieldGoesOnBitForBit) {
  const auto make = [] {
    World world(freezing());
    world.set_default_material(surface(0.3, 0.2));
    add_floor(world);
    for (const Real z : {0.6, 1.8})
      for (const Real x : {0.0, 1.5, 3.0}) world.add_body(cube({x, 0, z}));
    world.set_force_field([](const FieldPoint& p) {
      return AppliedForce{{0.05 * p.mass * p.state.position.x * (p.time > 1.5 ? 30 : 1), 0, 0}, {}};
    });
    return world;
  };
  World first = make();
  run(first, 1.3, kDt);
  ASSERT_GT(first.frozen_count(), 0u);
  World second = make();
  ASSERT_EQ(second.restore(first.save()), "");
  for (int i = 0; i < 60; ++i) {
    first.step(kDt);
    second.step(kDt);
    ASSERT_EQ(first.state_hash(), second.state_hash()) << i;
  }
  EXPECT_LT(first.frozen_count(), 6u);
}

}  // namespace
}  // namespace carom::test
