// J. Bender, A. Schmitt, "Constraint-based collision and contact handling using impulses", 2006: stopping distances on
// inclined planes, the funnel, the tippe top. The numbers of the paper's results did not come down to us with its text,
// so its words are what is compared; where theory knows the answer, that is.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/reproduce.h"
#include "study/text_table.h"
#include "study/trial.h"
#include "study/validate.h"

namespace carom {
namespace {

// --- Stopping on a slope ---------------------------------------------------------------------------------------------

constexpr Real kShownWay = 7;  // m: those that do not stop run on out of the plot

struct Slide {
  std::string block;
  Real mu = 0;
  Real way = 0, theory = 0;      // m down the slope: where it has stopped, or at the end of the run
  Real creep = 0;                // m, after it has stopped
  bool stops = false;            // in theory
  std::vector<PlotPoint> curve;  // way against time
};

/// The slope of the scene `inclines`, its blocks and how fast they start.
std::vector<Slide> run_slopes(const TrialSetup& setup, std::string* picture) {
  Trial trial(setup);
  World& world = trial.world();
  const Vec3 normal = std::get<Plane>(world.shape(trial.body("slope"))->geometry()).normal;
  const Vec3 down = normalized(Vec3{0, 0, -1} + normal.z * normal);
  const Real gravity = norm(world.gravity()), cosine = normal.z, sine = std::sqrt(1 - cosine * cosine);
  std::vector<Slide> slides;
  std::vector<Vec3> starts;
  std::vector<BodyHandle> blocks;
  std::vector<std::vector<Vec3>> paths;
  Real speed = 0;
  for (const BodyHandle body : world.bodies()) {
    if (world.type(body) != BodyType::Dynamic) continue;
    const std::string& name = world.name(body);
    speed = norm(world.state(body).velocity);
    Slide slide{name, std::stod(name.substr(name.rfind(' ') + 1))};
    const Real brake = gravity * (slide.mu * cosine - sine);
    slide.stops = brake > 0;
    slide.theory = slide.stops ? speed * speed / (2 * brake)
                               : speed * trial.duration() - 0.5 * brake * trial.duration() * trial.duration();
    slides.push_back(slide);
    blocks.push_back(body);
    starts.push_back(world.state(body).position);
    paths.push_back({starts.back()});
  }
  std::vector<Real> stopped(slides.size(), -1);
  trial.run([&](const StepReport& report) {
    for (std::size_t i = 0; i < slides.size(); ++i) {
      const BodyState now = world.state(blocks[i]);
      slides[i].way = dot(now.position - starts[i], down);
      if (slides[i].way <= kShownWay) slides[i].curve.push_back({report.time, slides[i].way, {}});
      paths[i].push_back(now.position);
      if (stopped[i] < 0 && norm(now.velocity) < 1e-6 * speed) stopped[i] = slides[i].way;
      if (stopped[i] >= 0) slides[i].creep = std::abs(slides[i].way - stopped[i]);
    }
    return true;
  });
  if (picture != nullptr) {
    Picture drawn(world);
    drawn.add_moment(world);
    for (std::size_t i = 0; i < paths.size(); ++i) drawn.add_path(paths[i], i + 1);
    // The blocks that stop, not those that run on.
    *picture = drawn.svg({.azimuth = -120,
                          .elevation = 40,
                          .height = 330,
                          .shown = std::pair{Vec3{-0.4, -2.3, -1.6}, Vec3{4, 2.6, 0.4}}});
  }
  return slides;
}

void make_slopes(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Results: blocks with different coefficients of friction are dropped on an inclined plane. Those with a high one "
      "stop and hold their positions without sliding; their stopping distances are compared with analytically computed "
      "ones to verify the simulation.");
  const Real duration = work.pick(2.0, 8.0, 20.0);
  const auto setup = [&](Real dt) { return TrialSetup{"inclines", "bender", {}, dt, duration}; };
  const std::vector<Real> steps =
      work.pick<std::vector<Real>>({1.0 / 60}, {1.0 / 60, 1.0 / 240}, {1.0 / 60, 1.0 / 240, 1.0 / 960});
  section.ran(
      fmt::format("`inclines`: six blocks with μ from 0.2 to 0.8 start down a slope of 20° at 2 m/s; {} s.", duration),
      {command(setup(1.0 / 240))});
  ReportTable table{
      "stopping",
      "Way down the slope; in theory v² / (2 g (μ cos α − sin α)) where μ > tan α, else where the block is at the end.",
      {{"dt, s"}, {"μ"}, {"stops"}, {"way, m"}, {"theory, m"}, {"error"}, {"creep after stopping, m"}},
      {}};
  Plot plot{"stopping-way",
            "Way of each block; dashed: where it stops in theory.",
            {"time, s"},
            {"way, m", PlotScale::Linear, 0, kShownWay},
            {}};
  Plot against{"stopping-mu", "Stopping distance against friction.", {"μ"}, {"distance, m", PlotScale::Log}, {}, 320};
  std::string picture;
  Real worst = 0, creep = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const bool finest = s + 1 == steps.size();
    const std::vector<Slide> slides = run_slopes(setup(steps[s]), finest ? &picture : nullptr);
    PlotSeries measured{fmt::format("dt = 1/{:.0f} s", 1 / steps[s]), {}, PlotMark::Points};
    for (std::size_t i = 0; i < slides.size(); ++i) {
      const Slide& slide = slides[i];
      const Real error = slide.way / slide.theory - 1;
      if (finest) worst = std::max(worst, std::abs(error));
      if (finest) creep = std::max(creep, slide.stops ? slide.creep : 0);
      table.rows.push_back({fmt::format("{:.4g}", steps[s]), fmt::format("{:g}", slide.mu), slide.stops ? "yes" : "no",
                            fmt::format("{:.5f}", slide.way), fmt::format("{:.5f}", slide.theory),
                            fmt::format("{:.1e}", error), slide.stops ? fmt::format("{:.1e}", slide.creep) : "–"});
      if (slide.stops) measured.points.push_back({slide.mu, slide.way, {}});
      if (!finest) continue;
      plot.series.push_back({fmt::format("μ = {:g}", slide.mu), slide.curve, PlotMark::Line, static_cast<int>(i)});
    }
    against.series.push_back(std::move(measured));
    work.show(s + 1, steps.size());
    if (!finest) continue;
    PlotSeries theory{"theory", {}, PlotMark::Theory, 7};
    for (int percent = 40; percent <= 80; ++percent) {
      const Real mu = 0.01 * percent;
      const Real angle = 20 * std::numbers::pi / 180;
      theory.points.push_back({mu, 4 / (2 * 9.81 * (mu * std::cos(angle) - std::sin(angle))), {}});
    }
    against.series.push_back(std::move(theory));
    for (std::size_t i = 0; i < slides.size(); ++i)
      if (slides[i].stops)
        plot.series.push_back(
            {"", {{0, slides[i].theory, {}}, {duration, slides[i].theory, {}}}, PlotMark::Theory, static_cast<int>(i)});
  }
  section.add(table);
  section.add(against);
  section.add(plot);
  section.add_picture(picture, "The blocks at the end, with their ways; those with μ < tan 20° have left the picture.");
  section.conclude(
      worst < 1e-2 && creep < 1e-4 ? Finding::Agrees : Finding::Partly,
      fmt::format("At the finest step distances are right to {:.1e}, and blocks that have stopped creep by at most "
                  "{:.1e} m in the rest of {} s.",
                  worst, creep, duration));
}

