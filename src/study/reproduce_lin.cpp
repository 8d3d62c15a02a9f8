// M. C. Lin, "Rigid body dynamics" (slides of COMP 768, University of North Carolina): resting contact, impact laws,
// micro-collisions. The order in which a local method visits contacts is measured here; other sections have files of
// their own.
#include "study/reproduce_lin.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/solver_budget.h"
#include "study/trial.h"

namespace carom {
namespace {

struct Arrangement {
  std::string name, scene;
  int bodies = 0;  // the first so many of the scene; 0: all
  Real time = 0;   // s: from when the problem is taken
  bool moves = false;
};

struct Order {
  std::string name;
  BudgetMethod method;
  bool from_top = false;
};

std::vector<Order> orders(const std::string& memory) {
  const auto method = [&](const std::string& order) {
    return BudgetMethod{order, "sequential", {memory, "order=" + order}, false};
  };
  return {{"as found", method("found")},
          {"from the top down", method("gravity"), true},
          {"along gravity", method("gravity")},
          {"fastest approach", method("velocity")},
          {"by level", method("level")}};
}

/// Sixty bodies and the contact problem that they pose.
struct Stacked {
  std::vector<ContactProblem> problems, upside_down;  // one each
  std::string picture;

  const std::vector<ContactProblem>& seen_by(const Order& order) const {
    return order.from_top ? upside_down : problems;
  }
};

Stacked stacked(const Arrangement& arrangement) {
  Trial trial({arrangement.scene, "sequential", {}}, [&](Scene& scene) {
    int kept = 0;
    std::erase_if(scene.bodies, [&](const SceneBody& body) {
      return arrangement.bodies > 0 && body.def.type == BodyType::Dynamic && ++kept > arrangement.bodies;
    });
  });
  while (trial.world().time() < arrangement.time) trial.step();
  Stacked out{problems_of(trial, Stage::Contacts, 1), {}, {}};
  // As if gravity pulled up: for an order, and for nothing else, what is highest is lowest then.
  out.upside_down = out.problems;
  for (ContactProblem& problem : out.upside_down) problem.down = -1.0 * problem.down;
  Picture picture(trial.world());
  picture.add_moment(trial.world());
  out.picture = picture.svg({.azimuth = -65, .elevation = 16, .height = 300});
  return out;
}

/// What orders save against contacts as they are found, in %.
struct Savings {
  std::vector<Real> gravity, top, accelerated;
  int unfinished = 0;  // comparisons in which the order found does not get there and that along gravity does
};

void compare_orders(const Arrangement& arrangement, const Stacked& problem, Real target, int most, ReportTable& table,
                    Savings& savings) {
  const auto text = [&](const std::optional<int>& count) {
    return count ? fmt::format("{}", *count) : fmt::format("> {}", most);
  };
  const auto saved = [](const std::optional<int>& count, const std::optional<int>& found) {
    return 100 * (1 - static_cast<Real>(count.value_or(0)) / found.value_or(1));
  };
  const std::vector<Order> plain = orders("memory=0"), accelerated = orders("memory=8");
  std::optional<int> found, found_accelerated;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto count = iterations_needed(plain[i].method, problem.seen_by(plain[i]), coulomb_error, target, most);
    const auto fast = iterations_needed(accelerated[i].method, problem.seen_by(plain[i]), coulomb_error, target, most);
    if (i == 0) found = count, found_accelerated = fast;
    const bool is_gravity = plain[i].name == "along gravity", compares = found && count && i > 0;
    if (compares && is_gravity) savings.gravity.push_back(saved(count, found));
    if (compares && plain[i].from_top) savings.top.push_back(saved(count, found));
    if (is_gravity && fast && found_accelerated) savings.accelerated.push_back(saved(fast, found_accelerated));
    if (is_gravity && count && !found) ++savings.unfinished;
    table.rows.push_back({arrangement.name, fmt::format("{}", problem.problems[0].contacts.size()),
                          fmt::format("{:.0e}", target), plain[i].name, text(count),
                          compares ? fmt::format("{:.0f}", saved(count, found)) : "–", text(fast),
                          is_gravity ? "25" : "–"});
  }
}

void conclude_order(Savings& savings, ReportSection& section) {
  if (savings.gravity.empty() || savings.top.empty() || savings.accelerated.empty()) {
    section.conclude(Finding::Shown, "Too few sweeps to tell.");
    return;
  }
  std::ranges::sort(savings.gravity);
  std::ranges::sort(savings.accelerated);
  const Real least = savings.gravity.front(), largest = savings.gravity.back();
  const Real middle = savings.gravity[savings.gravity.size() / 2];
  const auto [least_top, largest_top] = std::ranges::minmax(savings.top);
  const std::string unfinished =
      savings.unfinished > 0
          ? fmt::format(" In {} more, the order found does not get there at all.", savings.unfinished)
          : "";
  section.conclude(
      least > 0 && middle >= 10 ? Finding::Agrees
      : middle > 0              ? Finding::Partly
                                : Finding::Differs,
      fmt::format(
          "In {} comparisons going along gravity saves {:.0f} to {:.0f} % of the sweeps against contacts as Carom "
          "finds them, {:.0f} % in the median; the slides have 25 %.{} From the top down saves {:.0f} to {:.0f} %, so "
          "that much of it is that a sweep goes along the stack at all, where colours jump about. It is a factor, and "
          "does not change how sweeps grow with the height; with acceleration {:.0f} to {:.0f} % are saved. Orders "
          "other than `found` run on one thread only.",
          savings.gravity.size(), least, largest, middle, unfinished, least_top, largest_top,
          savings.accelerated.front(), savings.accelerated.back()));
}

}  // namespace

