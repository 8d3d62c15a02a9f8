// H. Schmidl, V. Milenkovic, "A fast impulsive contact suite for rigid body simulation", 2004: Table 1 and Fig. 6, what
// freezing saves. By the paper's protocol: dt = 1/30 s, step 1 (the priority queue) skipped, as many frames as its runs
// must have had (without freezing nearly every frame has a collision program: 489, 822 and 478 of them).
#include "study/reproduce_schmidl.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "study/picture.h"
#include "study/text_table.h"
#include "study/trial.h"

namespace carom {
namespace {

constexpr Real kFrame = 1.0 / 30;  // s, the paper's step

/// What Table 1 prints, without and with freezing; negative: nothing.
using Pair = std::array<double, 2>;
struct Published {
  Pair contacts, collision_seconds, collision_programs, contact_seconds, contact_programs;
};

struct Subject {
  std::string name, scene;
  int quiet_steps = 1;  // c_f: the paper's for stack and cubejam; it gives none for the others
  int frames = 0;
  int bodies = 0;    // the lowest of the scene's; 0: all
  bool both = true;  // also without freezing
  Published published;
};

/// Programs of one stage: those with something to solve.
struct Programs {
  std::int64_t count = 0;
  double seconds = 0;  // wall time of the stage in all frames

  double mean() const { return count > 0 ? seconds / static_cast<double>(count) : 0; }
};

/// One run, frame by frame.
class FreezingRun {
 public:
  FreezingRun(const Subject& subject, bool freezing)
      : trial_(setup(subject, freezing), [&](Scene& scene) {
          if (subject.bodies > 0) keep_lowest(scene, static_cast<std::size_t>(subject.bodies));
        }) {
    trial_.world().set_problem_observer([this](Stage stage, const ContactProblem& problem) {
      const bool has_work = std::ranges::any_of(problem.contacts, [&](const ContactPoint& c) {
        return takes_impulse(problem.bodies[static_cast<std::size_t>(c.a)].role) ||
               takes_impulse(problem.bodies[static_cast<std::size_t>(c.b)].role);
      });
      if (has_work) ++(stage == Stage::Collisions ? collisions : contacts).count;
    });
  }

  static TrialSetup setup(const Subject& subject, bool freezing) {
    TrialSetup setup{subject.scene, "schmidl", {"collisions=qp"}, kFrame, subject.frames * kFrame};
    if (freezing)
      setup.settings.insert(setup.settings.end(), {"freezing=true", fmt::format("c_f={}", subject.quiet_steps)});
    return setup;
  }

  void step() {
    const StepReport report = trial_.step();
    collisions.seconds += report.seconds.collisions;
    contacts.seconds += report.seconds.contacts;
    active += static_cast<double>(report.active_contacts);
    frozen = report.frozen;
    unconverged += report.converged ? 0 : 1;
    ++frames;
    const auto frame = static_cast<double>(frames);
    active_curve.push_back({frame, static_cast<double>(report.active_contacts), {}});
    collision_curve.push_back({frame, 1e3 * report.seconds.collisions, {}});
    contact_curve.push_back({frame, 1e3 * report.seconds.contacts, {}});
  }

  double contacts_a_frame() const { return active / std::max(frames, 1); }
  double cpu_seconds() const { return trial_.cpu_seconds(); }
  const World& world() const { return trial_.world(); }
  Real mean_height() const {
    Real sum = 0, count = 0;
    for (const BodyHandle body : world().bodies())
      if (world().type(body) == BodyType::Dynamic) sum += world().state(body).position.z, ++count;
    return sum / count;
  }

  Programs collisions, contacts;
  double active = 0;
  std::int64_t frozen = 0, unconverged = 0;
  int frames = 0;
  std::vector<PlotPoint> active_curve, collision_curve, contact_curve;

