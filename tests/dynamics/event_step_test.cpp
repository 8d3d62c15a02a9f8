// The event-driven suite: flights, impacts, microcollisions, and what is handed to a contact solver.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "dynamics/flight.h"
#include "scenery.h"
#include "support/random.h"
#include "support/slow_build.h"

namespace carom::test {
namespace {

constexpr Real kFrame = 1.0 / 60;

using Settings = std::vector<std::pair<std::string, OptionValue>>;

WorldDef mirtich(const Settings& settings = {}) {
  WorldDef def;
  def.suite = "mirtich";
  def.options = Options(find_suite("mirtich")->options);
  for (const auto& [name, value] : settings) EXPECT_EQ(def.options.set(name, value), "");
  return def;
}

WorldDef weightless() {
  WorldDef def = mirtich();
  def.gravity = {};
  return def;
}

Real energy(const World& world) { return world.kinetic_energy() + world.potential_energy(); }

/// A closed room, with walls at ±half.
void add_room(World& world, Real half) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const Real side : {-1.0, 1.0}) {
      Vec3 normal;
      normal[axis] = -side;
      BodyDef wall = body(Shape::plane(normal, -half), {});
      wall.type = BodyType::Fixed;
      world.add_body(wall);
    }
  }
}

/// Rods and boxes on a grid, a fifth of the room, with random velocities.
std::vector<BodyHandle> add_crowd(World& world, int side, Real speed) {
  constexpr Real kPitch = 0.3;
  const Real half = 0.5 * side * kPitch;
  add_room(world, half);
  const ShapePtr shapes[] = {Shape::box({0.175, 0.175, 0.175}), Shape::box({0.12, 0.16, 0.28})};
  Random random(1);
  std::vector<BodyHandle> bodies;
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 cell{static_cast<Real>(i % side), static_cast<Real>(i / side % side),
                    static_cast<Real>(i / side / side)};
    BodyDef def = body(shapes[i % 2], kPitch * (cell + Vec3{0.5, 0.5, 0.5}) - Vec3{half, half, half});
    def.velocity = random.vector(speed);
    def.angular_velocity = random.vector(5 * speed);
    bodies.push_back(world.add_body(def));
  }
  return bodies;
}

Body spinning(const Mat3& inertia, const Vec3& angular_velocity) {
  Body body;
  body.alive = true;
  body.type = BodyType::Dynamic;
  body.shape = Shape::box({1, 1, 1});
  body.inverse_mass = 1;
  body.inertia_local = inertia;
  body.inverse_inertia_local = inverse(inertia);
  body.radius = 1;
  body.angular_velocity = angular_velocity;
  body.refresh();
  return body;
}

TEST(Flight, ATopInClosedFormIsWhatSmallStepsComeTo) {
  // Two equal moments, and two that differ by more than the flight takes for equal but by too little to matter.
  const Vec3 spin{1, 2, -3};
  const Body top = spinning(Mat3::diagonal({1, 1, 1.6}), spin);
  const Body nearly = spinning(Mat3::diagonal({1, 1 + 1e-10, 1.6}), spin);
  ASSERT_EQ(spin_shape(top).kind, SpinShape::Kind::Top);
  ASSERT_EQ(spin_shape(nearly).kind, SpinShape::Kind::Any);
  Flight closed, stepped;
  closed.start(top, spin_shape(top), {}, {}, 0);
  stepped.start(nearly, spin_shape(nearly), {}, {}, 0);
  const BodyState a = closed.at(3), b = stepped.at(3);
  // Eleven radians in steps of 0.02: the error of a method of fourth order is far below 1e-6.
  EXPECT_LE(norm(a.angular_velocity - b.angular_velocity), 1e-7);
  const Quat difference = a.orientation * conjugate(b.orientation);
  EXPECT_LE(norm(difference.vector()), 1e-7);
}

