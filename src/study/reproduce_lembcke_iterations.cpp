// Lembcke (2006), section 5: contact persistence and shock propagation, by the iterations that they save.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/reproduce_lembcke.h"
#include "study/solver_budget.h"
#include "study/trial.h"

namespace carom {
namespace {

std::string count_text(const std::optional<int>& count, int most) {
  return count ? fmt::format("{}", *count) : fmt::format("> {}", most);
}

// --- Contact persistence ---------------------------------------------------------------------------------------------

struct Situation {
  std::string name, scene;
  Real time = 0;     // s: from where the problems are taken
  Real hardest = 0;  // the smallest residual that is asked for
  bool moves = false;
};

const BudgetMethod kPlain{"plain sweeps, cold", "sequential", {"memory=0"}, false};
const BudgetMethod kWarm{"plain sweeps, warm", "sequential", {"memory=0"}, true};

/// The contact problems of consecutive steps, the last of them at about the given time.
std::vector<ContactProblem> gather(const Situation& situation, int steps) {
  Trial trial({situation.scene, "sequential", {}});
  const auto before = static_cast<int>(std::lround(situation.time / trial.dt())) - steps;
  for (int i = 0; i < before; ++i) trial.step();
  return problems_of(trial, Stage::Contacts, steps);
}

/// What the situations come to, together.
struct Persistence {
  ReportTable counts{"persistence",
                     "Sweeps a step for the same residual.",
                     {{"situation"}, {"contacts"}, {"residual"}, {"cold"}, {"warm"}, {"ratio"}},
                     {}};
  ReportTable direct{"persistence-budgets",
                     "Residual of the last problem after 10 and after 100 sweeps a step.",
                     {{"situation"}, {"cold, 10"}, {"cold, 100"}, {"warm, 10"}, {"warm, 100"}},
                     {}};
  Plot plot{"persistence-residual",
            "Residual after so many sweeps a step: the last of the problems.",
            {"sweeps a step", PlotScale::Log},
            {"residual of Coulomb's law, g dt", PlotScale::Log},
            {}};
  std::vector<Real> rest_ratios, moving_ratios;
  bool rest_better = true, moving_better = true;  // 10 warm sweeps than 100 cold ones
};

void measure_counts(const Situation& situation, const std::vector<ContactProblem>& problems, int most,
                    Persistence& out) {
  for (Real target = 1e-1; target > 0.5 * situation.hardest; target *= 0.1) {
    const auto cold = iterations_needed(kPlain, problems, coulomb_error, target, most);
    const auto warm = iterations_needed(kWarm, problems, coulomb_error, target, most);
    const Real ratio = cold && warm ? static_cast<Real>(*cold) / *warm : 0;
    if (ratio > 0) (situation.moves ? out.moving_ratios : out.rest_ratios).push_back(ratio);
    out.counts.rows.push_back({situation.name, fmt::format("{}", problems.back().contacts.size()),
                               fmt::format("{:.0e}", target), count_text(cold, most), count_text(warm, most),
                               ratio > 0 ? fmt::format("{:.1f}", ratio) : "–"});
  }
}

void measure_budgets(const Situation& situation, const std::vector<ContactProblem>& problems, int colour,
                     Persistence& out) {
  const auto residual = [&](const BudgetMethod& method, int budget) {
    return coulomb_error(solve_within(method, problems, budget));
  };
  const Real cold = residual(kPlain, 100), warm = residual(kWarm, 10);
  bool& better = situation.moves ? out.moving_better : out.rest_better;
  better = better && warm <= cold;
  out.direct.rows.push_back({situation.name, fmt::format("{:.2g}", residual(kPlain, 10)), fmt::format("{:.2g}", cold),
                             fmt::format("{:.2g}", warm), fmt::format("{:.2g}", residual(kWarm, 100))});
  if (colour > 2) return;  // two situations are enough for one plot
  for (const BudgetMethod* method : {&kPlain, &kWarm}) {
    PlotSeries series{fmt::format("{}: {}", situation.scene, method->warm ? "warm" : "cold"),
                      {},
                      PlotMark::LinePoints,
                      colour + (method->warm ? 1 : 0)};
    for (int budget = 1; budget <= 512; budget *= 2)
      series.points.push_back({static_cast<Real>(budget), residual(*method, budget), {}});
    out.plot.series.push_back(std::move(series));
  }
}

void conclude_persistence(const Persistence& found, int steps, ReportSection& section) {
  const auto [least, largest] = std::ranges::minmax(found.rest_ratios);
  const Real moving = found.moving_ratios.empty() ? 0 : found.moving_ratios.front();
  section.conclude(
      found.rest_better && found.moving_better ? Finding::Agrees
      : found.rest_better                      ? Finding::Partly
                                               : Finding::Differs,
      fmt::format(
          "At rest a warm start needs {:.2g} to {:.2g} times fewer sweeps a step, and 10 warm sweeps {} 100 cold ones: "
          "an order of magnitude, as the survey says. But the factor is the number of steps that the impulses had to "
          "settle ({} here): sweeps of earlier steps are not lost, they are not made unnecessary. In the moving jam, "
          "where contacts come and go, {} is saved (ratio {:.2g}).",
          least, largest, found.rest_better ? "are better than" : "are not always better than", steps,
          moving > 1.5 ? "less" : "nothing", moving));
}

// --- Shock propagation -----------------------------------------------------------------------------------------------

/// A tower of so many cubes at rest on the ground.
std::vector<ContactProblem> tower_problem(int cubes) {
  Trial trial({"tower100", "exact", {}}, [&](Scene& scene) {
    std::erase_if(scene.bodies, [&](const SceneBody& body) {
      return body.def.type == BodyType::Dynamic && body.def.pose.position.z > cubes;
    });
  });
  return problems_of(trial, Stage::Contacts, 2);
}

/// A way over the contacts; `sweeps` are those in an iteration, `more` those after the last.
struct Climb {
  BudgetMethod method;
  int sweeps = 1, more = 0;
};

}  // namespace

void make_lembcke_persistence(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 5.3, after Catto: impulses of the last step, by contact, are the start of this one. “Using contact "
      "persistence, often an order of magnitude fewer iterations can be used and will still provide a better contact "
      "solution than a plain iterative solver.”");
  const int steps = work.pick(5, 30, 60);
  section.ran(
      fmt::format(
          "Contact problems of {} consecutive steps at dt = 1/60 s were taken from runs. Each was solved by plain "
          "sweeps (`sequential` without acceleration): from nothing, and from the answer to the problem before within "
          "the same number of sweeps. Counted are the sweeps a step after which the last problem is solved to a "
          "residual of Coulomb's law, in units of g dt, by Carom's measure, which is no solver's own. Both methods get "
          "identical problems.",
          steps),
      {"carom run stack --suite sequential --dump-problem stack.problem.json --at 3",
       "carom solve stack.problem.json --solver sequential --set memory=0 --set iterations=100"});
  std::vector<Situation> situations{{"stack of 10, at rest", "stack", work.pick(1.0, 3.0, 5.0), 1e-3},
                                    {"jam of 100 cubes, moving", "cubejam", 1.5, 1e-2, true}};
  if (work.effort() != Effort::Tiny) {
    situations.push_back({"pyramid of 465, at rest", "pyramid", 2, 1e-1});
    situations.push_back({"tower of 100, at rest", "tower100", 2, 1e-2});
  }
  const int most = work.pick(2000, 20000, 100000);
  Persistence found;
  for (std::size_t s = 0; s < situations.size(); ++s) {
    const std::vector<ContactProblem> problems = gather(situations[s], steps);
    measure_counts(situations[s], problems, most, found);
    measure_budgets(situations[s], problems, static_cast<int>(2 * s), found);
    work.show(s + 1, situations.size());
  }
  section.add(found.counts);
  section.add(found.direct);
  section.add(found.plot);
  conclude_persistence(found, steps, section);
}