 private:
  Trial trial_;
};

std::vector<Subject> subjects(const SectionWork& work) {
  const Published none{{-1, 528}, {-1, 12}, {-1, 493}, {-1, 11}, {-1, 607}};
  std::vector<Subject> all{{"stack",
                            "stack",
                            1,
                            work.pick(60, 489, 489),
                            0,
                            true,
                            {{28, 1}, {0.18, 0.012}, {489, 145}, {0.2, 0.008}, {480, 96}}},
                           {"cubejam",
                            "cubejam",
                            3,
                            work.pick(40, 822, 822),
                            work.pick(30, 0, 0),
                            true,
                            {{249, 15}, {2.6, 0.12}, {822, 513}, {2.8, 0.1}, {749, 428}}},
                           {"c-s stack",
                            "csstack",
                            1,
                            work.pick(60, 478, 478),
                            0,
                            true,
                            {{13, 2}, {0.1, 0.04}, {478, 388}, {0.1, 0.03}, {469, 344}}}};
  if (work.effort() == Effort::Quick) all.push_back({"cubeglass, 200 cubes", "cubeglass", 3, 240, 200, true, none});
  if (work.effort() == Effort::Full) all.push_back({"cubeglass", "cubeglass", 3, 607, 0, false, none});
  return all;
}

std::string number(double value) {
  return value < 0 ? "–" : value >= 100 ? fmt::format("{:.0f}", value) : short_number(value);
}

/// What all programs took, from the mean and the number that are printed.
Pair products(const Pair& seconds, const Pair& programs) {
  return {seconds[0] < 0 ? -1 : seconds[0] * programs[0], seconds[1] * programs[1]};
}

double ratio(double without, double with) { return without > 0 && with > 0 ? without / with : -1; }

ReportTable table_of_paper() {
  return {"table1",
          "Table 1: contacts that carry an impulse, quadratic programs of collisions (co) and of static contacts (sc), "
          "without (nf) and with (f) freezing; times of a program: seconds in the paper, milliseconds here.",
          {{"scene"}, {"quantity"}, {"nf"}, {"f"}, {"nf/f"}, {"nf", true}, {"f", true}, {"nf/f", true}},
          {}};
}

/// `off` may be null.
void add_rows(const Subject& subject, const FreezingRun* off, const FreezingRun& on, ReportTable& table) {
  const auto row = [&](const char* quantity, double without, double with, const Pair& published) {
    table.rows.push_back({subject.name, quantity, number(without), number(with), number(ratio(without, with)),
                          number(published[0]), number(published[1]), number(ratio(published[0], published[1]))});
  };
  const auto of = [&](auto&& value) { return off != nullptr ? static_cast<double>(value(*off)) : -1.0; };
  row("contacts a frame", of([](const auto& r) { return r.contacts_a_frame(); }), on.contacts_a_frame(),
      subject.published.contacts);
  row("time a coQP", of([](const auto& r) { return 1e3 * r.collisions.mean(); }), 1e3 * on.collisions.mean(),
      subject.published.collision_seconds);
  row("coQPs solved", of([](const auto& r) { return r.collisions.count; }), static_cast<double>(on.collisions.count),
      subject.published.collision_programs);
  row("time of all coQPs", of([](const auto& r) { return 1e3 * r.collisions.seconds; }), 1e3 * on.collisions.seconds,
      products(subject.published.collision_seconds, subject.published.collision_programs));
  row("time a scQP", of([](const auto& r) { return 1e3 * r.contacts.mean(); }), 1e3 * on.contacts.mean(),
      subject.published.contact_seconds);
  row("scQPs solved", of([](const auto& r) { return r.contacts.count; }), static_cast<double>(on.contacts.count),
      subject.published.contact_programs);
  row("time of all scQPs", of([](const auto& r) { return 1e3 * r.contacts.seconds; }), 1e3 * on.contacts.seconds,
      products(subject.published.contact_seconds, subject.published.contact_programs));
}

Plot figure6(const FreezingRun& run, bool freezing) {
  Plot plot{
      freezing ? "fig6b" : "fig6a",
      fmt::format("Fig. 6{}: contacts that carry an impulse, and the times of the two programs in milliseconds, {} "
                  "freezing (cubejam).",
                  freezing ? "b" : "a", freezing ? "with" : "without"),
      {"frame"},
      {"contacts; time, ms"},
      {{"contacts", run.active_curve, PlotMark::Line, 0}},
      320};
  plot.series.push_back({"collision program, ms", run.collision_curve, PlotMark::Line, 2});
  plot.series.push_back({"contact program, ms", run.contact_curve, PlotMark::Line, 1});
  return plot;
}

/// What the scenes come to, together.
struct TableResults {
  ReportTable table = table_of_paper();
  ReportTable whole{"whole-runs",
                    "Whole runs: detection, positions and everything else included.",
                    {{"scene"},
                     {"bodies"},
                     {"frames"},
                     {"CPU s, nf"},
                     {"CPU s, f"},
                     {"speed-up"},
                     {"frozen at the end"},
                     {"mean height, nf, m"},
                     {"mean height, f, m"}},
                    {}};
  std::vector<double> mean_ratios, sum_ratios;        // of the time of one program; of all of a run
  double crowd = 0, crowd_peak = 0, height_rise = 0;  // of the cubejam: contacts a frame; m, by freezing
};

/// `off` may be null.
void add_results(const Subject& subject, const FreezingRun* off, const FreezingRun& on, TableResults& results) {
  add_rows(subject, off, on, results.table);
  std::size_t dynamic = 0;
  for (const BodyHandle body : on.world().bodies()) dynamic += on.world().type(body) == BodyType::Dynamic ? 1 : 0;
  const bool both = off != nullptr;
  results.whole.rows.push_back({subject.name, fmt::format("{}", dynamic), fmt::format("{}", subject.frames),
                                both ? short_number(off->cpu_seconds()) : "–", short_number(on.cpu_seconds()),
                                both ? short_number(off->cpu_seconds() / on.cpu_seconds()) : "–",
                                fmt::format("{}", on.frozen), both ? fmt::format("{:.3f}", off->mean_height()) : "–",
                                fmt::format("{:.3f}", on.mean_height())});
  if (!both) return;
  results.mean_ratios.push_back(ratio(off->contacts.mean(), on.contacts.mean()));
  results.mean_ratios.push_back(ratio(off->collisions.mean(), on.collisions.mean()));
  results.sum_ratios.push_back(
      ratio(off->contacts.seconds + off->collisions.seconds, on.contacts.seconds + on.collisions.seconds));
}

void add_figure6(const FreezingRun& off, const FreezingRun& on, TableResults& results, ReportSection& section) {
  section.add(figure6(off, false));
  section.add(figure6(on, true));
  results.crowd = off.contacts_a_frame();
  for (const PlotPoint& p : off.active_curve) results.crowd_peak = std::max(results.crowd_peak, p.y);
  results.height_rise = on.mean_height() - off.mean_height();
  Picture picture(on.world());
  picture.add_moment(on.world());
  section.add_picture(picture.svg({.azimuth = -70, .elevation = 12, .height = 420, .frozen_blue = true}),
                      "The cubejam at the end of the run with freezing; frozen cubes are blue.");
}

void conclude_table(const TableResults& results, ReportSection& section) {
  const auto [least_mean, most_mean] = std::ranges::minmax(results.mean_ratios);
  const auto [least, most] = std::ranges::minmax(results.sum_ratios);
  section.conclude(
      least_mean > 2 ? Finding::Agrees
      : least > 2    ? Finding::Partly
                     : Finding::Differs,
      fmt::format(
          "Freezing makes all programs of a run together {:.2g} to {:.3g} times cheaper. A single program gets {:.2g} "
          "to {:.2g} times cheaper in the mean (the paper: 2.5 to 28): here settled bodies freeze at once and stay "
          "frozen, so that few programs are left and those are the hard ones of the landing, while the paper still "
          "solves many small ones. Without freezing the cubejam has {:.0f} contacts that carry an impulse a frame, "
          "{:.0f} at most (the paper: 249 and about 500). It ends {:.2f} m {} with freezing, in one pair of runs of a "
          "chaotic scene.",
          least, most, least_mean, most_mean, results.crowd, results.crowd_peak, std::abs(results.height_rise),
          results.height_rise > 0 ? "higher" : "lower"));
}

}  // namespace

void make_schmidl_table(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 6, Table 1 and Fig. 6: freezing makes the programs of collisions 2.5 to 22 times and those of static "
      "contacts 3 to 28 times cheaper; without it the cubejam grows to about 500 contacts a frame, with it contacts "
      "tend to zero as bodies settle; the results are as plausible as without.");
  const std::vector<Subject> all = subjects(work);
  std::vector<std::string> commands;
  commands.reserve(all.size());
  for (const Subject& subject : all) commands.push_back(command(FreezingRun::setup(subject, true)));
  section.ran(
      "Suite `schmidl`, dt = 1/30 s, step 1 skipped (`collisions=qp`) as in the paper, with and without freezing by "
      "turns on one thread. Times of programs are wall times of their stage: on a busy machine they are noisy, those "
      "of whole runs are CPU times. `./dev bench-freezing` repeats such pairs of runs and compares heights.",
      commands);
  TableResults results;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Subject& subject = all[i];
    FreezingRun on(subject, true);
    std::optional<FreezingRun> off;
    if (subject.both) off.emplace(subject, false);
    for (int frame = 0; frame < subject.frames; ++frame) {
      on.step();
      if (off) off->step();
      work.show(i, all.size(), static_cast<double>(frame) / subject.frames);
    }
    add_results(subject, off ? &*off : nullptr, on, results);
    if (subject.scene == "cubejam") add_figure6(*off, on, results, section);
  }
  section.add(results.table);
  section.add(results.whole);
  conclude_table(results, section);
}

PaperPlan schmidl_paper() {
  return {
      "schmidl",
      "A Fast Impulsive Contact Suite for Rigid Body Simulation",
      "Harald Schmidl and Victor J. Milenkovic, IEEE Transactions on Visualization and Computer Graphics 10(2), 2004",
      "Four steps: a priority queue for the first collisions, one quadratic program for the rest of them, another for "
      "static contacts, and freezing. The paper ran Java and CPLEX 7.0 on a Pentium III of 450 MHz, so its times are "
      "compared as ratios. Its scenes are rebuilt from a few sentences each.",
      {{"Table 1 and Fig. 6: with and without freezing", 40, make_schmidl_table},
       {"Fig. 3: the office toy, one after the other and all at once", 3, make_schmidl_office_toy},
       {"Fig. 4: a ball on a ball, and how large c_f must be", 3, make_schmidl_unstable},
       {"Fig. 5: who revives whom", 3, make_schmidl_revival},
       {"How large c_b must be, and what the priority queue costs", 40, make_schmidl_bounces}}};
}

}  // namespace carom
