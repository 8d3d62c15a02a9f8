// Lin's slides, "Linear complementarity problem": pivoting against iterative algorithms.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "solvers/lcp_dense.h"
#include "solvers/lcp_sweeps.h"
#include "study/reproduce_lin.h"
#include "study/trial.h"

namespace carom {
namespace {

/// What one method made of one problem.
struct Timed {
  double seconds = 0;  // CPU
  Real residual = 0;   // in units of v_ref
  int count = 0;       // pivots or sweeps
  bool solved = false;
};

/// Lemke's pivots, the building of the dense problem included: perturbed where rounding leads astray, and finished by
/// Newton's steps on the faces found, as `lcp` does.
Timed pivot(const ConeSystem& system, Real goal) {
  constexpr int kRefinements = 10;
  const double start = thread_seconds();
  DensePyramids dense;
  dense.build(system);
  std::vector<Vec3> impulses;
  Timed out{0, 1e300, 0, false};
  for (const Real perturbation : {0.0, 1e-9, 1e-7, 1e-5}) {
    dense.pivot(perturbation, impulses, out.count);
    const Real residual = dense.refine(impulses, kRefinements, goal * system.reference_velocity);
    out.residual = std::min(out.residual, residual / system.reference_velocity);
    if (out.residual <= goal) break;
  }
  out.seconds = thread_seconds() - start;
  out.solved = out.residual <= goal;
  return out;
}

/// Plain projected Gauss–Seidel until the residual is met; it is looked at after 1, 2, 4, 6, 9, … sweeps.
Timed sweep(const ConeSystem& system, const std::vector<Vec3>& warm, Real goal, int most,
            std::vector<PlotPoint>* course = nullptr) {
  const double start = thread_seconds();
  PyramidSweeps sweeps;
  const std::vector<Vec3> none(system.contacts.size());
  sweeps.start(system, warm.empty() ? none : warm, 0);
  Timed out;
  for (int next = 1; out.count < most; ++out.count) {
    if (out.count == next || out.count + 1 == most) {
      out.residual = sweeps.residual() / system.reference_velocity;
      if (course != nullptr) course->push_back({1e3 * (thread_seconds() - start), out.residual, {}});
      if (out.residual <= goal) break;
      next += 1 + next / 3;
    }
    sweeps.sweep();
  }
  out.seconds = thread_seconds() - start;
  out.solved = out.residual <= goal;
  return out;
}

/// The least of a few runs: what else the machine does makes them longer.
template <class Run>
Timed best_of(int runs, Run&& run) {
  Timed best = run();
  for (int i = 1; i < runs && best.seconds < 0.2; ++i) {
    const Timed other = run();
    if (other.seconds < best.seconds) best = other;
  }
  return best;
}

/// The contact problems of the first so many bodies of a scene, in two steps after a time.
std::vector<ContactProblem> problems_at_rest(const std::string& scene, int bodies, Real time) {
  Trial trial({scene, "exact", {}}, [&](Scene& s) {
    int kept = 0;
    std::erase_if(s.bodies,
                  [&](const SceneBody& body) { return body.def.type == BodyType::Dynamic && ++kept > bodies; });
  });
  while (trial.world().time() < time) trial.step();
  return problems_of(trial, Stage::Contacts, 2);
}

struct Family {
  std::string name, scene;
  std::vector<int> bodies;
  Real time = 0;
  int colour = 0;
};

constexpr Real kClose = 1e-6, kRough = 1e-2;

/// What all methods made of one problem.
struct Contest {
  std::size_t contacts = 0;
  Timed pivots, rough, close, warm;
  std::vector<PlotPoint> course;  // residual of sweeps against ms

