// Cubes that run through a funnel into a box: chaotic, so that only what must hold in any case is measured.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/split_mix.h"
#include "study/kind_scene.h"

namespace carom {
namespace {

/// The glass that cases describe in words, square in section: a funnel from its neck at z = 0 up to the full width, a
/// shaft above it, and below the neck a closed box.
struct Glass {
  static constexpr Real kTop = 4, kFloor = -1.5;  // m

  Real width = 1, neck = 0.1;  // m: half of each
  Real slope = 1;              // rise over run of the funnel

  Real funnel_height() const { return slope * (width - neck); }

  bool holds(const Vec3& p) const {
    const Real out = std::max(std::abs(p.x), std::abs(p.y));
    if (p.z < kFloor || p.z > kTop || out > width) return false;
    return p.z <= 0 || p.z >= funnel_height() || out <= neck + p.z / slope;
  }

  /// The funnel is four wedges between its surface and the roof of the box, so that both are where they should be.
  std::vector<KindBody> walls() const {
    constexpr Real kThick = 0.5;  // m
    const Real height = kTop - kFloor, middle = 0.5 * (kTop + kFloor), reach = width + kThick;
    std::vector<KindBody> walls{{"floor", box_shape({2 * reach, 2 * reach, kThick}), "fixed"}};
    walls[0].position = {0, 0, kFloor - 0.5 * kThick};
    for (int side = 0; side < 4; ++side) {
      const Vec3 out = side % 2 == 0 ? Vec3{side == 0 ? 1.0 : -1.0, 0, 0} : Vec3{0, side == 1 ? 1.0 : -1.0, 0};
      const Vec3 along{-out.y, out.x, 0};
      KindBody wall{fmt::format("wall[{}]", side),
                    box_shape(side % 2 == 0 ? Vec3{kThick, 2 * reach, height} : Vec3{2 * reach, kThick, height}),
                    "fixed"};
      wall.position = (width + 0.5 * kThick) * out + Vec3{0, 0, middle};
      std::vector<Vec3> wedge;
      for (const Real y : {-width, width})
        for (const Vec3& corner : {neck * out, width * out, width * out + Vec3{0, 0, funnel_height()}})
          wedge.push_back(corner + y * along);
      walls.push_back(wall);
      walls.push_back({fmt::format("funnel[{}]", side), hull_shape(wedge), "fixed"});
    }
    return walls;
  }
};

/// Five by five in a layer, moved by a little chance as copies in scene files are.
std::vector<KindBody> make_cubes(std::uint64_t count, Real edge, Real mass) {
  constexpr std::uint64_t kSide = 5, kSeed = 1;
  constexpr Real kPitch = 0.15, kLowest = 1.25, kJitter = 0.01;  // m
  SplitMix64 random(kSeed);
  const auto jitter = [&] { return kJitter * (2 * random.fraction() - 1); };
  std::vector<KindBody> cubes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t row = i / kSide, layer = row / kSide;
    const auto x = static_cast<Real>(i % kSide), y = static_cast<Real>(row % kSide), z = static_cast<Real>(layer);
    constexpr Real kMiddle = 0.5 * (kSide - 1);
    KindBody cube{fmt::format("cube[{}]", i), box_shape({edge, edge, edge})};
    cube.mass = mass;
    cube.position = {kPitch * (x - kMiddle), kPitch * (y - kMiddle), kLowest + kPitch * z};
    const Real jx = jitter(), jy = jitter(), jz = jitter();
    cube.position += Vec3{jx, jy, jz};
    cubes.push_back(cube);
  }
  return cubes;
}

void measure_hourglass(const KindInput& input, Measurements& out) {
  const JsonView funnel = need(input.setup, "funnel");
  const Glass glass{need(funnel, "top_half").positive(), need(funnel, "neck_half").positive(),
                    std::tan(need(funnel, "slope_deg").between(1, 89) * kDegree)};
  const Real edge = need(input.setup, "a").positive(), mass = need(input.setup, "m").positive();
  const std::uint64_t count = need(input.setup, "n").natural();
  if (input.setup.ok() && (count < 1 || count > 10000)) need(input.setup, "n").expected("from 1 to 10000");
  if (!input.setup.ok()) return;
  KindScene scene = read_kind_scene(input.setup);
  scene.duration = need(input.setup, "duration").positive();
  scene.bodies = glass.walls();
  const std::size_t first = scene.bodies.size();
  for (const KindBody& cube : make_cubes(count, edge, mass)) scene.bodies.push_back(cube);
  SceneRun run(input, scene, out);
  if (!run.ok()) return;

  // Heights are counted from the floor of the box.
  const Real ground = static_cast<Real>(count) * mass * scene.gravity * Glass::kFloor;
  const Real energy_start = run.world().kinetic_energy() + run.world().potential_energy() - ground;
  Real lowest = energy_start, rise = 0, deepest = 0;
  bool inside = true;
  const bool finite = run.run_to(scene.duration, [&] {
    for (std::size_t i = first; i < scene.bodies.size(); ++i) inside = inside && glass.holds(run.state(i).position);
    const Real energy = run.world().kinetic_energy() + run.world().potential_energy() - ground;
    rise = std::max(rise, energy - lowest);
    lowest = std::min(lowest, energy);
    deepest = std::max(deepest, run.report().max_penetration);
    return true;
  });
  if (!finite) return;
  Real liveliest = 0, height = 0;
  for (std::size_t i = first; i < scene.bodies.size(); ++i) {
    const BodyState s = run.state(i);
    const Vec3 momentum = run.world().inertia(run.handle(i)) * s.angular_velocity;
    liveliest = std::max(liveliest, 0.5 * (squared_norm(s.velocity) + dot(s.angular_velocity, momentum) / mass));
    height += (s.position.z - Glass::kFloor) / static_cast<Real>(count);
  }
  constexpr Real kRounding = 1e-6;  // of the energy at the start: what it may rise by
  out.add("all_cubes_inside", inside);
  out.add("max_penetration_rel", deepest / edge);
  out.add("energy_rise_rel", rise / energy_start);
  out.add("energy_nonincreasing", rise <= kRounding * energy_start);
  out.add("final_KE_per_mass_below", liveliest);
  out.add("mean_height", height);
}

}  // namespace

std::vector<KindInfo> hourglass_kinds() { return {{"hourglass", true, measure_hourglass}}; }

}  // namespace carom
