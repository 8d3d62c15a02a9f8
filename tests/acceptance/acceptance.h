// What the acceptance tests share: scenes by name, figures that are printed so that they can be quoted, and a loud skip
// of the long runs where the build is too slow for them.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <sstream>
#include <string>

#include "carom/io/scene.h"
#include "support/slow_build.h"

namespace carom::acceptance {

/// Prints a measured figure and keeps it in the test's record.
inline void figure(const std::string& what, double value, const std::string& unit = "") {
  std::printf("[ FIGURE   ] %-58s %.6g %s\n", what.c_str(), value, unit.c_str());
  std::fflush(stdout);
  std::ostringstream text;
  text << value << ' ' << unit;
  std::string key = what;
  for (char& c : key)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  testing::Test::RecordProperty(key, text.str());
}

inline std::string scene_path(const std::string& name) {
  return std::string(CAROM_SCENES_DIR) + "/" + name + ".scene.json";
}

inline Scene scene(const std::string& name) {
  Result<Scene> loaded = load_scene(scene_path(name));
  if (!loaded) fail(loaded.message());
  return loaded.value();
}

/// With another suite than its own.
inline Scene scene(const std::string& name, const std::string& suite) {
  Scene changed = scene(name);
  changed.suite = suite;
  changed.suite_reason.clear();
  return changed;
}

inline World world_of(const Scene& scene, int threads = 1) { return make_world(scene, scene_options(scene), threads); }

/// How many whole steps the scene lasts.
inline int step_count(const Scene& scene) { return static_cast<int>(scene.duration / scene.dt + 0.5); }

/// The only body of that name.
inline BodyHandle body_named(const World& world, const std::string& name) {
  for (const BodyHandle body : world.bodies())
    if (world.name(body) == name) return body;
  fail("no body of the name " + name);
}

/// ½ m v² + ½ ωᵀ I ω − m g·x, summed over the dynamic bodies, from their states.
inline Real mechanical_energy(const World& world) {
  Real energy = 0;
  for (const BodyHandle body : world.bodies()) {
    if (world.type(body) != BodyType::Dynamic) continue;
    const BodyState state = world.state(body);
    energy += world.mass(body) * (0.5 * squared_norm(state.velocity) - dot(world.gravity(), state.position)) +
              0.5 * dot(state.angular_velocity, world.inertia(body) * state.angular_velocity);
  }
  return energy;
}

inline Real dynamic_mass(const World& world) {
  Real mass = 0;
  for (const BodyHandle body : world.bodies())
    if (world.type(body) == BodyType::Dynamic) mass += world.mass(body);
  return mass;
}

}  // namespace carom::acceptance