  bool is_dense() const { return contacts <= kMostDenseContacts; }
};

/// The impulses of the step before, found by so many sweeps, as a start for this one.
std::vector<Vec3> warm_start(const std::vector<ContactProblem>& problems, const ConeSystem& system, int sweeps) {
  ConeSystem before;
  before.build(problems[0]);
  PyramidSweeps first;
  first.start(before, std::vector<Vec3>(before.contacts.size()), 0);
  for (int i = 0; i < sweeps; ++i) first.sweep();
  ContactSolution answer;
  before.unpack(problems[0], first.impulses(), answer);
  std::vector<Vec3> warm;
  system.take_warm(problems[1], matched_by_id(problems[0], answer.impulses, problems[1]), warm);
  return warm;
}

Contest compete(const std::vector<ContactProblem>& problems, int most, int runs) {
  ConeSystem system;
  system.build(problems[1]);
  Contest out;
  out.contacts = system.contacts.size();
  if (out.is_dense()) out.pivots = best_of(runs, [&] { return pivot(system, kClose); });
  out.rough = best_of(runs, [&] { return sweep(system, {}, kRough, most); });
  out.close = best_of(runs, [&] { return sweep(system, {}, kClose, most); });
  const std::vector<Vec3> warm = warm_start(problems, system, out.close.count);
  out.warm = best_of(runs, [&] { return sweep(system, warm, kClose, most); });
  if (out.is_dense()) sweep(system, {}, 1e-12, std::min(most, 4 * out.close.count), &out.course);
  return out;
}

std::vector<std::string> table_row(const std::string& name, const Contest& c, int most) {
  const auto ms = [](const Timed& t) { return t.solved ? fmt::format("{:.3g}", 1e3 * t.seconds) : std::string("–"); };
  return {name,
          fmt::format("{}", c.contacts),
          c.is_dense() ? fmt::format("{}", c.pivots.count) : "–",
          ms(c.pivots),
          ms(c.rough),
          ms(c.close),
          c.close.solved ? fmt::format("{}", c.close.count) : fmt::format("> {}", most),
          ms(c.warm)};
}

/// What the contests come to, together.
struct Standings {
  ReportTable table{"pivoting",
                    "CPU milliseconds. A dash: not solved (sweeps run out), or more contacts than pivots take.",
                    {{"problem"},
                     {"contacts"},
                     {"pivots"},
                     {"pivoting, ms"},
                     {"sweeps to 1e-2, ms"},
                     {"sweeps to 1e-6, ms"},
                     {"sweeps"},
                     {"warm to 1e-6, ms"}},
                    {}};
  Plot plot{
      "pivoting-time", "Time over size.", {"contacts", PlotScale::Log}, {"CPU time, ms", PlotScale::Log}, {}, 420};
  Plot course{
      "pivoting-course",
      "The residual along the time of an iteration, on the largest problems that pivots take; points: pivoting, when "
      "it is done.",
      {"CPU time, ms", PlotScale::Log},
      {"residual, g dt", PlotScale::Log},
      {},
      380};
  bool rough_faster = true, warm_faster = true;   // in all of them
  std::optional<Contest> last_tower, last_other;  // the largest that pivots take

