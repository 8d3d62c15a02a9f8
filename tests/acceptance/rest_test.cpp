// Bodies that must come to rest, or stay there: stack, incline, slide, tower100.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "acceptance.h"
#include "study/pose_audit.h"

namespace carom::acceptance {
namespace {

constexpr Real kGravity = 9.81;
constexpr Real kMillimetre = 1e-3;

TEST(Stack, RestsWithoutPenetrationDriftOrEnergyGain) {
  const Scene stack = scene("stack");
  World world = world_of(stack);
  PoseAudit audit(audit_bodies(stack));
  const BodyHandle top = body_named(world, "cube9");

  Real least_energy = mechanical_energy(world), energy_rise = 0;
  Vec3 top_at_5;
  PoseReport end;
  for (int step = 1; step <= 600; ++step) {
    world.step(stack.dt);
    const Real energy = mechanical_energy(world);
    energy_rise = std::max(energy_rise, energy - least_energy);
    least_energy = std::min(least_energy, energy);
    if (step == 300) top_at_5 = world.state(top).position;
    end = audit.judge(shape_poses(world));
  }
  const Real drift = norm(world.state(top).position - top_at_5);
  const Real unit = dynamic_mass(world) * kGravity;  // J per metre of lift of the whole stack

  figure("stack: penetration after 10 s", end.worst_depth / kMillimetre, "mm");
  figure("stack: drift of the top, 5 to 10 s", drift / kMillimetre, "mm");
  figure("stack: largest energy rise", energy_rise / unit, "m M g");
  EXPECT_TRUE(end.finite);
  EXPECT_LE(end.worst_depth, 0.5 * kMillimetre);
  EXPECT_LE(drift, 0.05 * kMillimetre);
  EXPECT_LE(energy_rise, 1e-3 * unit);
}

TEST(Incline, CubeBelowTheFrictionAngleDoesNotCreep) {
  const Scene incline = scene("incline");
  World world = world_of(incline);
  const BodyHandle cube = body_named(world, "cube0");
  Vec3 start;
  Real creep = 0;
  for (int step = 1; step <= 600; ++step) {
    world.step(incline.dt);
    const Vec3 position = world.state(cube).position;
    if (step == 60) start = position;
    if (step > 60) creep = std::max(creep, norm(position - start));
  }
  figure("incline: creep from 1 to 10 s", creep / kMillimetre, "mm");
  EXPECT_LE(creep, 0.01 * kMillimetre);
}

TEST(Slide, StopsAfterTheDistanceOfCoulombsLaw) {
  const Scene slide = scene("slide");
  World world = world_of(slide);
  const BodyHandle cube = body_named(world, "cube0");
  const Real speed = 5, mu = 0.5, expected = speed * speed / (2 * mu * kGravity);
  for (int step = 0; step < step_count(slide); ++step) world.step(slide.dt);
  const Real distance = world.state(cube).position.x, error = distance / expected - 1;
  figure("slide: error of the stopping distance", 100 * error, "%");
  EXPECT_LE(std::abs(error), 0.005);
  EXPECT_LE(norm(world.state(cube).velocity), 1e-6);
}

TEST(Tower100, StandsForTenSeconds) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const Scene tower = scene("tower100");
  World world = world_of(tower);
  PoseAudit audit(audit_bodies(tower));
  Real worst_depth = 0, iterations = 0, seconds = 0;
  const int steps = 600;
  for (int step = 0; step < steps; ++step) {
    const StepReport report = world.step(tower.dt);
    iterations += report.iterations;
    seconds += report.seconds.total;
    worst_depth = std::max(worst_depth, audit.judge(shape_poses(world)).worst_depth);
  }
  // It stands if every cube is still on the one that it was put on: moved by less than half a cube from its place.
  Real sag = 0, lean = 0;
  for (std::size_t i = 0; i < tower.bodies.size(); ++i) {
    const Vec3 moved = world.shape_pose(world.bodies()[i]).position - tower.bodies[i].def.pose.position;
    sag = std::max(sag, -moved.z);
    lean = std::max(lean, std::hypot(moved.x, moved.y));
  }
  figure("tower100: sag of the top after 10 s", sag / kMillimetre, "mm");
  figure("tower100: largest sideways motion", lean / kMillimetre, "mm");
  figure("tower100: worst penetration in 10 s", worst_depth / kMillimetre, "mm");
  figure("tower100: iterations of the contact stage, mean", iterations / steps);
  figure("tower100: cost of a step, one thread", 1e3 * seconds / steps, "ms");
  EXPECT_LT(sag, 0.5);
  EXPECT_LT(lean, 0.5);
}

}  // namespace
}  // namespace carom::acceptance