TEST(Flight, KeepsEnergyAndAngularMomentum) {
  const Body body = spinning(Mat3::diagonal({0.5, 1.2, 1.5}), {0.3, 2, -0.5});
  const Vec3 momentum = body.inertia() * body.angular_velocity;
  Flight flight;
  flight.start(body, spin_shape(body), {}, {}, 0);
  Body later = body;
  const BodyState state = flight.at(20);
  later.orientation = state.orientation;
  later.angular_velocity = state.angular_velocity;
  later.refresh();
  EXPECT_LE(norm(later.inertia() * later.angular_velocity - momentum), 1e-13 * norm(momentum));
  // Forty radians by a method of fourth order in steps of 0.02.
  EXPECT_NEAR(kinetic_energy(later) / kinetic_energy(body), 1, 1e-9);
}

TEST(Events, ElasticBallsKeepTheirEnergyToRounding) {
  World world(mirtich());
  world.set_default_material(surface(0.5, 1));
  add_floor(world);
  for (int i = 0; i < 49; ++i) {
    BodyDef ball = body(Shape::sphere(0.5), {2.0 * (i % 7), 2.0 * (i / 7), 5});
    ball.mass = 10;
    world.add_body(ball);
  }
  const Real start = energy(world);
  EXPECT_NEAR(start, 24034.5, 1e-9);
  Real worst = 0;
  for (int frame = 0; frame < 1200; ++frame) {
    world.step(kFrame);
    worst = std::max(worst, std::abs(energy(world) - start));
  }
  EXPECT_LE(worst, 1e-6);
}

TEST(Events, ACrowdStaysInItsRoomApartAndKeepsItsEnergyWithoutFriction) {
  World world(weightless());
  world.set_default_material(surface(0, 1));
  const int side = CAROM_SLOW_BUILD ? 2 : 4;
  const std::vector<BodyHandle> bodies = add_crowd(world, side, 10);
  const Real start = energy(world), wall = 0.5 * side * 0.3;
  constexpr Real kEnvelope = 1e-4 * 0.12;
  std::int64_t impacts = 0;
  for (int frame = 0; frame < 30; ++frame) {
    const StepReport report = world.step(kFrame);
    impacts += report.events;
    ASSERT_LE(report.max_penetration, kEnvelope);
    ASSERT_LE(report.momentum_error, 1e-9);
    for (const BodyHandle handle : bodies) {
      const Pose pose = world.shape_pose(handle);
      for (const Vec3& corner : world.shape(handle)->corners())
        for (int i = 0; i < 3; ++i) ASSERT_LE(std::abs(transform(pose, corner)[i]), wall);
    }
  }
  EXPECT_GT(impacts, 100);
  EXPECT_NEAR(energy(world) / start, 1, 1e-9);
}

TEST(Events, AreTheSameBitForBitInEveryRunAndAfterARestore) {
  const auto prepare = [](World& world) {
    world.set_default_material(surface(0.4, 0.5));
    add_crowd(world, 2, 2);
  };
  const auto log = [](World& world, int frames, std::vector<ImpactEvent>& events) {
    for (int frame = 0; frame < frames; ++frame) {
      world.step(kFrame);
      events.insert(events.end(), world.events().begin(), world.events().end());
    }
  };
  for (const char* resting : {"micro", "solve"}) {
    const WorldDef def = mirtich({{"resting", std::string(resting)}});
    World first(def), second(def);
    prepare(first);
    prepare(second);
    std::vector<ImpactEvent> events, again;
    log(first, 60, events);
    log(second, 25, again);
    const std::string saved = second.save();
    World third(def);
    prepare(third);
    ASSERT_EQ(third.restore(saved), "");
    log(third, 35, again);
    ASSERT_EQ(events.size(), again.size()) << resting;
    for (std::size_t i = 0; i < events.size(); ++i) {
      ASSERT_EQ(events[i].time, again[i].time) << resting << " " << i;
      ASSERT_EQ(events[i].impulse, again[i].impulse) << resting << " " << i;
    }
    EXPECT_EQ(first.state_hash(), third.state_hash()) << resting;
  }
}

TEST(Events, AreInOrderOfTimeAndTheirEnergyLossIsWhatIsLost) {
  World world(mirtich());
  world.set_default_material(surface(0.3, 0.6));
  add_floor(world);
  for (int i = 0; i < 3; ++i) world.add_body(body(Shape::sphere(0.1), {0.05 * i, 0, 0.5 + 0.25 * i}));
  const Real start = energy(world);
  Real lost = 0, last = 0;
  for (int frame = 0; frame < 120; ++frame) {
    world.step(kFrame);
    for (const ImpactEvent& event : world.events()) {
      EXPECT_GE(event.time, last);
      last = event.time;
      lost += event.energy_loss;
    }
  }
  EXPECT_NEAR(start - energy(world), lost, 1e-9 * start);
}

