// Balls that hit something at a time that is known: runs that are cut at times of impact, or go from event to event.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "study/kind_scene.h"

namespace carom {
namespace {

/// A plate as cases describe it: "x in [0,0.01], 1 m x 1 m". It is centred on the other two axes.
struct Plate {
  int axis = 0;
  Real low = 0, high = 0;            // m, along the axis
  std::array<Real, 2> across{1, 1};  // m
};

/// All numbers of a text, in metres where a unit of length follows.
std::vector<Real> lengths_in(const std::string& text) {
  std::vector<Real> numbers;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const Real value = std::strtod(at, &end);
    if (end == at) {
      ++at;
      continue;
    }
    at = end;
    while (*at == ' ') ++at;
    const Real unit = std::string(at, 2) == "mm" ? 1e-3 : (std::string(at, 2) == "cm" ? 1e-2 : 1);
    numbers.push_back(unit * value);
  }
  return numbers;
}

std::optional<Plate> read_plate(const JsonView& view) {
  const std::string text = view.text();
  const std::vector<Real> numbers = lengths_in(text);
  const std::size_t axis = text.find_first_of("xyz");
  const bool is_range = numbers.size() >= 2 && numbers[0] < numbers[1];
  if (axis == std::string::npos || !is_range || (numbers.size() != 2 && numbers.size() != 4)) {
    view.expected("a plate such as \"x in [0,0.01], 1 m x 1 m\"");
    return {};
  }
  Plate plate{text[axis] - 'x', numbers[0], numbers[1]};
  if (numbers.size() == 4) plate.across = {numbers[2], numbers[3]};
  return plate;
}

/// A small ball that flies at a thin plate.
void measure_ccd(const KindInput& input, Measurements& out) {
  const JsonView& setup = input.setup;
  const std::optional<Plate> plate = read_plate(need(setup, "plate"));
  KindScene scene;
  scene.options = to_impacts(input.suite);
  scene.gravity = need(setup, "g").number();
  scene.friction = need(setup, "mu").non_negative();
  scene.restitution = need(setup, "e").between(0, 1);
  const Real radius = need(setup, "r").positive(), mass = need(setup, "m").positive();
  const Vec3 velocity = need(setup, "v").vec3();
  const Real start = need(setup, "start_x").number();
  if (!setup.ok() || !plate) return;
  Vec3 size, middle, position;
  size[plate->axis] = plate->high - plate->low;
  size[(plate->axis + 1) % 3] = plate->across[0];
  size[(plate->axis + 2) % 3] = plate->across[1];
  middle[plate->axis] = 0.5 * (plate->low + plate->high);
  position[plate->axis] = start;
  scene.bodies = {{"plate", box_shape(size), "fixed"}, {"ball", sphere_shape(radius)}};
  scene.bodies[0].position = middle;
  scene.bodies[1].mass = mass;
  scene.bodies[1].position = position;
  scene.bodies[1].velocity = velocity;
  // Ten times as long as the way to the plate takes.
  const Real speed = std::abs(velocity[plate->axis]);
  if (speed == 0) return need(setup, "v").complain("found no motion towards the plate");
  scene.duration = 10 * std::max(std::abs(start - middle[plate->axis]) / speed, input.dt);
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  std::vector<Real> hits;
  const bool finite = run.run_to(scene.duration, [&] {
    hits = run.hits(0, 1);
    return hits.empty();
  });
  if (!finite || hits.empty()) return;
  // The collision acts at the stop; where that is the very end of a step, in the next one.
  run.run_to(run.time() + input.dt);
  out.add("t_hit", hits.front());
  out.add("v_after", run.state(1).velocity[plate->axis]);
}

/// A ball dropped on the floor, until it rests: impacts, heights between them, and when they end.
void measure_bounce(const KindInput& input, Measurements& out) {
  const JsonView& setup = input.setup;
  KindScene scene;
  // Bouncing ends at the resting speed √(2 g ε_c): ε_c decides how much of the series is left out.
  scene.options = to_impacts(input.suite);
  scene.options.emplace_back("envelope", 1e-9);
  scene.gravity = need(setup, "g").positive();
  scene.friction = need(setup, "mu").non_negative();
  scene.restitution = need(setup, "e").between(0, 1);
  const Real radius = need(setup, "r").positive(), drop = need(setup, "h_gap").positive();
  scene.bodies = {{"floor", plane_shape({0, 0, 1}), "fixed"}, {"ball", sphere_shape(radius)}};
  scene.bodies[1].mass = need(setup, "m").positive();
  scene.bodies[1].position = {0, 0, radius + drop};
  if (!setup.ok()) return;
  const bool ends = scene.restitution < 1;
  const std::size_t wanted = ends ? 6 : 20;
  const Real fall = std::sqrt(2 * drop / scene.gravity);
  const Real total = fall * (1 + scene.restitution) / (1 - scene.restitution);
  scene.duration = ends ? 1.1 * total + 2 * input.dt : fall * (2 * static_cast<Real>(wanted) + 1);
  SceneRun run(input, scene, out);
  if (!run.ok()) return;
  std::vector<Real> times, apexes;
  const Real energy_before = run.world().kinetic_energy() + run.world().potential_energy();
  const bool finite = run.run_to(scene.duration, [&] {
    for (const Real time : run.hits(0, 1)) times.push_back(time);
    const BodyState ball = run.state(1);
    // In flight the height to come follows from the velocity; it is taken once between two impacts.
    const Real apex = ball.position.z - radius + 0.5 * ball.velocity.z * ball.velocity.z / scene.gravity;
    if (times.size() > apexes.size()) apexes.resize(times.size(), apex);
    return run.report().micro_events == 0;  // with these an event-driven suite takes the ball for one that rests
  });
  if (!finite || times.size() < wanted) return;
  if (ends) {
    out.add("t_total", times.back());
    out.add("apexes", std::vector<Real>(apexes.begin(), apexes.begin() + 5));
  } else {
    out.add("apex_after_20_bounces", apexes[wanted - 1]);
    const Real energy = run.world().kinetic_energy() + run.world().potential_energy();
    out.add("energy_drift", energy / energy_before - 1);
  }
  out.add("impact_times", std::vector<Real>(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(wanted)));
}

}  // namespace

std::vector<KindInfo> hit_kinds() { return {{"ccd", true, measure_ccd}, {"bounce", true, measure_bounce}}; }

}  // namespace carom
