// Mirtich and Canny (1994), section 5, Fig. 9: bowling. A ball that slides, hooks and strikes.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/reproduce_mirtich.h"
#include "study/trial.h"

namespace carom {
namespace {

Real pair_friction(const Scene& scene, const std::string& a, const std::string& b) {
  for (const ScenePair& pair : scene.pairs)
    if ((pair.first == a && pair.second == b) || (pair.first == b && pair.second == a)) return pair.material.friction;
  fail("there is no pair of materials " + a + " and " + b);
}

/// The ball's way down the alley.
struct Delivery {
  std::vector<PlotPoint> slip, hook;  // m/s against s; m aside against m along
  Real struck_at = 0;                 // s: the first pin; 0: never
  Real slip_at_pins = 0;              // m/s
  std::string picture;                // of the pins
  int down = 0;                       // pins, in the end
};

/// What theory says of it: friction μ g against a slip that keeps its direction, until it has gone after 2 u₀/(7 μ g).
struct Hook {
  Vec3 start, velocity, against;
  Real deceleration = 0, slip = 0, duration = 0;

  Vec3 at(Real t) const { return start + t * velocity + (0.5 * deceleration * t * t) * against; }
};

Hook predicted_hook(const BodyState& ball, Real radius, Real mu, Real gravity) {
  const Vec3 slip = ball.velocity + cross(ball.angular_velocity, {0, 0, -radius});
  return {ball.position, ball.velocity, -1.0 * normalized(slip),
          mu * gravity,  norm(slip),    2 * norm(slip) / (7 * mu * gravity)};
}

int fallen(const World& world, BodyHandle ball) {
  int count = 0;
  for (const BodyHandle body : moving_bodies(world)) {
    const Pose pose = world.shape_pose(body);
    const bool upright = rotate(pose.orientation, {0, 0, 1}).z > 0.9;
    if (body != ball && (!upright || pose.position.z < -0.05)) ++count;
  }
  return count;
}

Delivery deliver(Trial& trial, BodyHandle ball, Real radius, const SectionWork& work) {
  Delivery seen;
  Picture picture(trial.world());
  Real next = 0;
  trial.run(
      [&](const StepReport& report) {
        const BodyState state = trial.world().state(ball);
        for (const ImpactEvent& event : trial.world().events()) {
          const bool on_ball = event.a == ball || event.b == ball;
          const BodyHandle other = event.a == ball ? event.b : event.a;
          if (on_ball && seen.struck_at == 0 && trial.world().type(other) == BodyType::Dynamic)
            seen.struck_at = next = event.time;
        }
        if (seen.struck_at == 0) {
          const Real slip = norm(state.velocity + cross(state.angular_velocity, {0, 0, -radius}));
          seen.slip.push_back({report.time, slip, {}});
          seen.hook.push_back({state.position.x, state.position.y, {}});
          seen.slip_at_pins = slip;
        } else if (report.time <= seen.struck_at + 0.6) {
          if (report.time >= next) {
            const Real age = report.time - seen.struck_at;
            picture.add_moment(trial.world(), 0.2 + 0.5 * age);
            next += 0.15;
          }
        }
        return true;
      },
      [&](double share) { work.show(share); });
  picture.add_moment(trial.world());
  seen.down = fallen(trial.world(), ball);
  seen.picture = picture.svg(
      {.azimuth = -125, .elevation = 22, .height = 420, .shown = {{{17.9, -0.75, -0.1}, {19.9, 0.75, 0.7}}}});
  return seen;
}

/// Way and slip against the formulas; returns the largest distance from the parabola, m.
Real plot_delivery(const Delivery& seen, const Hook& hook, ReportSection& section) {
  Plot way{"bowling-hook",
           "The way of the ball, seen from above (not to scale); dashed: the parabola.",
           {"along the alley, m"},
           {"aside, m"},
           {},
           320};
  Plot slips{"bowling-slip", "The slip of the ball; dashed: u₀ − 7/2 μ g t.", {"time, s"}, {"slip, m/s"}, {}, 300};
  way.series.push_back({"ball", seen.hook, PlotMark::Line, 0});
  slips.series.push_back({"ball", seen.slip, PlotMark::Line, 0});
  PlotSeries parabola{"formula", {}, PlotMark::Theory, 1}, line{"formula", {}, PlotMark::Theory, 1};
  const Real until = std::min(hook.duration, seen.slip.back().x);
  Real worst = 0;
  for (int i = 0; i <= 60; ++i) {
    const Real t = until * i / 60;
    parabola.points.push_back({hook.at(t).x, hook.at(t).y, {}});
    line.points.push_back({t, hook.slip * (1 - t / hook.duration), {}});
  }
  for (std::size_t i = 0; i < seen.hook.size() && seen.slip[i].x <= until; ++i)
    worst = std::max(worst, std::abs(seen.hook[i].y - hook.at(seen.slip[i].x).y));
  way.series.push_back(std::move(parabola));
  slips.series.push_back(std::move(line));
  section.add(way);
  section.add(slips);
  return worst;
}

}  // namespace

void make_mirtich_bowling(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 9: a ball slides down an oiled alley of 60 feet, with the spin that a bowler gives it, and shifts to "
      "rolling until that “is complete as the ball hits the pins”: the familiar hook. Ten pins of 162 faces; a "
      "strike.");
  const TrialSetup setup{"bowling", {}, {}, {}, work.pick(0.2, 5.0, 5.0)};
  Trial trial(setup);
  const BodyHandle ball = trial.body("ball");
  const Real radius = std::get<Sphere>(trial.world().shape(ball)->geometry()).radius;
  const Real mu = pair_friction(trial.scene(), "ball", "lane");
  const Hook hook = predicted_hook(trial.world().state(ball), radius, mu, norm(trial.scene().gravity));
  section.ran(
      fmt::format("The ball of the scene, μ = {:g} on the lane. The formulas: friction μ g against a slip u₀ = {:.3g} "
                  "m/s that keeps its direction, so that the way is a parabola; rolling after 2 u₀/(7 μ g).",
                  mu, hook.slip),
      {command(setup)});
  const Delivery seen = deliver(trial, ball, radius, work);
  const Real worst = plot_delivery(seen, hook, section);
  if (seen.struck_at > 0)
    section.add_picture(seen.picture, "From the first pin that is struck, every 0.15 s, and at the end.");
  ReportTable table{
      "bowling", "The ball and the pins.", {{"quantity"}, {"measured"}, {"formula"}, {"published", true}}, {}};
  const auto or_none = [](Real value) { return value > 0 ? fmt::format("{:.4g}", value) : std::string("not reached"); };
  // The slip falls evenly: where it would be zero.
  const PlotPoint& last = seen.slip.back();
  const Real rolls_at = last.x * hook.slip / std::max(hook.slip - last.y, 1e-9);
  table.rows.push_back({"slip zero, extrapolated, after, s", fmt::format("{:.4g}", rolls_at),
                        fmt::format("{:.4g}", hook.duration), "–"});
  table.rows.push_back({"the first pin is struck after, s", or_none(seen.struck_at), "–", "as rolling begins"});
  table.rows.push_back({"slip left at the pins, m/s", fmt::format("{:.3g}", seen.slip_at_pins), "–", "0"});
  table.rows.push_back({"largest distance from the parabola, mm", fmt::format("{:.3g}", 1e3 * worst), "0", "–"});
  table.rows.push_back({"pins down", fmt::format("{} of 10", seen.down), "–", "10"});
  section.add(table);
  const bool strikes = seen.down == 10, rolls = seen.slip_at_pins < 0.05 * hook.slip && worst < 0.01;
  section.conclude(
      strikes && rolls     ? Finding::Agrees
      : seen.struck_at > 0 ? Finding::Partly
                           : Finding::Shown,
      fmt::format("The ball follows the parabola to {:.2g} mm and reaches the pins {:.2g} s {} it rolls, {} pins fall. "
                  "Friction was chosen such that rolling begins at the pins, as the paper describes; the rest follows.",
                  1e3 * worst, std::abs(hook.duration - seen.struck_at),
                  seen.struck_at < hook.duration ? "before" : "after", seen.down));
}

}  // namespace carom
