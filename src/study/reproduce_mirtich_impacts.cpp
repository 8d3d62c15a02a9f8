// Mirtich and Canny (1994), section 4: what happens inside one impact. Figs. 3, 5, 6 and 7, drawn from impacts that
// Carom integrates.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "study/impact_report.h"
#include "study/picture.h"
#include "study/reproduce_mirtich.h"
#include "study/sample_impacts.h"

namespace carom {
namespace {

constexpr Real kDegrees = 180 / std::numbers::pi;

Real slip(const Vec3& u) { return std::hypot(u.x, u.y); }

// --- Fig. 3 ----------------------------------------------------------------------------------------------------------

/// Normal velocity against normal impulse, between the moments of a trace.
Real normal_velocity(const std::vector<ImpactSample>& trace, Real p) {
  const auto after = std::ranges::lower_bound(trace, p, {}, &ImpactSample::normal_impulse);
  if (after == trace.begin()) return trace.front().velocity.z;
  if (after == trace.end()) return trace.back().velocity.z;
  const ImpactSample &a = *(after - 1), &b = *after;
  const Real width = b.normal_impulse - a.normal_impulse;
  const Real share = width > 0 ? (p - a.normal_impulse) / width : 1;
  return a.velocity.z + share * (b.velocity.z - a.velocity.z);
}

/// An impact along time.
struct TimedImpact {
  std::vector<PlotPoint> force, impulse;  // N and N s against ms
  PlotPoint turn;                         // maximum compression, in the plot of the impulse
};

/// The laws of impact know no time. A spring of `stiffness` gives one: it holds the work that the normal force has
/// taken, E = f²/2k, so that f follows from the impact, and dt = dp/f. In restitution it gives back what the law says,
/// by the same square root, so that the force is continuous and ends at zero.
TimedImpact along_time(const ImpactReport& report, Real stiffness) {
  constexpr int kParts = 300;
  const Real turn = report.outcome.compression_impulse, end = report.outcome.impulse.z;
  TimedImpact timed{{{0, 0, {}}}, {{0, 0, {}}}, {}};
  Real time = 0, force = 0, peak = 0;
  const auto walk = [&](Real from, Real to, const auto& force_at) {
    const Real step = (to - from) / kParts;
    Real work = 0;
    for (int i = 0; i < kParts && step > 0; ++i) {
      const Real p = from + i * step;
      work += 0.5 * step * (normal_velocity(report.trace, p) + normal_velocity(report.trace, p + step));
      const Real next = force_at(work);
      // Exact where the force begins or ends as a square root.
      time += 2 * step / std::max(force + next, 1e-300);
      force = next;
      timed.force.push_back({1e3 * time, force, {}});
      timed.impulse.push_back({1e3 * time, p + step, {}});
    }
  };
  walk(0, turn, [&](Real work) { return std::sqrt(2 * stiffness * std::max(-work, 0.0)); });
  peak = force;
  timed.turn = {1e3 * time, turn, {}};
  const Real returned = report.outcome.work.normal_restitution;
  walk(turn, end, [&](Real work) { return peak * std::sqrt(std::max(1 - work / returned, 0.0)); });
  // Nothing comes back: the force ends at once.
  if (!(end > turn)) timed.force.push_back({1e3 * time, 0, {}});
  return timed;
}

// --- Fig. 5 ----------------------------------------------------------------------------------------------------------

/// One way of the slip through an impact.
struct SlipWay {
  std::vector<PlotPoint> points;
  Vec3 start, end;
  bool sticks = false;
  Real turn = 0;  // rad: of its direction, summed while it slides
};

SlipWay slip_way(const Vec3& start, Real mu) {
  const ImpactReport report = report_impact(brick_impact({start, mu, 0.5}), ImpactLaw::Poisson);
  SlipWay way{{}, start, report.outcome.velocity};
  for (std::size_t i = 0; i < report.outcome.mode_count; ++i)
    way.sticks = way.sticks || report.outcome.modes.at(i) == ImpactMode::Stick;
  const Vec3* before = nullptr;
  for (const ImpactSample& sample : report.trace) {
    way.points.push_back({sample.velocity.x, sample.velocity.y, {}});
    // Near zero the direction of a slip that stops is that of rounding, and it starts anew.
    const bool slides = slip(sample.velocity) > 1e-3 * norm(start);
    if (before != nullptr && slides) {
      const Vec3 &a = *before, &b = sample.velocity;
      way.turn += std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
    }
    before = slides ? &sample.velocity : nullptr;
  }
  return way;
}

/// The direction of the slip, rad, against which friction d on the circle |d| = μ makes ξᵀKξ, ξ = (d, 1), least. The
/// function has one minimum on the disc, and it is on the circle where friction cannot keep sticking.
Real way_out(const Mat3& k, Real mu) {
  const auto cost = [&](Real angle) {
    const Vec3 xi{-mu * std::cos(angle), -mu * std::sin(angle), 1};
    return dot(xi, k * xi);
  };
  Real best = 0, step = std::numbers::pi / 180;
  for (int i = 1; i < 360; ++i)
    if (cost(i * step) < cost(best)) best = i * step;
  for (int halving = 0; halving < 40; ++halving, step *= 0.5)
    for (const Real other : {best - step, best + step})
      if (cost(other) < cost(best)) best = other;
  return best;
}

/// How far the directions differ in which slips that are next to nothing grow, rad.
struct WaysOut {
  Real angle = 0, spread = 0;
};

WaysOut ways_out(Real mu, int directions) {
  const auto angle_from = [&](const Vec3& start) {
    const Vec3 end = slip_way(start, mu).end;
    return std::atan2(end.y, end.x);
  };
  WaysOut out{angle_from({0, 0, -4}), 0};
  for (int i = 0; i < directions; ++i) {
    const Real angle = i * 2 * std::numbers::pi / directions;
    const Real other = angle_from({1e-9 * std::cos(angle), 1e-9 * std::sin(angle), -4});
    out.spread = std::max(out.spread, std::abs(std::remainder(other - out.angle, 2 * std::numbers::pi)));
  }
  return out;
}

}  // namespace

void make_mirtich_phases(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 3 and assumption 2: a collision is compressed until the normal velocity vanishes, then restituted; p_total "
      "= (1 + e) p_mc (Poisson's hypothesis).");
  constexpr Real kStiffness = 1e6;
  section.ran(
      fmt::format(
          "A brick of 1 kg, askew, strikes the ground with a corner: u = (0.8, 0.3, −2) m/s, μ = 0.3, law `poisson`. "
          "The paper argues that an impact must not be followed in time, since stiffness is not known, and Carom "
          "follows its normal impulse instead. Only to draw the figure, a linear spring of {:.0e} N/m gives a time to "
          "it: the force is that of a spring that has taken the normal work done so far.",
          kStiffness),
      {"carom validate --kind impact_box --artifacts impacts",
       "carom impact impacts/A-BOX-1.impact.json --law poisson --trace trace.csv"});
  Plot force{"fig3-force", "The normal force f(t): compression, then restitution.", {"time, ms"}, {"force, N"}, {},
             320};
  Plot impulse{"fig3-impulse",
               "The impulse p(t) = ∫ f dt so far; points: maximum compression.",
               {"time, ms"},
               {"normal impulse, N s"},
               {},
               320};
  ReportTable table{"phases",
                    "The same impact at several e.",
                    {{"e"}, {"p_mc, N s"}, {"p_total, N s"}, {"p_total / p_mc − 1"}, {"u_z at p_mc, m/s"}, {"modes"}},
                    {}};
  const std::vector<Real> restitutions = work.pick<std::vector<Real>>({0, 0.5}, {0, 0.5, 1}, {0, 0.25, 0.5, 0.75, 1});
  Real worst = 0;
  PlotSeries turns{"maximum compression", {}, PlotMark::Points, 7};
  for (std::size_t i = 0; i < restitutions.size(); ++i) {
    const Real e = restitutions[i];
    const ImpactReport report = report_impact(brick_impact({{0.8, 0.3, -2}, 0.3, e}), ImpactLaw::Poisson);
    const TimedImpact timed = along_time(report, kStiffness);
    const Real p_mc = report.outcome.compression_impulse, ratio = report.outcome.impulse.z / p_mc - 1;
    worst = std::max(worst, std::abs(ratio - e));
    table.rows.push_back({fmt::format("{:g}", e), fmt::format("{:.6g}", p_mc),
                          fmt::format("{:.6g}", report.outcome.impulse.z), fmt::format("{:.9g}", ratio),
                          fmt::format("{:.1e}", normal_velocity(report.trace, p_mc)), modes_text(report.outcome)});
    force.series.push_back({fmt::format("e = {:g}", e), timed.force, PlotMark::Line, static_cast<int>(i)});
    impulse.series.push_back({fmt::format("e = {:g}", e), timed.impulse, PlotMark::Line, static_cast<int>(i)});
    turns.points.push_back(timed.turn);
  }
  impulse.series.push_back(std::move(turns));
  section.add(force);
  section.add(impulse);
  section.add(table);
  section.conclude(worst < 1e-9 ? Finding::Agrees : Finding::Differs,
                   fmt::format("The impulses of the two phases are in the ratio 1 : e to {:.1e}, friction and a slip "
                               "that changes on the way included.",
                               worst));
}

