// Freezing and revival (Schmidl and Milenkovic 2004, section 5.2, and what goes beyond it).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "carom/dynamics/world.h"
#include "dynamics/scenery.h"

namespace carom::test {
namespace {

WorldDef freezing(const std::string& suite = "sequential", double steps = 3, bool literal = false) {
  WorldDef def;
  def.suite = suite;
  def.options = Options(find_suite(suite)->options);
  EXPECT_EQ(def.options.set("freezing", true), "");
  EXPECT_EQ(def.options.set("c_f", steps), "");
  EXPECT_EQ(def.options.set("freezing_literal", literal), "");
  return def;
}

/// Steps until the body is frozen; 0: it does not freeze within 50.
int steps_to_freeze(double c_f, const Vec3& velocity, const Vec3& spin, Real dt) {
  World world(freezing("sequential", c_f));
  world.set_default_material(surface(0));
  add_floor(world);
  BodyDef def = cube({0, 0, 0.5}, velocity);
  def.angular_velocity = spin;
  const BodyHandle body = world.add_body(def);
  for (int i = 1; i <= 50; ++i) {
    world.step(dt);
    if (world.is_frozen(body)) return i;
  }
  return 0;
}

TEST(Freezing, TakesOneStepMoreThanTheCounterBelowTheThresholdAndNeverHappensAboveIt) {
  const Real dt = 1.0 / 30, threshold = kStandardGravity * dt;
  for (const int c_f : {1, 3, 10}) {
    EXPECT_EQ(steps_to_freeze(c_f, {0.999999 * threshold, 0, 0}, {}, dt), c_f + 1);
    EXPECT_EQ(steps_to_freeze(c_f, {1.000001 * threshold, 0, 0}, {}, dt), 0);
    // The spin about the vertical of a unit cube with the same energy: I = m/6.
    EXPECT_EQ(steps_to_freeze(c_f, {}, {0, 0, 0.999999 * std::sqrt(6) * threshold}, dt), c_f + 1);
    EXPECT_EQ(steps_to_freeze(c_f, {}, {0, 0, 1.000001 * std::sqrt(6) * threshold}, dt), 0);
  }
}

/// Steps until the lower of two cubes that slide along as one is frozen; 0: it does not freeze within 50.
int steps_to_freeze_below(Real speed, Real crowd, Real dt) {
  WorldDef def = freezing();
  EXPECT_EQ(def.options.set("freezing_crowd", crowd), "");
  World world(def);
  world.set_default_material(surface(0));
  add_floor(world);
  const BodyHandle lower = world.add_body(cube({0, 0, 0.5}, {speed, 0, 0}));
  world.add_body(cube({0, 0, 1.5}, {speed, 0, 0}));
  for (int i = 1; i <= 50; ++i) {
    world.step(dt);
    if (world.is_frozen(lower)) return i;
  }
  return 0;
}

TEST(Freezing, ABodyThatOthersPushWhileTheyMoveHasToBeMuchSlower) {
  const Real dt = 1.0 / 30, threshold = kStandardGravity * dt;
  for (const Real crowd : {0.01, 0.03, 1.0}) {
    EXPECT_EQ(steps_to_freeze_below(0.999 * std::sqrt(crowd) * threshold, crowd, dt), 4) << crowd;
    EXPECT_EQ(steps_to_freeze_below(1.001 * std::sqrt(crowd) * threshold, crowd, dt), 0) << crowd;
  }
}

TEST(Freezing, ABodyThatTurnsBackIsSlowButNotAtRest) {
  // Up a slope of 30° without friction, and down again after 0.2 s.
  for (const bool literal : {false, true}) {
    WorldDef def = freezing("sequential", 1, literal);
    def.gravity = {0.5 * kStandardGravity, 0, -std::sqrt(0.75) * kStandardGravity};
    World world(def);
    world.set_default_material(surface(0));
    add_floor(world);
    const BodyHandle body = world.add_body(cube({0, 0, 0.5}, {-1, 0, 0}));
    run(world, 0.5, 1.0 / 60);
    EXPECT_EQ(world.is_frozen(body), literal);
    EXPECT_EQ(world.state(body).velocity.x > 1, !literal);
  }
}

TEST(Freezing, FrozenBodiesKeepTheirStateBitForBitAndTheirContactsAreInactive) {
  World world(freezing());
  add_floor(world);
  for (int i = 0; i < 5; ++i) world.add_body(cube({0, 0, 0.5 + i}));
  run(world, 3, 1.0 / 60);
  ASSERT_EQ(world.frozen_count(), 5u);
  const Real lowest_before = world.state(world.bodies()[1]).position.z;
  const StepReport report = world.step(1.0 / 60);
  EXPECT_EQ(report.frozen, 5);
  EXPECT_EQ(report.contacts, 0);
  EXPECT_EQ(world.state(world.bodies()[1]).position.z, lowest_before);
  EXPECT_EQ(world.contacts().size(), 20u);
  for (const ContactRecord& c : world.contacts()) {
    EXPECT_EQ(c.mode, ContactMode::Inactive);
    EXPECT_EQ(c.impulse, Vec3{});
  }
}

TEST(Freezing, ACubeOnAFrozenCubeDoesNotSinkAndDoesSoIfFreezingIsLiteral) {
  const auto sunk = [](bool literal) {
    World world(freezing("sequential", 1e6, literal));
    add_floor(world);
    const BodyHandle lower = world.add_body(cube({0, 0, 0.5}));
    const BodyHandle upper = world.add_body(cube({0, 0, 1.5}));
    world.freeze(lower);
    for (int i = 0; i < 100; ++i) world.step(1.0 / 30);
    EXPECT_TRUE(world.is_frozen(lower));
    return 1.5 - world.state(upper).position.z;
  };
  EXPECT_LE(sunk(false), 1e-5);
  EXPECT_GT(sunk(true), 0.01);
}

/// How many of a row of frozen touching balls a projectile revives in its first step.
std::size_t revived(const std::string& collisions, int count, Real speed, Real restitution) {
  WorldDef def = freezing("schmidl", 1e6);
  EXPECT_EQ(def.options.set("collisions", collisions), "");
  EXPECT_EQ(def.options.set("c_b", 1000.0), "");
  World world(def);
  world.set_default_material(surface(0, restitution));
  add_floor(world);
  const ShapePtr ball = Shape::sphere(0.5);
  for (int i = 0; i < count; ++i) {
    BodyDef in_row = body(ball, {1.0 * i, 0, 0.5});
    in_row.mass = 1;
    world.freeze(world.add_body(in_row));
  }
  BodyDef projectile = body(ball, {-1, 0, 0.5}, {speed, 0, 0});
  projectile.mass = 1;
  world.add_body(projectile);
  world.step(1.0 / 30);
  return static_cast<std::size_t>(count) - world.frozen_count();
}

TEST(Revival, ThePriorityQueueRevivesOneBodyAfterTheOtherAndTheProgramOnlyTheFirst) {
  // Each hit passes on (1 + e)/2 of the speed; those that leave with more than g dt are revived.
  const auto expected = [](int count, Real speed, Real e) {
    std::size_t fast = 0;
    for (int i = 0; i < count; ++i) {
      speed *= (1 + e) / 2;
      if (speed > kStandardGravity / 30) ++fast;
    }
    return fast;
  };
  // With less restitution balls behind catch up and hit again: the first hits no longer tell.
  for (const Real e : {0.5, 0.8, 1.0}) {
    EXPECT_EQ(revived("pq", 12, 3, e), expected(12, 3, e)) << e;
    EXPECT_EQ(revived("qp", 12, 3, e), 1u) << e;
  }
}

TEST(Revival, ComesWhenSupportIsRemovedMovedOrEditedAndWhenTheCallerActsOnTheBody) {
  const auto settled = [](auto&& act) {
    World world(freezing());
    BodyDef platform = body(Shape::box({3, 3, 1}), {0, 0, 0.5});
    platform.type = BodyType::Kinematic;
    const BodyHandle ground = world.add_body(platform);
    const BodyHandle lower = world.add_body(cube({0, 0, 1.5})), upper = world.add_body(cube({0, 0, 2.5}));
    run(world, 2, 1.0 / 60);
    EXPECT_EQ(world.frozen_count(), 2u);
    act(world, ground, lower, upper);
    run(world, 0.2, 1.0 / 60);
    return std::vector<bool>{world.contains(lower) && !world.is_frozen(lower), !world.is_frozen(upper)};
  };
  using Handle = BodyHandle;
  const std::vector<bool> both{true, true}, upper_only{false, true}, none{false, false};
  EXPECT_EQ(settled([](World&, Handle, Handle, Handle) {}), none);
  EXPECT_EQ(settled([](World& w, Handle, Handle lower, Handle) { w.remove_body(lower); }), upper_only);
  EXPECT_EQ(settled([](World& w, Handle ground, Handle, Handle) { w.set_velocity(ground, {0, 0, -2}, {}); }), both);
  EXPECT_EQ(settled([](World& w, Handle ground, Handle, Handle) { w.remove_body(ground); }), both);
  EXPECT_EQ(settled([](World& w, Handle, Handle, Handle upper) { w.set_force(upper, {0, 0, 2e4}); }), upper_only);
  EXPECT_EQ(settled([](World& w, Handle, Handle lower, Handle) { w.set_velocity(lower, {3, 0, 0}, {}); }), both);
}

/// How far the last of four cubes in a row gets, m, in two seconds in which the first is pushed with `weights` times
/// its weight; all have frozen before, and friction holds half the weight of each. `frozen` becomes how many are in the
/// end.
Real push_a_row(const std::string& suite, Real weights, std::size_t& frozen) {
  World world(freezing(suite));
  world.set_default_material(surface(0.5));
  add_floor(world);
  std::vector<BodyHandle> cubes;
  for (int i = 0; i < 4; ++i) cubes.push_back(world.add_body(cube({1.0 * i, 0, 0.5})));
  run(world, 1, 1.0 / 60);
  EXPECT_EQ(world.frozen_count(), 4u);
  world.set_force(cubes[0], {weights * kStandardGravity * world.mass(cubes[0]), 0, 0});
  run(world, 2, 1.0 / 60);
  frozen = world.frozen_count();
  return world.state(cubes[3]).position.x - 3;
}

TEST(Revival, ComesWhenOthersPushABodyOtherwiseThanWhenItFroze) {
  for (const char* suite : {"sequential", "exact", "schmidl"}) {
    std::size_t frozen = 0;
    // Three weights against the friction of two: g/4 for two seconds makes g/2, but for a few steps to pass it on.
    EXPECT_GT(push_a_row(suite, 3, frozen), 0.9 * 0.5 * kStandardGravity) << suite;
    EXPECT_EQ(frozen, 0u) << suite;
    EXPECT_NEAR(push_a_row(suite, 1.2, frozen), 0, 1e-4) << suite;
    EXPECT_EQ(frozen, 4u) << suite << ": what has been seen to hold is frozen again";
  }
}

TEST(Revival, WhatStandsOnARevivedBodyAloneFollowsInTheSameStep) {
  WorldDef def = freezing("schmidl");
  EXPECT_EQ(def.options.set("collisions", "qp"), "");  // it revives only what is struck
  World world(def);
  add_floor(world);
  std::vector<BodyHandle> cubes;
  for (int i = 0; i < 3; ++i) cubes.push_back(world.add_body(cube({0, 0, 0.5 + i})));
  const BodyHandle beside = world.add_body(cube({0, 2, 0.5}));
  run(world, 2, 1.0 / 60);
  ASSERT_EQ(world.frozen_count(), 4u);
  world.add_body(body(Shape::sphere(0.4), {-2, 0, 0.5}, {8, 0, 0}));
  for (int i = 0; i < 30 && world.is_frozen(cubes[0]); ++i) {
    EXPECT_TRUE(world.is_frozen(cubes[2]));
    EXPECT_LT(world.step(1.0 / 60).momentum_error, 1e-9);
  }
  for (const BodyHandle cube : cubes) EXPECT_FALSE(world.is_frozen(cube));
  EXPECT_TRUE(world.is_frozen(beside));
}

TEST(Freezing, ABallThatStartsToRollOffAnotherIsNotFrozenAtTheDefaultCounter) {
  for (const Real dt : {1.0 / 30, 1.0 / 60, 1.0 / 240}) {
    for (const Real degrees : {0.5, 1.0, 3.0}) {
      World world(freezing("sequential", 0));
      world.set_default_material(surface(10));
      const ShapePtr ball = Shape::sphere(0.5);
      BodyDef below = body(ball, {0, 0, 0.5});
      below.type = BodyType::Fixed;
      world.add_body(below);
      const Real angle = degrees * 3.14159265358979 / 180;
      const BodyHandle upper = world.add_body(body(ball, {std::sin(angle), 0, 0.5 + std::cos(angle)}));
      run(world, 3, dt);
      EXPECT_LT(world.state(upper).position.z, 0.5) << degrees << " degrees at dt = " << dt;
    }
  }
}

TEST(Freezing, AResumedRunIsTheSameBitForBit) {
  const auto fill = [](World& world) {
    add_floor(world);
    for (int i = 0; i < 4; ++i) world.add_body(cube({0.1 * i, 0, 0.5 + 1.001 * i}));
    world.add_body(body(Shape::sphere(0.3), {0, 0, 30}));
  };
  World whole(freezing()), resumed(freezing());
  fill(whole);
  fill(resumed);
  run(whole, 2, 1.0 / 60);
  ASSERT_GT(whole.frozen_count(), 0u);
  ASSERT_EQ(resumed.restore(whole.save()), "");
  for (int i = 0; i < 120; ++i) {
    whole.step(1.0 / 60);
    resumed.step(1.0 / 60);
    ASSERT_EQ(whole.state_hash(), resumed.state_hash()) << i;
  }
  EXPECT_LT(whole.state(whole.bodies().back()).position.z, 10);
}

TEST(Freezing, AResumedRunFindsWhatIsFrozenExactlyWhereItIs) {
  // A box that has rocked to rest in the middle of steps, and a bar that pushes it later.
  const auto fill = [](World& world) {
    world.set_default_material({.friction = 0.24689568165007997, .static_friction = 0.4928062049675383});
    add_fixed_box(world, {1.0439267262425873, 1.0439267262425873, 0.08665955323177685}, {0, 0, -0.043329776615888424});
    BodyDef box = body(Shape::box({0.04441546987858888, 0.060345491798364154, 0.08308536935261207}),
                       {-0.11595800362503222, 0.20583816958981638, 0.8841882168108803},
                       {-0.03279374526324712, 0.007734319187909117, -0.03580087761979971});
    box.pose.orientation =
        normalized(Quat{-0.2031462875957668, -0.5376017924062741, 0.46784539087477434, -0.671443660238779});
    world.add_body(box);
    BodyDef bar = body(Shape::box({0.05777303548785123, 0.7835468578011302, 0.07221629435981404}),
                       {-0.3482430479116134, 0, 0.043329776615888424}, {0.17991977292630917, 0, 0});
    bar.type = BodyType::Kinematic;
    world.add_body(bar);
  };
  World whole(freezing("exact", 3)), resumed(freezing("exact", 3));
  fill(whole);
  fill(resumed);
  constexpr Real kShort = 1.0 / 240;
  run(whole, 0.53, kShort);
  ASSERT_EQ(whole.frozen_count(), 1u);
  ASSERT_EQ(resumed.restore(whole.save()), "");
  for (int i = 0; i < 120; ++i) {
    whole.step(kShort);
    resumed.step(kShort);
    ASSERT_EQ(whole.state_hash(), resumed.state_hash()) << i;
  }
  EXPECT_EQ(whole.frozen_count(), 0u) << "the bar has not come to it";
}

TEST(Freezing, AWorldThatIsRestoredFindsTheContactsAtRestOfWhatHasJustFrozen) {
  World whole(freezing());
  const auto fill = [](World& world) {
    add_floor(world);
    for (int i = 0; i < 3; ++i) world.add_body(cube({0, 0, 0.5 + 1.001 * i}));
    world.add_body(body(Shape::sphere(0.3), {5, 0, 50}));
  };
  fill(whole);
  for (int i = 0; i < 60; ++i) {
    World resumed(freezing());
    fill(resumed);
    ASSERT_EQ(resumed.restore(whole.save()), "");
    whole.step(1.0 / 60);
    resumed.step(1.0 / 60);
    ASSERT_EQ(whole.contacts().size(), resumed.contacts().size()) << i;
    for (std::size_t k = 0; k < whole.contacts().size(); ++k)
      ASSERT_EQ(whole.contacts()[k].id, resumed.contacts()[k].id) << i;
  }
  EXPECT_EQ(whole.frozen_count(), 3u);
}

TEST(Freezing, AKinematicBodyRevivesWhatItPushesHoweverSlowly) {
  for (const std::string suite : {"sequential", "exact", "schmidl", "guendelman", "bender", "lcp", "penalty"}) {
    for (const Real speed : {0.02, 0.3}) {
      SCOPED_TRACE(suite + " " + std::to_string(speed));
      World world(freezing(suite));
      world.set_default_material(surface(0.4));
      add_floor(world);
      std::vector<BodyHandle> row;
      for (int i = 0; i < 3; ++i) row.push_back(world.add_body(cube({1.0 * i, 0, 0.5})));
      for (const BodyHandle body : row) world.freeze(body);
      BodyDef wall = body(Shape::box({1, 2, 1}), {-1.0001, 0, 0.6}, {speed, 0, 0});
      wall.type = BodyType::Kinematic;
      const BodyHandle pusher = world.add_body(wall);
      run(world, 0.1 / speed, 1.0 / 60);
      // Each of them is where the one behind it has pushed it, by 0.1 m; springs give way by less than a millimetre.
      Real behind = world.state(pusher).position.x;
      EXPECT_NEAR(behind, -0.9001, 1e-9);
      for (const BodyHandle body : row) {
        const Real x = world.state(body).position.x;
        EXPECT_GT(x - behind, 1 - 2e-3);
        behind = x;
      }
      EXPECT_LT(behind, 2.2);
    }
  }
}

TEST(Freezing, WhatIsRevivedByTheSecondOfTwoBlowsHasTheFirstOneToo) {
  // A light ball and a heavy one strike a frozen cube at once. The queue has one bounce, for the fast light one, which
  // does not revive the cube; what is left of the collision does.
  for (const std::string suite : {"exact", "schmidl"}) {
    SCOPED_TRACE(suite);
    WorldDef def = freezing(suite);
    ASSERT_EQ(def.options.set("c_b", 1.0), "");
    World world(def);
    world.set_default_material(surface(0));
    add_floor(world);
    const BodyHandle struck = world.add_body(cube({0, 0, 0.5}));
    world.add_body(body(Shape::sphere(0.1), {-0.6, 0, 0.5}, {10, 0, 0}));
    world.add_body(body(Shape::sphere(0.5), {1.0, 0, 0.5}, {-2, 0, 0}));
    world.freeze(struck);
    const StepReport report = world.step(1.0 / 60);
    EXPECT_FALSE(world.is_frozen(struck));
    EXPECT_LT(report.momentum_error, 1e-12);
  }
}

TEST(Freezing, OnlyInsideColdVolumesWhereThereAreAny) {
  WorldDef def = freezing();
  def.cold_volumes.push_back({{-5, -5, -5}, {1, 5, 5}});
  World world(def);
  add_floor(world);
  const BodyHandle inside = world.add_body(cube({0, 0, 0.5})), outside = world.add_body(cube({3, 0, 0.5}));
  run(world, 1, 1.0 / 60);
  EXPECT_TRUE(world.is_frozen(inside));
  EXPECT_FALSE(world.is_frozen(outside));
}

TEST(Freezing, MomentumBalancesWhenBodiesFreezeAndAreRevived) {
  World world(freezing("schmidl"));
  world.set_default_material(surface(0.5, 0.3));
  add_floor(world);
  for (int i = 0; i < 6; ++i) world.add_body(cube({1.2 * (i % 3), 0, 0.5 + 1.01 * (i / 3)}));
  world.add_body(body(Shape::sphere(0.4), {-8, 0.1, 0.8}, {6, 0, 0}));
  bool froze = false;
  for (int i = 0; i < 240; ++i) {
    const StepReport report = world.step(1.0 / 60);
    EXPECT_LT(report.momentum_error, 1e-9) << i;
    froze = froze || report.frozen > 0;
  }
  EXPECT_TRUE(froze);
}

/// A ball rolls among rods that are frozen, so that every step poses problems; these are compared with the world.
class FrozenRods {
 public:
  explicit FrozenRods(const std::string& suite) : world_(freezing(suite, 1000)) {
    floor_ = add_floor(world_);
    ball_ = world_.add_body(body(Shape::sphere(0.5), {0, 0, 0.5}, {0.1, 0, 0}));
    for (int i = 0; i < 3; ++i) add_rod({0, 10.0 * i, 0.5}, 1 + i);
    world_.set_problem_observer([this](Stage stage, const ContactProblem& problem) { compare(stage, problem); });
  }

