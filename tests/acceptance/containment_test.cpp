// Crowds of bodies, judged at every step from their poses alone: finite, inside the walls, at most 50 mm deep in
// anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "acceptance.h"
#include "study/pose_audit.h"

namespace carom::acceptance {
namespace {

constexpr Real kDeepest = 0.05;  // m

/// Runs the scene to its end and judges every step, the start included. Returns the world at the end.
World expect_contained(const Scene& scene, const std::vector<Region>& inside) {
  World world = world_of(scene);
  PoseAudit audit(audit_bodies(scene), inside);
  Real worst = 0, depth_sum = 0, seconds = 0, rise = 0, least_energy = mechanical_energy(world);
  std::size_t overlaps = 0;
  const PoseReport start = audit.judge(shape_poses(world));
  EXPECT_EQ(start.outside, 0u) << scene.bodies[start.first_outside].def.name << " starts outside";
  EXPECT_LE(start.worst_depth, 1e-9) << "bodies overlap at the start";

  const int steps = step_count(scene);
  for (int step = 1; step <= steps; ++step) {
    const StepReport step_report = world.step(scene.dt);
    const PoseReport report = audit.judge(shape_poses(world));
    if (!step_report.finite || !report.finite) {
      ADD_FAILURE() << "the state is not finite after step " << step;
      break;
    }
    if (report.outside > 0) {
      ADD_FAILURE() << report.outside << " bodies outside after step " << step << ", the first is "
                    << scene.bodies[report.first_outside].def.name;
      break;
    }
    if (report.worst_depth > worst && report.worst_depth > kDeepest)
      ADD_FAILURE() << "step " << step << ": " << scene.bodies[report.worst_a].def.name << " and "
                    << scene.bodies[report.worst_b].def.name << " overlap by " << 1e3 * report.worst_depth << " mm";
    worst = std::max(worst, report.worst_depth);
    depth_sum += report.depth_sum;
    overlaps += report.overlaps;
    seconds += step_report.seconds.total;
    const Real energy = mechanical_energy(world);
    rise = std::max(rise, energy - least_energy);
    least_energy = std::min(least_energy, energy);
  }
  figure(scene.name + ": worst penetration", 1e3 * worst, "mm");
  figure(scene.name + ": mean penetration of overlapping pairs",
         overlaps > 0 ? 1e3 * depth_sum / static_cast<Real>(overlaps) : 0, "mm");
  figure(scene.name + ": largest energy rise", rise / (dynamic_mass(world) * norm(scene.gravity)), "m M g");
  figure(scene.name + ": cost of a step, one thread", 1e3 * seconds / steps, "ms");
  return world;
}

std::size_t count_above(const World& world, Real height) {
  std::size_t count = 0;
  for (const BodyHandle body : world.bodies())
    if (world.type(body) == BodyType::Dynamic && world.state(body).position.z > height) ++count;
  return count;
}

// Two by `exact`, two by `sequential`, which takes a third to a fifth of the time.
// The regions hold the inside of the walls; the slanted plates are watched by the audit itself, which sees a centre
// pass through any fixed body.

TEST(Cubeglass, StaysInsideItsWallsAndShallow) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const World world = expect_contained(scene("cubeglass", "exact"),
                                       {{{-7, -7, 0}, {7, 7, 20.66}}, {{-12, -12, 11.5}, {12, 12, 43.33}}});
  figure("cubeglass: cubes left above the neck", static_cast<double>(count_above(world, 12)));
}

TEST(Cubeflow, StaysInsideItsWallsAndShallow) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const World world = expect_contained(scene("cubeflow", "sequential"),
                                       {{{-7, -7, 0}, {7, 7, 18.93}}, {{-12, -12, 11.5}, {12, 12, 41.59}}});
  figure("cubeflow: cubes left above the neck", static_cast<double>(count_above(world, 12)));
}

TEST(Hourglass, StaysInsideItsWallsAndShallowAndEmpties) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const Scene hourglass = scene("hourglass", "exact");
  ASSERT_LE(hourglass.duration, 60);
  const World world = expect_contained(hourglass, {{{-4.8, -4.8, 0}, {4.8, 4.8, 18.6}}});
  const std::size_t left = count_above(world, 8.5);
  figure("hourglass: cubes left above the neck", static_cast<double>(left));
  EXPECT_EQ(left, 0u);
}

/// Surface speed that half of the dynamic bodies stay below.
Real median_speed(const World& world) {
  std::vector<Real> speeds;
  for (const BodyHandle body : world.bodies()) {
    if (world.type(body) != BodyType::Dynamic) continue;
    const BodyState state = world.state(body);
    speeds.push_back(norm(state.velocity) + 0.5 * world.shape(body)->smallest_size() * norm(state.angular_velocity));
  }
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::ranges::nth_element(speeds, middle);
  return *middle;
}

TEST(Pile5000, StaysInsideItsWallsAndShallowAndComesToRest) {
  CAROM_SKIP_IN_SLOW_BUILDS();
  const Scene pile = scene("pile5000", "sequential");
  const World world = expect_contained(pile, {{{-12.2, -12.2, 0}, {12.2, 12.2, 60}}});
  // The last bodies landed seconds ago. A step that feeds a pile keeps it at a tenth of what gravity adds in a step.
  const Real still = 0.02 * norm(pile.gravity) * pile.dt;
  figure("pile5000: speed that half of it stays below at the end", 1e3 * median_speed(world), "mm/s");
  EXPECT_LE(median_speed(world), still);
}

TEST(Containment, TheJudgeSeesWhatItShould) {
  // The same judge on a scene that must fail it: a cube without a floor leaves the region, two cubes in one place
  // overlap.
  const ShapePtr cube = Shape::box({1, 1, 1});
  World world;
  world.add_body({.name = "a", .shape = cube, .pose = {{0, 0, 0.5}, {}}});
  world.add_body({.name = "b", .shape = cube, .pose = {{0.9, 0, 0.5}, {}}});
  PoseAudit audit({{cube}, {cube}}, {{{-1, -1, 0}, {1, 1, 2}}});
  EXPECT_NEAR(audit.judge(shape_poses(world)).worst_depth, 0.1, 1e-12);
  for (int step = 0; step < 60; ++step) world.step(1.0 / 60);
  EXPECT_EQ(audit.judge(shape_poses(world)).outside, 2u);
}

}  // namespace
}  // namespace carom::acceptance
