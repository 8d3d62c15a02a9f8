// Mirtich and Canny (1994), section 5: coins and marbles, bodies that strike each other.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/reproduce_mirtich.h"
#include "study/trial.h"

namespace carom {
namespace {

/// Impacts and microcollisions of tenths of a second, as a plot.
class EventPlot {
 public:
  explicit EventPlot(const std::string& name)
      : plot_{name,
              "Impacts and microcollisions in each tenth of a second.",
              {"time, s"},
              {"number", PlotScale::Log, 0.5},
              {{"microcollisions", {}, PlotMark::Steps}, {"impacts", {}, PlotMark::Steps}},
              300} {}

  void add(const StepReport& report) {
    micro_ += report.micro_events;
    impacts_ += report.events - report.micro_events;
    all_micro_ += report.micro_events;
    all_impacts_ += report.events - report.micro_events;
    if (report.time < next_ - 1e-9) return;
    plot_.series[0].points.push_back({next_ - 0.1, static_cast<Real>(micro_), {}});
    plot_.series[1].points.push_back({next_ - 0.1, static_cast<Real>(impacts_), {}});
    next_ += 0.1;
    micro_ = impacts_ = 0;
  }

  const Plot& plot() const { return plot_; }
  std::int64_t micro() const { return all_micro_; }
  std::int64_t impacts() const { return all_impacts_; }

 private:
  Plot plot_;
  Real next_ = 0.1;
  std::int64_t micro_ = 0, impacts_ = 0, all_micro_ = 0, all_impacts_ = 0;
};

}  // namespace

void make_mirtich_coins(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 8: eight coins are tossed or rolled into the centre of a platform; complex interactions are followed by a "
      "segment dominated by microcollisions as the coins settle down or roll off. Eight moving and five fixed objects, "
      "five seconds, computed in less than 15 s.");
  const TrialSetup setup{"coins", {}, {}, {}, work.pick(0.1, 5.0, 5.0)};
  section.ran("Eight euro coins, four rolled and four tossed, on a round platform with three posts, above a table.",
              {command(setup)});
  Trial trial(setup);
  const std::vector<BodyHandle> coins = moving_bodies(trial.world());
  Picture early(trial.world()), end(trial.world());
  EventPlot events("coins-events");
  std::vector<std::vector<Vec3>> paths(coins.size());
  Plot energy{"coins-energy", "Kinetic energy of all coins.", {"time, s"}, {"energy, mJ", PlotScale::Log}, {}, 300};
  energy.series.push_back({"kinetic energy", {{0, 1e3 * trial.world().kinetic_energy(), {}}}, PlotMark::Line});
  const Real shown_until = std::min(0.3, trial.duration());
  Real next = 0, most_energy = trial.world().kinetic_energy();
  early.add_moment(trial.world(), 0.25);
  end.add_moment(trial.world(), 0.12);
  trial.run(
      [&](const StepReport& report) {
        events.add(report);
        energy.series[0].points.push_back({report.time, 1e3 * report.kinetic_energy, {}});
        most_energy = std::max(most_energy, report.kinetic_energy);
        for (std::size_t i = 0; i < coins.size() && report.time <= shown_until; ++i)
          paths[i].push_back(trial.world().state(coins[i]).position);
        if (report.time > next + 0.1 && report.time <= shown_until - 0.05) {
          next += 0.1;
          early.add_moment(trial.world(), 0.25);
        }
        if (std::abs(report.time - shown_until) < 0.5 * trial.dt()) early.add_moment(trial.world());
        return true;
      },
      [&](double share) { work.show(share); });
  end.add_moment(trial.world());
  int stayed = 0;
  for (std::size_t i = 0; i < coins.size(); ++i) {
    const Vec3 p = trial.world().state(coins[i]).position;
    if (std::hypot(p.x, p.y) < 0.13 && p.z > -0.01) ++stayed;
    early.add_path(paths[i], trial.world().bodies().size() - coins.size() + i);
  }
  const PictureView view{
      .azimuth = -70, .elevation = 40, .height = 440, .shown = {{{-0.13, -0.13, -0.04}, {0.13, 0.13, 0.1}}}};
  section.add_picture(
      early.svg(view),
      fmt::format("The first {:.1f} s: where the coins were every 0.1 s, and their ways.", shown_until));
  section.add_picture(end.svg(view), fmt::format("After {:g} s; faint: at the start.", trial.duration()));
  section.add(events.plot());
  section.add(energy);
  ReportTable table{"coins",
                    "The run.",
                    {{"simulated, s"},
                     {"impacts"},
                     {"microcollisions"},
                     {"coins on the platform"},
                     {"energy left, %"},
                     {"CPU, s"},
                     {"published, s", true}},
                    {}};
  table.rows.push_back({fmt::format("{:g}", trial.duration()), fmt::format("{}", events.impacts()),
                        fmt::format("{}", events.micro()), fmt::format("{} of {}", stayed, coins.size()),
                        fmt::format("{:.1f}", 100 * trial.world().kinetic_energy() / most_energy),
                        fmt::format("{:.2f}", trial.cpu_seconds()), "< 15"});
  section.add(table);
  const Real micro_share =
      static_cast<Real>(events.micro()) / std::max<Real>(1, static_cast<Real>(events.micro() + events.impacts()));
  const bool fast = trial.cpu_seconds() < 15;
  section.conclude(
      micro_share > 0.5 && fast ? Finding::Agrees : Finding::Partly,
      fmt::format("{} impacts, then {} microcollisions ({:.1f} % of all): {} coins stay on the platform, the others "
                  "are on the table. {:.1f} s of CPU time against less than 15 s on an Indigo XZ. The paper does not "
                  "say how its coins were thrown, so only the kind of motion compares.",
                  events.impacts(), events.micro(), 100 * micro_share, stayed, trial.cpu_seconds()));
}

