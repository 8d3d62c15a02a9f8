// S. Lembcke, "Realtime rigid body simulation using impulses", 2006: a survey without experiments of its own. What it
// says of the order of a step (section 4.2) and of three ways to save iterations (section 5) is measured here.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/reproduce_lembcke.h"
#include "study/trial.h"

namespace carom {
namespace {

// --- The order of a step ---------------------------------------------------------------------------------------------

struct SlopeRun {
  std::vector<PlotPoint> way, energy;  // m down the slope; J above the start, both against time
  Real distance = 0, highest = 0;      // m: down the slope at the end; largest distance from it
  Real most_energy = 0;                // J: largest rise above the lowest so far
};

SlopeRun run_bouncy_cube(const TrialSetup& setup, std::string* picture) {
  Trial trial(setup);
  const BodyHandle cube = trial.body("cube");
  const Vec3 start = trial.world().state(cube).position;
  const Vec3 normal = std::get<Plane>(trial.world().shape(trial.body("slope"))->geometry()).normal;
  const Vec3 down = normalized(Vec3{0, 0, -1} + normal.z * normal);
  const Real first = trial.world().kinetic_energy() + trial.world().potential_energy();
  Picture strobe(trial.world());
  std::vector<Vec3> path{start};
  SlopeRun run{{{0, 0, {}}}, {{0, 0, {}}}};
  Real lowest = first, next = 0;
  trial.run([&](const StepReport& report) {
    const Vec3 now = trial.world().state(cube).position;
    const Real energy = report.kinetic_energy + report.potential_energy;
    lowest = std::min(lowest, energy);
    run.most_energy = std::max(run.most_energy, energy - lowest);
    run.distance = dot(now - start, down);
    run.highest = std::max(run.highest, dot(now - start, normal));
    run.way.push_back({report.time, run.distance, {}});
    run.energy.push_back({report.time, energy - first, {}});
    path.push_back(now);
    if (report.time >= next) {
      strobe.add_moment(trial.world(), 0.35);
      next += trial.duration() / 6;
    }
    return true;
  });
  strobe.add_moment(trial.world());
  strobe.add_path(path, 1);
  if (picture != nullptr) *picture = strobe.svg({.azimuth = -90, .elevation = 8, .height = 260});
  return run;
}

void make_order(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 4.2, after Guendelman et al.: a very bouncy cube (ε ≈ 1) lies on an incline with enough friction to "
      "hold it. With the order “update, then collide” it bounces down the slope, and “the box would continue to gain "
      "energy”. If collisions are resolved first, then velocities updated, then contacts resolved without restitution, "
      "“it would stay in place because its velocity is zero”.");
  const Real duration = work.pick(1.0, 10.0, 30.0);
  const auto setup = [&](const char* order, Real dt) {
    return TrialSetup{"bouncycube", "sequential", {std::string("order=") + order}, dt, duration};
  };
  section.ran(fmt::format("A cube of 1 m with e = 1, μ = 0.5 on a slope of 15°, for {} s, in both orders.", duration),
              {command(setup("contact", 1.0 / 60)), command(setup("naive", 1.0 / 60))});
  ReportTable table{"order",
                    "The cube at the end, for several steps.",
                    {{"order"}, {"dt, s"}, {"down the slope, m"}, {"highest hop, mm"}, {"energy rise, J"}},
                    {}};
  Plot way{"order-way", "How far the cube has come down the slope.", {"time, s"}, {"way, m"}, {}, 300};
  std::string picture;
  SlopeRun still, naive, fine;
  for (const Real dt : {1.0 / 60, 1.0 / 240}) {
    for (const char* order : {"contact", "naive"}) {
      const bool is_naive = order[0] == 'n', is_coarse = dt > 0.01;
      const SlopeRun run = run_bouncy_cube(setup(order, dt), is_naive && is_coarse ? &picture : nullptr);
      table.rows.push_back({is_naive ? "forces, move, collide (naive)" : "collide, forces, contacts, move",
                            fmt::format("{:.4g}", dt), fmt::format("{:.3g}", run.distance),
                            fmt::format("{:.3g}", 1e3 * run.highest), fmt::format("{:.3g}", run.most_energy)});
      way.series.push_back({fmt::format("{}, dt = 1/{:.0f} s", is_naive ? "naive" : "collisions first", 1 / dt),
                            run.way, PlotMark::Line, is_naive ? (is_coarse ? 1 : 4) : (is_coarse ? 0 : 2)});
      if (is_naive || is_coarse) (is_naive ? (is_coarse ? naive : fine) : still) = run;
    }
    work.show(dt > 0.01 ? 0.4 : 1);
  }
  section.add(table);
  section.add(way);
  section.add_picture(picture, "The naive order, dt = 1/60 s: seven moments and the way of the centre.");
  const bool stays = std::abs(still.distance) < 1e-3, leaves = naive.distance > 0.1 * duration / 10;
  const Real half = naive.way[naive.way.size() / 2].y, change = naive.energy.back().y;
  const bool gains = change > 0;
  section.conclude(
      !stays || !leaves ? Finding::Differs
      : gains           ? Finding::Agrees
                        : Finding::Partly,
      fmt::format(
          "With collisions first the cube moves {:.1e} m in {} s, with the naive order {:.2g} m, as the survey says. "
          "It {} from bounce to bounce: {:.2g} m of the way lie in the first half of the time. Single bounces add up "
          "to {:.2g} J, but friction takes more, and {:.3g} J {} in the end. A smaller step makes the naive order "
          "better ({:.2g} m at dt = 1/240 s), not right.",
          std::abs(still.distance), duration, naive.distance,
          half > 0.4 * naive.distance ? "does not get worse" : "gets worse", half, naive.most_energy, std::abs(change),
          gains ? "are gained" : "are lost", fine.distance));
}

// --- Freezing, and all together --------------------------------------------------------------------------------------

struct LandingRun {
  std::vector<PlotPoint> iterations;  // against time
  Real landing = 0, resting = 0;      // iterations a step, mean
  Real work = 0;                      // contacts times iterations, sum
  Real residual = 0;                  // worst of the second half, in units of g dt
  double seconds = 0;
  Real sag = 0;  // m: how far the top has sunk below its place
};

LandingRun run_landing(const TrialSetup& setup, const std::function<void(double)>& progress) {
  Trial trial(setup);
  LandingRun run;
  int landing = 0, resting = 0;
  trial.run(
      [&](const StepReport& report) {
        const bool first_half = report.time <= 0.5 * trial.duration();
        (first_half ? run.landing : run.resting) += report.iterations;
        ++(first_half ? landing : resting);
        run.work += static_cast<Real>(report.iterations) * static_cast<Real>(report.active_contacts);
        if (!first_half) run.residual = std::max(run.residual, report.residual_coulomb);
        run.iterations.push_back({report.time, static_cast<Real>(report.iterations), {}});
        return true;
      },
      progress);
  run.landing /= std::max(landing, 1);
  run.resting /= std::max(resting, 1);
  run.seconds = trial.cpu_seconds();
  Real top = 0;
  for (const BodyHandle body : trial.world().bodies())
    if (trial.world().type(body) == BodyType::Dynamic) top = std::max(top, trial.world().state(body).position.z);
  run.sag = 9.5 - top;
  return run;
}

void make_freezing(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 5.2, after Schmidl and Milenkovic: bodies at rest are left out until something moves them; they are "
      "“effectively removed from the simulation”. Section 6: with freezing, persistence or shock propagation thousands "
      "of objects run in real time.");
  const Real duration = work.pick(2.0, 8.0, 20.0);
  const auto setup = [&](std::vector<std::string> settings) {
    settings.insert(settings.begin(), {"memory=0", "tolerance=1e-3", "iterations=3000"});
    return TrialSetup{"stack", "sequential", std::move(settings), {}, duration};
  };
  struct Variant {
    std::string name;
    TrialSetup setup;
  };
  const std::vector<Variant> variants{{"cold", setup({"warm_start=false"})},
                                      {"warm", setup({"warm_start=true"})},
                                      {"levels and shock, cold", setup({"warm_start=false", "contacts=shock"})},
                                      {"cold, freezing", setup({"warm_start=false", "freezing=true", "c_f=10"})},
                                      {"warm, freezing", setup({"warm_start=true", "freezing=true", "c_f=10"})}};
  std::vector<std::string> commands;
  commands.reserve(variants.size());
  for (const Variant& variant : variants) commands.push_back(command(variant.setup));
  section.ran(
      fmt::format("Ten cubes dropped on each other (`stack`), {} s, plain sweeps to a tolerance of 1e-3 g dt, with "
                  "each of the three techniques. The first half is the landing.",
                  duration),
      commands);
  ReportTable table{
      "techniques",
      "Iterations of the contact stage. Work: contacts that carry an impulse times iterations, all steps.",
      {{"variant"},
       {"a step, landing"},
       {"a step, at rest"},
       {"work, 1000"},
       {"worst residual at rest, g dt"},
       {"CPU, ms"},
       {"sag of the top, mm"}},
      {}};
  Plot plot{"techniques-iterations",
            "Iterations of the contact stage in each step.",
            {"time, s"},
            {"iterations + 1", PlotScale::Log},
            {}};
  std::vector<LandingRun> runs;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    LandingRun run = run_landing(variants[i].setup, [&](double share) { work.show(i, variants.size(), share); });
    table.rows.push_back({variants[i].name, fmt::format("{:.1f}", run.landing), fmt::format("{:.1f}", run.resting),
                          fmt::format("{:.1f}", 1e-3 * run.work), fmt::format("{:.1e}", run.residual),
                          fmt::format("{:.0f}", 1e3 * run.seconds), fmt::format("{:.2g}", 1e3 * run.sag)});
    PlotSeries series{variants[i].name, {}, PlotMark::Steps};
    series.points = run.iterations;
    for (PlotPoint& p : series.points) p.y += 1;  // zero has no place on a logarithmic axis
    plot.series.push_back(std::move(series));
    runs.push_back(std::move(run));
  }
  section.add(table);
  section.add(plot);
  const auto times_fewer = [&](std::size_t i) { return runs[0].work / std::max(runs[i].work, 1.0); };
  const bool all = times_fewer(1) >= 5 && times_fewer(3) >= 5;
  section.conclude(
      all ? Finding::Agrees : Finding::Partly,
      fmt::format("Against cold sweeps the whole run takes {:.3g} times less work with persistence, {:.3g} "
                  "times with levels and shock, {:.3g} times with freezing and {:.3g} times with persistence and "
                  "freezing. At rest freezing brings {:.0f} iterations a step down to {:.0f}, persistence to {:.0f}; "
                  "in the first half, with the landing, {:.0f} to {:.0f} and {:.0f}.",
                  times_fewer(1), times_fewer(2), times_fewer(3), times_fewer(4), runs[0].resting, runs[3].resting,
                  runs[1].resting, runs[0].landing, runs[3].landing, runs[1].landing));
}

}  // namespace

PaperPlan lembcke_paper() {
  return {"lembcke",
          "Realtime Rigid Body Simulation Using Impulses",
          "Scott Lembcke, UMM CSci Senior Seminar, Morris 2006",
          "A survey of impulse-based simulation for games. It reports no measurements; its claims about the order of a "
          "step and about three ways to save iterations can be measured all the same.",
          {{"The bouncy cube under two orders of the step", 1, make_order},
           {"Contact persistence: iterations for the same residual", 60, make_lembcke_persistence},
           {"Shock propagation: iterations for a standing tower", 20, make_lembcke_shock},
           {"Freezing, and the three techniques on one landing stack", 5, make_freezing}}};
}

}  // namespace carom
