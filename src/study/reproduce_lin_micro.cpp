// Lin's slides, "Micro-collisions issues": the box on a ramp that seems to vibrate, and the pile of books.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/reproduce_lin.h"
#include "study/trial.h"

namespace carom {
namespace {

struct Way {
  std::string name;
  std::vector<std::string> settings;
  std::string suite = "mirtich";
};

// --- The ramp --------------------------------------------------------------------------------------------------------

struct RampRun {
  std::vector<PlotPoint> creep;              // mm down the slope against s, of the block that should hold
  Real distance = 0, slid = 0, highest = 0;  // m: that block; the one that should slide; largest hop of the first
  bool limited = false;                      // more impacts than allowed
  Real micro_rate = 0, impact_rate = 0;      // a second, all three blocks
  double cpu = 0;
  std::string picture;
};

RampRun run_ramp(const TrialSetup& setup, const std::function<void(double)>& progress) {
  Trial trial(setup);
  const BodyHandle holds = trial.body("holds"), slides = trial.body("slides");
  const Vec3 normal = rotate(trial.world().shape_pose(trial.body("ramp")).orientation, {0, 0, 1});
  const Vec3 down = normalized(Vec3{0, 0, -1} + normal.z * normal);
  const Vec3 start = trial.world().state(holds).position, slides_from = trial.world().state(slides).position;
  RampRun run;
  Picture picture(trial.world());
  picture.add_moment(trial.world(), 0.25);
  std::int64_t micro = 0, impacts = 0;
  trial.run(
      [&](const StepReport& report) {
        micro += report.micro_events;
        run.limited = run.limited || report.events_limited;
        impacts += report.events - report.micro_events;
        const Vec3 moved = trial.world().state(holds).position - start;
        run.distance = dot(moved, down);
        run.highest = std::max(run.highest, dot(moved, normal));
        run.creep.push_back({report.time, 1e3 * run.distance, {}});
        return true;
      },
      progress);
  picture.add_moment(trial.world());
  run.slid = dot(trial.world().state(slides).position - slides_from, down);
  run.micro_rate = static_cast<Real>(micro) / trial.world().time();
  run.impact_rate = static_cast<Real>(impacts) / trial.world().time();
  run.cpu = trial.cpu_seconds();
  run.picture = picture.svg({.azimuth = -60, .elevation = 25, .height = 360});
  return run;
}

// --- The books -------------------------------------------------------------------------------------------------------

struct BooksRun {
  Real micro_rate = 0;   // a second
  Real cpu_rate = 0;     // CPU seconds a second
  Real deepest = 0;      // m: overlap
  Real shift = 0;        // m: farthest that a book has come
  Real rise = 0;         // J: of energy above its lowest
  bool limited = false;  // more impacts than allowed
  std::string picture;
};

/// The lowest of the books.
BooksRun run_books(const TrialSetup& setup, int books, const std::function<void(double)>& progress) {
  Trial trial(setup, [&](Scene& scene) {
    int kept = 0;
    std::erase_if(scene.bodies,
                  [&](const SceneBody& body) { return body.def.type == BodyType::Dynamic && ++kept > books; });
  });
  const std::vector<BodyHandle> bodies = trial.world().bodies();
  std::vector<Vec3> starts;
  starts.reserve(bodies.size());
  for (const BodyHandle body : bodies) starts.push_back(trial.world().state(body).position);
  BooksRun run;
  std::int64_t micro = 0;
  Real lowest = trial.world().kinetic_energy() + trial.world().potential_energy();
  trial.run(
      [&](const StepReport& report) {
        micro += report.events;
        run.deepest = std::max(run.deepest, report.max_penetration);
        run.limited = run.limited || report.events_limited;
        const Real energy = report.kinetic_energy + report.potential_energy;
        lowest = std::min(lowest, energy);
        run.rise = std::max(run.rise, energy - lowest);
        return true;
      },
      progress);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    run.shift = std::max(run.shift, norm(trial.world().state(bodies[i]).position - starts[i]));
  run.micro_rate = static_cast<Real>(micro) / trial.world().time();
  run.cpu_rate = trial.cpu_seconds() / trial.world().time();
  Picture picture(trial.world());
  picture.add_moment(trial.world());
  run.picture = picture.svg({.azimuth = -60, .elevation = 20, .height = 340});
  return run;
}

/// The exponent of a power law through the first and the last point that are above zero.
Real exponent(const std::vector<PlotPoint>& points) {
  const PlotPoint *first = nullptr, *last = nullptr;
  for (const PlotPoint& p : points)
    if (p.y > 0) {
      if (first == nullptr) first = &p;
      last = &p;
    }
  return first == nullptr || first == last ? 0 : std::log(last->y / first->y) / std::log(last->x / first->x);
}

/// `tallest`: the tallest pile in each of the four ways.
void conclude_books(Real power, int books, const std::vector<BooksRun>& tallest, ReportSection& section) {
  const BooksRun &micro = tallest[0], &material = tallest[1], &exact = tallest[3];
  const bool many = power > 1, better = exact.cpu_rate < micro.cpu_rate && exact.shift <= micro.shift;
  const bool deep = micro.deepest > 1e-4 || material.deepest > 1e-4;
  section.conclude(
      many && better && deep ? Finding::Agrees : Finding::Partly,
      fmt::format(
          "Impacts grow as the number of books to the power {:.2g}: {:.0f} a second for {} books, {:.2g} s of "
          "CPU time a second against {:.2g} s with a contact solver, which moves the books by {:.1e} m at the "
          "most where micro-collisions move them by {:.1e} m. {} The deepest overlap is {:.2g} µm with "
          "artificial restitution and {:.2g} µm with that of the material. {}",
          power, micro.micro_rate, books, micro.cpu_rate, exact.cpu_rate, exact.shift, micro.shift,
          material.limited ? "With the material's own restitution there are more impacts than Carom allows a "
                             "frame, and the rest of it is solved: the halt of the slides, cut short."
                           : "With the material's own restitution it does not come to a halt.",
          1e6 * micro.deepest, 1e6 * material.deepest,
          deep ? "Deep overlaps are there, as the slides say."
               : "The deep penetration and the instabilities of the slides do not appear: impacts are found by "
                 "their times, and hops are measured by the pull that the last one felt, weight above included."));
}

}  // namespace

void make_lin_ramp(const SectionWork& work, ReportSection& section) {
  section.claim(
      "“Micro-collisions issues”: boosted elasticity from micro-collisions makes a box on a ramp “bounce as if ramp "
      "were vibrating”. Mirtich and Canny, section 4.5: under the impact law alone the block creeps down, as on a ramp "
      "that vibrates; with the contact velocity turned round where friction can do that, it does not.");
  const Real duration = work.pick(0.5, 10.0, 100.0);
  const std::vector<Way> ways{{"law alone", {"microcollisions=law"}},
                              {"law alone, e of the material", {"microcollisions=law", "artificial_restitution=false"}},
                              {"velocity turned round", {"microcollisions=reverse"}},
                              {"what rests is solved", {"resting=solve"}},
                              {"no micro-collisions", {}, "exact"}};
  std::vector<TrialSetup> setups;
  std::vector<std::string> commands;
  for (const Way& way : ways) {
    setups.push_back({"ramp_block", way.suite, way.settings, {}, duration});
    commands.push_back(command(setups.back()));
  }
  section.ran(
      fmt::format(
          "Three blocks on a ramp of 25° for {:g} s, μ = 0.5 and 0.47, which hold (tan 25° = 0.466), and 0.4, which "
          "slides. “Artificial restitution” is that of the slides: bodies part as fast as takes them up by one small "
          "hop, whatever they came with.",
          duration),
      commands);
  ReportTable table{"ramp",
                    "The block with μ = 0.5. Hops: largest distance above its start.",
                    {{"contact that lasts"},
                     {"creep, mm"},
                     {"creep, mm/s"},
                     {"hops, µm"},
                     {"microcollisions/s"},
                     {"impacts/s"},
                     {"μ = 0.4 slid, m"},
                     {"CPU s a second"},
                     {"cut short"}},
                    {}};
  Plot plot{"ramp-creep", "How far the block has crept.", {"time, s"}, {"creep, mm"}, {}, 320};
  std::vector<RampRun> runs;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    runs.push_back(run_ramp(setups[i], [&](double share) { work.show(i, ways.size(), share); }));
    const RampRun& run = runs.back();
    table.rows.push_back({ways[i].name, fmt::format("{:.2g}", 1e3 * run.distance),
                          fmt::format("{:.2g}", 1e3 * run.distance / duration),
                          fmt::format("{:.2g}", 1e6 * run.highest), fmt::format("{:.0f}", run.micro_rate),
                          fmt::format("{:.0f}", run.impact_rate), fmt::format("{:.3g}", run.slid),
                          fmt::format("{:.2g}", run.cpu / duration), run.limited ? "yes" : "no"});
    plot.series.push_back({ways[i].name, run.creep, PlotMark::Line});
  }
  section.add_picture(runs[0].picture, "Law alone: where the blocks started (faint), and at the end.");
  section.add(plot);
  section.add(table);
  const bool creeps = runs[0].distance > 1e-4 * duration, holds = std::abs(runs[2].distance) < 1e-4;
  section.conclude(
      creeps && holds ? Finding::Agrees : Finding::Partly,
      fmt::format(
          "Under the law alone the block that should hold creeps {:.2g} mm/s and hops by {:.2g} µm, as if the ramp "
          "vibrated; with the velocity turned round it moves {:.1e} mm in {:g} s, and hops by {:.2g} µm. A contact "
          "solver needs no micro-collisions and moves it by {:.1e} mm.",
          1e3 * runs[0].distance / duration, 1e6 * runs[0].highest, 1e3 * std::abs(runs[2].distance), duration,
          1e6 * runs[2].highest, 1e3 * std::abs(runs[4].distance)));
}

