// Prints measurements as a table, as one JSON line each, and as what Carom loses.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "measure.h"

namespace carom::bench {

/// The machine and the code that the figures belong to.
struct Circumstances {
  std::string commit, compiler, cpu, date;
  int cores = 0;
  double load = 0;  ///< mean number of processes that wanted to run in the minute before: on a quiet machine 0
};
Circumstances circumstances();
std::string text_of(const Circumstances& where);

/// Everything that was measured on one scene.
struct SceneResult {
  ScenePlan plan;
  std::string description;
  std::vector<Measurement> measurements;
};

/// A table of one scene. A time is never printed without its error.
void print_scene(std::ostream& out, const SceneResult& result);
/// Where Carom's time goes: one row a suite with one thread.
void print_profile(std::ostream& out, std::span<const SceneResult> results);
void write_json_lines(std::ostream& out, const SceneResult& result, const Circumstances& where);

/// One sentence for each way in which Carom is behind on this scene: a peer that is faster than every suite, one that
/// is more accurate than every suite, one that is both at once against a suite.
std::vector<std::string> losses(const SceneResult& result);
void print_losses(std::ostream& out, std::span<const SceneResult> results);

/// Three digits: enough to compare, few enough to read.
std::string digits(double value);
/// False where it was not run, took no step or is not finite.
bool has_figures(const Measurement& measurement);
bool is_carom(const Measurement& measurement);

/// What a measurement did not do: `not run: …`, or why it was cut; empty if it ran to its end.
std::string remark(const Measurement& measurement);
/// `7.4 mm`-like, to three digits.
std::string error_text(const ScenePlan& plan, const Measurement& measurement);
/// The figures of the scene's task in one line.
std::string figures_text(const Measurement& measurement);
/// Of the whole step: detection, collisions, contacts, positions, the rest; in percent.
struct StageShares {
  double detect = 0, collisions = 0, contacts = 0, positions = 0, rest = 0;
};
StageShares stage_shares(const OwnReport& own);

}  // namespace carom::bench
