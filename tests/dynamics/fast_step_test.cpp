// The suite `fast` on small scenes whose answers are known, and what must not change its answers: threads, the width of
// vectors, saving, bodies that come and go.
#include <cstdlib>
#include <numbers>
#include <optional>

#include "dynamics/suites_scenery.h"

namespace carom::test {
namespace {

constexpr Real kDt = 1.0 / 60;

std::vector<std::uint64_t> hashes(World& world, int steps) {
  std::vector<std::uint64_t> out;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(world.step(kDt).finite);
    out.push_back(world.state_hash());
  }
  return out;
}

/// Boxes, balls and other shapes with friction and bounces that fall on a floor, on a slope and on each other.
World heap(int threads = 1) {
  World world = world_with("fast", {}, threads);
  world.set_default_material(surface(0.5, 0.2));
  add_floor(world);
  add_fixed_box(world, {1, 8, 1}, {-2.5, 0, 0.5});
  const ShapePtr gem =
      Shape::hull(std::vector<Vec3>{{0.4, 0, 0}, {-0.3, 0.3, 0}, {-0.3, -0.3, 0}, {0, 0, 0.5}, {0.1, 0.1, -0.3}});
  const ShapePtr shapes[] = {
      Shape::box({0.6, 0.5, 0.4}),
      Shape::sphere(0.3),
      Shape::box({0.8, 0.3, 0.3}),
      Shape::capsule(0.2, 0.5),
      Shape::cylinder(0.3, 0.5),
      Shape::cone(0.3, 0.6),
      Shape::ellipsoid({0.4, 0.3, 0.2}),
      gem,
      Shape::compound({{Shape::box({0.6, 0.2, 0.2}), {}, {}}, {Shape::sphere(0.2), {{0.3, 0, 0}, {}}, {}}})};
  Random random(5);
  for (int i = 0; i < 120; ++i) {
    BodyDef def =
        body(shapes[i % 9], {random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), 0.6 + 0.25 * i}, {0, 0, -3});
    def.pose.orientation = random.rotation();
    def.angular_velocity = random.vector(2);
    world.add_body(def);
  }
  return world;
}

TEST(FastStep, FreeFlightIsTheParabolaAndKeepsAngularMomentum) {
  World world = world_with("fast");
  const Vec3 at{1, 2, 30}, v{3, -2, 4}, g = world.gravity();
  BodyDef def = body(Shape::box({1, 0.6, 0.3}), at, v);
  def.angular_velocity = {1, 2, -3};
  const BodyHandle thrown = world.add_body(def);
  add_floor(world);
  const Vec3 spin = world.inertia(thrown) * def.angular_velocity;
  for (int i = 1; i <= 120; ++i) {
    world.step(kDt);
    const Real t = i * kDt;
    const BodyState now = world.state(thrown);
    // Rounding of 120 additions of numbers about 30.
    ASSERT_LE(norm(now.position - (at + t * v + 0.5 * t * t * g)), 1e-12) << i;
    ASSERT_LE(norm(now.velocity - (v + t * g)), 1e-12) << i;
    ASSERT_LE(norm(world.inertia(thrown) * now.angular_velocity - spin), 1e-12 * norm(spin)) << i;
  }
}

TEST(FastStep, AForcePushesAlongItsParabola) {
  World world = world_with("fast");
  const BodyHandle pushed = world.add_body(cube({0, 0, 50}));
  const Vec3 force{500, -200, 100};
  world.set_force(pushed, force);
  Real work = 0;
  for (int i = 0; i < 60; ++i) work += world.step(kDt).external_work;
  const Vec3 a = force / world.mass(pushed) + world.gravity();
  EXPECT_LE(norm(world.state(pushed).position - (Vec3{0, 0, 50} + 0.5 * a)), 1e-12);
  EXPECT_NEAR(work, dot(force, 0.5 * a), 1e-9 * norm(force));
}

TEST(FastStep, ACubeStaysOnASlopeAndSlidesDownASteeperOneByCoulombsLaw) {
  // Soft contacts creep by about their sag, a fraction of a millimetre.
  expect_cube_holds_and_slides("fast", 1e-3, kDt);
}

TEST(FastStep, ATowerStandsAndSagsLittle) {
  World world = world_with("fast");
  const std::vector<BodyHandle> tower = add_tower(world, 10);
  run(world, 10, kDt);
  for (std::size_t i = 0; i < tower.size(); ++i) {
    const Vec3 at = world.state(tower[i]).position;
    // Each contact yields in proportion to what is above: leak g h² / share times that many weights, with h a twelfth
    // of the step, which adds up to 5 µm times 55 here. Twice that is allowed.
    EXPECT_NEAR(at.z, 0.5 + static_cast<Real>(i), 1e-3) << i;
    EXPECT_LE(std::hypot(at.x, at.y), 1e-3) << i;
    EXPECT_LE(norm(world.state(tower[i]).velocity), 1e-4) << i;
  }
}