void make_lin_books(const SectionWork& work, ReportSection& section) {
  section.claim(
      "A book on a table: through collisions energy steadily decreases, the “# of collisions increases, simulator "
      "comes to grinding halt”; hence micro-collisions, with an artificial restitution. But “stacked books cause too "
      "many collision impulses, propagated up and down the stack”; “weight of pile of books causes deep penetration "
      "between table and bottom book → large reaction impulses cause instabilities”; “constraint-based approaches are "
      "a better solution for these situations”.");
  const Real duration = work.pick(0.05, 0.5, 3.0);
  const std::vector<Way> ways{{"micro-collisions", {"most_events=1e6"}},
                              {"e of the material", {"artificial_restitution=false"}},
                              {"what rests is solved", {"resting=solve"}},
                              {"no micro-collisions", {}, "exact"}};
  std::vector<TrialSetup> setups;
  std::vector<std::string> commands;
  for (const Way& way : ways) {
    setups.push_back({"books", way.suite, way.settings, {}, duration});
    commands.push_back(command(setups.back()));
  }
  const std::vector<int> piles = work.pick<std::vector<int>>({1, 2}, {1, 2, 4, 8}, {1, 2, 3, 4, 6, 8});
  section.ran(
      fmt::format("Piles of up to {} books (75 to 2200 g) at rest on a table, for {:g} s.", piles.back(), duration),
      commands);
  ReportTable table{"books",
                    "The pile. Shift: farthest that a book has come.",
                    {{"contact that lasts"},
                     {"books"},
                     {"impacts/s"},
                     {"a book and s"},
                     {"CPU s a second"},
                     {"deepest overlap, µm"},
                     {"shift, µm"},
                     {"energy rise, mJ"},
                     {"cut short"}},
                    {}};
  Plot plot{"books-impacts",
            "Impacts a second, most of them microcollisions.",
            {"books", PlotScale::Log},
            {"impacts a second", PlotScale::Log},
            {},
            340};
  Plot cost{"books-cost",
            "CPU time of a simulated second; below 1 is faster than real time.",
            {"books", PlotScale::Log},
            {"CPU s a second", PlotScale::Log},
            {},
            320};
  std::vector<BooksRun> tallest;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    PlotSeries impacts{ways[w].name, {}, PlotMark::LinePoints, static_cast<int>(w)};
    PlotSeries seconds = impacts;
    for (std::size_t p = 0; p < piles.size(); ++p) {
      const BooksRun run = run_books(setups[w], piles[p], [&](double share) {
        work.show(w * piles.size() + p, ways.size() * piles.size(), share);
      });
      const Real books = piles[p];
      table.rows.push_back({ways[w].name, fmt::format("{}", piles[p]), fmt::format("{:.0f}", run.micro_rate),
                            fmt::format("{:.0f}", run.micro_rate / books), fmt::format("{:.2g}", run.cpu_rate),
                            fmt::format("{:.2g}", 1e6 * run.deepest), fmt::format("{:.2g}", 1e6 * run.shift),
                            fmt::format("{:.2g}", 1e3 * run.rise), run.limited ? "yes" : "no"});
      if (run.micro_rate > 0) impacts.points.push_back({books, run.micro_rate, {}});
      seconds.points.push_back({books, run.cpu_rate, {}});
      if (piles[p] == piles.back()) tallest.push_back(run);
    }
    if (!impacts.points.empty()) plot.series.push_back(impacts);
    cost.series.push_back(std::move(seconds));
  }
  section.add_picture(tallest[0].picture,
                      fmt::format("The pile of {} after {:g} s of micro-collisions.", piles.back(), duration));
  section.add(plot);
  section.add(cost);
  section.add(table);
  conclude_books(exponent(plot.series[0].points), piles.back(), tallest, section);
}

}  // namespace carom