void make_mirtich_slips(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 5, section 4.3: trajectories of eq. 9 in the plane of the slip, for some matrix M and μ = 0.55. For some "
      "the slip grows although friction resists it; one direction leads away from the origin; they “never spiral "
      "around the origin”, and where friction cannot keep sticking “there is always exactly one sliding direction” (a "
      "conjecture).");
  const Real mu = 0.55;
  const int directions = work.pick(8, 16, 32);
  const Mat3 k = inverse_mass_at(brick_impact({}));
  // What friction would have to do to keep it stuck.
  const Real det = k(0, 0) * k(1, 1) - k(0, 1) * k(1, 0);
  const Real need = std::hypot(k(1, 1) * k(0, 2) - k(0, 1) * k(1, 2), k(0, 0) * k(1, 2) - k(1, 0) * k(0, 2)) / det;
  section.ran(fmt::format("The corner of a brick, askew, at 4 m/s, e = 0.5, μ = {:.2f}, with the slips marked by grey "
                          "points. Sticking would need μ ≥ {:.3f}, so that it cannot last.",
                          mu, need),
              {"carom validate --kind impact3d --artifacts impacts",
               "carom impact impacts/A-3D-19.impact.json --law poisson --trace trace.csv"});
  std::vector<SlipWay> ways;
  for (const Real radius : {0.8, 2.0, 3.2})
    for (int i = 0; i < directions; ++i) {
      const Real angle = (i + 0.5) * 2 * std::numbers::pi / directions;
      ways.push_back(slip_way({radius * std::cos(angle), radius * std::sin(angle), -4}, mu));
    }
  Plot plot{"fig5-slips", "Slips in the course of the impact, from where they start (points).",
            {"u_x, m/s"}, {"u_y, m/s"},
            {},           620};
  PlotSeries starts{"start", {}, PlotMark::Points, 7};
  int growing = 0, sticking = 0;
  Real largest_turn = 0;
  std::array<bool, 2> named{};
  for (const SlipWay& way : ways) {
    const bool grows = slip(way.end) > slip(way.start);
    growing += grows ? 1 : 0;
    sticking += way.sticks ? 1 : 0;
    largest_turn = std::max(largest_turn, std::abs(way.turn));
    const std::size_t kind = grows ? 1 : 0;
    // One of each kind stands for all in the legend.
    const std::string name = named.at(kind) ? "" : grows ? "ends faster" : "ends slower";
    plot.series.push_back({name, way.points, PlotMark::Line, static_cast<int>(kind)});
    named.at(kind) = true;
    starts.points.push_back({way.start.x, way.start.y, {}});
  }
  const WaysOut out = ways_out(mu, directions);
  const Real formula = way_out(k, mu);
  plot.series.push_back({"the way out of the origin",
                         {{0, 0, {}}, {4.2 * std::cos(formula), 4.2 * std::sin(formula), {}}},
                         PlotMark::Theory,
                         2});
  plot.series.push_back(std::move(starts));
  section.add(plot);
  ReportTable table{
      "slips",
      "What the trajectories do. The way out: from a slip of 1e-9 m/s in every direction, and from none.",
      {{"impacts"}, {"slip grows"}, {"sticks"}, {"largest turn, °"}, {"way out, °"}, {"formula, °"}, {"spread, °"}},
      {}};
  const auto degrees = [](Real angle) {
    return fmt::format("{:.4f}", kDegrees * std::remainder(angle, 2 * std::numbers::pi));
  };
  table.rows.push_back({fmt::format("{}", ways.size()), fmt::format("{}", growing), fmt::format("{}", sticking),
                        fmt::format("{:.1f}", kDegrees * largest_turn), degrees(out.angle), degrees(formula),
                        fmt::format("{:.1e}", kDegrees * out.spread)});
  section.add(table);
  const bool one_way =
      sticking == 0 && out.spread < 1e-6 && std::abs(std::remainder(out.angle - formula, 2 * std::numbers::pi)) < 1e-6;
  section.conclude(
      one_way && growing > 0 && largest_turn < 2 * std::numbers::pi ? Finding::Agrees : Finding::Partly,
      fmt::format(
          "In {} of {} impacts the slip ends faster than it began. From next to nothing it grows in one direction, "
          "whatever it was, to {:.0e}°; no slip turns by more than {:.0f}° altogether. The conjecture holds in "
          "general: the friction d of the way out minimises ξᵀMξ, ξ = (d, 1), over |d| ≤ μ, which is strictly convex "
          "and so has one answer; minimised directly it gives the direction above.",
          growing, ways.size(), std::max(kDegrees * out.spread, 1e-15), kDegrees * largest_turn));
}