  World& world() { return world_; }
  BodyHandle rod(std::size_t i) const { return rods_[i]; }
  int compared() const { return compared_; }

  void add_rod(const Vec3& at, Real length) {
    rods_.push_back(world_.add_body(body(Shape::box({length, 1, 1}), at)));
    world_.freeze(rods_.back());
  }
  void replace_rod(std::size_t i, Real length) {
    const Vec3 at = world_.state(rods_[i]).position;
    world_.remove_body(rods_[i]);
    rods_[i] = world_.add_body(body(Shape::box({length, 1, 1}), at));
    world_.freeze(rods_[i]);
  }
  void turn_rod(std::size_t i, Real angle) {
    BodyState state = world_.state(rods_[i]);
    state.orientation = {std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)};
    world_.set_state(rods_[i], state);
    world_.freeze(rods_[i]);
  }

 private:
  void compare(Stage stage, const ContactProblem& problem) {
    if (stage != Stage::Contacts) return;
    ++compared_;
    for (const BodyHandle rod : rods_) {
      const ProblemBody& p = problem.bodies[rod.index - 1];
      EXPECT_EQ(p.role, world_.is_frozen(rod) ? BodyRole::Frozen : BodyRole::Dynamic);
      EXPECT_EQ(p.inverse_mass, 1 / world_.mass(rod));
      const Mat3 one = p.inverse_inertia * world_.inertia(rod);
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) EXPECT_NEAR(one(row, column), row == column ? 1 : 0, 1e-14);
      EXPECT_EQ(p.velocity == Vec3{}, world_.is_frozen(rod));
    }
    EXPECT_EQ(problem.bodies[floor_.index - 1].role, BodyRole::Fixed);
  }

  World world_;
  BodyHandle floor_, ball_;
  std::vector<BodyHandle> rods_;
  int compared_ = 0;
};

TEST(Freezing, ProblemsHaveTheBodiesOfTheWorldWhateverWasDoneToThoseAtRest) {
  for (const std::string suite : {"sequential", "exact", "guendelman", "bender", "penalty"}) {
    SCOPED_TRACE(suite);
    FrozenRods rods(suite);
    World& world = rods.world();
    const Real dt = 1.0 / 60;
    run(world, 3 * dt, dt);
    const std::string saved = world.save();
    rods.turn_rod(0, 0.3);
    run(world, 2 * dt, dt);
    world.revive(rods.rod(1));
    run(world, 2 * dt, dt);
    world.freeze(rods.rod(1));
    run(world, 2 * dt, dt);
    EXPECT_EQ(world.restore(saved), "");
    run(world, 2 * dt, dt);
    rods.replace_rod(2, 5);
    run(world, 2 * dt, dt);
    rods.add_rod({0, 40, 0.5}, 2);
    run(world, 2 * dt, dt);
    EXPECT_EQ(rods.compared(), 15);
  }
}

}  // namespace
}  // namespace carom::test