TEST(FastStep, ABallBouncesBackWithItsRestitution) {
  for (const Real e : {0.0, 0.5, 0.9}) {
    World world = world_with("fast");
    world.set_default_material(surface(0.5, e));
    add_floor(world);
    const BodyHandle ball = world.add_body(body(Shape::sphere(0.1), {0, 0, 2}));
    Real fastest_down = 0, fastest_up = 0;
    for (int i = 0; i < 60; ++i) {
      world.step(kDt);
      fastest_down = std::min(fastest_down, world.state(ball).velocity.z);
      fastest_up = std::max(fastest_up, world.state(ball).velocity.z);
    }
    // It meets the floor at √(2 g 1.9 m) somewhere within a step.
    const Real meets = std::sqrt(2 * kStandardGravity * 1.9);
    EXPECT_NEAR(fastest_up, e * meets, kStandardGravity * kDt) << e;
    EXPECT_LE(fastest_up, e * meets + 1e-6) << e;  // rounding of 6 m/s in single precision
  }
}

TEST(FastStep, AStandingKinematicBodyIsLikeAFixedOne) {
  // The lever from the kinematic body's centre to the contact is long: what it took up by mistake would show.
  std::vector<std::vector<Vec3>> ways;
  for (const BodyType type : {BodyType::Fixed, BodyType::Kinematic}) {
    World world = world_with("fast");
    BodyDef plate = body(Shape::box({20, 20, 1}), {6, 0, -0.5});
    plate.type = type;
    world.add_body(plate);
    BodyDef def = cube({0, 0, 1}, {1, 0, -2});
    def.pose.orientation = turn({1, 1, 0}, 30);
    const BodyHandle box = world.add_body(def);
    std::vector<Vec3>& way = ways.emplace_back();
    for (int i = 0; i < 60; ++i) {
      world.step(kDt);
      way.push_back(world.state(box).position);
    }
  }
  for (std::size_t i = 0; i < ways[0].size(); ++i) ASSERT_EQ(ways[0][i], ways[1][i]) << i;
}

TEST(FastStep, AConveyorCarriesABoxAtItsSpeed) {
  World world = world_with("fast");
  BodyDef belt = body(Shape::box({40, 4, 1}), {0, 0, -0.5}, {1, 0, 0});
  belt.type = BodyType::Kinematic;
  world.add_body(belt);
  const BodyHandle box = world.add_body(cube({0, 0, 0.5}));
  run(world, 3, kDt);
  EXPECT_LE(norm(world.state(box).velocity - Vec3{1, 0, 0}), 1e-4);
}

TEST(FastStep, ATurntableTakesABoxRound) {
  World world = world_with("fast");
  BodyDef disc = body(Shape::cylinder(3, 1), {0, 0, -0.5});
  disc.type = BodyType::Kinematic;
  disc.angular_velocity = {0, 0, 0.5};
  world.add_body(disc);
  const BodyHandle box = world.add_body(cube({2, 0, 0.5}));
  run(world, 4, kDt);
  // 2 m × (0.5/s)² is a tenth of what friction can hold, so it stays where it is on the disc: two radians round. While
  // it is taken up to speed it slides by v²/(2 μ g) at most, a tenth of a metre.
  const Vec3 at = world.state(box).position;
  EXPECT_NEAR(std::hypot(at.x, at.y), 2, 0.11);
  EXPECT_NEAR(norm(world.state(box).velocity), 0.5 * std::hypot(at.x, at.y), 1e-2);
  EXPECT_NEAR(world.state(box).angular_velocity.z, 0.5, 1e-2);
}

TEST(FastStep, WorkOfALiftIsWhatItsLoadGains) {
  World world = world_with("fast");
  BodyDef lift = body(Shape::box({4, 4, 1}), {0, 0, -0.5}, {0, 0, 0.5});
  lift.type = BodyType::Kinematic;
  world.add_body(lift);
  const BodyHandle load = world.add_body(cube({0, 0, 0.5}));
  run(world, 1, kDt);
  Real work = 0, energy = world.kinetic_energy() + world.potential_energy();
  for (int i = 0; i < 120; ++i) work += world.step(kDt).external_work;
  energy = world.kinetic_energy() + world.potential_energy() - energy;
  EXPECT_NEAR(work, world.mass(load) * kStandardGravity * 1, 1e-3 * work);
  EXPECT_NEAR(energy, work, 1e-3 * work);
}