void make_lin_order(const SectionWork& work, ReportSection& section) {
  section.claim(
      "“Hard case for local approach”: prioritise contact points along major axes of acceleration (gravity) and "
      "velocity. “Performance improvement: 25 % on scene with 60 stacked objects”.");
  section.ran(
      "Sixty objects in three arrangements: a tower of cubes, a wall of cubes, and cubes jammed between obstacles, at "
      "rest and while they land. The slides show no scene, no method and no measure. Here: plain sweeps from nothing "
      "over one contact problem (`sequential` without acceleration), and how many it takes to a residual of Coulomb's "
      "law, in units of g dt. Contacts in the order in which they are found (by colours, so that no two that follow "
      "each other share a body), from the top down, from the ground up (`order=gravity`), fastest approach first, and "
      "by levels of the contact graph.",
      {"carom run wall60 --suite sequential --dump-problem wall.problem.json --at 1",
       "carom solve wall.problem.json --solver sequential --set memory=0 --set order=gravity --set iterations=500"});
  std::vector<Arrangement> arrangements{{"wall of 60 cubes", "wall60", 0, 0.5}};
  if (work.effort() != Effort::Tiny) {
    arrangements.insert(arrangements.begin(), {"tower of 60 cubes", "tower100", 60, 0.5});
    arrangements.push_back({"jam of 60 cubes, at rest", "cubejam", 60, 4.0});
    arrangements.push_back({"jam of 60 cubes, landing", "cubejam", 60, 1.2, true});
  }
  const std::vector<Real> targets = work.pick<std::vector<Real>>({1e-1}, {1e-1, 1e-2}, {1e-1, 1e-2, 1e-3});
  const int most = work.pick(1000, 20000, 200000);
  ReportTable table{
      "order",
      "Sweeps for the same residual, and what is saved against the order in which contacts are found. With "
      "acceleration: the same over the last eight sweeps, as `sequential` does by default.",
      {{"arrangement"},
       {"contacts"},
       {"residual"},
       {"order"},
       {"sweeps"},
       {"saved, %"},
       {"with acceleration"},
       {"published, %", true}},
      {}};
  Plot plot{"order-residual",
            "The wall: residual after so many sweeps.",
            {"sweeps", PlotScale::Log},
            {"residual of Coulomb's law, g dt", PlotScale::Log},
            {}};
  Savings savings;
  for (std::size_t a = 0; a < arrangements.size(); ++a) {
    const Stacked problem = stacked(arrangements[a]);
    if (arrangements[a].scene == "wall60" || arrangements[a].moves)
      section.add_picture(problem.picture, fmt::format("The {}.", arrangements[a].name));
    for (const Real target : targets) compare_orders(arrangements[a], problem, target, most, table, savings);
    if (arrangements[a].scene == "wall60")
      for (const Order& order : orders("memory=0")) {
        PlotSeries series{order.name, {}, PlotMark::LinePoints};
        for (int budget = 1; budget <= work.pick(64, 512, 2048); budget *= 2)
          series.points.push_back({static_cast<Real>(budget),
                                   coulomb_error(solve_within(order.method, problem.seen_by(order), budget)),
                                   {}});
        plot.series.push_back(std::move(series));
      }
    work.show(a + 1, arrangements.size());
  }
  section.add(table);
  section.add(plot);
  conclude_order(savings, section);
}

PaperPlan lin_paper() {
  return {"lin",
          "Rigid Body Dynamics: resting contact and impulses",
          "Ming C. Lin, slides of COMP 768, University of North Carolina at Chapel Hill",
          "Lecture slides: claims in a line each, one number, no scenes. What they say can be measured all the same.",
          {{"Ordering contacts along gravity on 60 stacked objects", 10, make_lin_order},
           {"Pivoting against iterative methods over size", 15, make_lin_pivoting},
           {"Newton, Poisson and Stronge on the same impacts", 0.2, make_lin_laws},
           {"Energy that impact laws add", 1, make_lin_energies},
           {"Micro-collisions: the box on a vibrating ramp", 5, make_lin_ramp},
           {"Micro-collisions: the pile of books", 20, make_lin_books}}};
}

}  // namespace carom