namespace {

// --- Fig. 6 ----------------------------------------------------------------------------------------------------------

constexpr Real kLean = 45;  // degrees

/// The bar of the figure falls straight down, strikes the ground and slips.
std::string rod_picture(Real mu) {
  WorldDef def;
  def.suite = "mirtich";
  World world(def);
  world.set_default_material({mu, mu, 0.5});
  BodyDef ground, rod;
  ground.type = BodyType::Fixed;
  ground.shape = Shape::box({2, 0.5, 0.04});
  ground.pose.position.z = -0.02;
  rod.name = "rod";
  rod.shape = Shape::capsule(0.01, 0.98);
  rod.mass = 1;
  const Real half = 0.5 * kLean / kDegrees;
  rod.pose = {{0, 0, 0.55}, {std::cos(half), 0, std::sin(half), 0}};
  rod.velocity = {0, 0, -1};
  world.add_body(ground);
  const BodyHandle body = world.add_body(rod);
  Picture picture(world);
  std::vector<Vec3> tip;
  constexpr int kSteps = 240, kMoments = 4;
  for (int i = 0; i <= kSteps; ++i) {
    tip.push_back(transform(world.shape_pose(body), {0, 0, -0.49}));
    if (i % (kSteps / kMoments) == 0) picture.add_moment(world, i == kSteps ? 1 : 0.2 + 0.5 * i / kSteps);
    if (i < kSteps) world.step(1e-3);
  }
  picture.add_path(tip, 1);
  return picture.svg({.azimuth = -90, .elevation = 4, .height = 300});
}

}  // namespace

