// Mirtich and Canny (1994): one ball in contact that lasts, on terrain (Fig. 1) and on a platter that turns (Fig. 11).
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/reproduce_mirtich.h"
#include "study/trial.h"

namespace carom {
namespace {

// --- Terrain ---------------------------------------------------------------------------------------------------------

struct Jump {
  std::optional<BodyState> flying;  // at the end of the first frame after the ramp was left
  Real flying_at = 0;               // s
  std::vector<Real> bounces;        // s: impacts on the low ground that are no microcollisions
  std::vector<PlotPoint> micro;     // microcollisions in each frame, against s
  std::string picture;
};

/// Where and when a ball that flies comes down to a height.
struct Landing {
  Real time = 0, speed = 0;  // s from now; m/s, downwards
};

Landing landing(const BodyState& ball, Real height, Real gravity) {
  const Real up = ball.velocity.z;
  const Real speed = std::sqrt(up * up + 2 * gravity * (ball.position.z - height));
  return {(up + speed) / gravity, speed};
}

Jump run_terrain(Trial& trial, const SectionWork& work) {
  const BodyHandle ball = trial.body("ball"), ramp = trial.body("ramp"), low = trial.body("low ground");
  Jump jump;
  Picture picture(trial.world());
  std::vector<Vec3> path;
  Real next = 0;
  bool on_ramp = false;
  trial.run(
      [&](const StepReport& report) {
        const BodyState state = trial.world().state(ball);
        bool touches_ramp = false;
        for (const ImpactEvent& event : trial.world().events()) {
          const BodyHandle other = event.a == ball ? event.b : event.a;
          touches_ramp = touches_ramp || other == ramp;
          if (other == low && event.kind == EventKind::Impact) jump.bounces.push_back(event.time);
        }
        on_ramp = on_ramp || touches_ramp;
        // The ball hops on the ramp too: it has left where it is past the edge.
        if (on_ramp && !touches_ramp && !jump.flying && state.position.x > 1.9) {
          jump.flying = state;
          jump.flying_at = report.time;
        }
        jump.micro.push_back({report.time, static_cast<Real>(report.micro_events), {}});
        path.push_back(state.position);
        if (report.time >= next && state.position.x < 11) {
          picture.add_moment(trial.world(), 0.55);
          next += 0.1;
        }
        return true;
      },
      [&](double share) { work.show(share); });
  picture.add_moment(trial.world());
  std::erase_if(path, [](const Vec3& p) { return p.x > 11.5; });
  picture.add_path(path, 3);
  jump.picture =
      picture.svg({.azimuth = -90, .elevation = 5, .height = 200, .shown = {{{-3, -0.5, -0.6}, {11, 0.5, 1.6}}}});
  return jump;
}

// --- Platter ---------------------------------------------------------------------------------------------------------

/// A ball that rolls on a platter: x″ = a ẑ × x′ with a = 2Ω/7, a circle that does not change.
struct Orbit {
  Vec3 centre;
  Real radius = 0, rate = 0;
};

Orbit predicted_orbit(const BodyState& ball, Real turning) {
  const Real rate = 2 * turning / 7;
  const Vec3 centre = ball.position + (1 / rate) * cross({0, 0, 1}, ball.velocity);
  return {centre, norm(ball.position - centre), rate};
}

struct OrbitRun {
  std::vector<PlotPoint> path, radius;  // m; mm against s
  Real rate = 0, growth = 0;            // rad/s; relative, over the run
  bool stays = true;                    // on the platter
};

OrbitRun run_platter(const TrialSetup& setup, const std::function<void(double)>& progress, std::string* picture) {
  Trial trial(setup);
  const BodyHandle ball = trial.body("ball"), platter = trial.body("platter");
  const Orbit orbit = predicted_orbit(trial.world().state(ball), trial.world().state(platter).angular_velocity.z);
  const Real edge = std::get<Cylinder>(trial.world().shape(platter)->geometry()).radius;
  OrbitRun run;
  Picture strobe(trial.world());
  std::vector<Vec3> way;
  Real turned = 0, next = 0;
  Vec3 arm = trial.world().state(ball).position - orbit.centre;
  strobe.add_moment(trial.world(), 0.3);
  trial.run(
      [&](const StepReport& report) {
        const Vec3 p = trial.world().state(ball).position, now = p - orbit.centre;
        turned += std::atan2(arm.x * now.y - arm.y * now.x, arm.x * now.x + arm.y * now.y);
        arm = now;
        const Real radius = std::hypot(now.x, now.y);
        run.path.push_back({p.x, p.y, {}});
        run.radius.push_back({report.time, 1e3 * radius, {}});
        way.push_back({p.x, p.y, 0.001});
        run.rate = turned / report.time;
        run.growth = radius / orbit.radius - 1;
        run.stays = std::hypot(p.x, p.y) < edge;
        if (report.time > next + 1 && report.time < 6) {
          next += 1;
          strobe.add_moment(trial.world(), 0.3);
        }
        return run.stays;
      },
      progress);
  strobe.add_moment(trial.world());
  strobe.add_path(way, 1);
  if (picture != nullptr) *picture = strobe.svg({.azimuth = -90, .elevation = 40, .height = 420});
  return run;
}

}  // namespace

void make_mirtich_terrain(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 1, “a nightmare for constraint-based simulation”: a ball bounces along a terrain, up a ramp, flies, and "
      "settles into a roll. No boundary between bouncing and rolling has to be detected.");
  const TrialSetup setup{"terrain", {}, {}, {}, work.pick(2.3, 5.0, 5.0)};
  section.ran(
      "A ball rolls at 7.5 m/s over flat ground, up a ramp of 20°, off its edge, and on 0.4 m lower; e = 0.5, μ = 0.3. "
      "Formulas: the parabola from the first frame after the edge; bounces that each last e times the one before; "
      "rolling at (5 v + 2 r ω)/7 in the end, since friction acts at the ground.",
      {command(setup)});
  Trial trial(setup);
  const BodyHandle ball = trial.body("ball");
  const Real radius = std::get<Sphere>(trial.world().shape(ball)->geometry()).radius;
  const Real ground = -0.4 + radius, gravity = norm(trial.scene().gravity), e = 0.5;
  const Jump jump = run_terrain(trial, work);
  section.add_picture(jump.picture, "The ball every 0.1 s.");
  section.add(Plot{"terrain-micro",
                   "Microcollisions in each frame of 1/240 s: none in flight.",
                   {"time, s"},
                   {"microcollisions"},
                   {{"mirtich", jump.micro, PlotMark::Line}},
                   260});
  ReportTable table{"terrain", "Against formulas.", {{"quantity"}, {"measured"}, {"formula"}, {"off by"}}, {}};
  Real worst = 0;
  const auto add = [&](const std::string& name, Real measured, Real formula) {
    const Real off = measured / formula - 1;
    worst = std::max(worst, std::abs(off));
    table.rows.push_back(
        {name, fmt::format("{:.6g}", measured), fmt::format("{:.6g}", formula), fmt::format("{:.1e}", off)});
  };
  if (jump.flying && jump.bounces.size() >= 2) {
    const Landing first = landing(*jump.flying, ground, gravity);
    add("first landing, s", jump.bounces[0], jump.flying_at + first.time);
    Real leaves = e * first.speed;
    for (std::size_t i = 1; i < std::min<std::size_t>(jump.bounces.size(), 5); ++i) {
      add(fmt::format("bounce {} lasts, s", i), jump.bounces[i] - jump.bounces[i - 1], 2 * leaves / gravity);
      leaves *= e;
    }
    if (trial.duration() > 3) {
      const Real rolls = (5 * jump.flying->velocity.x + 2 * radius * jump.flying->angular_velocity.y) / 7;
      add("rolls in the end, m/s", trial.world().state(ball).velocity.x, rolls);
    }
  }
  section.add(table);
  section.conclude(
      table.rows.size() >= 2 && worst < 5e-3 ? Finding::Agrees : Finding::Partly,
      fmt::format("Rolling, hopping at the foot of the ramp, flight, bounces that fade and rolling again, with one "
                  "rule. Formulas are met to {:.1e} at the worst.",
                  worst));
}

