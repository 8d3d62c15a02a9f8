// Schmidl and Milenkovic (2004), section 5.2: how large the limit c_b of bounces must be for the priority queue to
// revive what should be revived in a frozen pile, and which share of the running time it takes. What should be revived
// is not the queue's to say: it is what moves when the same pile is struck without freezing.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "carom/solvers/solver.h"
#include "study/picture.h"
#include "study/reproduce_schmidl.h"
#include "study/trial.h"

namespace carom {
namespace {

constexpr Real kFrame = 1.0 / 30;  // s, the paper's step
constexpr Real kRadius = 0.8;      // m, of the ball that strikes
constexpr Real kDensity = 4000;    // kg/m³
constexpr Real kSpeed = 15;        // m/s
constexpr Real kTouching =
    1e-4;                      // m: what counts as touching, of cubes of 1 m; slower than a fall by it is no collision
constexpr Real kMoved = 0.02;  // m: what moves less would not be missed
constexpr const char* kNoLimit = "1000000";

/// A pile at rest, and where it is struck.
struct Pile {
  std::string name, scene;
  std::size_t bodies = 0;
  Real settling = 0;  // s; 0: it is built at rest
  bool from_above = true;
  std::vector<BodyState> states = {};  // of all bodies, those that are fixed too
};

TrialSetup pile_setup(const Pile& pile, const std::vector<std::string>& more, Real duration) {
  TrialSetup setup{pile.scene, "schmidl", {}, kFrame, duration};
  setup.settings = more;
  return setup;
}

void settle(Pile& pile, const std::function<void(double)>& progress) {
  Trial trial(pile_setup(pile, {"freezing=true", "c_f=3"}, pile.settling),
              [&](Scene& scene) { keep_lowest(scene, pile.bodies); });
  trial.run([&](const StepReport& report) { return report.frozen < static_cast<std::int64_t>(pile.bodies); }, progress);
  for (const BodyHandle body : trial.world().bodies()) pile.states.push_back(trial.world().state(body));
}

/// The pile in a world of its own, with the ball before it or, for comparison, far away.
class StruckPile {
 public:
  StruckPile(const Pile& pile, const std::vector<std::string>& settings, int steps, bool strikes, bool freezes)
      : trial_(pile_setup(pile, settings, steps * kFrame), [&](Scene& scene) {
          keep_lowest(scene, pile.bodies);
          SceneBody ball;
          ball.def.name = "ball";
          ball.def.shape = Shape::sphere(kRadius);
          ball.def.density = kDensity;
          ball.def.pose.position = {0, 0, 1e4};
          ball.material = "default";
          scene.bodies.push_back(ball);
        }) {
    const std::vector<BodyHandle> bodies = world().bodies();
    for (std::size_t i = 0; i < pile.states.size(); ++i) {
      if (world().type(bodies[i]) != BodyType::Dynamic) continue;
      BodyState still = pile.states[i];
      still.velocity = still.angular_velocity = {};
      world().set_state(bodies[i], still);
      if (freezes) world().freeze(bodies[i]);
      cubes_.push_back(bodies[i]);
      starts_.push_back(still.position);
    }
    if (strikes) aim(pile, bodies.back());
  }

  World& world() { return trial_.world(); }
  void step() { trial_.step(); }
  double cpu_seconds() const { return trial_.cpu_seconds(); }
  std::size_t size() const { return cubes_.size(); }
  bool is_frozen(std::size_t cube) { return world().is_frozen(cubes_[cube]); }
  Real way(std::size_t cube) { return norm(world().state(cubes_[cube]).position - starts_[cube]); }

 private:
  /// A tenth of a step away from the highest cube, or from the first in the middle row.
  void aim(const Pile& pile, BodyHandle ball) {
    Vec3 target = starts_.front();
    for (const Vec3& p : starts_)
      if (pile.from_above ? p.z > target.z : std::abs(p.z - 5.5) < 0.1 && (p.x < target.x || target.z < 5)) target = p;
    const Vec3 way = pile.from_above ? Vec3{0, 0, -1} : Vec3{1, 0, 0};
    const Real half = pile.from_above ? 0.87 : 0.5;  // of the cube, along the way, however it lies
    const Real away = kRadius + half + 0.1 * kSpeed * kFrame;
    world().set_state(ball, {target - away * way, {}, kSpeed * way, {}});
  }