void make_mirtich_rod(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Fig. 6: the end of a rod that falls straight down does not slip before the impact, but starts to, although "
      "friction resists: the normal impulse turns the rod.");
  section.ran(
      fmt::format(
          "A bar of 1 m and 1 kg, {:.0f}° from the vertical, falls straight down at 1 m/s; e = 0.5, law `poisson`. The "
          "formula: with K the inverse mass at the end, u_x = (|K_xz| − μ K_xx) p, or zero where that is negative.",
          kLean),
      {"carom validate --kind impact_planar --artifacts impacts",
       "carom impact impacts/A-ROD-01.impact.json --law poisson --trace trace.csv"});
  const Mat3 k = inverse_mass_at(rod_impact(kLean, {}));
  const std::vector<Real> frictions =
      work.pick<std::vector<Real>>({0.3, 0.7}, {0, 0.3, 0.55, 0.7}, {0, 0.15, 0.3, 0.45, 0.55, 0.7});
  Plot plot{"fig6-slip",
            "Slip of the rod's end in the course of the impact; dashed: the formula.",
            {"normal impulse so far, N s"},
            {"|u_t|, m/s"},
            {},
            320};
  ReportTable table{"rod",
                    "The rod's end after the impact.",
                    {{"μ"}, {"modes"}, {"slip before, m/s"}, {"slip after, m/s"}, {"formula, m/s"}, {"energy, J"}},
                    {}};
  Real worst = 0;
  int slipping = 0;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const Real mu = frictions[i];
    const ImpactReport report = report_impact(rod_impact(kLean, {{0, 0, -1}, mu, 0.5}), ImpactLaw::Poisson);
    const Real rate = std::max(std::abs(k(0, 2)) - mu * k(0, 0), 0.0), end = report.outcome.impulse.z;
    PlotSeries series{fmt::format("μ = {:g}", mu), {}, PlotMark::Line, static_cast<int>(i)};
    for (const ImpactSample& sample : report.trace)
      series.points.push_back({sample.normal_impulse, slip(sample.velocity), {}});
    plot.series.push_back(std::move(series));
    plot.series.push_back({i == 0 ? "formula" : "", {{0, 0, {}}, {end, rate * end, {}}}, PlotMark::Theory, 7});
    const Real after = slip(report.outcome.velocity);
    worst = std::max(worst, std::abs(after - rate * end));
    slipping += after > 1e-9 ? 1 : 0;
    table.rows.push_back({fmt::format("{:g}", mu), modes_text(report.outcome), "0", fmt::format("{:.6g}", after),
                          fmt::format("{:.6g}", rate * end), fmt::format("{:.4g}", report.energy_change())});
  }
  section.add_picture(rod_picture(0.3),
                      "The rod with μ = 0.3 in the suite `mirtich`: five moments, and the way of its lower end, which "
                      "the impact sets sliding.");
  section.add(plot);
  section.add(table);
  section.conclude(
      slipping > 0 && worst < 1e-9 ? Finding::Agrees : Finding::Differs,
      fmt::format("It starts to slip where μ < |K_xz| / K_xx = {:.3g}, as fast as the formula says (to {:.1e} m/s), "
                  "and sticks with more friction. Energy falls in all of them.",
                  std::abs(k(0, 2)) / k(0, 0), worst));
}