void make_mirtich_platter(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 11: a ball laid on a spinning platter with high friction, rolling from the start, “rolls in circles, not "
      "centered at the axis of the platter, which gradually increase in radius until the ball rolls off” — as an "
      "experiment has shown.");
  const TrialSetup events{"platter", {}, {}, {}, work.pick(0.5, 20.0, 60.0)};
  const TrialSetup euler{"platter", "sequential", {"integrator=euler", "midway=false"}, 1.0 / 60, events.duration};
  section.ran(
      "A steel ball on a platter at 33⅓ rpm, laid on where both move alike, μ = 0.8. Formula: the ball rolls round a "
      "circle at 2/7 of the platter's rate, and the circle stays as it is. For comparison a fixed step of 1/60 s with "
      "symplectic Euler.",
      {command(events), command(euler)});
  std::string picture;
  const OrbitRun run = run_platter(events, [&](double share) { work.show(0.8 * share); }, &picture);
  const OrbitRun stepped = run_platter(euler, nullptr, nullptr);
  Trial start(events);
  const Orbit orbit = predicted_orbit(start.world().state(start.body("ball")),
                                      start.world().state(start.body("platter")).angular_velocity.z);
  section.add_picture(picture, "The ball every second, and its way.");
  Plot path{"platter-path",
            "The way of the ball, from above; the axis of the platter is at (0, 0).",
            {"x, m", PlotScale::Linear, -0.3, 0.15},
            {"y, m", PlotScale::Linear, -0.12, 0.12},
            {},
            460};
  PlotSeries circle{"formula", {}, PlotMark::Theory, 7};
  for (int i = 0; i <= 120; ++i) {
    const Real angle = i * 2 * std::numbers::pi / 120;
    circle.points.push_back(
        {orbit.centre.x + orbit.radius * std::cos(angle), orbit.centre.y + orbit.radius * std::sin(angle), {}});
  }
  path.series = {{"mirtich", run.path, PlotMark::Line, 0},
                 {"sequential, Euler", stepped.path, PlotMark::Line, 1},
                 std::move(circle),
                 {"axis", {{0, 0, {}}}, PlotMark::Points, 7}};
  section.add(path);
  section.add(
      Plot{"platter-radius",
           "Distance from the circle's centre.",
           {"time, s"},
           {"radius, mm"},
           {{"mirtich", run.radius, PlotMark::Line, 0}, {"sequential, Euler", stepped.radius, PlotMark::Line, 1}},
           300});
  ReportTable table{"platter",
                    fmt::format("Over {:g} s.", *events.duration),
                    {{"run"}, {"rate, rad/s"}, {"formula"}, {"radius grows by"}, {"formula"}, {"published", true}},
                    {}};
  // Euler's steps leave the circle along its tangent: ½ a² dt more radius a second.
  const Real euler_growth = std::expm1(0.5 * orbit.rate * orbit.rate * *euler.dt * stepped.radius.back().x);
  const auto row = [&](const char* name, const OrbitRun& r, Real growth) {
    table.rows.push_back({name, fmt::format("{:.6g}", r.rate), fmt::format("{:.6g}", orbit.rate),
                          fmt::format("{:.2e}", r.growth), fmt::format("{:.2g}", growth), "grows"});
  };
  row("mirtich", run, 0);
  row("sequential, Euler", stepped, euler_growth);
  section.add(table);
  const bool circles = std::abs(run.rate / orbit.rate - 1) < 1e-3;
  section.conclude(
      circles ? Finding::Partly : Finding::Differs,
      fmt::format(
          "The ball rolls in circles beside the axis, at 2/7 of the platter's rate to {:.1e}. They do not grow: the "
          "radius changes by {:.1e} in {:g} s. Nor should they, for a rigid ball that rolls without loss. In an "
          "experiment there is rolling friction; in a simulation, errors of the integration: Euler's steps of 1/60 s "
          "make it {:.1e}, as their formula says. The paper does not say where its growth comes from.",
          std::abs(run.rate / orbit.rate - 1), run.growth, *events.duration, stepped.growth));
}

}  // namespace carom