// --- The funnel ------------------------------------------------------------------------------------------------------

constexpr Real kDrawnAt = 0.9;  // s: the first cubes have passed the neck

struct FunnelRun {
  std::vector<PlotPoint> collisions, contacts, collision_ms, contact_ms;
  Real mean_collisions = 0, mean_contacts = 0, mean_collision_ms = 0, mean_contact_ms = 0;
  Real penetration = 0;  // m, worst
  double seconds = 0;
  Real duration = 0;
  int unconverged = 0, steps = 0;
  std::string picture;
};

FunnelRun run_funnel(const TrialSetup& setup, std::size_t cubes, bool friction,
                     const std::function<void(double)>& progress) {
  Trial trial(setup, [&](Scene& scene) {
    keep_lowest(scene, cubes);
    if (!friction)
      for (auto& [name, material] : scene.materials) material.friction = material.static_friction = 0;
  });
  FunnelRun run;
  Picture picture(trial.world());
  bool drawn = false;
  trial.run(
      [&](const StepReport& report) {
        if (!drawn && report.time >= kDrawnAt) {
          picture.add_moment(trial.world());
          drawn = true;
        }
        Real collisions = 0, contacts = 0;
        for (const ContactRecord& c : trial.world().contacts()) {
          collisions += squared_norm(c.collision_impulse) > 0 ? 1 : 0;
          contacts += squared_norm(c.impulse) > 0 ? 1 : 0;
        }
        run.collisions.push_back({report.time, collisions, {}});
        run.contacts.push_back({report.time, contacts, {}});
        run.collision_ms.push_back({report.time, 1e3 * report.seconds.collisions, {}});
        run.contact_ms.push_back({report.time, 1e3 * report.seconds.contacts, {}});
        run.mean_collisions += collisions, run.mean_contacts += contacts;
        run.mean_collision_ms += 1e3 * report.seconds.collisions, run.mean_contact_ms += 1e3 * report.seconds.contacts;
        run.penetration = std::max(run.penetration, report.max_penetration);
        run.unconverged += report.converged ? 0 : 1;
        ++run.steps;
        return true;
      },
      progress);
  for (Real* mean : {&run.mean_collisions, &run.mean_contacts, &run.mean_collision_ms, &run.mean_contact_ms})
    *mean /= std::max(run.steps, 1);
  run.seconds = trial.cpu_seconds();
  run.duration = trial.duration();
  if (!drawn) picture.add_moment(trial.world());
  run.picture = picture.svg(
      {.azimuth = -65, .elevation = 15, .height = 480, .shown = std::pair{Vec3{-2, -2, -2.5}, Vec3{2, 2, 2.2}}});
  return run;
}