  void add(const Family& family, const std::vector<Contest>& contests, int most);
};

void Standings::add(const Family& family, const std::vector<Contest>& contests, int most) {
  const auto series = [&](const char* method, Timed Contest::* part, int colour) {
    PlotSeries made{family.name + ": " + method, {}, PlotMark::LinePoints, family.colour + colour};
    for (const Contest& c : contests)
      if ((c.*part).solved) made.points.push_back({static_cast<Real>(c.contacts), 1e3 * (c.*part).seconds, {}});
    return made;
  };
  plot.series.push_back(series("pivoting", &Contest::pivots, 0));
  plot.series.push_back(series("sweeps to 1e-2", &Contest::rough, 1));
  plot.series.push_back(series("sweeps to 1e-6", &Contest::close, 2));
  const Contest* largest = nullptr;
  for (std::size_t i = 0; i < contests.size(); ++i) {
    const Contest& c = contests[i];
    table.rows.push_back(table_row(fmt::format("{} of {}", family.name, family.bodies[i]), c, most));
    if (c.pivots.solved) largest = &c;
    // Below this all of them take microseconds.
    constexpr std::size_t kFew = 20;
    if (c.pivots.solved && c.contacts >= kFew)
      rough_faster = rough_faster && c.rough.solved && c.rough.seconds < c.pivots.seconds;
    if (c.close.solved && c.warm.solved) warm_faster = warm_faster && c.warm.seconds <= 1.1 * c.close.seconds;
  }
  if (largest == nullptr) return;
  (family.name == "tower" ? last_tower : last_other) = *largest;
  const PlotPoint done{1e3 * largest->pivots.seconds, std::max(largest->pivots.residual, 1e-12), {}};
  course.series.push_back({family.name + ": sweeps", largest->course, PlotMark::Line, family.colour + 1});
  course.series.push_back({family.name + ": pivoting", {done}, PlotMark::Points, family.colour});
}

void conclude_pivoting(const Standings& found, ReportSection& section) {
  const auto against = [](const std::optional<Contest>& c) {
    if (!c) return std::string("none was solved");
    return fmt::format(
        "{:.3g} ms by pivots, {} by sweeps", 1e3 * c->pivots.seconds,
        c->close.solved ? fmt::format("{:.3g} ms", 1e3 * c->close.seconds) : std::string("more than allowed"));
  };
  const auto slower = [](const std::optional<Contest>& c) {
    return c && (!c->close.solved || c->close.seconds > c->pivots.seconds);
  };
  section.conclude(
      found.rough_faster && found.warm_faster && slower(found.last_tower) ? Finding::Agrees : Finding::Partly,
      fmt::format(
          "From 20 contacts on, sweeps are {} to a rough answer (1e-2) than pivots are to the whole one; a warm start "
          "{} them. To 1e-6 it depends on the problem, as the slides say. The largest tower that pivots take, "
          "ill-conditioned: {}; the largest jam: {}. Pivots have nothing to show before they are done.",
          found.rough_faster ? "always faster" : "not always faster",
          found.warm_faster ? "always shortens" : "does not always shorten", against(found.last_tower),
          against(found.last_other)));
}

}  // namespace

void make_lin_pivoting(const SectionWork& work, ReportSection& section) {
  section.claim(
      "“In general, LCP can be solved with either pivoting algos (like Gauss elimination): they change the matrix, do "
      "not provide useful intermediate result, may exploit sparsity well; [or] iterative algos: only need read access "
      "to matrix, can stop early for approximate solution, faster for large matrices, can be warm started.” And: "
      "“System very often ill-conditioned, iterative LCP solver slow to converge.”");
  section.ran(
      "Contact problems at rest as linear complementarity problems with an eight-sided friction pyramid, ten unknowns "
      "a contact: towers of cubes, which are ill-conditioned, and cubes jammed between obstacles. Pivoting: Lemke's "
      "method on the dense matrix, finished by a few of Newton's steps (`lcp` with `method=lemke`, up to 100 "
      "contacts). Iterative: plain projected Gauss–Seidel from nothing, to a residual of 1e-2 and of 1e-6 g dt, and "
      "warm, from the answer to the step before. CPU time, the least of a few runs.",
      {"carom run stack --suite lcp --dump-problem stack.problem.json --at 3",
       "carom solve stack.problem.json --solver lcp --set method=lemke",
       "carom solve stack.problem.json --solver lcp --set method=pgs --set memory=0"});
  const std::vector<int> towers =
      work.pick<std::vector<int>>({1, 4}, {1, 2, 5, 10, 17, 25, 50}, {1, 2, 5, 10, 17, 25, 50, 100});
  std::vector<Family> families{{"tower", "tower100", towers, 0.1, 0}};
  if (work.effort() != Effort::Tiny) families.push_back({"jam", "cubejam", {2, 5, 8, 12, 16, 30, 60}, 4.0, 3});
  const int most = work.pick(2000, 50000, 500000), runs = work.pick(1, 3, 5);
  Standings found;
  for (std::size_t f = 0; f < families.size(); ++f) {
    std::vector<Contest> contests;
    for (const int bodies : families[f].bodies) {
      contests.push_back(compete(problems_at_rest(families[f].scene, bodies, families[f].time), most, runs));
      work.show(f, families.size(),
                static_cast<double>(contests.size()) / static_cast<double>(families[f].bodies.size()));
    }
    found.add(families[f], contests, most);
  }
  section.add(found.table);
  section.add(found.plot);
  section.add(found.course);
  conclude_pivoting(found, section);
}

}  // namespace carom