void make_lembcke_shock(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 5.1, after Guendelman et al.: going up the contact graph lets the solution “converge in fewer "
      "iterations”; after it, shock propagation gives the bodies below infinite mass, so that “fewer iterations are "
      "needed for the contact solution” and objects stop moving towards each other.");
  section.ran(
      "Towers of cubes at rest, from a cold start. Sweeps in the order found; sweeps from the ground up "
      "(`order=level`); rounds over the levels with five sweeps each (`shock` with `propagate=false`); the same and "
      "then shock propagation, five more. Counted: sweeps over all contacts until no two bodies approach each other by "
      "more than 1 % of g dt, and until the residual of Coulomb's law is 1 % of g dt.",
      {"carom run tower100 --dump-problem tower.problem.json --at 0.1",
       "carom solve tower.problem.json --solver shock --set iterations=1 --set level_sweeps=5"});
  const std::vector<Climb> climbs{{kPlain},
                                  {{"from the ground up", "sequential", {"memory=0", "order=level"}, false}},
                                  {{"levels, no shock", "shock", {"level_sweeps=5", "propagate=false"}, false}, 5},
                                  {{"levels and shock", "shock", {"level_sweeps=5"}, false}, 5, 5}};
  const std::vector<int> heights = work.pick<std::vector<int>>({3, 5}, {5, 10, 20, 50}, {5, 10, 20, 50, 100});
  const int most = work.pick(1000, 10000, 100000);
  ReportTable table{"shock",
                    "Sweeps from a cold start. Momentum: what no impulse explains, by M g dt, after one round.",
                    {{"cubes"}, {"method"}, {"approach ≤ 1 %"}, {"Coulomb ≤ 1 %"}, {"momentum error"}},
                    {}};
  Plot plot{"shock-approach",
            "Sweeps until the approach left is 1 % of g dt.",
            {"cubes in the tower", PlotScale::Log},
            {"sweeps", PlotScale::Log},
            {}};
  for (const Climb& climb : climbs) plot.series.push_back({climb.method.name, {}, PlotMark::LinePoints});
  std::vector<std::optional<int>> approaches(climbs.size()), residuals(climbs.size());
  Real momentum = 0;
  for (std::size_t h = 0; h < heights.size(); ++h) {
    const std::vector<ContactProblem> problems = tower_problem(heights[h]);
    for (std::size_t m = 0; m < climbs.size(); ++m) {
      const Climb& climb = climbs[m];
      const auto sweeps = [&](const OutcomeError& error) {
        auto needed = iterations_needed(climb.method, problems, error, 0.01, most / climb.sweeps);
        if (needed) needed = *needed * climb.sweeps + climb.more;
        return needed;
      };
      approaches[m] = sweeps(approach_error);
      residuals[m] = sweeps(coulomb_error);
      momentum = solve_within(climb.method, problems, 1).momentum_error;
      if (approaches[m])
        plot.series[m].points.push_back({static_cast<Real>(heights[h]), static_cast<Real>(*approaches[m]), {}});
      table.rows.push_back({fmt::format("{}", heights[h]), climb.method.name, count_text(approaches[m], most),
                            count_text(residuals[m], most), fmt::format("{:.1e}", momentum)});
      work.show(h * climbs.size() + m + 1, heights.size() * climbs.size());
    }
  }
  section.add(table);
  section.add(plot);
  const bool stops = approaches[3] && (!approaches[0] || *approaches[3] * 3 <= *approaches[0]);
  const bool carries = residuals[3] && (!residuals[0] || *residuals[3] * 3 <= *residuals[0]);
  section.conclude(
      stops && carries ? Finding::Agrees
      : stops          ? Finding::Partly
                       : Finding::Differs,
      fmt::format(
          "In the tallest tower ({} cubes) the bodies stop approaching after {} sweeps with shock propagation and {} "
          "without. But what it stops are velocities. Its impulses are not those that carry the tower: Coulomb's "
          "residual takes {} sweeps with it and {} without, and the velocities that it hands out leave {:.1e} M g dt "
          "of momentum unexplained. Sweeping from the ground up without it saves {:.0f} % of the sweeps and does not "
          "change how their number grows with the height.",
          heights.back(), count_text(approaches[3], most), count_text(approaches[0], most),
          count_text(residuals[3], most), count_text(residuals[0], most), momentum,
          approaches[0] && approaches[1] ? 100.0 * (1 - static_cast<Real>(*approaches[1]) / *approaches[0]) : 0.0));
}

}  // namespace carom