void make_mirtich_paths(const SectionWork& /*work*/, ReportSection& section) {
  section.claim(
      "Fig. 7: ways through the space of relative velocities. A: low friction, slides throughout. C: friction ends the "
      "slip, and the bodies stick. B: sticks for a moment, but friction cannot keep it so, and it slides again.");
  struct Path {
    const char* name;
    Real mu;
    std::vector<ImpactMode> modes;
  };
  const std::vector<Path> paths{{"A", 0.1, {ImpactMode::Slide}},
                                {"B", 0.65, {ImpactMode::Slide, ImpactMode::Resume}},
                                {"C", 0.9, {ImpactMode::Slide, ImpactMode::Stick}}};
  section.ran(
      "A bar, 60° from the vertical, arrives with u = (0.5, 0.1, −1) m/s, e = 0.7, law `poisson`, at three "
      "coefficients of friction; sticking needs 0.742.",
      {"carom validate --kind impact3d_rod --artifacts impacts",
       "carom impact impacts/A-ROD3-1.impact.json --law poisson --trace trace.csv"});
  Plot top{"fig7-tangential", "Seen along the normal.", {"u_x, m/s"}, {"u_y, m/s"}, {}, 320};
  Plot side{"fig7-normal",
            "Seen from the side: it ends above zero, where the bodies part.",
            {"u_x, m/s"},
            {"u_z, m/s"},
            {},
            360};
  ReportTable table{"paths", "The three impacts.", {{"path"}, {"μ"}, {"modes"}, {"u after, m/s"}, {"energy, J"}}, {}};
  PlotSeries starts{"start", {{0.5, 0.1, {}}}, PlotMark::Points, 7};
  PlotSeries side_starts{"start", {{0.5, -1, {}}}, PlotMark::Points, 7};
  int as_drawn = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Path& path = paths[i];
    const ImpactReport report = report_impact(rod_impact(60, {{0.5, 0.1, -1}, path.mu, 0.7}), ImpactLaw::Poisson);
    PlotSeries from_top{fmt::format("{}, μ = {:g}", path.name, path.mu), {}, PlotMark::Line, static_cast<int>(i)};
    PlotSeries from_side = from_top;
    for (const ImpactSample& sample : report.trace) {
      from_top.points.push_back({sample.velocity.x, sample.velocity.y, {}});
      from_side.points.push_back({sample.velocity.x, sample.velocity.z, {}});
    }
    top.series.push_back(std::move(from_top));
    side.series.push_back(std::move(from_side));
    const ImpactOutcome& o = report.outcome;
    as_drawn += std::equal(path.modes.begin(), path.modes.end(), o.modes.begin()) ? 1 : 0;
    table.rows.push_back({path.name, fmt::format("{:g}", path.mu), modes_text(o),
                          fmt::format("({:.4g}, {:.4g}, {:.4g})", o.velocity.x, o.velocity.y, o.velocity.z),
                          fmt::format("{:.4g}", report.energy_change())});
  }
  top.series.push_back(std::move(starts));
  side.series.push_back(std::move(side_starts));
  section.add(side);
  section.add(top);
  section.add(table);
  section.conclude(as_drawn == 3 ? Finding::Agrees : Finding::Differs,
                   fmt::format("{} of the three ways are as drawn in the paper.", as_drawn));
}

}  // namespace carom
