// Lin's slides, "Impulse reformulation": the hypotheses of Newton, Poisson and Stronge, and the energy that they add.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "study/impact_report.h"
#include "study/reproduce_lin.h"
#include "study/sample_impacts.h"

namespace carom {
namespace {

const std::vector<ImpactLaw>& three_laws() {
  static const std::vector<ImpactLaw> laws{ImpactLaw::Newton, ImpactLaw::Poisson, ImpactLaw::Stronge};
  return laws;
}

struct NamedImpact {
  std::string name;
  ContactProblem problem;
};

/// The rods are those of the validation cases of the same names.
std::vector<NamedImpact> shared_impacts() {
  return {{"ball, e = 0.6, μ = 0.2", ball_impact({{3, 1, -2}, 0.2, 0.6}, 0)},
          {"ball, spins, e = 0.8, μ = 0.5", ball_impact({{1, -0.5, -4}, 0.5, 0.8}, 60)},
          {"brick, e = 0.5, μ = 0.3", brick_impact({{0.8, 0.3, -2}, 0.3, 0.5})},
          {"rod 45° (A-ROD-03)", rod_impact(45, {{1, 0, -1}, 0.3, 0.8})},
          {"rod 45° (A-ROD-04)", rod_impact(45, {{0.5, 0, -1}, 0.8, 0.8})},
          {"rod 47°, e = 1 (A-ROD-05)", rod_impact(47, {{0.05, 0, -1}, 0.6, 1})},
          {"rod 46°, e = 1 (A-WN-p)", rod_impact(46, {{-1.9, 0, -1}, 1.2, 1})}};
}

/// Work of the contact force so far, against the normal impulse. Between moments of the trace velocities are linear in
/// the impulse, and the work is a parabola.
std::vector<PlotPoint> work_along(const ImpactReport& report) {
  constexpr int kParts = 24;
  std::vector<PlotPoint> points{{0, 0, {}}};
  Real work = 0;
  for (std::size_t i = 1; i < report.trace.size(); ++i) {
    const ImpactSample &a = report.trace[i - 1], &b = report.trace[i];
    const Vec3 impulse = b.impulse - a.impulse;
    const auto done = [&](Real share) {
      return share * dot(impulse, a.velocity + (0.5 * share) * (b.velocity - a.velocity));
    };
    for (int part = 1; part <= kParts; ++part) {
      const Real share = static_cast<Real>(part) / kParts;
      points.push_back({a.normal_impulse + share * (b.normal_impulse - a.normal_impulse), work + done(share), {}});
    }
    work += done(1);
  }
  return points;
}

/// What each law promises to be e, from what was done: of velocities, of impulses, and of works. Contacts of this
/// section have the normal z, in which spin adds nothing.
struct Ratios {
  Real newton = 0, poisson = 0, stronge = 0;
};

Ratios ratios(const ImpactReport& report, const ContactProblem& problem) {
  const ImpactOutcome& o = report.outcome;
  return {-o.velocity.z / problem.bodies[0].velocity.z, o.impulse.z / o.compression_impulse - 1,
          std::sqrt(std::max(-o.work.normal_restitution / o.work.normal_compression, 0.0))};
}

}  // namespace

void make_lin_laws(const SectionWork& /*work*/, ReportSection& section) {
  section.claim(
      "“Impulse reformulation”: Newton relates the velocities after and before by ε; Poisson the normal impulses of "
      "restitution and compression by ε; Stronge the works of the normal force by −ε². “Both these hypotheses [Newton, "
      "Poisson] can cause increase of energy when friction is present”; with Stronge's it does not increase.");
  section.ran(
      "Seven impacts of a body of 1 kg on the ground under the three laws, friction after Coulomb: Newton's as in "
      "Schmidl and Milenkovic (sticking, or eq. 6), the others integrated along the impact.",
      {"carom validate --kind impact_planar --artifacts impacts",
       "carom impact impacts/A-ROD-05.impact.json --law newton",
       "carom impact impacts/A-ROD-05.impact.json --law stronge"});
  ReportTable table{
      "laws",
      "Energy lost (−) or gained, net work of the normal force, and the ratios that Newton's, Poisson's and Stronge's "
      "law take for e: of velocities, of impulses, and the square root of that of works.",
      {{"impact"}, {"law"}, {"course"}, {"energy, J"}, {"work, J"}, {"u⁺/u⁻"}, {"p_r/p_c"}, {"√W_r/W_c"}},
      {}};
  std::vector<int> gains(three_laws().size());
  Real largest = 0, positive_work = -1e300, newton_energy = 0, ball_spread = 0;
  for (const NamedImpact& impact : shared_impacts())
    for (std::size_t l = 0; l < three_laws().size(); ++l) {
      const ImpactReport report = report_impact(impact.problem, three_laws()[l]);
      const ImpactOutcome& o = report.outcome;
      const Real energy = report.energy_change(), normal = o.work.normal_compression + o.work.normal_restitution;
      const Ratios e = ratios(report, impact.problem);
      if (energy > 1e-9) ++gains[l];
      if (l == 0) largest = std::max(largest, newton_energy = energy);
      if (impact.name.starts_with("ball")) ball_spread = std::max(ball_spread, std::abs(energy - newton_energy));
      if (three_laws()[l] == ImpactLaw::Poisson) positive_work = std::max(positive_work, normal);
      table.rows.push_back({impact.name, impact_law_name(three_laws()[l]), modes_text(o),
                            fmt::format("{:+.4f}", energy), fmt::format("{:+.4f}", normal),
                            fmt::format("{:.3f}", e.newton), fmt::format("{:.3f}", e.poisson),
                            fmt::format("{:.3f}", e.stronge)});
    }
  section.add(table);

  const auto along = [&](const char* name, const std::string& caption, const ContactProblem& problem) {
    Plot plot{name, caption, {"normal impulse so far, N s"}, {"work on the bodies, J"}, {}, 320};
    for (std::size_t l = 0; l < three_laws().size(); ++l)
      plot.series.push_back({impact_law_name(three_laws()[l]), work_along(report_impact(problem, three_laws()[l])),
                             PlotMark::Line, static_cast<int>(l)});
    section.add(plot);
  };
  along("laws-work-rod",
        "Rod at 47°, e = 1, μ = 0.6: the energy of the rod in the course of the impact. Newton's law goes on until the "
        "velocity is turned round, and ends above zero.",
        rod_impact(47, {{0.05, 0, -1}, 0.6, 1}));

  Plot lean{"laws-energy-lean",
            "Rod with u = (0.05, 0, −1) m/s, e = 1, μ = 0.6: energy by how much it leans.",
            {"angle from the vertical, °"},
            {"energy gained, J"},
            {},
            340};
  for (std::size_t l = 0; l < three_laws().size(); ++l) {
    PlotSeries series{impact_law_name(three_laws()[l]), {}, PlotMark::Line, static_cast<int>(l)};
    for (int degrees = 0; degrees <= 90; ++degrees)
      series.points.push_back(
          {static_cast<Real>(degrees),
           report_impact(rod_impact(degrees, {{0.05, 0, -1}, 0.6, 1}), three_laws()[l]).energy_change(),
           {}});
    lean.series.push_back(std::move(series));
  }
  section.add(lean);
  section.conclude(
      gains[0] > 0 && gains[2] == 0 ? (gains[1] > 0 ? Finding::Agrees : Finding::Partly) : Finding::Differs,
      fmt::format(
          "Newton's law gains energy in {} of the {} impacts, {:.2g} J at the most; Stronge's in {}. Poisson's, which "
          "the slides name together with Newton's, in {}: integrated along the impact it cannot, since dE/dp rises "
          "ever more slowly and is not above zero at maximum compression. What it can do is positive net work of the "
          "normal force alone ({:+.2g} J above), which is Stronge's objection. On balls all three agree, to {:.0e} J.",
          gains[0], shared_impacts().size(), largest, gains[2], gains[1], positive_work, std::max(ball_spread, 1e-16)));
}

void make_lin_energies(const SectionWork& work, ReportSection& section) {
  section.claim(
      "The same slides: Newton's and Poisson's hypotheses can increase energy with friction, Stronge's does not.");
  const int count = work.pick(500, 20000, 200000);
  section.ran(
      fmt::format(
          "{} random impacts of two boxes, masses 0.3 to 6 kg, μ to 1.2, e to 1, under each law, also the literal "
          "readings of Newton's with friction in Schmidl and Milenkovic (eqs. 5 and 6).",
          count),
      {"carom validate --kind impact3d --artifacts impacts",
       "carom impact impacts/A-3D-08.impact.json --law newton_eq6"});
  struct LawCount {
    ImpactLaw law;
    int gains = 0, none = 0, normal = 0;
    Real worst = 0;
  };
  std::vector<LawCount> laws;
  for (const ImpactLaw law :
       {ImpactLaw::Newton, ImpactLaw::NewtonEq5, ImpactLaw::NewtonEq6, ImpactLaw::Poisson, ImpactLaw::Stronge})
    laws.push_back({law});
  for (int i = 0; i < count; ++i) {
    const ContactProblem problem = random_impact(static_cast<std::uint64_t>(i) + 1);
    for (LawCount& l : laws) {
      const ImpactReport report = report_impact(problem, l.law);
      if (!report.outcome.applies) {
        ++l.none;
        continue;
      }
      const Real change = report.energy_change() / report.kinetic_energy_before;
      // Far above rounding, and far below what a law that adds energy adds.
      if (change > 1e-9) ++l.gains;
      l.worst = std::max(l.worst, change);
      const ImpactWork& w = report.outcome.work;
      if (w.normal_compression + w.normal_restitution > 1e-9 * report.kinetic_energy_before) ++l.normal;
    }
    if (i % 500 == 0) work.show(static_cast<double>(i) / count);
  }
  ReportTable table{"energies",
                    "Impacts that gain kinetic energy, and how much at the most.",
                    {{"law"},
                     {"gain energy"},
                     {"share, %"},
                     {"largest gain, % of the energy"},
                     {"normal work above zero"},
                     {"no answer (jamb)"}},
                    {}};
  for (const LawCount& l : laws)
    table.rows.push_back({impact_law_name(l.law), fmt::format("{}", l.gains),
                          fmt::format("{:.2f}", 100.0 * l.gains / count),
                          l.gains > 0 ? fmt::format("{:.3g}", 100 * l.worst) : "–", fmt::format("{}", l.normal),
                          fmt::format("{}", l.none)});
  section.add(table);
  const bool newton = laws[0].gains > 0, poisson = laws[3].gains > 0, stronge = laws[4].gains > 0;
  section.conclude(
      newton && !stronge ? (poisson ? Finding::Agrees : Finding::Partly) : Finding::Differs,
      fmt::format(
          "Of {} impacts Newton's law gains energy in {} ({:.2g} %), its literal readings in {} and {}; Stronge's in "
          "{}, as the slides say; Poisson's in {}, which they say it can. In {} impacts Poisson's normal force does "
          "net positive work, all of it taken by friction.",
          count, laws[0].gains, 100.0 * laws[0].gains / count, laws[1].gains, laws[2].gains, laws[4].gains,
          laws[3].gains, laws[3].normal));
}

}  // namespace carom
