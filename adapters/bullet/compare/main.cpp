// Bullet's world with Bullet's own solver and with Carom's, on the same scene files, judged from poses alone. Makes the
// table of docs/plug-in.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "compare/contest.h"
#include "study/scene_lookup.h"
#include "study/text_table.h"

namespace carom {
namespace {

constexpr const char* kPrecision = sizeof(btScalar) == 8 ? "double" : "single";

std::vector<Contestant> contestants() {
  BulletSettings sequential;
  sequential.contacts = {"sequential", {{"iterations", "100"}}};
  sequential.collisions = {"pairwise", {}};
  sequential.collisions_left = {"none", {}};
  sequential.positions = {"frictionless", {}};
  BulletSettings freezing;
  freezing.freezing = true;
  return {{"Bullet, 10 iterations (its default)", 10, {}},
          {"Bullet, 1000 iterations", 1000, {}},
          {"Carom sequential", 0, sequential},
          {"Carom exact", 0, {}},
          {"Carom exact, freezing", 0, freezing}};
}

/// In mm, to two digits.
std::string millimetres(Real metres) {
  return 1000 * metres < 99.5 ? fmt::format("{:.2g}", 1000 * metres) : fmt::format("{:.0f}", 1000 * metres);
}

std::string tower_text(const Outcome& outcome) {
  const std::vector<Pose>& end = outcome.states.back();
  const Real sag = outcome.states.front().back().position.z - end.back().position.z;
  if (sag > 1) return "falls";
  const Vec3 top = end.back().position;
  return fmt::format("stands; top {} mm lower, {} mm aside", millimetres(sag), millimetres(std::hypot(top.x, top.y)));
}

/// Speeds along x from the last two states, in units of the first ball's, and what became of the energy.
std::string cradle_text(const Scene& scene, const Outcome& outcome) {
  const Real first = scene.bodies.front().def.velocity.x;
  std::string text;
  Real energy = 0;
  for (const Real speed : last_speeds(scene, outcome)) {
    // No "-0.00".
    text += fmt::format("{}{:.2f}", text.empty() ? "" : " ", std::round(100 * speed / first) / 100 + 0.0);
    energy += speed * speed / (first * first);
  }
  return text + fmt::format("; energy {:+.2g} %", 100 * (energy - 1));
}

/// What the scene is about, in words and numbers.
std::string answer(const Scene& scene, const Outcome& outcome) {
  const std::vector<Pose>&start = outcome.states.front(), &end = outcome.states.back();
  if (scene.name == "tower100") return tower_text(outcome);
  if (scene.name == "cradle") return cradle_text(scene, outcome);
  if (scene.name == "incline") {
    // Bullet's boxes see each other when they overlap, so that the cube falls for a step and is caught.
    const std::vector<Pose>& caught = outcome.states[static_cast<std::size_t>(std::lround(1 / scene.dt))];
    return fmt::format("creeps {} mm from 1 s on; {} mm in all", millimetres(largest_way(scene, caught, end)),
                       millimetres(largest_way(scene, start, end)));
  }
  const std::vector<Pose>& half = outcome.states[outcome.states.size() / 2];
  return fmt::format("moves {} mm in the second half", millimetres(largest_way(scene, half, end)));
}

struct Arguments {
  std::vector<std::string> scenes{"stack", "incline", "tower100", "cradle"};
  bool markdown = false;
};

std::vector<std::string> heads() {
  return {"<scene", "<solver", "deepest, mm", "at rest, mm", "<what happens", "ms/step", "in the end", "residual"};
}

std::vector<std::string> row(const Scene& scene, const Contestant& contestant, const Outcome& outcome) {
  const auto steps = static_cast<double>(outcome.states.size() - 1);
  return {scene.name,
          contestant.name,
          millimetres(outcome.worst_penetration),
          millimetres(outcome.rest_penetration),
          answer(scene, outcome) + (outcome.note.empty() ? "" : " (Bullet's solver helped: " + outcome.note + ")"),
          fmt::format("{:.2g}", 1000 * outcome.seconds / steps),
          fmt::format("{:.2g}", 1000 * outcome.rest_seconds * scene.dt),
          outcome.residual ? fmt::format("{:.0e}", *outcome.residual) : "-"};
}

std::string markdown(const std::vector<std::vector<std::string>>& rows) {
  std::string text, rule;
  for (const std::string& head : heads()) {
    text += "| " + head.substr(head.starts_with('<') ? 1 : 0) + " ";
    rule += "|---";
  }
  text += "|\n" + rule + "|\n";
  for (const auto& cells : rows) {
    for (const std::string& cell : cells) text += "| " + cell + " ";
    text += "|\n";
  }
  return text;
}

int compare(const Arguments& arguments) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : arguments.scenes) {
    const Result<Scene> scene = find_scene(name);
    if (!scene) {
      fmt::print(stderr, "{}\n", scene.message());
      return 2;
    }
    for (const Contestant& contestant : contestants()) {
      fmt::print(stderr, "{}: {}\n", name, contestant.name);
      rows.push_back(row(scene.value(), contestant, run(scene.value(), contestant)));
    }
  }
  TextTable table(heads());
  for (const auto& cells : rows) table.add(cells);
  fmt::print("Bullet {}.{:02} in {} precision:\n{}\n", btGetVersion() / 100, btGetVersion() % 100, kPrecision,
             arguments.markdown ? "\n" + markdown(rows) : table.text());
  return 0;
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) {
  carom::Arguments arguments;
  CLI::App app("Bullet's own constraint solver against Carom's, inside Bullet's world, judged from poses.");
  app.footer("Example: ./dev bench-plugin --scenes tower100,cradle");
  app.add_option("--scenes", arguments.scenes, "Scenes by name or file; spheres, boxes and planes only")
      ->delimiter(',');
  app.add_flag("--markdown", arguments.markdown, "Print the table as Markdown");
  CLI11_PARSE(app, argc, argv);
  try {
    return carom::compare(arguments);
  } catch (const carom::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
