#include "output_options.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace carom::program {

void add_output_options(CLI::App& command, OutputSettings& settings) {
  command.add_option("--html", settings.html, "Write a replay page: one HTML file that opens by double click");
  command.add_option("--gltf", settings.gltf, "Write an animation as binary glTF (.glb), for Blender and three.js");
  command.add_option("--usd", settings.usd, "Write an animation as USD text (.usda)");
  command.add_option("--fps", settings.fps, "Frames a second of --html, --gltf and --usd; default: 30");
  command.add_option("--trajectory", settings.trajectory, "Write the motion of every body to this CSV file");
  command.add_option("--metrics", settings.metrics, "Write a row a step to this CSV file: energy, errors, times");
  command.add_option("--contacts", settings.contacts, "Write every contact with its impulses to this CSV file");
  command.add_option(
      "--events", settings.events,
      "Write every impact of an event-driven suite (mirtich) to this CSV file: when, where, which bodies,\n"
      "impulse, energy lost");
  command.add_option("--every", settings.every,
                     "Seconds between samples of trajectory, contacts and recording; default: every step");
}

int usable_threads(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void print_written(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) fmt::print("  wrote {}\n", path);
}

}  // namespace carom::program
