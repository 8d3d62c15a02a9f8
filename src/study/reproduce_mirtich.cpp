// B. Mirtich and J. Canny, "Impulse-based dynamic simulation", 1994: the figures of an impact (section 4), the
// simulations (section 5), and how fast they are.
#include "study/reproduce_mirtich.h"

#include <algorithm>

#include <fmt/format.h>

#include "study/trial.h"

namespace carom {
namespace {

struct SpeedCase {
  const char* scene;
  const char* published;
  Real tiny;  // s
};

void make_speed(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 5: all simulations “were computed at close to real time speeds, and would be real time on a slightly "
      "faster platform” (a Silicon Graphics Indigo XZ); the coins, five seconds, take less than 15 s.");
  const std::vector<SpeedCase> cases{{"coins", "> 0.33", 0.05},
                                     {"bowling", "close to 1", 0.2},
                                     {"marbles", "close to 1", 0.1},
                                     {"platter", "close to 1", 0.2},
                                     {"terrain", "–", 0.5}};
  const auto setup = [&](const SpeedCase& c) {
    return work.effort() == Effort::Tiny ? TrialSetup{c.scene, {}, {}, {}, c.tiny} : TrialSetup{c.scene};
  };
  std::vector<std::string> commands;
  commands.reserve(cases.size());
  for (const SpeedCase& c : cases) commands.push_back(command(setup(c)));
  section.ran("Each scene with suite `mirtich`, on one thread, in CPU time of that thread.", commands);
  ReportTable table{"speed",
                    "Simulated time by CPU time; above 1 is faster than real time.",
                    {{"scene"},
                     {"moving"},
                     {"simulated, s"},
                     {"impacts"},
                     {"microcollisions"},
                     {"µs each"},
                     {"CPU, s"},
                     {"real-time factor"},
                     {"published", true}},
                    {}};
  int fast = 0;
  Real slowest = 1e300;
  std::string which;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Trial trial(setup(cases[i]));
    std::int64_t micro = 0, all = 0;
    trial.run(
        [&](const StepReport& report) {
          micro += report.micro_events;
          all += report.events;
          return true;
        },
        [&](double share) { work.show(i, cases.size(), share); });
    const std::size_t moving = moving_bodies(trial.world()).size();
    const Real factor = trial.world().time() / std::max(trial.cpu_seconds(), 1e-9);
    fast += factor > 1 ? 1 : 0;
    if (factor < slowest) {
      slowest = factor;
      which = cases[i].scene;
    }
    table.rows.push_back({cases[i].scene, fmt::format("{}", moving), fmt::format("{:.3g}", trial.world().time()),
                          fmt::format("{}", all - micro), fmt::format("{}", micro),
                          fmt::format("{:.3g}", 1e6 * trial.cpu_seconds() / std::max<Real>(1, static_cast<Real>(all))),
                          fmt::format("{:.3g}", trial.cpu_seconds()), fmt::format("{:.3g}", factor),
                          cases[i].published});
  }
  section.add(table);
  section.conclude(
      fast == static_cast<int>(cases.size()) ? Finding::Agrees : Finding::Partly,
      fmt::format(
          "{} of {} run faster than real time; the slowest is {} with {:.2g}. The machine is thirty years younger: "
          "that real time is kept says that the method is affordable, and nothing about which program is the faster "
          "one.",
          fast, cases.size(), which, slowest));
}

}  // namespace

std::vector<BodyHandle> moving_bodies(const World& world) {
  std::vector<BodyHandle> moving;
  for (const BodyHandle body : world.bodies())
    if (world.type(body) == BodyType::Dynamic) moving.push_back(body);
  return moving;
}

PaperPlan mirtich_paper() {
  return {
      "mirtich",
      "Impulse-based Dynamic Simulation",
      "Brian Mirtich and John Canny, Workshop on the Algorithmic Foundations of Robotics, 1994",
      "All contact as impacts, from ballistic flight to flight. Figures of single impacts are drawn from Carom's own "
      "integration of them, simulations are runs of the suite `mirtich`. The paper gives sizes and kinds of motion and "
      "few numbers, so that most of what is compared here are formulas.",
      {{"Fig. 3: compression and restitution", 0.1, make_mirtich_phases},
       {"Fig. 5: slips in the course of an impact", 0.1, make_mirtich_slips},
       {"Fig. 6: a rod that starts to slip", 0.5, make_mirtich_rod},
       {"Fig. 7: three ways through an impact", 0.1, make_mirtich_paths},
       {"Fig. 1: a ball on terrain", 0.2, make_mirtich_terrain},
       {"Fig. 8: colliding coins", 5, make_mirtich_coins},
       {"Fig. 9: bowling", 1, make_mirtich_bowling},
       {"Fig. 10: marbles", 1, make_mirtich_marbles},
       {"Fig. 11: a ball on a spinning platter", 8, make_mirtich_platter},
       {"Speed against real time", 12, make_speed}}};
}

}  // namespace carom