namespace {

// --- Marbles ---------------------------------------------------------------------------------------------------------

struct ChainRun {
  std::vector<PlotSeries> velocities;  // m/s along the row, against s
  Real arriving = 0;                   // m/s: of the first marble before it strikes
  std::vector<Real> after;             // m/s: in the first frame in which the last one moves
  std::string picture;
};

/// `smooth`: no friction between the marbles.
ChainRun run_marbles(const TrialSetup& setup, bool smooth, const std::function<void(double)>& progress) {
  Trial trial(setup, [&](Scene& scene) {
    for (auto& [name, material] : scene.materials)
      if (smooth && name == "glass") material.friction = material.static_friction = 0;
  });
  // Five thousand faces a marble would make a page of megabytes: the picture has balls in their place.
  Trial balls(setup, [](Scene& scene) {
    for (SceneBody& body : scene.bodies)
      if (body.def.type == BodyType::Dynamic) body.def.shape = Shape::sphere(body.def.pose.position.z);
  });
  const std::vector<BodyHandle> marbles = moving_bodies(trial.world()), drawn = moving_bodies(balls.world());
  ChainRun run;
  for (std::size_t i = 0; i < marbles.size(); ++i)
    run.velocities.push_back(
        {i == 0 ? std::string("black") : fmt::format("marble {}", i), {}, PlotMark::Line, static_cast<int>(i)});
  Picture picture(balls.world());
  const auto draw = [&](Real strength) {
    for (std::size_t i = 0; i < marbles.size(); ++i) balls.world().set_state(drawn[i], trial.world().state(marbles[i]));
    picture.add_moment(balls.world(), strength);
  };
  draw(0.3);
  Real struck_at = 0;
  bool pictured = false;
  trial.run(
      [&](const StepReport& report) {
        std::vector<Real> now(marbles.size());
        for (std::size_t i = 0; i < now.size(); ++i) {
          now[i] = trial.world().state(marbles[i]).velocity.x;
          run.velocities[i].points.push_back({report.time, now[i], {}});
        }
        if (trial.world().state(marbles.back()).velocity.x < 0.1) {
          run.arriving = trial.world().state(marbles.front()).velocity.x;
        } else if (struck_at == 0) {
          struck_at = report.time;
          run.after = now;
        }
        if (struck_at > 0 && report.time > struck_at + 0.03 && !pictured) {
          draw(1);
          pictured = true;
        }
        return true;
      },
      progress);
  if (run.after.empty()) run.after.resize(marbles.size());
  run.picture = picture.svg({.azimuth = -80, .elevation = 14, .height = 220});
  return run;
}

}  // namespace

void make_mirtich_marbles(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 10: a rolling black marble hits the end of a line of four; the one at the other end rolls away, while the "
      "others “remain basically at rest”, since impacts pass through the chain one after the other. Marbles have over "
      "5000 faces.");
  const TrialSetup setup{"marbles", {}, {}, {}, work.pick(0.13, 1.0, 1.0)};
  section.ran(
      "Five marbles of 5004 faces, e = 0.95 and μ = 0.15 between them; and once more without friction between them. "
      "Formula: each impact hands on (1 + e)/2 of the velocity and keeps (1 − e)/2.",
      {command(setup)});
  const ChainRun run = run_marbles(setup, false, [&](double share) { work.show(0, 2, share); });
  const ChainRun smooth =
      run_marbles({"marbles", {}, {}, {}, 0.13}, true, [&](double share) { work.show(1, 2, share); });
  section.add_picture(run.picture,
                      "Before (faint), and 0.03 s after the black marble has hit the row. Drawn as balls.");
  section.add(
      Plot{"marbles-velocities", "Velocities along the line.", {"time, s"}, {"velocity, m/s"}, run.velocities, 340});
  ReportTable table{
      "marbles",
      "Velocities in m/s, in the first frame after.",
      {{"marble"}, {"with friction"}, {"without"}, {"formula"}, {fmt::format("at {:g} s", *setup.duration)}},
      {}};
  constexpr Real kRestitution = 0.95;
  const std::size_t n = run.after.size();
  Real chain = run.arriving, off = 0, off_smooth = 0, middle = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Real kept = i + 1 < n ? chain * 0.5 * (1 - kRestitution) : chain;
    chain *= 0.5 * (1 + kRestitution);
    off = std::max(off, std::abs(run.after[i] - kept));
    off_smooth = std::max(off_smooth, std::abs(smooth.after[i] - kept));
    if (i > 0 && i + 1 < n) middle = std::max(middle, std::abs(run.after[i]));
    table.rows.push_back({i == 0 ? "black" : fmt::format("{}", i), fmt::format("{:.4f}", run.after[i]),
                          fmt::format("{:.4f}", smooth.after[i]), fmt::format("{:.4f}", kept),
                          fmt::format("{:.4f}", run.velocities[i].points.back().y)});
  }
  section.add(table);
  const bool passes = middle < 0.05 * run.arriving && run.after.back() > 0.8 * run.arriving;
  section.conclude(
      passes ? Finding::Agrees : Finding::Differs,
      fmt::format(
          "The last marble leaves with {:.3f} m/s of {:.3f} m/s, those between have at most {:.3f} m/s. The chain of "
          "impacts is met to {:.2g} m/s with friction between marbles, which turns them, and to {:.2g} m/s without. "
          "The black one still rolls, and friction on the table brings it on again.",
          run.after.back(), run.arriving, middle, off, off_smooth));
}

}  // namespace carom