/// m: how far a block on a slope of 25 degrees has moved along it after some seconds.
Real slide(Real friction, Real seconds, const Settings& settings) {
  World world(mirtich(settings));
  world.set_default_material(surface(friction));
  const Real angle = 25 * std::numbers::pi / 180;
  const Vec3 normal{-std::sin(angle), 0, std::cos(angle)}, up{std::cos(angle), 0, std::sin(angle)};
  add_floor(world, normal);
  BodyDef block = body(Shape::box({0.4, 0.4, 0.2}), 0.1 * normal);
  block.pose.orientation = turn({0, 1, 0}, -25);
  const BodyHandle handle = world.add_body(block);
  run(world, seconds, kFrame);
  return -dot(world.state(handle).position - 0.1 * normal, up);
}

TEST(Microcollisions, HoldABlockThatFrictionHoldsAndLetItSlideWhereItDoesNot) {
  constexpr Real kEnvelope = 1e-4 * 0.2;
  EXPECT_LE(std::abs(slide(0.5, 5, {})), kEnvelope);
  EXPECT_LE(std::abs(slide(0.5, 5, {{"resting", std::string("solve")}})), kEnvelope);
  const Real angle = 25 * std::numbers::pi / 180;
  const Real slid = 0.5 * kStandardGravity * (std::sin(angle) - 0.3 * std::cos(angle));
  EXPECT_NEAR(slide(0.3, 1, {}) / slid, 1, 2e-3);
  // Without the reversing impulse it creeps, as the paper says.
  EXPECT_GT(std::abs(slide(0.5, 5, {{"microcollisions", std::string("law")}})), 10 * kEnvelope);
}

TEST(Microcollisions, ABallSlidesAndThenRollsAsItShould) {
  World world(mirtich());
  world.set_default_material(surface(0.1));
  add_floor(world);
  const BodyHandle ball = world.add_body(body(Shape::sphere(0.1), {0, 0, 0.1}, {7, 0, 0}));
  run(world, 3, kFrame);
  EXPECT_NEAR(world.state(ball).velocity.x, 5, 1e-3);
  EXPECT_NEAR(world.state(ball).angular_velocity.y, 50, 1e-2);
}

TEST(Microcollisions, AStackStandsWithEitherWayOfResting) {
  for (const char* resting : {"micro", "solve"}) {
    World world(mirtich({{"resting", std::string(resting)}}));
    world.set_default_material(surface(0.5));
    add_floor(world);
    for (int i = 0; i < 4; ++i) world.add_body(cube({0, 0, 0.5 + 1.01 * i}));
    Real deepest = 0;
    std::int64_t solved = 0;
    for (int frame = 0; frame < 120; ++frame) {
      const StepReport report = world.step(kFrame);
      deepest = std::max(deepest, report.max_penetration);
      solved += report.solved;
    }
    // Cubes of one metre: an envelope of 0.1 mm.
    EXPECT_LE(deepest, 1e-4) << resting;
    EXPECT_NEAR(world.state(world.bodies().back()).position.z, 3.5, 4e-4) << resting;
    EXPECT_EQ(solved > 0, std::string(resting) == "solve");
  }
}

TEST(Events, AFrameWithTooManyIsLeftToTheSolverAndSaysSo) {
  World world(mirtich({{"most_events", 1.0}}));
  world.set_default_material(surface(0.5));
  add_floor(world);
  for (int i = 0; i < 10; ++i) world.add_body(body(Shape::box({0.01, 0.01, 0.01}), {0, 0, 0.005 + 0.01 * i}));
  bool limited = false;
  for (int frame = 0; frame < 20; ++frame) {
    const StepReport report = world.step(0.25);
    limited = limited || report.events_limited;
    ASSERT_TRUE(report.finite);
  }
  EXPECT_TRUE(limited);
  EXPECT_NEAR(world.state(world.bodies().back()).position.z, 0.095, 1e-3);
}

}  // namespace
}  // namespace carom::test