TEST(FastStep, ABallWithItsCentreOfMassAsideLiesOnItsSurface) {
  // Like a roly-poly: the heavy side comes to lie below, and the middle of the ball stays a radius above the floor.
  World world = world_with("fast");
  add_floor(world);
  BodyDef def = body(Shape::sphere(0.5), {0, 0, 0.5});
  def.center_of_mass = Vec3{0, 0, -0.2};
  const BodyHandle ball = world.add_body(def);
  for (int i = 0; i < 60; ++i) {
    world.step(kDt);
    ASSERT_NEAR(world.shape_pose(ball).position.z, 0.5, 1e-3) << i;
  }
}

TEST(FastStep, ABodyThatIsPutElsewhereTouchesWhereItIs) {
  // A plate that lies on one face is put on the other, at the same place and then farther off.
  World world = world_with("fast");
  add_fixed_box(world, {10, 10, 1}, {0, 0, -0.5});
  const BodyHandle plate = world.add_body(body(Shape::box({1, 1, 0.2}), {0, 0, 0.1}));
  run(world, 1, kDt);
  for (const Vec3& at : {Vec3{0, 0, 0.1}, Vec3{3, 3, 0.1}}) {
    const Real turned = world.state(plate).orientation.w > 0.5 ? 180 : 0;
    world.set_state(plate, {at, turn({1, 0, 0}, turned), {}, {}});
    for (int i = 0; i < 30; ++i) {
      world.step(kDt);
      ASSERT_LE(norm(world.state(plate).position - at), 1e-3) << i;
    }
  }
}

TEST(FastStep, WhatLiesOnABodyFallsWhenItIsRemoved) {
  World world = world_with("fast");
  const std::vector<BodyHandle> tower = add_tower(world, 3);
  run(world, 1, kDt);
  world.remove_body(tower[1]);
  const Vec3 before = world.state(tower[2]).position;
  run(world, 0.2, kDt);
  EXPECT_NEAR(world.state(tower[2]).position.z, before.z - 0.5 * kStandardGravity * 0.04, 1e-3);
  // Another shape in the same slot touches as itself.
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.3), {3, 0, 0.3}));
  run(world, 1, kDt);
  EXPECT_NEAR(world.state(ball).position.z, 0.3, 1e-3);
  EXPECT_NEAR(world.state(tower[2]).position.z, 1.5, 2e-3);
}

TEST(FastStep, BodiesWhoseFiltersExcludeEachOtherPass) {
  World world = world_with("fast");
  const BodyHandle floor = add_fixed_box(world, {4, 4, 1}, {0, 0, -0.5});
  const BodyHandle box = world.add_body(cube({0, 0, 0.5}));
  run(world, 0.5, kDt);
  world.set_filter(floor, 1, 0);
  run(world, 0.5, kDt);
  EXPECT_NEAR(world.state(box).position.z, 0.5 - 0.5 * kStandardGravity * 0.25, 0.05);
}

TEST(FastStep, MomentumBalancesInEveryStepOfAHeap) {
  World world = heap();
  for (int i = 0; i < 240; ++i) ASSERT_LE(world.step(kDt).momentum_error, 1e-12) << i;
}

TEST(FastStep, AGasOfBallsKeepsItsMomentumAndGainsNoEnergy) {
  // A thousand balls on a grid, all in random motion, without gravity: case E-GAS-1.
  World world = [] {
    WorldDef def = without_gravity();
    def.suite = "fast";
    return World(def);
  }();
  world.set_default_material(surface(0.3, 0.9));
  Random random(1);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(random.uniform(1e-12, 1))) * std::cos(2 * std::numbers::pi * random.uniform(0, 1));
  };
  const ShapePtr ball = Shape::sphere(0.1);
  for (int k = 0; k < 1000; ++k) {
    BodyDef def =
        body(ball, 0.3 * Vec3{k % 10 - 4.5, k / 10 % 10 - 4.5, k / 100 - 4.5}, {normal(), normal(), normal()});
    def.angular_velocity = {3 * normal(), 3 * normal(), 3 * normal()};
    def.mass = 1;
    world.add_body(def);
  }
  Vec3 before;
  Real size = 0;
  for (const BodyHandle b : world.bodies()) before += world.state(b).velocity, size += norm(world.state(b).velocity);
  Real energy = world.kinetic_energy();
  std::int64_t active = 0;
  for (int i = 0; i < 300; ++i) {
    active += world.step(kDt).active_contacts;
    ASSERT_LE(norm(world.momentum() - before), 1e-12 * size) << i;
    // Impulses are rounded to single precision; each changes the energy by 6e-8 of itself at most.
    ASSERT_LE(world.kinetic_energy(), energy * (1 + 1e-6)) << i;
    energy = world.kinetic_energy();
  }
  EXPECT_GT(active, 1000);
}