void make_funnel(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Results: cubes fall through a funnel, with and without friction; collisions, resting contacts and the times for "
      "both are shown over time. Times are lower without friction; the accurate simulation with friction is several "
      "times slower than real time. Contacts are handled faster with shock propagation.");
  const auto cubes = work.pick<std::size_t>(9, 81, 405);
  const Real duration = work.pick(0.7, 2.5, 3.0);
  const auto setup = [&](bool shock) {
    return TrialSetup{
        "funnel", "bender", {"most_stops=3", std::string("shock=") + (shock ? "true" : "false")}, {}, duration};
  };
  section.ran(
      fmt::format(
          "The lowest {} cubes of `funnel` (0.2 m, e = 0.1, μ = 0.2, static 0.25, or none), dt = 1/120 s, cut at up to "
          "three times of impact a step, {} s. Collisions: contacts with an impulse of the collision stage; contacts: "
          "with one of the contact stage. Times are wall times of the stages.",
          cubes, duration),
      {command(setup(true)), command(setup(false))});
  struct Variant {
    const char* name;
    bool friction, shock;
  };
  const std::vector<Variant> variants{{"friction, shock propagation", true, true},
                                      {"friction, no shock propagation", true, false},
                                      {"no friction, shock propagation", false, true},
                                      {"no friction, no shock propagation", false, false}};
  ReportTable table{"funnel",
                    "Means of a step, and the whole run.",
                    {{"variant"},
                     {"collisions"},
                     {"contacts"},
                     {"collisions, ms"},
                     {"contacts, ms"},
                     {"steps not converged"},
                     {"worst overlap, mm"},
                     {"times slower than real time"}},
                    {}};
  Plot collisions{"funnel-collisions", "Collisions in each step.", {"time, s"}, {"collisions"}, {}, 280};
  Plot contacts{"funnel-contacts", "Resting contacts in each step.", {"time, s"}, {"contacts"}, {}, 280};
  Plot collision_ms{
      "funnel-collision-ms", "Time of the collision stage in each step.", {"time, s"}, {"time, ms"}, {}, 280};
  Plot contact_ms{"funnel-contact-ms", "Time of the contact stage in each step.", {"time, s"}, {"time, ms"}, {}, 280};
  std::vector<FunnelRun> runs;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    runs.push_back(run_funnel(setup(variants[i].shock), cubes, variants[i].friction,
                              [&](double share) { work.show(i, variants.size(), share); }));
    const FunnelRun& run = runs.back();
    table.rows.push_back({variants[i].name, fmt::format("{:.1f}", run.mean_collisions),
                          fmt::format("{:.1f}", run.mean_contacts), short_number(run.mean_collision_ms),
                          short_number(run.mean_contact_ms), fmt::format("{} of {}", run.unconverged, run.steps),
                          fmt::format("{:.2g}", 1e3 * run.penetration), short_number(run.seconds / run.duration)});
    collisions.series.push_back({variants[i].name, run.collisions});
    contacts.series.push_back({variants[i].name, run.contacts});
    collision_ms.series.push_back({variants[i].name, run.collision_ms});
    contact_ms.series.push_back({variants[i].name, run.contact_ms});
  }
  section.add_picture(runs[0].picture, fmt::format("The funnel {} s after the start, with friction.", kDrawnAt));
  section.add(table);
  for (const Plot& plot : {collisions, contacts, collision_ms, contact_ms}) section.add(plot);
  const bool cheaper = runs[2].seconds < runs[0].seconds,
             shock_pays = runs[0].mean_contact_ms < runs[1].mean_contact_ms;
  section.conclude(
      cheaper && shock_pays   ? Finding::Agrees
      : cheaper || shock_pays ? Finding::Partly
                              : Finding::Differs,
      fmt::format(
          "Without friction the run takes {:.2g} times the time of that with friction. Shock propagation makes the "
          "contact stage {:.2g} times {} than without it: here it comes after the passes, where they have not "
          "converged, and so adds to their time; what it changes is the overlap ({:.2g} mm, without it {:.2g} mm). "
          "With friction the run is {:.2g} times slower than real time.",
          runs[2].seconds / runs[0].seconds,
          shock_pays ? runs[1].mean_contact_ms / runs[0].mean_contact_ms
                     : runs[0].mean_contact_ms / runs[1].mean_contact_ms,
          shock_pays ? "faster" : "slower", 1e3 * runs[0].penetration, 1e3 * runs[1].penetration,
          runs[0].seconds / runs[0].duration));
}