  Trial trial_;
  std::vector<BodyHandle> cubes_;
  std::vector<Vec3> starts_;  // m
};

/// Cubes that the strike moves where nothing is frozen.
std::vector<bool> should_move(const Pile& pile, int steps) {
  StruckPile struck(pile, {}, steps, true, false), left_alone(pile, {}, steps, false, false);
  for (int step = 0; step < steps; ++step) struck.step(), left_alone.step();
  std::vector<bool> should;
  should.reserve(struck.size());
  for (std::size_t i = 0; i < struck.size(); ++i)
    should.push_back(struck.way(i) > kMoved && left_alone.way(i) < 0.5 * kMoved);
  return should;
}

struct Outcome {
  int first_step = 0;              // cubes revived in the step of the strike
  int revived = 0, of_should = 0;  // at some time in the run; of those that should be
  int bounces = 0;                 // most in a step
  double share = 0;                // of the CPU time that is the queue's

  std::string picture = {};
};

std::vector<std::string> strike_settings(const std::string& bounces, bool literal) {
  std::vector<std::string> settings{"freezing=true", "c_f=3", "c_b=" + bounces};
  if (literal) settings.emplace_back("freezing_literal=true");
  return settings;
}

Outcome strike(const Pile& pile, const std::string& bounces, bool literal, const std::vector<bool>& should, int steps,
               bool draw) {
  StruckPile struck(pile, strike_settings(bounces, literal), steps, true, true);
  const SolverInfo* info = find_solver("pq");
  Options options(info->options);
  if (const std::string refusal = options.set_text("bounces", bounces); !refusal.empty()) fail(refusal);
  const auto queue = info->make(options);
  SolveContext context;
  context.resting_speed = std::sqrt(2 * norm(struck.world().gravity()) * kTouching);
  Outcome outcome;
  double seconds = 0;
  struck.world().set_problem_observer([&](Stage stage, const ContactProblem& problem) {
    if (stage != Stage::Collisions) return;
    // The same queue on the same problem, timed alone.
    ContactSolution solution;
    const double start = thread_seconds();
    queue->solve(problem, context, solution);
    seconds += thread_seconds() - start;
    outcome.bounces = std::max(outcome.bounces, solution.report.iterations);
  });
  std::vector<bool> revived(struck.size(), false);
  for (int step = 0; step < steps; ++step) {
    struck.step();
    for (std::size_t i = 0; i < struck.size(); ++i)
      if (!struck.is_frozen(i)) revived[i] = true;
    if (outcome.first_step > 0) continue;
    outcome.first_step = static_cast<int>(std::ranges::count(revived, true));
    if (outcome.first_step == 0 || !draw) continue;
    Picture picture(struck.world());
    picture.add_moment(struck.world());
    outcome.picture = picture.svg({.azimuth = -75, .elevation = 12, .height = 420, .frozen_blue = true});
  }
  for (std::size_t i = 0; i < struck.size(); ++i) {
    outcome.revived += revived[i] ? 1 : 0;
    outcome.of_should += revived[i] && should[i] ? 1 : 0;
  }
  // The observer's own work lies inside the steps.
  outcome.share = 100 * seconds / std::max(struck.cpu_seconds() - seconds, 1e-9);
  return outcome;
}

int steps_of(const SectionWork& work) { return work.pick(5, 30, 60); }

struct Limit {
  std::string bounces, name;
};

std::vector<Limit> limits(const SectionWork& work) {
  std::vector<Limit> all;
  const auto few = std::vector<int>{1, 10, 100}, many = std::vector<int>{1, 3, 10, 30, 100, 300, 1000};
  for (const int bounces : work.effort() == Effort::Tiny ? few : many)
    all.push_back({fmt::format("{}", bounces), fmt::format("{}", bounces)});
  all.push_back({"0", "heuristic"});
  all.push_back({kNoLimit, "no limit"});
  return all;
}

/// What a pile comes to under one rule of freezing.
struct PileFinding {
  std::string text;
  bool agrees = false;  // nearly all revived, for a few percent of the time
};

/// Where the results of all piles go.
struct Results {
  ReportTable table{"c_b",
                    "Revived by the strike, most bounces in a step, and the queue's share of the CPU time. Literal: "
                    "freezing as published.",
                    {{"pile"},
                     {"rule"},
                     {"c_b"},
                     {"revived in the step"},
                     {"of those that should, in the run"},
                     {"revived in the run"},
                     {"most bounces"},
                     {"share of the time, %"}},
                    {}};
  Plot plot{"c_b-revived",
            "Cubes revived at some time in the run, of those that should be, against the limit of bounces.",
            {"c_b", PlotScale::Log},
            {"share of those that should, %"},
            {},
            320};
};

PileFinding try_limits(const SectionWork& work, const Pile& pile, bool literal, const std::vector<bool>& should,
                       double from, Results& results, ReportSection& section) {
  const auto expected = static_cast<int>(std::ranges::count(should, true));
  const std::string rule = literal ? "literal" : "Carom's";
  PlotSeries series{fmt::format("{}, {}", pile.scene, rule), {}, PlotMark::LinePoints};
  std::optional<std::pair<std::string, Outcome>> best, heuristic;
  const std::vector<Limit> all = limits(work);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool endless = all[i].bounces == kNoLimit, is_heuristic = all[i].bounces == "0";
    const Outcome o = strike(pile, all[i].bounces, literal, should, steps_of(work), endless && !literal);
    results.table.rows.push_back({pile.name, rule, all[i].name, fmt::format("{}", o.first_step),
                                  fmt::format("{} of {}", o.of_should, expected), fmt::format("{}", o.revived),
                                  fmt::format("{}", o.bounces), fmt::format("{:.2g}", o.share)});
    if (is_heuristic) heuristic = {all[i].name, o};
    if (!is_heuristic && (!best || o.of_should > best->second.of_should)) best = {all[i].name, o};
    if (!endless && !is_heuristic)
      series.points.push_back({std::stod(all[i].bounces), 100.0 * o.of_should / std::max(expected, 1), {}});
    if (!o.picture.empty())
      section.add_picture(o.picture,
                          pile.name + ": after the step of the strike, without a limit; frozen cubes are blue.");
    work.show(from + 0.2 * static_cast<double>(i + 1) / static_cast<double>(all.size()));
  }
  results.plot.series.push_back(series);
  PileFinding finding;
  finding.agrees = best->second.of_should >= 0.95 * expected && best->second.share < 3;
  finding.text = fmt::format(
      "{}, {} rule: of {} cubes that should move, {} are revived with c_b = {} for {:.2g} % of the time, {} with the "
      "heuristic for {:.2g} %.",
      pile.name, literal ? "the paper's" : rule, expected, best->second.of_should, best->first, best->second.share,
      heuristic->second.of_should, heuristic->second.share);
  return finding;
}

}  // namespace