TEST(FastStep, ContactsGiveEveryBodyItsMomentum) {
  World world = heap();
  const std::vector<BodyHandle> bodies = world.bodies();
  for (int i = 0; i < 150; ++i) {
    std::vector<Vec3> before;
    for (const BodyHandle b : bodies) before.push_back(world.state(b).velocity);
    world.step(kDt);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (world.type(bodies[k]) != BodyType::Dynamic) continue;
      const Real mass = world.mass(bodies[k]);
      Vec3 momentum = mass * (world.state(bodies[k]).velocity - before[k] - kDt * world.gravity());
      Real size = mass * norm(before[k]) + mass * kStandardGravity * kDt;
      for (const ContactRecord& c : world.contacts()) {
        const Vec3 j = c.impulse + c.collision_impulse;
        if (c.a == bodies[k]) momentum += j;
        if (c.b == bodies[k]) momentum -= j;
        if (c.a == bodies[k] || c.b == bodies[k]) size += norm(j);
      }
      // Rounding of double precision; impulses are read from single precision once, for both uses.
      ASSERT_LE(norm(momentum), 1e-12 * size) << "step " << i << " body " << k;
    }
  }
}

TEST(FastStep, TheSameOnOneThreadAndTwo) {
  World one = heap(1), two = heap(2);
  const std::vector<std::uint64_t> expected = hashes(one, 300);
  EXPECT_EQ(hashes(two, 300), expected);
}

/// Sets CAROM_SIMD while it lives.
class ForcedWidth {
 public:
  explicit ForcedWidth(const char* name) {
    if (const char* old = std::getenv("CAROM_SIMD")) old_ = old;
    ::setenv("CAROM_SIMD", name, 1);
  }
  ~ForcedWidth() {
    if (old_)
      ::setenv("CAROM_SIMD", old_->c_str(), 1);
    else
      ::unsetenv("CAROM_SIMD");
  }

 private:
  std::optional<std::string> old_;
};

TEST(FastStep, TheSameWithVectorsOfAnyWidth) {
  std::vector<std::uint64_t> expected;
  for (const char* width : {"scalar", "sse", "avx2", "avx512"}) {
    const ForcedWidth forced(width);
    World world = heap();
    const std::vector<std::uint64_t> found = hashes(world, 300);
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << width;
  }
}

TEST(FastStep, ASavedWorldGoesOnBitForBit) {
  World first = heap();
  // While they fall, while they come to lie, and when they lie.
  for (const int steps : {40, 60, 200}) {
    hashes(first, steps);
    const std::string saved = first.save();
    const std::vector<std::uint64_t> expected = hashes(first, 60);
    World second = heap();
    ASSERT_EQ(second.restore(saved), "");
    EXPECT_EQ(hashes(second, 60), expected) << "another world, after " << steps;
    ASSERT_EQ(first.restore(saved), "");
    EXPECT_EQ(hashes(first, 60), expected) << "the same world, after " << steps;
  }
}

TEST(FastStep, SavingChangesNothing) {
  World watched = heap(), left_alone = heap();
  for (int i = 0; i < 100; ++i) {
    watched.save();
    watched.step(kDt);
    left_alone.step(kDt);
    ASSERT_EQ(watched.state_hash(), left_alone.state_hash()) << i;
  }
}

TEST(FastStep, DamagedBytesAreRefusedOrHarmless) {
  World world = heap();
  hashes(world, 80);
  const std::string saved = world.save();
  const std::uint64_t before = world.state_hash();
  for (std::size_t size = 0; size < saved.size(); size += 1 + saved.size() / 200) {
    EXPECT_NE(world.restore(std::string_view(saved).substr(0, size)), "") << "cut to " << size << " bytes";
    ASSERT_EQ(world.state_hash(), before) << "cut to " << size << " bytes";
  }
  EXPECT_NE(world.restore(saved + "x"), "");
  // Numbers may come out wrong, but every index is checked: no crash.
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = saved;
    const auto at = static_cast<std::size_t>(random.uniform(0, static_cast<Real>(saved.size())));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (i % 8)));
    (void)world.restore(damaged);
    world.step(kDt);
    ASSERT_EQ(world.restore(saved), "");
  }
}

}  // namespace
}  // namespace carom::test