// --- The tippe top ---------------------------------------------------------------------------------------------------

/// Angle of each top's axis from the vertical, degrees, over time.
std::vector<PlotSeries> run_tops(const TrialSetup& setup, std::string* picture) {
  Trial trial(setup);
  World& world = trial.world();
  std::vector<PlotSeries> series;
  std::vector<BodyHandle> tops;
  for (const BodyHandle body : world.bodies())
    if (world.type(body) == BodyType::Dynamic) {
      tops.push_back(body);
      series.push_back({world.name(body), {}});
    }
  trial.run([&](const StepReport& report) {
    for (std::size_t i = 0; i < tops.size(); ++i) {
      const Real up = rotate(world.state(tops[i]).orientation, {0, 0, 1}).z;
      series[i].points.push_back({report.time, std::acos(std::clamp(up, -1.0, 1.0)) * 180 / std::numbers::pi, {}});
    }
    return true;
  });
  if (picture != nullptr) {
    Picture drawn(world);
    drawn.add_moment(world);
    *picture = drawn.svg({.azimuth = -20, .elevation = 20, .height = 180});
  }
  return series;
}

void make_tops(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Results: a tippe top is simulated with different coefficients of friction and turns over without problems; with "
      "a small coefficient it takes longer until it has turned.");
  const TrialSetup setup{
      "tippetop", "bender", {}, work.pick(1.0 / 240, 1.0 / 960, 1.0 / 3840), work.pick(1.0, 5.0, 5.0)};
  section.ran(
      "`tippetop`: three tops at 130 rad/s with μ = 0.05, 0.1 and 0.3. Times of turning over are those of the cases "
      "`tippe_top`, whose reference is a high-order integration.",
      {command(setup), "carom validate --kind tippe_top --suite bender"});
  Plot plot{"tops-angle",
            "Angle between the top's axis and the vertical: 180° stands on its stem.",
            {"time, s"},
            {"angle, degrees"},
            run_tops(setup, nullptr)};
  work.show(0.5);
  ValidateSettings settings;
  settings.kind = "tippe_top";
  settings.suite = "bender";
  const Result<std::vector<CaseResult>> results = validate(settings);
  if (!results) fail(results.message());
  ReportTable table{"tops",
                    "Time until the axis is horizontal, and Jellett's constant, which friction keeps.",
                    {{"case"}, {"time, s"}, {"reference, s"}, {"error"}, {"Jellett's constant, error"}},
                    {}};
  Real worst = 0;
  bool invert = true;
  std::vector<Real> times;
  for (const CaseResult& result : results.value()) {
    std::vector<std::string> row{result.title, "–", "–", "–", "–"};
    for (const KeyResult& key : result.results) {
      if (key.key == "t_theta_90" && key.measured && key.expected) {
        times.push_back(std::get<Real>(*key.measured));
        row[1] = fmt::format("{:.4f}", times.back());
        row[2] = fmt::format("{:.4f}", std::get<Real>(*key.expected));
        row[3] = fmt::format("{:.1e}", key.error.value_or(0));
        worst = std::max(worst, key.error.value_or(1));
      }
      if (key.key == "jellett") row[4] = fmt::format("{:.1e}", key.error.value_or(0));
      if (key.key == "inverts") invert = invert && key.verdict == Verdict::Pass;
    }
    table.rows.push_back(std::move(row));
  }
  section.add(table);
  section.add(plot);
  const bool ordered = std::ranges::is_sorted(times, std::greater{});
  section.conclude(
      invert && ordered && worst < 0.1 ? Finding::Agrees : Finding::Differs,
      fmt::format("{} top turns over, {} the less friction there is; times are right to {:.1e}. A top that starts "
                  "exactly upright with its spin along its axis has no definite motion under dry friction: these start "
                  "tilted.",
                  invert ? "Every" : "Not every", ordered ? "the later" : "but not later", worst));
}

}  // namespace

PaperPlan bender_paper() {
  return {"bender",
          "Constraint-based Collision and Contact Handling using Impulses",
          "Jan Bender and Alfred Schmitt, Universität Karlsruhe, 2006",
          "Impulses iterated until every contact keeps its constraint at the end of the step, which is cut at times of "
          "impact. What is compared are the statements of the results section, and theory where there is one. The "
          "office toy on strings needs joints, which Carom does not have.",
          {{"Stopping distances on an inclined plane", 1, make_slopes},
           {"The funnel: collisions, contacts and times", 60, make_funnel},
           {"The tippe top at several coefficients of friction", 1, make_tops}}};
}

}  // namespace carom