void make_schmidl_bounces(const SectionWork& work, ReportSection& section) {
  section.claim(
      "Section 5.2: “if c_b is selected such that PQ uses about 1 percent of the running time for a large simulation, "
      "PQ appears to unfreeze virtually all the bodies that should be unfrozen.” Section 5.1: c_b is the number of "
      "bodies below 50 bodies, else a tenth of the contacts.");
  Pile jam{"cubejam from above", "cubejam", work.pick<std::size_t>(15, 100, 100), work.pick(1.5, 20.0, 40.0)};
  Pile wall{"pyramid from the side", "pyramid", work.pick<std::size_t>(60, 220, 465), kFrame, false};
  settle(jam, [&](double share) { work.show(0.2 * share); });
  settle(wall, nullptr);
  section.ran(
      fmt::format(
          "Two piles, every cube of them frozen: the {} cubes of `cubejam`, settled, and the lowest {} of the "
          "`pyramid`. A ball of {} m and {:.1f} t strikes at {} m/s: the highest cube from above, the sixth row from "
          "the side. Limits c_b from 1 to none, {} steps of 1/30 s. Cubes that should be revived are those that the "
          "same strike moves by more than {} mm where nothing is frozen. The time of the queue is measured by solving "
          "every collision problem once more with it alone.",
          jam.bodies, wall.bodies, 2 * kRadius, 1e-3 * kDensity * 4.18879 * kRadius * kRadius * kRadius, kSpeed,
          steps_of(work), 1e3 * kMoved),
      {"carom suites",
       "carom run cubejam --suite schmidl --set freezing=true --set c_f=3 --set c_b=100 --dt 0.0333333"});
  Results results;
  std::string text;
  int agreeing = 0;
  double from = 0.2;
  for (const Pile* pile : {&jam, &wall}) {
    const std::vector<bool> should = should_move(*pile, steps_of(work));
    for (const bool literal : {true, false}) {
      const PileFinding finding = try_limits(work, *pile, literal, should, from, results, section);
      text += finding.text + " ";
      agreeing += finding.agrees ? 1 : 0;
      from += 0.2;
    }
  }
  section.add(results.table);
  section.add(results.plot);
  section.conclude(
      agreeing == 4  ? Finding::Agrees
      : agreeing > 0 ? Finding::Partly
                     : Finding::Differs,
      text +
          "Where frozen bodies do not give way in the contact stage (Carom's rule, so that piles do not sink), a push "
          "that does not come as a collision ends at the first of them, as in Fig. 5 with one program.");
}

}  // namespace carom
